"""A number for each of ever more users."""

from __future__ import annotations

from typing import Any

import numpy as np


class Growing:
    """One number for every place from 0, as many as come.

    >>> sums = Growing()
    >>> sums.add(np.array([2, 0, 2]), np.array([1.0, 5.0, 3.0]))
    >>> sums.values.tolist()
    [5.0, 0.0, 4.0]
    """

    def __init__(self, fill: float = 0.0, kind: Any = np.float64) -> None:
        self.fill, self.size = fill, 0
        self._room = np.full(1024, fill, kind)

    @property
    def values(self) -> Any:
        """All of them."""
        return self._room[: self.size]

    def add(self, places: Any, amounts: Any) -> None:
        """Add amounts to places, of which some may come twice."""
        self._reach(places)
        np.add.at(self._room, places, amounts)

    def lower(self, places: Any, amounts: Any) -> None:
        """Lower places to amounts that are less."""
        self._reach(places)
        np.minimum.at(self._room, places, amounts)

    def _reach(self, places: Any) -> None:
        self.size = max(self.size, int(places.max(initial=-1)) + 1)
        if self.size > len(self._room):
            room = np.full(max(self.size, len(self._room) * 5 // 4), self.fill, self._room.dtype)
            room[: len(self._room)] = self._room
            self._room = room
