"""Tests for a number of users that was planned before the experiment (thesis 7.1.1).

They are right once, at the planned end. Watched after every few users they raise false alarms in
a third of experiments without any difference: for watching there is `sequential`.

All are two-sided and take one delta a user, or a query. Where there is nothing to judge by (no
deltas, all of them 0) the answer is statistic 0 and p-value 1. Deltas that are all the same but
not 0 have no spread: their size stands in for it, so that n of them give z = sqrt(n), as n wins
and no loss do; one alone gives the t-test no degree of freedom, and p-value 1.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.memory import Floats
from duelist.evidence.deltas import check_deltas


class FixedTest(NamedTuple):
    """What a test for a planned number of users says."""

    name: str
    n: int  # how many deltas it used
    estimate: float  # how strong the preference is, in the test's own unit
    statistic: float
    p_value: float


def sign_test(deltas: Any) -> FixedTest:
    """Binomial sign test: is a win as likely as a loss? Ties are set aside.

    The estimate is the share of wins, the statistic their number.

    >>> test = sign_test([1, 2, 1, 3, -1, 0, 0, 1])
    >>> test.n, test.statistic, round(test.p_value, 4)
    (6, 5.0, 0.2188)
    """
    values = check_deltas(deltas)
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    n = wins + losses
    p_value = min(1.0, 2 * float(scipy.special.bdtr(min(wins, losses), n, 0.5))) if n else 1.0
    return FixedTest("sign", n, wins / n if n else 0.5, float(wins), p_value)


def z_test(deltas: Any) -> FixedTest:
    """Is the mean 0? The spread is estimated with 1/n, as in the thesis.

    >>> test = z_test([1, 2, 1, 3, -1, 0, 0, 1])
    >>> test.estimate, round(test.statistic, 3), round(test.p_value, 4)
    (0.875, 2.123, 0.0338)
    """
    values = check_deltas(deltas)
    mean, score = _score(values, degrees=0)
    return FixedTest("z", len(values), mean, score, 2 * float(scipy.special.ndtr(-abs(score))))


def t_test(deltas: Any) -> FixedTest:
    """Is the mean 0? As the z-test, with Student's allowance for the estimated spread.

    >>> round(t_test([1, 2, 1, 3, -1, 0, 0, 1]).p_value, 4)
    0.0875
    """
    values = check_deltas(deltas)
    mean, score = _score(values, degrees=1)
    p_value = 2 * float(scipy.special.stdtr(len(values) - 1, -abs(score))) if len(values) > 1 else 1.0
    return FixedTest("t", len(values), mean, score, p_value)


def wilcoxon_test(deltas: Any) -> FixedTest:
    """Wilcoxon's signed rank test: are deltas symmetric about 0? Zeros are set aside.

    The statistic is the sum of signed ranks W, the estimate its share of the largest possible one
    (from -1 to 1). W is compared with the normal distribution, as in the thesis.

    >>> test = wilcoxon_test([1, 2, 1, 3, -1, 0, 0, 1])
    >>> test.n, test.statistic, round(test.p_value, 4)
    (6, 16.0, 0.0845)
    """
    values = check_deltas(deltas)
    values = values[values != 0]
    n = len(values)
    if n == 0:
        return FixedTest("wilcoxon", 0, 0.0, 0.0, 1.0)
    _, place, ties = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]  # equal sizes share the mean of their ranks
    total = float((np.sign(values) * ranks).sum())
    score = total / math.sqrt(float((ranks**2).sum()))  # the variance of W when signs are coins
    return FixedTest("wilcoxon", n, 2 * total / (n * (n + 1)), total, 2 * float(scipy.special.ndtr(-abs(score))))


FIXED_TESTS = (sign_test, z_test, t_test, wilcoxon_test)


def _score(values: Floats, degrees: int) -> tuple[float, float]:
    """The mean, and the mean over its standard error."""
    n = len(values)
    if n == 0 or not values.any():
        return 0.0, 0.0
    mean = float(values.mean())
    if values.min() == values.max():
        return mean, math.copysign(math.sqrt(n), mean)
    return mean, mean / float(values.std(ddof=degrees)) * math.sqrt(n)
