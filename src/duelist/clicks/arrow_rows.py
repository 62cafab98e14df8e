"""Columns of Parquet read by compiled code: rows of the usual form straight into numbers and hashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.clicks.arrow_columns import (
    ACTS,
    BY_NAME,
    Given,
    Named,
    Unlike,
    credits_of,
    documents,
    given,
    list_of,
    moments,
    names,
    nulls,
    teams,
)
from duelist.clicks.found_rows import (
    DOCS,
    DONE,
    IDS,
    KINDS,
    LONG,
    PLAIN,
    QUERIES,
    SIZE,
    USERS,
    USUAL,
    Acts,
    FoundRows,
    place_among,
)
from duelist.clicks.parquet_files import said
from duelist.core.compile import compiled, kernel
from duelist.core.hashes import BASIS, EMPTY, Hashes, mixed, pair_hashes, text_hashes
from duelist.core.memory import Flags, Floats, Ints

UNUSUAL = ("lost", "ranker")  # columns that are read the long way
MARK = np.uint64(0x5851F42D4C957F2D)  # between lists


class Lists(NamedTuple):
    """The lists of all rows: each column is offsets, and the values of all rows."""

    shown: Ints
    documents: Hashes
    solid: Flags
    labels: Hashes
    rankers: Ints
    names: Hashes
    teams: Ints
    owners: Hashes
    click_times: Ints
    moments: Floats


@kernel
def acts_in(lists: Lists, done: Given, row: int, acts: Acts, first: int) -> int:
    """Write what was done in a row from `first` on; where it ends, -1 if something is unusual."""
    begin, size = lists.shown[row], lists.shown[row + 1] - lists.shown[row]
    end, clicks, known = first, 0, 0
    for column in range(len(ACTS)):
        for at in range(done.offsets[column, row], done.offsets[column, row + 1]):
            slot = done.acts.slots[at]
            if slot == BY_NAME:
                slot = place_among(lists.documents, begin, begin + size, done.documents[at]) - begin
            if not 0 <= slot < size:
                return -1
            if column < len(ACTS) - 1:
                if place_among(acts.slots, first, end, slot) >= 0:
                    return -1
                clicks, known = clicks + 1, known + (not np.isnan(done.acts.moments[at]))
            acts.slots[end], acts.names[end] = slot, done.acts.names[at]
            acts.values[end], acts.moments[end] = done.acts.values[at], done.acts.moments[at]
            end += 1
    times = lists.click_times[row + 1] - lists.click_times[row]
    if times and (times != clicks or known):
        return -1
    for click in range(clicks):
        if times:
            acts.moments[first + click] = lists.moments[lists.click_times[row] + click]
            if not acts.moments[first + click] >= 0:
                return -1
        elif known < clicks:  # the times of some are those of none
            acts.moments[first + click] = np.nan
    return end


@compiled
def read_lists(lists: Lists, done: Given, experiments: Hashes, hashes: Hashes, rows: Ints, acts: Acts) -> None:
    """What the lists of each row come to."""
    first = 0
    for row in range(rows.shape[0]):
        begin, size = lists.shown[row], lists.shown[row + 1] - lists.shown[row]
        usual, whole, kind = rows[row, USUAL] == PLAIN, BASIS, mixed(BASIS, np.uint64(size))
        for place in range(begin, begin + size):
            usual = usual and lists.solid[place]
            usual = usual and place_among(lists.documents, begin, place, lists.documents[place]) < 0
            whole, kind = mixed(whole, lists.documents[place]), mixed(kind, lists.labels[place])
        end = acts_in(lists, done, row, acts, first) if usual else -1
        for at in range(lists.rankers[row], lists.rankers[row + 1]):
            kind = mixed(kind, lists.names[at])
        kind = mixed(kind, MARK)
        for at in range(lists.teams[row], lists.teams[row + 1]):
            kind = mixed(kind, lists.owners[at])
        hashes[row, DOCS], hashes[row, KINDS] = whole, mixed(mixed(kind, MARK), experiments[row])
        first = max(first, end)
        rows[row, SIZE], rows[row, DONE], rows[row, USUAL] = size, first, PLAIN if end >= 0 else LONG


class ArrowRows(FoundRows):
    """The rows of a batch of Parquet; all are left to the long way where its columns are not of the usual types."""

    def __init__(self, batch: Any, columns: Sequence[str]) -> None:
        self.batch, self.names, size = batch, frozenset(batch.schema.names), batch.num_rows
        self.own = [batch.column(name).to_pylist() if name in self.names else [None] * size for name in columns]
        try:
            if "shown" not in self.names:
                raise Unlike
            done = given(batch)
            super().__init__(size, len(done.documents))
            self._read(done)
        except Unlike:
            super().__init__(size, 0)

    def _read(self, done: Given) -> None:
        if "time" in self.names:
            times = moments(self.batch.column("time"))
            self.times = np.where(np.isnan(times), 0.0, times)
        ids, users, queries, experiments = map(self._names, ("id", "user", "query", "experiment"))
        known = users.solid & (self.times >= 0) & ~nulls(self.batch.column("shown"))
        for name in self.names.intersection(UNUSUAL):
            known &= nulls(self.batch.column(name))
        if "credit" in self.names:
            self.credits, usual = credits_of(self.batch)
            known &= usual
        (nothing,) = text_hashes([""])
        for column in (ids, queries, experiments):
            known &= column.solid | (column.hashes == nothing)
        self.rows[:, USUAL] = np.where(known, PLAIN, LONG)
        self.hashes[:, USERS], self.hashes[:, QUERIES] = users.hashes, queries.hashes
        self.hashes[:, IDS] = np.where(ids.hashes != nothing, pair_hashes(experiments.hashes, ids.hashes), EMPTY)
        read_lists(self._lists(), done, experiments.hashes, self.hashes, self.rows, self.acts)

    def _lists(self) -> Lists:
        shown, rankers, owners, times = (list_of(self.batch, n) for n in ("shown", "rankers", "teams", "click_times"))
        ranked, labels = documents(shown.values)
        return Lists(
            *(shown.offsets, *ranked, labels, rankers.offsets, names(rankers.values).hashes),
            *(owners.offsets, teams(owners.values), times.offsets, moments(times.values)),
        )

    def _names(self, name: str) -> Named:
        """A column of names, nothing as an empty text."""
        size, (nothing,) = self.batch.num_rows, text_hashes([""])
        if name not in self.names:
            return Named(np.full(size, nothing), np.zeros(size, np.bool_))
        found = names(self.batch.column(name))
        return Named(np.where(found.hashes == EMPTY, nothing, found.hashes), found.solid)

    def row(self, place: int) -> dict[str, Any]:
        """A row as a mapping."""
        return {name: said(self.batch.column(name)[place].as_py()) for name in self.names}

    def value(self, place: int, column: int) -> Any:
        """The value of a further column that was asked for."""
        return self.own[column][place]
