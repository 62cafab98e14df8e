"""JSON lines and arrays in batches: what compiled code reads, and the rest as rows of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from duelist.clicks.columns import BLOCK, LISTS, ROWS, UNUSUAL, Batch, Batches
from duelist.clicks.files import CutShort, blocks
from duelist.clicks.gather import Gatherer
from duelist.clicks.json_array import array_items, is_array
from duelist.clicks.json_rows import JsonRows
from duelist.clicks.log import json_object
from duelist.clicks.row_text import NAMES
from duelist.clicks.row_text import UNUSUAL as UNUSUAL_COLUMNS
from duelist.core.errors import BadInput

NOTHING = msgspec.Raw(b"")


def json_batches(path: str | Path, attributes: Sequence[str], found: Gatherer) -> Batches:
    """Rows that compiled code could not read, or an empty batch; the others are handed to `found` block by block."""
    batch_of = _json_reader(attributes)
    if is_array(path):
        for numbers, texts in _items(path):
            yield batch_of(numbers, texts)
        return
    known = not any(name in (*NAMES, *UNUSUAL_COLUMNS) for name in attributes)
    for first, block in blocks(path, BLOCK):
        rows = JsonRows(block, attributes)
        left = found.take_rows(rows, first) if known else list(range(len(rows.rows)))
        for begin in range(0, max(1, len(left)), ROWS):
            places = [place for place in left[begin : begin + ROWS] if rows.line(place).strip()]
            yield batch_of([first + place for place in places], list(map(rows.line, places)))


def _items(path: str | Path) -> Iterator[tuple[list[int], list[str]]]:
    """Items of an array, some at a time, also those before a place where it breaks off."""
    numbers, texts = list[int](), list[str]()
    try:
        for number, text in array_items(path):
            numbers.append(number)
            texts.append(text)
            if len(texts) == ROWS:
                yield numbers, texts
                numbers, texts = [], []
    except CutShort:
        yield numbers, texts
        raise
    yield numbers, texts


def _json_reader(attributes: Sequence[str]) -> Callable[[list[int], list[str]], Any]:
    """What makes a batch of lines with their numbers."""
    fields: list[Any] = [("id", str | int | None, None), ("user", str), ("query", str | None, ""), ("shown", list[str])]
    fields += [("time", float | str | None, 0.0), ("experiment", str | None, "")]
    fields += [(name, msgspec.Raw, NOTHING) for name in (*LISTS, *UNUSUAL)]
    if own := {name for name, *_ in fields}.intersection(attributes):
        raise BadInput(f"{min(own)!r} is a part of every log, not a column of its own")
    extra = [f"attribute_{place}" for place in range(len(attributes))]
    default: Any = partial(msgspec.field, default=None)
    fields += [(own, str | int | float | None, default(name=name)) for own, name in zip(extra, attributes, strict=True)]
    row_type = msgspec.defstruct("Row", fields, gc=False, kw_only=True)
    decode = msgspec.json.Decoder(row_type).decode

    def batch_of(numbers: list[int], texts: list[str]) -> Any:
        rows, others = _decoded(numbers, texts, decode)
        if others:
            bad = {number for number, _ in others}
            texts = [text for number, text in zip(numbers, texts, strict=True) if number not in bad]
            numbers = [number for number in numbers if number not in bad]
        lists = {name: _written(list(map(attrgetter(name), rows))) for name in LISTS}
        batch = Batch(
            lines=numbers,
            id=[row.id if row.id.__class__ is not int else str(row.id) for row in rows],
            user=[row.user for row in rows],
            query=[row.query or "" for row in rows],
            time=[0.0 if row.time is None else row.time for row in rows],
            shown=[row.shown for row in rows],
            experiment=[row.experiment or "" for row in rows],
            attributes=[[getattr(row, name) for row in rows] for name in extra],
            **lists,
        )
        return batch, partial(_json_object_at, texts), others

    return batch_of


def _decoded(
    numbers: Sequence[int], texts: Sequence[str], decode: Callable[[str], Any]
) -> tuple[list[Any], list[tuple[int, Any]]]:
    """The rows that can be decoded, and those that cannot, with their lines.

    Each by itself: all together would mend a line that breaks off with what another has too much.
    """
    rows, others = [], []
    for number, text in zip(numbers, texts, strict=True):
        try:
            row = decode(text)
            if row.clicked or row.actions or row.lost or row.ranker:
                raise msgspec.ValidationError
            rows.append(row)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
            others.append((number, json_object(text)))
    return rows, others


def _json_object_at(texts: Sequence[str], place: int) -> Any:
    return json_object(texts[place])


def _written(column: list[Any]) -> list[bytes]:
    """What was written for lists; nothing for null."""
    if not any(column):
        return [b""] * len(column)
    texts = list(map(bytes, column))
    return [b"" if text == b"null" else text for text in texts] if b"null" in texts else texts
