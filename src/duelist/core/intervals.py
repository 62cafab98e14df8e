"""Means of samples with their 95 % intervals."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Interval(NamedTuple):
    """A mean and its 95 % interval (Student's t); NaN limits when there is one run."""

    mean: Any
    low: Any
    high: Any


def interval(samples: Any) -> Interval:
    """The mean over the first axis, with its interval.

    >>> [round(float(x), 3) for x in interval(np.array([1.0, 2.0, 3.0]))]
    [2.0, -0.484, 4.484]
    """
    from scipy.special import stdtrit  # slow to load, and only needed here

    samples = np.asarray(samples, dtype=np.float64)
    n, mean = len(samples), samples.mean(0)
    if n < 2:
        return Interval(mean, mean * np.nan, mean * np.nan)
    half = stdtrit(n - 1, 0.975) * samples.std(0, ddof=1) / np.sqrt(n)
    return Interval(mean, mean - half, mean + half)
