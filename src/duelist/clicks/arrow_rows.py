"""Columns of Parquet read by compiled code: rows of the usual form straight into numbers and hashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from duelist.clicks.found_rows import DOCS, DONE, IDS, KINDS, LONG, PLAIN, QUERIES, SIZE, USERS, USUAL, FoundRows
from duelist.clicks.json_text import is_solid
from duelist.clicks.records import LATEST, MILLISECONDS
from duelist.core.compile import compiled
from duelist.core.hashes import BASIS, EMPTY, Hashes, hash_bytes, mixed, pair_hashes
from duelist.core.memory import Flags, Floats, Ints

Listed = tuple[Ints, Any]
NONE = np.zeros(0, np.int64)
UNUSUAL = ("credit", "click_times", "clicked", "actions", "lost", "ranker")  # columns that are read the long way


@compiled
def hash_spans(text: npt.NDArray[np.uint8], offsets: Ints, found: Hashes, solid: Flags) -> None:
    """The hash of each text, and whether it surely is not blank."""
    for i in range(found.size):
        found[i] = hash_bytes(text, offsets[i], offsets[i + 1])
        solid[i] = is_solid(text, offsets[i], offsets[i + 1])


@compiled
def read_lists(
    shown: Ints,
    documents: Hashes,
    solid: Flags,
    rankers: Ints,
    names: Hashes,
    teams: Ints,
    owners: Ints,
    clicks: Ints,
    places: Ints,
    experiments: Hashes,
    hashes: Hashes,
    rows: Ints,
    slots: Ints,
) -> None:
    """What the lists of each row come to; each column of lists is offsets, and the values of all rows."""
    done = 0
    for row in range(rows.shape[0]):
        begin, size = shown[row], shown[row + 1] - shown[row]
        usual, whole = rows[row, USUAL] == PLAIN, BASIS
        for place in range(begin, begin + size):
            usual = usual and solid[place]
            whole = mixed(whole, documents[place])
            for other in range(begin, place):
                usual = usual and documents[other] != documents[place]
        first = done
        for at in range(clicks[row], clicks[row + 1]):
            slot = places[at]
            usual = usual and 0 <= slot < size
            for other in range(first, done):
                usual = usual and slots[other] != slot
            slots[done] = slot
            done += 1
        if not usual:
            done = first
        kind = mixed(BASIS, np.uint64(size))
        for at in range(rankers[row], rankers[row + 1]):
            kind = mixed(kind, names[at])
        kind = mixed(kind, MARK)
        for at in range(teams[row], teams[row + 1]):
            kind = mixed(kind, np.uint64(owners[at] + 1))
        hashes[row, DOCS], hashes[row, KINDS] = whole, mixed(mixed(kind, MARK), experiments[row])
        rows[row, SIZE], rows[row, DONE], rows[row, USUAL] = size, done, PLAIN if usual else LONG


MARK = np.uint64(0x5851F42D4C957F2D)  # between lists


class Unlike(Exception):
    """A column is not of the usual type."""


class ArrowRows(FoundRows):
    """The rows of a batch of Parquet; all are left to the long way where its columns are not of the usual types."""

    def __init__(self, batch: Any, columns: Sequence[str]) -> None:
        self.batch, self.names, size = batch, frozenset(batch.schema.names), batch.num_rows
        self.own = [batch.column(name).to_pylist() if name in self.names else [None] * size for name in columns]
        try:
            if any(name in self.names and batch.column(name).null_count < size for name in UNUSUAL):
                raise Unlike
            shown, rankers, teams, clicks = map(self._list, ("shown", "rankers", "teams", "clicks"))
            super().__init__(size, len(clicks[1]))
            self._read(shown, rankers, teams, clicks)
        except Unlike:
            super().__init__(size, 0)

    def _read(self, shown: Listed, rankers: Listed, teams: Listed, clicks: Listed) -> None:
        names, users, queries, experiments = (_hashed(self._text(n)) for n in ("id", "user", "query", "experiment"))
        times = self._times()
        self.times = np.where(times >= MILLISECONDS, times / 1000, times)
        known = users.solid & (self.times >= 0) & (self.times < LATEST)
        for column in (names, queries, experiments):
            known &= column.solid | (column.sizes == 0)
        if "shown" not in self.names or self.batch.column("shown").null_count:
            raise Unlike
        self.rows[:, USUAL] = np.where(known, PLAIN, LONG)
        self.hashes[:, USERS], self.hashes[:, QUERIES] = users.hashes, queries.hashes
        self.hashes[:, IDS] = np.where(names.sizes > 0, pair_hashes(experiments.hashes, names.hashes), EMPTY)
        documents, named = _hashed(shown[1]), _hashed(rankers[1])
        lists = (shown[0], documents.hashes, documents.solid, rankers[0], named.hashes, *teams, *clicks)
        read_lists(*lists, experiments.hashes, self.hashes, self.rows, self.slots)

    def _list(self, name: str) -> Listed:
        """Where the values of each row begin, and all of them: texts, or whole numbers."""
        import pyarrow

        texts = name in ("shown", "rankers")
        if name not in self.names:
            return np.zeros(self.batch.num_rows + 1, np.int64), pyarrow.array([], pyarrow.string()) if texts else NONE
        column, types = self.batch.column(name), pyarrow.types
        if not (types.is_list(column.type) or types.is_large_list(column.type)):
            raise Unlike
        offsets = column.offsets.to_numpy().astype(np.int64)
        if column.null_count and np.diff(offsets)[column.is_null().to_numpy(zero_copy_only=False)].any():
            raise Unlike
        values = column.values
        if texts:
            return offsets, values
        if values.null_count or not types.is_integer(values.type):
            raise Unlike
        return offsets, values.to_numpy().astype(np.int64)

    def _text(self, name: str) -> Any:
        """A column of texts; whole numbers are taken as they are written, and nothing as an empty text."""
        import pyarrow

        if name not in self.names or pyarrow.types.is_null(self.batch.column(name).type):
            return pyarrow.array([""] * self.batch.num_rows)
        column = self.batch.column(name)
        if pyarrow.types.is_integer(column.type):
            column = column.cast(pyarrow.string())
        return column.fill_null("") if column.null_count else column

    def _times(self) -> Floats:
        import pyarrow

        if "time" not in self.names:
            return np.zeros(self.batch.num_rows)
        column = self.batch.column("time")
        if not (pyarrow.types.is_floating(column.type) or pyarrow.types.is_integer(column.type)):
            raise Unlike
        column = column.fill_null(0) if column.null_count else column
        return np.asarray(column.to_numpy(zero_copy_only=False), np.float64)

    def row(self, place: int) -> dict[str, Any]:
        """A row as a mapping."""
        return {name: self.batch.column(name)[place].as_py() for name in self.names}

    def value(self, place: int, column: int) -> Any:
        """The value of a further column that was asked for."""
        return self.own[column][place]


class Hashed(NamedTuple):
    """A column of texts."""

    hashes: Hashes
    solid: Flags  # surely not blank
    sizes: Ints  # bytes


def _hashed(column: Any) -> Hashed:
    import pyarrow

    large = pyarrow.types.is_large_string(column.type)
    if not (large or pyarrow.types.is_string(column.type)):
        raise Unlike
    _, where, data = column.buffers()
    number = len(column)
    offsets, text = np.zeros(number + 1, np.int64), np.zeros(0, np.uint8)
    if where is not None and data is not None:
        every = np.frombuffer(where, np.int64 if large else np.int32)
        offsets, text = every[column.offset :][: number + 1].astype(np.int64), np.frombuffer(data, np.uint8)
    hashes, solid = np.empty(number, np.uint64), np.empty(number, np.bool_)
    hash_spans(text, offsets, hashes, solid)
    return Hashed(hashes, solid, np.diff(offsets))
