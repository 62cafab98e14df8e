"""Credit that rows say, a number for each ranker, on its way into one array."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import nan

import numpy as np

from duelist.clicks.impressions import Array
from duelist.core.memory import Flags, Floats


def are_complete(credits: Floats, setups: Array, rankers: Sequence[Sequence[str]]) -> Flags:
    """Whether each of some rows has as much credit as rankers, or none; `rankers` has those of a setup."""
    complete = np.isnan(credits[:, 0])
    given = np.flatnonzero(~complete & (setups >= 0))
    sizes = [len(rankers[setup]) for setup in setups[given].tolist()]
    complete[given] = (~np.isnan(credits[given])).sum(1) == np.array(sizes, np.int64)
    return complete


class Given:
    """The credit of some rows, in pieces; rows without any are not in them.

    >>> given = Given()
    >>> given.add_lists(1, [(0.5, 1.0), (), (2.0,)])
    >>> given.cut(4).tolist()
    [[nan, nan], [0.5, 1.0], [nan, nan], [2.0, nan]]
    """

    def __init__(self) -> None:
        self.width = 0  # the most numbers of a row, also of those that were cut off
        self.pieces: list[tuple[Array, Floats]] = []

    def add(self, rows: Array, credits: Floats) -> None:
        """Take the credit of rows, which is NaN behind their last ranker."""
        if len(rows):
            width = int((~np.isnan(credits)).any(0).sum())
            self._keep(rows, credits[:, :width].copy())

    def add_lists(self, first: int, credits: Sequence[Sequence[float]]) -> None:
        """Take the credit of rows that follow a first one, none where it is empty."""
        sizes = np.array(list(map(len, credits)), np.int64)
        rows = np.flatnonzero(sizes)
        if len(rows):
            values = np.full((len(rows), sizes.max()), nan)
            values[np.arange(values.shape[1]) < sizes[rows, None]] = list(chain.from_iterable(credits))
            self._keep(first + rows, values)

    def _keep(self, rows: Array, values: Floats) -> None:
        self.width = max(self.width, values.shape[1])
        self.pieces.append((rows, values))

    def cut(self, rows: int) -> Floats:
        """The credit of so many rows, which is forgotten."""
        found = np.full((rows, self.width), nan)
        for places, values in self.pieces:
            found[places, : values.shape[1]] = values
        self.pieces = []
        return found
