"""Betting against means: a fair game, and limits that hold for what is skewed."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence.betting import IMAGINED, MEANS, BettingSequence


def by_hand(deltas: Floats, mean: float, bound: float) -> float:
    """The wealth of who bets against one mean, as the formula has it."""
    wealth = 1.0
    for place, delta in enumerate(deltas):
        apart = deltas[:place] - mean
        best = apart.sum() / ((apart**2).sum() + IMAGINED * bound**2 / 4)
        most = 0.5 / (bound + abs(mean))
        wealth *= 1 + min(most, max(-most, best)) * (delta - mean)
    return wealth


def test_wealth_is_that_of_the_formula() -> None:
    deltas = np.random.default_rng(0).uniform(-2, 3, 200)
    sequence = BettingSequence(3)
    sequence.add(deltas[:50])
    for delta in deltas[50:]:
        sequence.add(delta)
    for place in (0, 40, 150, 180, 300):
        assert math.exp(sequence.wealth[place]) == pytest.approx(by_hand(deltas, 3 * MEANS[place], 3), rel=1e-9)
    assert sequence.mean == pytest.approx(deltas.mean())


def test_betting_against_the_truth_is_a_fair_game() -> None:
    # Every sequence of seven outcomes of mean 0: 2 with probability 1/3, -1 with 2/3.
    mean = 0.0
    for outcomes in product((2.0, -1.0, -1.0), repeat=7):
        sequence = BettingSequence(2)
        sequence.add(outcomes)
        mean += sequence.e_value / 3**7
    assert mean == pytest.approx(1, rel=1e-12)


def skewed(luck: np.random.Generator, users: int, large: float) -> Floats:
    """A buys for 50 with probability `large`, B for 5 with probability 1/5."""
    return np.where(luck.random(users) < large, 50.0, 0.0) - np.where(luck.random(users) < 0.2, 5.0, 0.0)


@pytest.mark.parametrize("large", [0.02, 0.004, 0.05])
def test_watched_limits_hold_however_skewed_the_numbers(large: float) -> None:
    luck, missed = np.random.default_rng(1), 0
    for _ in range(300):
        sequence, deltas, held = BettingSequence(50), skewed(luck, 1000, large), True
        for look in range(0, 1000, 25):
            sequence.add(deltas[look : look + 25])
            low, high = sequence.limits()
            held = held and low <= 50 * large - 1 <= high
        missed += not held
    assert missed <= 15 + 3 * math.sqrt(15)  # 5 % of 300 may miss


def test_users_who_differ_are_found_and_the_p_value_is_kept() -> None:
    sequence = BettingSequence(1)
    sequence.add([1.0] * 60)
    low, high = sequence.limits()
    assert 0 < low < 1 == high
    sure = sequence.p_value
    sequence.add([-1.0] * 60)
    assert sequence.p_value <= sure
    assert sequence.limits()[0] < 0 < sequence.limits()[1]


def test_what_is_outside_the_bound_is_refused() -> None:
    with pytest.raises(BadInput, match=r"between -1 and 1, not 1\.5"):
        BettingSequence(1).add([0.5, 1.5])
    for bound in (0, math.inf, math.nan):
        with pytest.raises(BadInput, match="bound must be a finite number above 0"):
            BettingSequence(bound)


def test_nobody_knows_before_anybody_came() -> None:
    assert BettingSequence(2).limits() == (-2, 2)
    assert BettingSequence(2).p_value == 1
