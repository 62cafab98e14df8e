"""Limits of rates against brute force, and against watchers who stop when it suits them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from duelist.evidence.rates import always_valid_limits, log_e_against, planned_limits
from duelist.evidence.sequential import log_e_value


def test_the_bet_is_the_mixture_it_says() -> None:
    """Beta(3, 3) over q of q^wins (1-q)^losses, over the same at m; by a sum over a fine grid."""
    q = (np.arange(200_000) + 0.5) / 200_000
    prior = q**2 * (1 - q) ** 2
    for wins, losses, m in [(7.0, 2.0, 0.4), (2.5, 4.25, 0.7), (0.0, 3.0, 0.5)]:
        mixture = (prior * q**wins * (1 - q) ** losses).sum() / prior.sum()
        expected = np.log(mixture / (m**wins * (1 - m) ** losses))
        assert log_e_against(m, wins, losses) == pytest.approx(expected, abs=1e-6)
    assert log_e_against(0.5, 30, 12, prior=10.0) == pytest.approx(log_e_value(30, 12))


def test_limits_are_where_the_bet_has_won_enough() -> None:
    wins, losses = np.array([0.0, 0.0, 5.0, 60.0, 400.5]), np.array([0.0, 9.0, 5.0, 30.0, 0.0])
    low, high = always_valid_limits(wins, losses, 0.01)
    inside = (low > 0) & (high < 1)
    for edge in (low, high):
        found = np.exp(log_e_against(np.clip(edge, 1e-9, 1 - 1e-9), wins, losses))
        assert found[inside] == pytest.approx(100, rel=1e-3)
    assert (low[0], high[0]) == (0, 1)
    assert low[1] == 0
    assert high[4] == 1


@pytest.mark.parametrize("rate", [0.5, 0.8])
@pytest.mark.parametrize("graded", [False, True])
def test_watched_all_the_time_they_hold_and_wilson_does_not(rate: float, graded: bool) -> None:
    rng = np.random.default_rng(3)
    outcomes = (rng.random((1000, 800)) < rate).astype(float)
    if graded:  # of the same mean, and never 0 or 1
        outcomes = rng.beta(rate, 1 - rate, outcomes.shape)
    wins = outcomes.cumsum(1)[:, ::8]
    losses = np.arange(1, 801)[::8] - wins
    low, high = always_valid_limits(wins, losses)
    missed = ((low > rate) | (high < rate)).any(1).mean()
    assert missed <= 0.05
    low, high = planned_limits(wins[:, 3:], losses[:, 3:])
    assert ((low > rate) | (high < rate)).any(1).mean() > (0.2 if not graded else 0.01)


@pytest.mark.parametrize("alpha", [0.05, 1e-6, 0.9])
@pytest.mark.parametrize(
    ("wins", "losses"), [(0.0, 7.0), (7.0, 0.0), (0.5, 50.0), (3.5, 2.5), (60.0, 30.0), (5e5, 5e5), (1e8, 3e8)]
)
def test_limits_are_where_the_bet_has_won_just_enough(wins: float, losses: float, alpha: float) -> None:
    """By a root finder that knows nothing of how they are found."""

    def beyond(rate: float) -> float:
        return float(log_e_against(rate, wins, losses)) + math.log(alpha)

    mean, (low, high) = wins / (wins + losses), always_valid_limits(wins, losses, alpha)
    expected = optimize.brentq(beyond, 1e-300, mean, xtol=1e-15) if wins else 0.0
    assert float(low) == pytest.approx(expected, rel=1e-7)
    expected = optimize.brentq(beyond, mean, 1 - 1e-16, xtol=1e-15) if losses else 1.0
    assert float(high) == pytest.approx(expected, rel=1e-7)
