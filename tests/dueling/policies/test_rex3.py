import math
from typing import Any

import numpy as np
import pytest

from duelist import REX3, BadInput


def reference(weights: np.ndarray, gamma: float) -> np.ndarray:
    return np.asarray((1 - gamma) * weights / weights.sum() + gamma / len(weights))


@pytest.mark.parametrize(
    "settings", [{}, {"gamma": 0.3}, {"gain": 0.5, "horizon": 5000}, {"gain": 0.1, "horizon": 5000}]
)
def test_probabilities_and_weights_are_those_of_the_paper(settings: dict[str, Any]) -> None:
    arms, luck = 4, np.random.default_rng(0)
    policy = REX3(n_arms=arms, seed=1, **settings)
    log_weights = np.zeros(arms)
    for t in range(1, 5001):
        most_gain = settings.get("gain", 0) * settings.get("horizon", 0) or t / 2
        gamma = settings.get("gamma") or min(0.5, math.sqrt(arms * math.log(arms) / (math.e * most_gain)))
        p = reference(np.exp(log_weights - log_weights.max()), gamma)
        duel = policy.ask()
        assert duel.left_p == pytest.approx(p[duel.left], rel=1e-9)
        assert duel.right_p == pytest.approx(p[duel.right], rel=1e-9)
        outcome = float(luck.random() < 0.5 + 0.1 * (duel.right - duel.left))
        policy.tell(duel, outcome)
        if duel.left != duel.right:
            psi = 2 * outcome - 1
            log_weights[duel.left] += gamma / arms * psi / (2 * p[duel.left])
            log_weights[duel.right] -= gamma / arms * psi / (2 * p[duel.right])
    assert policy.best() == 0


def test_a_late_tell_uses_the_probabilities_of_its_draw() -> None:
    policy = REX3(n_arms=3, gamma=0.2, seed=0)
    duels = [policy.ask() for _ in range(300)]
    assert {d.left_p for d in duels} == {1 / 3}
    for duel in duels:
        policy.tell(duel, winner=min(duel.left, duel.right))
    wins = np.zeros(3)
    for duel in duels:
        if duel.left != duel.right:
            wins[min(duel.left, duel.right)] += 1
            wins[max(duel.left, duel.right)] -= 1
    assert policy.weights.log == pytest.approx(0.2 / 3 * wins * 3 / 2)


def test_a_share_of_gain_needs_a_horizon() -> None:
    with pytest.raises(BadInput, match=r"gain=0\.5 needs horizon"):
        REX3(n_arms=3, gain=0.5)
