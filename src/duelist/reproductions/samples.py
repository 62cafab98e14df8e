"""Means, medians and ratios of samples with 95 % intervals, by resampling where there is no formula."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from duelist.core.intervals import Interval, interval
from duelist.core.memory import Floats

DRAWS = 2000


def mean_of(sample: Any) -> Interval:
    """The mean."""
    return Interval(*map(float, interval(sample)))


def median_of(sample: Any) -> Interval:
    """The median, with the interval that order statistics give.

    >>> median_of(np.arange(100.0))
    Interval(mean=49.5, low=40.0, high=60.0)
    """
    ordered, half = np.sort(sample), 0.98 * math.sqrt(len(sample))
    low, high = math.floor(len(sample) / 2 - half), math.ceil(len(sample) / 2 + half)
    return Interval(float(np.median(ordered)), float(ordered[max(0, low)]), float(ordered[min(len(ordered) - 1, high)]))


def crossed_mean(table: Floats) -> Interval:
    """The mean of a table whose rows are drawn, and its columns too: other rows or other columns would give another.

    >>> [round(number, 2) for number in crossed_mean(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [3.0, 4.0, 5.0]]))]
    [3.0, -0.51, 6.51]
    """
    rows, columns = mean_of(table.mean(1)), mean_of(table.mean(0))
    half = math.hypot(rows.high - rows.mean, columns.high - columns.mean)
    return Interval(rows.mean, rows.mean - half, rows.mean + half)


def ratio_of(above: Floats, below: Floats, paired: bool = False, centre: Callable[..., Any] = np.mean) -> Interval:
    """The ratio of two means (or medians); `paired` where run by run the world was the same.

    >>> [round(number, 2) for number in ratio_of(np.array([1.0, 1.2, 1.1]), np.array([2.0, 2.2, 2.1]))]
    [0.52, 0.48, 0.57]
    """
    luck = np.random.default_rng(0)
    ones = luck.integers(0, len(above), (DRAWS, len(above)))
    others = ones if paired else luck.integers(0, len(below), (DRAWS, len(below)))
    draws = centre(np.asarray(above)[ones], axis=1) / centre(np.asarray(below)[others], axis=1)
    return between(float(centre(above) / centre(below)), draws)


def between(value: float, draws: Any) -> Interval:
    """A value, and where 95 % of what resampling gave instead of it lies."""
    low, high = np.quantile(draws, (0.025, 0.975))
    return Interval(float(value), float(low), float(high))
