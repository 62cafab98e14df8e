"""Means of samples with their 95 % intervals."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
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
    samples = np.asarray(samples, dtype=np.float64)
    n, mean = len(samples), samples.mean(0)
    if n < 2:
        return Interval(mean, mean * np.nan, mean * np.nan)
    half = student_quantile(n - 1) * samples.std(0, ddof=1) / np.sqrt(n)
    return Interval(mean, mean - half, mean + half)


@cache
def student_quantile(freedom: int, chance: float = 0.975) -> float:
    """The value that Student's t is below with this chance, above 1/2, for whole degrees of freedom.

    Scipy has it, but takes longer to load than most simulations take to run.

    >>> round(student_quantile(10), 6)
    2.228139
    """
    # The normal quantile lies below it; from there each step of Newton's goes up and not beyond, F being concave.
    value, before = NormalDist().inv_cdf(chance), -math.inf
    half = (freedom + 1) / 2
    scale = math.exp(math.lgamma(half) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    while value > before:
        before = value
        value += (chance - _student_below(value, freedom)) / (scale * (1 + value**2 / freedom) ** -half)
    return value


def _student_below(value: float, freedom: int) -> float:
    """The chance that Student's t is below `value`, a finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan2(value, math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    steps = np.arange(2 + freedom % 2, freedom, 2)
    series = 1 + float(np.cumprod((steps - 1) / steps * cosine**2).sum())
    if freedom % 2 == 0:
        within = sine * series
    else:
        within = 2 / math.pi * (angle + (sine * cosine * series if freedom > 1 else 0))
    return (1 + within) / 2
