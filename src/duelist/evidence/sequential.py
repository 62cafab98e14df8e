"""Evidence that may be watched: right at every look, whenever you stop.

Two methods. The *e-value* bets on wins against losses: under "a win is as likely as a loss" it
stays below 1/alpha for ever with probability at least 1 - alpha. It tests the sign of the deltas,
not their mean. The *confidence sequence* is an interval for the mean that holds at all looks
together, asymptotically (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas. Time-uniform central limit
theory and asymptotic confidence sequences. Annals of Statistics 2024).

Each user enters once, with a number that no longer changes: see `freeze`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence.deltas import check_deltas, check_share

PRIOR = 10.0  # wins and losses imagined before the first: Beta(10, 10)
TUNED = 500  # the number of users at which the confidence sequence is narrowest
FIRST = 50  # users before the first look: the sequence leans on the central limit theorem
LARGEST = 700.0  # logarithm of the largest e-value that is told apart


def log_e_value(wins: Any, losses: Any, prior: float = PRIOR) -> Any:
    """The logarithm of the e-value, for numbers or whole arrays."""
    bet = special.betaln(wins + prior, losses + prior) - special.betaln(prior, prior)
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


def relative_width(n: Any, alpha: float = 0.05, tuned: float = TUNED) -> Any:
    """Half the width of the confidence sequence after n users, in units of the spread."""
    n = np.asarray(n, dtype=np.float64)
    rho = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / tuned
    return np.sqrt(2 * (n * rho + 1) / (n * n * rho) * np.log(np.sqrt(n * rho + 1) / alpha))


def spread_of(mean: Any, variance: Any) -> Any:
    """The standard deviation. Deltas that are all the same have none: their size stands in for it."""
    return np.where(variance > 1e-12 * mean * mean, np.sqrt(np.maximum(variance, 0)), np.abs(mean))


class Band(NamedTuple):
    """The confidence sequence after each user; infinitely wide before the first look."""

    n: Any
    mean: Floats
    low: Floats
    high: Floats


def confidence_sequence(deltas: Any, alpha: float = 0.05, tuned: float = TUNED, first: int = FIRST) -> Band:
    """The mean delta and its limits after each user: all of them hold together with 1 - alpha.

    >>> band = confidence_sequence([1, 1, -1, 0, 1] * 40)
    >>> [round(float(limit[-1]), 3) for limit in (band.mean, band.low, band.high)]
    [0.4, 0.223, 0.577]
    """
    values = check_deltas(deltas)
    check_share("alpha", alpha)
    n = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / n
    half = spread_of(mean, np.cumsum(values**2) / n - mean**2) * relative_width(n, alpha, tuned)
    half[: first - 1] = math.inf
    return Band(n, mean, mean - half, mean + half)


@dataclass(frozen=True)
class ConfidenceSequence:
    """The confidence sequence as a value that takes users one by one.

    >>> sequence = ConfidenceSequence()
    >>> for delta in [1, 1, -1, 0, 1] * 40:
    ...     sequence = sequence.add(delta)
    >>> low, high = sequence.interval
    >>> round(sequence.mean, 3), round(low, 3), round(high, 3)
    (0.4, 0.223, 0.577)
    """

    alpha: float = 0.05
    tuned: float = TUNED
    first: int = FIRST
    n: int = 0
    mean: float = 0.0
    squares: float = 0.0  # sum of squared distances from the mean

    def add(self, delta: float) -> ConfidenceSequence:
        """With one more user."""
        value = float(check_deltas([delta])[0])
        n = self.n + 1
        mean = self.mean + (value - self.mean) / n
        return replace(self, n=n, mean=mean, squares=self.squares + (value - self.mean) * (value - mean))

    @property
    def interval(self) -> tuple[float, float]:
        """The limits now; infinite before the first look."""
        if self.n < self.first:
            return -math.inf, math.inf
        spread = float(spread_of(self.mean, self.squares / self.n))
        half = spread * float(relative_width(self.n, check_share("alpha", self.alpha), self.tuned))
        return self.mean - half, self.mean + half
