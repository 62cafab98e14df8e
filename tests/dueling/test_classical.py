from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duelist import REX3, BadInput
from duelist.dueling.classical import pull_pairs
from duelist.dueling.policy import Duel


def test_arms_of_a_duel_are_pulled_in_turn_and_the_difference_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    policy, pulled, told = REX3(n_arms=3, seed=1), list[int](), list[tuple[Duel, float]]()
    monkeypatch.setattr(policy, "tell", lambda duel, outcome: told.append((duel, outcome)))

    def reward(arm: int) -> float:
        pulled.append(arm)
        return len(pulled) / 8

    assert pull_pairs(policy, reward, 8).tolist() == [n / 8 for n in range(1, 9)]
    assert pulled == [arm for duel, _ in told for arm in (duel.left, duel.right)]
    assert [outcome for _, outcome in told] == [0.5 - 1 / 16] * 4


def test_the_gain_is_twice_that_of_the_duels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Section 4.2: the bandit's gain is that of both arms of every duel, of which a duel's gain is the mean."""
    means, luck = np.array([0.9, 0.5, 0.4]), np.random.default_rng(3)
    policy, gains = REX3(n_arms=3, seed=2), list[float]()
    tell = policy.tell

    def watched(duel: Duel, outcome: float) -> None:
        gains.append((means[duel.left] + means[duel.right]) / 2)
        tell(duel, outcome)

    monkeypatch.setattr(policy, "tell", watched)
    earned = pull_pairs(policy, lambda arm: float(luck.random() < means[arm]), 20_000)
    assert earned.sum() == pytest.approx(2 * sum(gains), rel=0.02)
    assert earned[-2000:].mean() > 0.8


@pytest.mark.parametrize("bad", [1.5, -0.1, float("nan"), "much"])
def test_bad_rewards_and_odd_pulls_are_refused(bad: Any) -> None:
    with pytest.raises(BadInput, match="a reward must be a number from 0 to 1, not"):
        pull_pairs(REX3(n_arms=2, seed=0), lambda arm: bad, 4)
    with pytest.raises(BadInput, match="pulls must be even"):
        pull_pairs(REX3(n_arms=2, seed=0), lambda arm: 0.5, 5)
