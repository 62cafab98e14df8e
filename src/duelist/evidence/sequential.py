"""Evidence that may be watched: right at every look, whenever you stop.

Two methods. The *e-value* bets on wins against losses: under "a win is as likely as a loss" it
stays below 1/alpha for ever with probability at least 1 - alpha. It tests the sign of the deltas,
not their mean. The *confidence sequence* is an interval for the mean that holds at all looks
together, asymptotically: it begins at an effective size (see `limits`).

Each user enters once, with a number that no longer changes (see `freeze`); users who come back
for as long as the experiment lasts are for `Accounts`, and numbers of known bound for `BettingSequence`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.compile import compiled
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.evidence.deltas import check_deltas, check_share
from duelist.evidence.limits import START, effective_size, mean_limits, once

PRIOR = 10.0  # wins and losses imagined before the first: Beta(10, 10)
LARGEST = 700.0  # logarithm of the largest e-value that is told apart


def log_e_value(wins: Any, losses: Any, prior: float = PRIOR) -> Any:
    """The logarithm of the e-value, for numbers or whole arrays."""
    bet = scipy.special.betaln(wins + prior, losses + prior) - scipy.special.betaln(prior, prior)
    return bet + (wins + losses) * math.log(2)


def e_value(wins: int, losses: int, prior: float = PRIOR) -> float:
    """How strongly wins and losses speak against a fair coin; 20 decides at alpha = 5 %.

    >>> round(e_value(60, 30), 1), round(e_value(45, 45), 2)
    (27.6, 0.42)
    """
    if not (wins >= 0 and losses >= 0):
        raise BadInput(f"wins and losses must be at least 0, not {wins!r} and {losses!r}")
    if not prior > 0:
        raise BadInput(f"prior must be above 0, not {prior!r}")
    return math.exp(min(float(log_e_value(wins, losses, prior)), LARGEST))


def log_e_path(deltas: Any, prior: float = PRIOR) -> Floats:
    """The logarithm of the e-value after each user."""
    values = check_deltas(deltas)
    return np.asarray(log_e_value(np.cumsum(values > 0), np.cumsum(values < 0), prior))


@dataclass(frozen=True)
class EValue:
    """The e-value as a value that takes users one by one.

    >>> bets = EValue()
    >>> for delta in [1, 1, -1, 0, 1] * 40:
    ...     bets = bets.add(delta)
    >>> bets.wins, bets.losses, bets.value > 20, bets.p_value < 0.05
    (120, 40, True, True)
    """

    wins: int = 0
    losses: int = 0
    ties: int = 0
    prior: float = PRIOR
    highest: float = 0.0  # the largest logarithm so far

    def add(self, delta: float) -> EValue:
        """With one more user."""
        value = float(check_deltas([delta])[0])
        more = replace(
            self, wins=self.wins + (value > 0), losses=self.losses + (value < 0), ties=self.ties + (value == 0)
        )
        return replace(more, highest=max(self.highest, float(log_e_value(more.wins, more.losses, self.prior))))

    @property
    def value(self) -> float:
        """The e-value now."""
        return e_value(self.wins, self.losses, self.prior)

    @property
    def p_value(self) -> float:
        """A p-value that may be watched: one over the largest e-value so far."""
        return math.exp(-self.highest)


class Band(NamedTuple):
    """The confidence sequence at each look; infinitely wide before it has begun."""

    n: Any  # users
    mean: Floats
    low: Floats
    high: Floats


def confidence_sequence(deltas: Any, alpha: float = 0.05, start: float = START) -> Band:
    """The mean delta and its limits after each user: all of them hold together with 1 - alpha.

    >>> band = confidence_sequence([1, 1, -1, 0, 1] * 40)
    >>> [round(float(limit[-1]), 3) for limit in (band.mean, band.low, band.high)]
    [0.4, 0.215, 0.585]
    """
    values = check_deltas(deltas)
    check_share("alpha", alpha)
    looks = np.arange(1, len(values) + 1)
    sums = once(looks, *(part[0] for part in sums_at(values[None, :], looks, start)))
    return Band(looks, sums.total / looks, *mean_limits(sums, alpha, start))


def sums_at(deltas: Floats, looks: Ints, start: float = START, imagined: float = 0.0) -> Floats:
    """Of experiments x users at each look: total, squares, cubes, fourth powers, and squares when it began.

    `imagined` is the total of a user who is there from the beginning, for no ranker (see `Accounts`).
    """
    sums = np.zeros((5, len(deltas), len(looks)))
    _sums_at(np.ascontiguousarray(deltas, np.float64), np.asarray(looks, np.int64), float(start), float(imagined), sums)
    return sums


@compiled
def _sums_at(deltas: Floats, looks: Ints, start: float, imagined: float, sums: Floats) -> None:
    for row in range(deltas.shape[0]):
        total = cubes = began = 0.0
        squares, fourths = imagined**2, imagined**4
        user = 0
        for look in range(looks.size):
            while user < looks[look]:
                square = deltas[row, user] * deltas[row, user]
                total += deltas[row, user]
                squares += square
                cubes += square * deltas[row, user]
                fourths += square * square
                user += 1
                if fourths <= 0 or squares * squares < start * fourths:
                    began = 0.0
                elif began == 0:
                    began = squares
            sums[0, row, look], sums[1, row, look] = total, squares
            sums[2, row, look], sums[3, row, look], sums[4, row, look] = cubes, fourths, began


@dataclass(frozen=True)
class ConfidenceSequence:
    """The confidence sequence as a value that takes users one by one.

    >>> sequence = ConfidenceSequence()
    >>> for delta in [1, 1, -1, 0, 1] * 40:
    ...     sequence = sequence.add(delta)
    >>> low, high = sequence.interval
    >>> sequence.mean, round(low, 3), round(high, 3)
    (0.4, 0.215, 0.585)
    """

    alpha: float = 0.05
    start: float = START  # effective size at which it begins
    n: int = 0
    total: float = 0.0
    squares: float = 0.0
    cubes: float = 0.0
    fourths: float = 0.0
    began: float = 0.0  # the squares when it began; 0 before

    def add(self, delta: float) -> ConfidenceSequence:
        """With one more user."""
        value = float(check_deltas([delta])[0])
        squares, fourths = self.squares + value**2, self.fourths + value**4
        enough = fourths > 0 and squares**2 >= self.start * fourths
        began = (self.began or squares) if enough else 0.0
        more = replace(self, n=self.n + 1, total=self.total + value, cubes=self.cubes + value**3)
        return replace(more, squares=squares, fourths=fourths, began=began)

    @property
    def mean(self) -> float:
        """The mean delta."""
        return self.total / max(1, self.n)

    @property
    def effective(self) -> float:
        """How many users of equal weight there are in effect."""
        return float(effective_size(self.squares, self.fourths))

    @property
    def interval(self) -> tuple[float, float]:
        """The limits now; infinite before it has begun."""
        check_share("alpha", self.alpha)
        sums = once(self.n, self.total, self.squares, self.cubes, self.fourths, self.began)
        low, high = mean_limits(sums, self.alpha, self.start)
        return float(low), float(high)
