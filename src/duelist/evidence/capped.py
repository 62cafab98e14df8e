"""Preferences cut at a cap, and what cutting them can have changed.

A cap makes any outcome bounded, so that limits hold at any number of users (`BettingSequence`).
They are then limits of the mean of *capped* preferences: `shift` says how far that is from the
mean of these preferences as they were.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence.deltas import check_deltas


class Capped(NamedTuple):
    """Preferences between -cap and cap, and what was cut off."""

    values: Floats  # none where they were too many to keep
    cap: float
    share: float  # of preferences that were cut
    above: float  # what was cut off above the cap, and
    below: float  # below minus the cap: means over all preferences

    @property
    def shift(self) -> float:
        """The mean as it was, less the mean now: the bias, if what was cut off is real."""
        return self.above - self.below

    def turned(self) -> Capped:
        """The same for the opposite preferences."""
        return self._replace(values=-self.values, above=self.below, below=self.above)


def cap_preferences(preferences: Any, cap: float) -> Capped:
    """Cut preferences at plus and minus `cap`.

    >>> capped = cap_preferences([1, 0, -2, 60, 0], cap=50)
    >>> capped.values.tolist(), capped.share, capped.shift
    ([1.0, 0.0, -2.0, 50.0, 0.0], 0.2, 2.0)
    """
    values = check_deltas(preferences)
    if not (cap > 0 and math.isfinite(cap)):
        raise BadInput(f"cap must be a finite number above 0, not {cap!r}")
    number = max(1, len(values))
    above, below = (float(np.maximum(sign * values - cap, 0).sum()) / number for sign in (1, -1))
    cut = float((np.abs(values) > cap).sum()) / number
    return Capped(np.clip(values, -cap, cap), float(cap), cut, above, below)


class Capping:
    """The same, one portion of preferences after another, of which none is kept.

    >>> capping = Capping(cap=50)
    >>> capping.cut([1, 0, -2]).tolist(), capping.cut([60, 0]).tolist(), capping.so_far().share
    ([1.0, 0.0, -2.0], [50.0, 0.0], 0.2)
    """

    def __init__(self, cap: float) -> None:
        self.cap, self.number, self.sums = cap, 0, np.zeros(3)

    def cut(self, preferences: Any) -> Floats:
        """Some preferences, cut."""
        part = cap_preferences(preferences, self.cap)
        self.number += len(part.values)
        self.sums += len(part.values) * np.array([part.share, part.above, part.below])
        return part.values

    def so_far(self) -> Capped:
        """What was cut off."""
        return Capped(np.zeros(0), float(self.cap), *(self.sums / max(1, self.number)).tolist())
