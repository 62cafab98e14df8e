"""Rows of a log as columns, and what is kept of them: the parts that reading into arrays is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np

from duelist.clicks.impressions import Array

PARTS = 256  # arrays of a column before they are joined
TEXTS = 1_000_000  # different texts of an attribute that are told apart
BLOCK = 1 << 20  # bytes of a text that are read at once
MOST_LOST = 255  # clicks without a place that are counted of an impression: a byte, of which nobody asks for more
ROWS = 500  # in a batch: few enough for the cache of a processor
LISTS = ("rankers", "teams", "clicks", "credit", "click_times")
UNUSUAL = ("clicked", "actions", "lost", "ranker")  # columns of rows that are read the long way


class Form(NamedTuple):
    """What the lists of a row come to."""

    setup: int  # number of its rankers' names
    layout: int  # number of its rankers and teams together
    first: int
    larger: int
    slots: tuple[int, ...]  # clicked
    teams: tuple[int, ...]  # of the clicked slots
    lost: tuple[Any, ...]  # of each its action and why
    repeated: tuple[str, ...]  # rankers whose slots are clicked again


class Kind(NamedTuple):
    """What rows have in common whose rankers, teams and experiment are written alike and that show as much."""

    setup: int
    layout: int
    first: int
    larger: int
    experiment: int
    teams: tuple[int, ...]  # of the slots; empty: nobody knows


class Names(dict[Any, int]):
    """Numbers for names, in the order of their coming."""

    def __missing__(self, name: Any) -> int:
        self[name] = len(self)
        return self[name]


@dataclass
class Batch:
    """Rows as columns of what was written: lists that are alike for many rows are text or tuples."""

    lines: Sequence[int]
    id: Sequence[Any]
    user: Sequence[Any]
    query: Sequence[Any]
    time: Sequence[Any]
    shown: Sequence[Any]
    rankers: Sequence[Any]
    teams: Sequence[Any]
    clicks: Sequence[Any]
    credit: Sequence[Any]
    click_times: Sequence[Any]
    experiment: Sequence[Any]
    attributes: Sequence[Sequence[Any]]

    def without(self, places: set[int]) -> Batch:
        """The others."""
        kept = [place for place in range(len(self.lines)) if place not in places]
        columns = {name: [getattr(self, name)[place] for place in kept] for name in BATCH[:-1]}
        return Batch(**columns, attributes=[[column[place] for place in kept] for column in self.attributes])


# A batch, its rows as mappings by their places in it, and other rows with their lines: a mapping, or what is wrong.
Batches = Iterator[tuple[Batch, Callable[[int], Any], list[tuple[int, Any]]]]

BATCH = tuple(Batch.__dataclass_fields__)
ROW = (
    "lines",
    "ids",
    "users",
    "queries",
    "bodies",
    "times",
    "setups",
    "experiments",
    "sizes",
    "firsts",
    "larger",
    "lost",
)
DONE = ("rows", "teams", "slots", "times", "names", "values")
KINDS: dict[str, Any] = {
    **dict.fromkeys(("ids", "users", "queries", "bodies"), np.uint64),
    "lines": np.int64,
    "rows": np.int32,
    **dict.fromkeys(("times", "values"), np.float64),
    **dict.fromkeys(("setups", "experiments", "names"), np.int32),
    **dict.fromkeys(("firsts", "larger", "teams"), np.int16),  # `MOST_RANKERS`
    **dict.fromkeys(("sizes", "slots"), np.uint16),  # `MOST_SHOWN`
    "lost": np.uint8,
}


class Column:
    """Values that come in portions, as arrays; many small ones, which take more room than they hold, are joined."""

    def __init__(self, name: str) -> None:
        self.kind = KINDS[name]
        self.parts: list[Array] = [np.zeros(0, self.kind)]
        self.small: list[Array] = []

    def add(self, values: Any) -> None:
        self.small.append(np.array(values, self.kind))
        if len(self.small) >= PARTS:
            self.parts.append(np.concatenate(self.small))
            self.small = []

    def array(self) -> Array:
        """All of them, which are forgotten."""
        parts, self.parts, self.small = self.parts + self.small, [np.zeros(0, self.kind)], []
        return np.concatenate(parts)


class Attribute:
    """A column of a user's own: each value as a number, and as the number of a text, until all are known."""

    def __init__(self) -> None:
        self.texts = Names()
        self.numeric = True  # nothing but numbers so far
        self.values: list[Any] = []

    def cut(self, order: Array) -> Array:
        """The values so far, two numbers each, which are forgotten; texts are numbered in this order."""
        values, self.values = self.values, []
        pairs = np.full((len(values), 2), (nan, -1.0))
        for row in order.tolist():
            if (value := values[row]) not in (None, ""):
                pairs[row] = self._number(value), self._text(str(value))
        return pairs

    def _number(self, value: Any) -> float:
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            self.numeric = False
            return nan

    def _text(self, value: str) -> int:
        return self.texts[value] if value in self.texts or len(self.texts) < TEXTS else -1

    @property
    def names(self) -> tuple[str, ...]:
        """The texts; none where all are numbers."""
        return () if self.numeric else tuple(self.texts)


def settled(attributes: Mapping[str, Array], names: Mapping[str, Sequence[str]]) -> dict[str, Array]:
    """Of the two numbers of each value the one that counts."""
    return {n: pairs[:, 1].astype(np.int64) if names[n] else pairs[:, 0] for n, pairs in attributes.items()}
