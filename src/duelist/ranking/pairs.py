"""Every two arms against each other: how often one beat the other, with limits of the kind that was asked for.

A user who judges the same pair many times is one voice. For planned data the user's mean outcome counts; where limits
must hold at all times only the first duel does, because a mean that still moves has no place in a bet that was made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.evidence.rates import always_valid_limits, planned_limits
from duelist.ranking.log import DuelLog

KINDS = ("planned", "always-valid")


@dataclass(frozen=True)
class Pairs:
    """K x K tables; row beats column. Limits are those of the rate, 0 and 1 where nothing is known."""

    duels: Ints  # of the pair, whoever stood left
    voices: Floats  # what they count as: users once, unequal weights as less
    rate: Floats  # of wins; NaN where a pair never met
    low: Floats
    high: Floats
    beats: Flags  # the row surely beats the column: all these hold together with the board's confidence
    difference: Floats  # upper limits of strength row - strength column that hold together; infinite where unknown

    @property
    def never(self) -> list[tuple[int, int]]:
        """The pairs that never met."""
        first, second = np.nonzero(np.triu(self.duels == 0, 1))
        return list(zip(first.tolist(), second.tolist(), strict=True))


def compare_pairs(log: DuelLog, kind: str, alpha: float, sides: bool) -> Pairs:
    """All pairs of a log. `sides`: the left side may win more often, and a pair's two ways to stand count alike."""
    if kind == "always-valid" and len(log) and log.weight.max() > 1:
        raise BadInput(f"always-valid intervals need weights of at most 1, not {log.weight.max():g}")
    n = len(log.arms)
    won, voices = tallies(log, first=kind == "always-valid")
    duels = np.bincount(log.left * n + log.right, minlength=n * n).reshape(n, n)
    lost = voices - won
    pairs = max(1, n * (n - 1) // 2)  # all of them: which ones a policy will compare is not known before
    if sides:
        # Of each way to stand a rate of its own; a pair's is their mean.
        each, shared = _limits(won, lost, kind, alpha / 2), _limits(won, lost, kind, alpha / (2 * pairs))
        low, high = (each[0] + 1 - each[1].T) / 2, (each[1] + 1 - each[0].T) / 2
        sure = (shared[0] + 1 - shared[1].T) / 2 > 0.5
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = (won / voices + lost.T / voices.T) / 2
        difference = _sided_differences(*shared)
    else:
        wins = won + lost.T
        low, high = _limits(wins, wins.T, kind, alpha)
        shared = _limits(wins, wins.T, kind, alpha / pairs)
        sure = shared[0] > 0.5
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = wins / (wins + wins.T)
        difference = _log_odds(shared[1])
    if kind == "always-valid":  # those that are shown are those that hold together
        low, high = ((shared[0] + 1 - shared[1].T) / 2, (shared[1] + 1 - shared[0].T) / 2) if sides else shared
    np.fill_diagonal(difference, 0.0)
    return Pairs(duels + duels.T, voices + voices.T, rate, low, high, sure, difference)


def tallies(log: DuelLog, first: bool) -> tuple[Floats, Floats]:
    """Wins of the left arm and voices of each ordered pair, a user's outcomes as their mean or by the first alone."""
    n = len(log.arms)
    place, weight, outcome = log.left * n + log.right, log.weight, log.outcome
    if (log.user >= 0).any():
        low, high = np.minimum(log.left, log.right), np.maximum(log.left, log.right)
        user = log.judge
        # The mean of a user is one for each way to stand, the first duel is one whichever way the pair stood.
        voice = (low * n + high if first else place) * (int(user.max()) + 1) + user
        _, begins, of = np.unique(voice, return_index=True, return_inverse=True)
        if first:
            place, weight, outcome = place[begins], weight[begins], outcome[begins]
        else:
            heavy, sums = np.bincount(of, weight), np.bincount(of, weight * outcome)
            outcome = np.divide(sums, heavy, out=np.zeros(len(sums)), where=heavy > 0)
            place, weight = place[begins], (heavy > 0).astype(np.float64)

    def total(amounts: Floats) -> Floats:
        return np.bincount(place, amounts, minlength=n * n).reshape(n, n).astype(np.float64)

    won, voices = total(weight * outcome), total(weight)
    if not first:  # unequal weights say less than as many equal ones
        squares = total(weight * weight)
        size = np.divide(voices, squares, out=np.ones((n, n)), where=squares > 0)
        won, voices = won * size, voices * size
    return won, voices


def _limits(wins: Floats, losses: Floats, kind: str, alpha: float) -> tuple[Floats, Floats]:
    limits = always_valid_limits if kind == "always-valid" else planned_limits
    found = limits(wins, losses, alpha)
    return found.low, found.high


def _log_odds(rate: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        odds: Floats = np.log(rate) - np.log1p(-rate)
    return odds


def _sided_differences(low: Floats, high: Floats) -> Floats:
    """Limits of differences of strengths where the left side gains something unknown, the same for all pairs.

    A pair that stood both ways limits its difference and the gain; one that stood one way alone is limited by the
    least and the greatest gain that the others leave.
    """
    least, most = _log_odds(low), _log_odds(high)
    with np.errstate(invalid="ignore"):
        gain_low = float(np.max((least + least.T) / 2))
        gain_high = float(np.min((most + most.T) / 2))
        both = (most - least.T) / 2
        one, other = most - gain_low, gain_high - least.T
    return np.fmin(np.fmin(both, one), other)
