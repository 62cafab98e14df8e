"""The size of a difference in the words people use."""

from __future__ import annotations

from typing import NamedTuple


class Effect(NamedTuple):
    """What two rankers earned in the impressions that compare them."""

    first: float  # credit of the one an impression
    second: float  # and of the other
    impressions: int

    @property
    def share(self) -> float | None:
        """The share of the first in the credit of both; None if there is none, or some is negative."""
        both = self.first + self.second
        return self.first / both if both > 0 and min(self.first, self.second) >= 0 else None

    @property
    def lift(self) -> float | None:
        """By how much the first earns more than the second, relative to it; None if the second earns nothing.

        >>> round(Effect(0.45, 0.36, 1000).lift, 3), round(Effect(0.45, 0.36, 1000).share, 3)
        (0.25, 0.556)
        """
        return self.first / self.second - 1 if self.second > 0 else None
