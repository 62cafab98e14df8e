"""Rows that compiled code has read: numbers and hashes of those that are usual, and places of the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from duelist.clicks.impressions import Array
from duelist.core.compile import kernel
from duelist.core.hashes import BASIS, Hashes, mixed
from duelist.core.memory import Floats, Ints

# What is written of a row: hashes, and numbers.
(IDS, USERS, QUERIES, DOCS, KINDS) = range(5)
(FIRST, LAST, SIZE, DONE, USUAL) = range(5)  # bytes of a line, documents, where its acts end, and what it is
LONG, PLAIN, EMPTY_LINE = range(3)
CREDITED = 8  # rankers of a usual row with credit, at most


@kernel
def place_among(values: Array, begin: int, end: int, value: Any) -> int:
    """The last place of a value between two others; -1 if it is not there."""
    found = -1
    for place in range(begin, end):
        if values[place] == value:
            found = place
    return found


@kernel
def hash_of_all(documents: Hashes, size: int) -> np.uint64:
    """One hash of so many."""
    whole = BASIS
    for place in range(size):
        whole = mixed(whole, documents[place])
    return whole


class Acts(NamedTuple):
    """What was done with the documents of rows, one after another."""

    slots: Ints
    names: Hashes  # of actions; EMPTY for a click
    values: Floats  # NaN where not said
    moments: Floats  # NaN where not known


def clicks_at(slots: Ints, moments: Floats) -> Acts:
    """Acts that are all clicks."""
    return Acts(slots, np.zeros(len(slots), np.uint64), np.ones(len(slots)), moments)


class FoundRows:
    """Some rows of a file that follow each other, with room for so many acts."""

    def __init__(self, size: int, acts: int) -> None:
        self.hashes: Hashes = np.zeros((size, 5), np.uint64)
        self.rows, self.times = np.zeros((size, 5), np.int64), np.zeros(size)
        self.credits: Floats = np.full((size, CREDITED), np.nan)  # of each ranker; NaN behind the last
        self.acts = Acts(np.empty(acts, np.int64), np.empty(acts, np.uint64), np.empty(acts), np.empty(acts))

    def acts_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """How many acts each of some rows has, and their places among all."""
        begins = np.concatenate([[0], self.rows[:-1, DONE]])[rows]
        number = self.rows[rows, DONE] - begins
        before = np.cumsum(number) - number
        return number, np.arange(number.sum()) + np.repeat(begins - before, number)

    def row(self, place: int) -> dict[str, Any]:
        """A row as a mapping; BadRow if there is none."""
        raise NotImplementedError

    def value(self, place: int, column: int) -> Any:
        """The value of a further column that was asked for."""
        raise NotImplementedError
