"""Columns of Arrow as arrays: hashes of names, times, and what was done, whichever of the usual types they have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from duelist.clicks.found_rows import CREDITED, Acts, clicks_at
from duelist.clicks.json_text import Bytes, is_solid
from duelist.clicks.records import CLICK, LATEST, MILLISECONDS
from duelist.clicks.rows import DOCUMENT, RANKER
from duelist.clicks.time_text import EXACT, MICROSECONDS, date_of
from duelist.core.compile import compiled
from duelist.core.hashes import EMPTY, Hashes, hash_bytes, pair_hashes, text_hashes
from duelist.core.memory import Flags, Floats, Ints

BY_NAME, UNKNOWN = -1, -2  # slots of a document that is named, and of what is read the long way
ACTS = ("clicks", "clicked", "actions")


class Unlike(Exception):
    """A column is not of the usual type."""


@compiled
def hash_spans(text: Bytes, offsets: Ints, found: Hashes, solid: Flags) -> None:
    """The hash of each text, and whether it surely is not blank."""
    for i in range(found.size):
        found[i] = hash_bytes(text, offsets[i], offsets[i + 1])
        solid[i] = is_solid(text, offsets[i], offsets[i + 1])


@compiled
def date_spans(text: Bytes, offsets: Ints, found: Floats) -> None:
    """The time of each text that is a date, or -1."""
    for i in range(found.size):
        found[i] = date_of(text, offsets[i], offsets[i + 1])


class Named(NamedTuple):
    """A column of names."""

    hashes: Hashes  # EMPTY for nothing
    solid: Flags  # surely not blank


class Listed(NamedTuple):
    """A column of lists: where the values of each row begin, and all of them."""

    offsets: Ints
    values: Any


def list_of(batch: Any, name: str) -> Listed:
    """A column of lists; those that are not there are empty."""
    import pyarrow

    place, types = batch.schema.get_field_index(name), pyarrow.types
    if place < 0 or types.is_null(batch.column(place).type):
        return Listed(np.zeros(batch.num_rows + 1, np.int64), pyarrow.nulls(0))
    column = batch.column(place)
    if not (types.is_list(column.type) or types.is_large_list(column.type)):
        raise Unlike
    offsets = column.offsets.to_numpy().astype(np.int64)
    if column.null_count and np.diff(offsets)[nulls(column)].any():
        raise Unlike
    return Listed(offsets - offsets[0], column.values.slice(offsets[0], offsets[-1] - offsets[0]))


def nulls(column: Any) -> Flags:
    """Where a column has nothing."""
    return np.asarray(column.is_null().to_numpy(zero_copy_only=False), np.bool_)


def names(column: Any) -> Named:
    """Texts, or whole numbers as they are written."""
    import pyarrow

    types, size = pyarrow.types, len(column)
    if types.is_null(column.type):
        return Named(np.zeros(size, np.uint64), np.zeros(size, np.bool_))
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_integer(column.type):
        column = column.cast(pyarrow.string())
    hashes, solid = np.empty(size, np.uint64), np.empty(size, np.bool_)
    hash_spans(*_spans(column), hashes, solid)
    if column.null_count:
        nothing = nulls(column)
        hashes[nothing], solid[nothing] = EMPTY, False
    return Named(hashes, solid)


def _spans(column: Any) -> tuple[Bytes, Ints]:
    """All texts of a column, and where each begins."""
    import pyarrow

    large = pyarrow.types.is_large_string(column.type)
    if not (large or pyarrow.types.is_string(column.type)):
        raise Unlike
    _, where, data = column.buffers()
    number = len(column)
    if where is None or data is None:
        return np.zeros(0, np.uint8), np.zeros(number + 1, np.int64)
    every = np.frombuffer(where, np.int64 if large else np.int32)
    return np.frombuffer(data, np.uint8), every[column.offset :][: number + 1].astype(np.int64)


def teams(column: Any) -> Hashes:
    """Numbers or names of teams, as anything that differs where they do."""
    import pyarrow

    if pyarrow.types.is_integer(column.type) and not column.null_count:
        return np.asarray(column.to_numpy(), np.int64).view(np.uint64) + np.uint64(2)
    return names(column).hashes


def moments(column: Any) -> Floats:
    """Seconds since 1970: NaN for nothing, and -1 for what is no plain time."""
    import pyarrow

    types = pyarrow.types
    if types.is_null(column.type):
        return np.full(len(column), np.nan)
    if types.is_timestamp(column.type):
        micros = _numbers(column.cast(pyarrow.timestamp("us", column.type.tz)).cast(pyarrow.int64()))
        times = np.where(micros < EXACT, micros / MICROSECONDS, -1.0)
    elif types.is_floating(column.type) or types.is_integer(column.type):
        times = _numbers(column).astype(np.float64)
        times = np.where(times >= MILLISECONDS, times / 1000, times)
    else:
        times = np.empty(len(column))
        date_spans(*_spans(column), times)
    times = np.where((times >= 0) & (times < LATEST), times, -1.0)
    return np.where(nulls(column), np.nan, times) if column.null_count else times


def _numbers(column: Any) -> Any:
    """A column of numbers, nothing as 0."""
    return (column.fill_null(0) if column.null_count else column).to_numpy(zero_copy_only=False)


def fields_of(values: Any) -> dict[str, Any]:
    """The columns of a column of objects; none where it has something else."""
    import pyarrow

    if not pyarrow.types.is_struct(values.type):
        return {}
    return dict(zip((field.name for field in values.type), values.flatten(), strict=True))


def documents(values: Any) -> tuple[Named, Hashes]:
    """The names of documents, and their labels as anything that differs where they do."""
    fields, labels = fields_of(values), np.zeros(len(values), np.uint64)
    found = Named(labels, labels > 0) if fields else names(values)
    for name in reversed([name for name in DOCUMENT if name in fields]):  # the first that says something counts
        own = names(fields[name])
        there = own.hashes != EMPTY
        found = Named(np.where(there, own.hashes, found.hashes), np.where(there, own.solid, found.solid))
    for number, name in reversed([(number, name) for number, name in enumerate(RANKER) if name in fields]):
        own = names(fields[name])
        labels = np.where(own.hashes != EMPTY, pair_hashes(own.hashes, np.full(len(values), number)), labels)
    return found, labels


class Given(NamedTuple):
    """What columns say was done, with the documents that are named instead of a slot."""

    offsets: Ints  # a row for each column
    acts: Acts
    documents: Hashes


def given(batch: Any) -> Given:
    """What was done, by all columns that say something of it."""
    columns = [(list_of(batch, name), name) for name in ACTS]
    said = [_acts(listed.values, name) for listed, name in columns]
    begins = np.cumsum([0, *(len(listed.values) for listed, _ in columns)])
    offsets = np.stack([listed.offsets + begin for (listed, _), begin in zip(columns, begins, strict=False)])
    acts = Acts(*map(np.concatenate, zip(*(acts for acts, _ in said), strict=True)))
    return Given(offsets, acts, np.concatenate([documents for _, documents in said]))


def _acts(values: Any, column: str) -> tuple[Acts, Hashes]:
    import pyarrow

    size, fields = len(values), fields_of(values)
    nobody, when = np.zeros(size, np.uint64), np.full(size, np.nan)
    if fields:
        return _objects(fields, column == "actions", clicks_at(np.full(size, UNKNOWN), when))
    if column == "clicks" and pyarrow.types.is_integer(values.type):
        return clicks_at(_positions(values), when), nobody
    named = names(values).hashes
    known = (named != EMPTY) & (column != "actions")
    return clicks_at(np.where(known, BY_NAME, UNKNOWN), when), named


def _objects(fields: Mapping[str, Any], actions: bool, acts: Acts) -> tuple[Acts, Hashes]:
    """Clicks or actions that are objects."""
    slots, kinds, values, when = acts
    documents = np.zeros(len(slots), np.uint64)
    if "position" in fields:
        slots = _positions(fields["position"])
    for name in [name for name in ("object_id", "document") if name in fields]:  # of both the document counts
        own = names(fields[name]).hashes
        slots, documents = np.where(own != EMPTY, BY_NAME, slots), np.where(own != EMPTY, own, documents)
    if "time" in fields:
        when = moments(fields["time"])
        slots = np.where(when < 0, UNKNOWN, slots)
    called, solid = names(fields["name"]) if "name" in fields else Named(kinds, kinds > 0)
    if not actions:
        return Acts(np.where(called != EMPTY, UNKNOWN, slots), kinds, values, when), documents
    usual = solid & (called != text_hashes([CLICK])[0])
    values = _values(fields["value"]) if "value" in fields else np.full(len(slots), np.nan)
    return Acts(np.where(usual, slots, UNKNOWN), called, values, when), documents


def _positions(column: Any) -> Ints:
    import pyarrow

    types = pyarrow.types
    if types.is_null(column.type):
        return np.full(len(column), UNKNOWN)
    if not types.is_integer(column.type):
        raise Unlike
    slots = _numbers(column).astype(np.int64)
    return np.where((slots < 0) | nulls(column), UNKNOWN, slots)


def credits_of(batch: Any) -> tuple[Floats, Flags]:
    """The credit of each row, NaN behind its last ranker, and whether it is usual: plain numbers, or none said."""
    listed = list_of(batch, "credit")
    sizes = np.diff(listed.offsets)
    short, found = sizes <= CREDITED, np.full((len(sizes), CREDITED), np.nan)
    found[(np.arange(CREDITED) < sizes[:, None]) & short[:, None]] = _values(listed.values)[np.repeat(short, sizes)]
    whole = (sizes > 0) & ((~np.isnan(found)).sum(1) == sizes)
    return found, np.asarray(whole | nulls(batch.column("credit")))


def _values(column: Any) -> Floats:
    """Numbers, NaN where they are not said or not finite."""
    import pyarrow

    types = pyarrow.types
    if types.is_null(column.type):
        return np.full(len(column), np.nan)
    if not (types.is_integer(column.type) or types.is_floating(column.type)):
        raise Unlike
    values = _numbers(column).astype(np.float64)
    return np.where(nulls(column) | ~np.isfinite(values), np.nan, values)
