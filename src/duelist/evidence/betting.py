"""Limits that hold at any number of users, for numbers of known bound: no central limit theorem.

For every mean m a gambler bets against "the mean is m": after x, wealth is multiplied by
1 + stake (x - m), where the stake was fixed before x was seen. If m is the mean, wealth is a
fair game, and reaches 1/alpha ever with probability at most alpha (Ville). The means against
which nobody became rich are the limits.

The stake is what would have earned most on the users so far, to second order: the mean distance
from m over the mean squared distance, at most half of what could ruin (aGRAPA of Waudby-Smith,
Ramdas. Estimating means of bounded random variables by betting. JRSS B 2024). A few imagined
users keep early stakes low.

Each user enters once, with a number that no longer changes (see `freeze`), in an order that does
not depend on it. For users who come back there is `Accounts`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import compiled, kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.evidence.deltas import check_deltas, check_share

IMAGINED = 10.0  # users before the first, of mean m and half the bound away from it
CAUTION = 0.5  # of the largest stake that cannot ruin
SIDE = 150  # means on each side of 0, ever denser towards it
MEANS = np.linspace(-1, 1, 2 * SIDE + 1) ** 3  # against which is bet, in units of the bound
AT_ONCE = 32  # deltas whose product is far from the smallest and the largest number there is
NUMBER, TOTAL, SQUARES, HIGHEST = range(4)


@kernel
def stake(mean: float, number: float, total: float, squares: float, bound: float) -> float:
    """What to bet on numbers above `mean`, from those seen.

    Neither divisor is 0; `np.divide` does not make sure, so that many means are divided at once.
    """
    away = total - number * mean
    spread = squares - 2 * mean * total + number * mean * mean + IMAGINED * (bound / 2) ** 2
    most: float = np.divide(CAUTION, bound + abs(mean))
    best: float = np.divide(away, spread)
    return max(-most, min(most, best))


@compiled
def play(wealth: Floats, means: Floats, grown: Floats, sums: Floats, bound: float, deltas: Floats) -> None:
    """Bet on every delta against every mean; the middle one is 0, and its largest wealth is kept.

    A delta multiplies wealth by 1/2 to 3/2: some are multiplied in `grown`, which is scratch, before a logarithm is
    taken. That takes longer than all the rest.
    """
    middle = means.size // 2
    for begun in range(0, deltas.size, AT_ONCE):
        kept = wealth[middle]
        grown[:] = 1.0
        for place in range(begun, min(begun + AT_ONCE, deltas.size)):
            delta, number, total, squares = deltas[place], sums[NUMBER], sums[TOTAL], sums[SQUARES]
            for i in range(means.size):
                grown[i] *= 1.0 + stake(means[i], number, total, squares, bound) * (delta - means[i])
            kept += math.log1p(stake(0.0, number, total, squares, bound) * delta)
            sums[NUMBER] += 1
            sums[TOTAL] += delta
            sums[SQUARES] += delta * delta
            sums[HIGHEST] = max(sums[HIGHEST], kept)
        for i in range(means.size):
            wealth[i] += math.log(grown[i])
        wealth[middle] = kept


@compiled
def wealth_at(deltas: Floats, looks: Ints, bound: float, wealth: Floats) -> None:
    """The logarithm of the wealth of who bets against a mean of 0, of experiments x users at each look."""
    for row in range(deltas.shape[0]):
        money = total = squares = 0.0
        user = 0
        for look in range(looks.size):
            while user < looks[look]:
                delta = deltas[row, user]
                money += math.log1p(stake(0.0, float(user), total, squares, bound) * delta)
                total += delta
                squares += delta * delta
                user += 1
            wealth[row, look] = money


class BettingSequence:
    """The limits of a mean of numbers between -bound and bound, one user after another.

    >>> sequence = BettingSequence(bound=1)
    >>> sequence.add([1, 1, -1, 0, 1] * 40)
    >>> [round(limit, 3) for limit in sequence.limits()], sequence.p_value < 0.001
    ([0.195, 0.579], True)
    """

    def __init__(self, bound: float) -> None:
        if not (bound > 0 and math.isfinite(bound)):
            raise BadInput(f"bound must be a finite number above 0, not {bound!r}")
        self.bound = float(bound)
        self.wealth = np.zeros(len(MEANS))  # logarithms
        self.sums = np.zeros(4)

    def add(self, deltas: Any) -> None:
        """Enter one user or many."""
        values = check_deltas(np.atleast_1d(deltas))
        if (outside := np.abs(values) > self.bound).any():
            raise BadInput(f"every delta must be between -{self.bound:g} and {self.bound:g}, not {values[outside][0]}")
        play(self.wealth, MEANS * self.bound, np.empty(len(MEANS)), self.sums, self.bound, values)

    @property
    def users(self) -> int:
        """Users entered."""
        return int(self.sums[NUMBER])

    @property
    def mean(self) -> float:
        """The mean of those entered."""
        return float(self.sums[TOTAL]) / max(1, self.users)

    def limits(self, alpha: float = 0.05) -> tuple[float, float]:
        """From the last mean below all that stand to the first above them: they hold at all looks together."""
        standing = np.flatnonzero(self.wealth < -math.log(check_share("alpha", alpha)))
        if not len(standing):  # the mean has moved: the least unlikely one
            standing = np.array([self.wealth.argmin()])
        ends = max(0, standing[0] - 1), min(len(MEANS) - 1, standing[-1] + 1)
        return float(MEANS[ends[0]] * self.bound), float(MEANS[ends[1]] * self.bound)

    def turned(self) -> BettingSequence:
        """The same for the opposite of every number."""
        other = BettingSequence(self.bound)
        other.wealth, other.sums = self.wealth[::-1].copy(), self.sums.copy()
        other.sums[TOTAL] *= -1
        return other

    def after(self, users: int, delta: float) -> BettingSequence:
        """The same after so many more users with this number each."""
        other = BettingSequence(self.bound)
        other.wealth, other.sums = self.wealth.copy(), self.sums.copy()
        other.add(np.full(users, delta))
        return other

    @property
    def e_value(self) -> float:
        """The wealth of who bets against a mean of 0."""
        return math.exp(min(float(self.wealth[SIDE]), 700.0))

    @property
    def p_value(self) -> float:
        """Of a mean of 0; it may be watched: one over the largest wealth so far."""
        return math.exp(-float(self.sums[HIGHEST]))
