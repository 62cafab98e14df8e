import math

import numpy as np
import pytest

from duelist import REX3, Drifting, Policy, SparringEXP3, simulate
from duelist.dueling.policies.dex3s import DEX3S


@pytest.mark.parametrize("switches", [0, 1, 20])
def test_each_side_draws_from_weights_that_share(switches: int) -> None:
    arms, horizon, luck = 4, 3000, np.random.default_rng(2)
    policy, weights = DEX3S(n_arms=arms, horizon=horizon, switches=switches, seed=3), np.ones((2, arms))
    stretches = switches + 1
    gamma = min(1, math.sqrt(arms * (stretches * math.log(arms * horizon) + math.e) / ((math.e - 1) * horizon)))
    for _ in range(horizon):
        duel = policy.ask()
        outcome = float(luck.choice([luck.random() < 0.5 + 0.15 * (duel.right - duel.left), 0.5], p=[0.9, 0.1]))
        told = ((duel.left, duel.left_p, outcome), (duel.right, duel.right_p, 1 - outcome))
        for side, (arm, p, gain) in enumerate(told):
            w = weights[side]
            assert p == pytest.approx((1 - gamma) * w[arm] / w.sum() + gamma / arms, rel=1e-9)
            estimate = (np.arange(arms) == arm) * gain / p
            w = w * np.exp(gamma * estimate / arms) + math.e / horizon / arms * w.sum()
            weights[side] = w / w.sum()  # or they overflow
        policy.tell(duel, outcome)
    assert policy.best() == 0


def test_arms_are_drawn_as_often_as_their_probabilities_say() -> None:
    policy = DEX3S(n_arms=4, horizon=1000, seed=0)
    policy.left.own[:], policy.left.total[0], policy.left.floor[0] = [5, 0, 2, 1], 8, 0.5
    duels = [policy.ask() for _ in range(20_000)]
    chances = {duel.left: duel.left_p for duel in duels}
    assert sum(chances.values()) == pytest.approx(1)
    drawn = np.bincount([duel.left for duel in duels], minlength=4) / 20_000
    assert drawn == pytest.approx([chances[arm] for arm in range(4)], abs=0.015)


def test_the_weights_stay_finite_when_one_arm_always_wins() -> None:
    policy = DEX3S(n_arms=3, horizon=100, switches=50, seed=1)  # explores always, and learns as fast as it can
    for _ in range(20_000):
        duel = policy.ask()
        policy.tell(duel, winner=min(duel.left, duel.right))
    assert all(np.isfinite(array).all() for array in policy.tables().values())
    assert policy.best() == 0


@pytest.mark.parametrize("other", [REX3, SparringEXP3])
def test_dynamic_regret_is_far_below_that_of_policies_for_a_fixed_winner(other: type[Policy]) -> None:
    horizon, stretches, arms = 20_000, 5, 5
    world = Drifting(
        times=[1 + horizon * i // stretches for i in range(stretches)], means=0.2 + 0.6 * np.eye(stretches, arms)
    )
    follows = simulate(DEX3S, world, horizon, runs=30, seed=1, parameters={"switches": 4}, progress=False)
    stays = simulate(other, world, horizon, runs=30, seed=1, progress=False)
    assert follows.curve("dynamic")[:, -1].mean() < 0.5 * stays.curve("dynamic")[:, -1].mean()
    assert follows.best_arm_rate == 1.0
