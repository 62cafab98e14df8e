"""What rows that were read by compiled code have in common, looked at once for all that are alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from duelist.clicks.columns import Kind
from duelist.clicks.impressions import Array
from duelist.core.hashes import Hashes, HashNumbers

T = TypeVar("T")


class Firsts(Generic[T]):
    """Numbers for hashes in the order of their coming, and what was made of the first with each.

    >>> places = Firsts[int]()
    >>> places.of(np.array([7, 3, 7], np.uint64), lambda place: place).tolist(), places.made
    ([0, 1, 0], [0, 1])
    """

    def __init__(self) -> None:
        self.numbers, self.made = HashNumbers(), list[T]()

    def of(self, hashes: Hashes, make: Callable[[int], T]) -> Array:
        """The numbers of some; `make` is given the place of one that is new."""
        numbers = self.numbers.of(hashes)
        for place in np.flatnonzero(numbers >= len(self.made)).tolist():
            if numbers[place] == len(self.made):
                self.made.append(make(place))
        return numbers


class Kinds(Firsts[Kind | None]):
    """Kinds of rows; None where such rows are bad."""

    def __init__(self) -> None:
        super().__init__()
        self._common: Array = np.zeros((0, 5), np.int64)
        self._owners: Array = np.full((0, 1), -1)

    def common(self, kinds: Array) -> Array:
        """All but the teams of some kinds, a row each: -1 where such rows are bad."""
        if len(self._common) < len(self.made):
            self._common = np.array([kind[:5] if kind else (-1,) * 5 for kind in self.made], np.int64)
        return self._common[kinds]

    def owners(self, kinds: Array, slots: Array) -> Array:
        """The teams of slots of some kinds, -1 where nobody owns one."""
        size = int(slots.max(initial=0)) + 1
        if len(self._owners) < len(self.made) or self._owners.shape[1] < size:
            self._owners = np.full((len(self.made), max(size, self._owners.shape[1])), -1)
            for number, kind in enumerate(self.made):
                teams = kind.teams if kind else ()
                self._owners[number, : len(teams)] = teams[: self._owners.shape[1]]
        return self._owners[kinds, slots]
