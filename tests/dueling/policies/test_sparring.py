import math

import numpy as np
import pytest

from duelist import SparringEXP3, SparringThompson, SparringUCB
from duelist.dueling.bandits import UCB1


def test_each_side_plays_the_highest_upper_bound_of_its_own_record() -> None:
    policy, luck = SparringUCB(n_arms=4, seed=0), np.random.default_rng(1)
    plays, gains = np.zeros((2, 4)), np.zeros((2, 4))
    for t in range(1, 3001):
        duel = policy.ask()
        for side, arm in enumerate((duel.left, duel.right)):
            with np.errstate(divide="ignore", invalid="ignore"):
                bound = np.where(
                    plays[side] > 0, gains[side] / plays[side] + np.sqrt(2 * math.log(t) / plays[side]), np.inf
                )
            assert bound[arm] == pytest.approx(bound.max(), abs=1e-12)
        outcome = float(luck.random() < 0.5 + 0.1 * (duel.right - duel.left))
        policy.tell(duel, outcome)
        for side, (arm, gain) in enumerate(((duel.left, outcome), (duel.right, 1 - outcome))):
            plays[side, arm] += 1
            gains[side, arm] += gain
    assert policy.best() == 0


def test_each_side_draws_from_its_own_exponential_weights() -> None:
    arms, horizon, luck = 4, 4000, np.random.default_rng(2)
    policy, log_weights = SparringEXP3(n_arms=arms, horizon=horizon, seed=3), np.zeros((2, arms))
    gamma = math.sqrt(arms * math.log(arms) / ((math.e - 1) * horizon / 2))
    for _ in range(horizon):
        duel = policy.ask()
        outcome = float(luck.random() < 0.5 + 0.1 * (duel.right - duel.left))
        told = ((duel.left, duel.left_p, outcome), (duel.right, duel.right_p, 1 - outcome))
        for side, (arm, p, gain) in enumerate(told):
            weights = np.exp(log_weights[side] - log_weights[side].max())
            assert p == pytest.approx((1 - gamma) * weights[arm] / weights.sum() + gamma / arms, rel=1e-9)
            log_weights[side, arm] += gamma * gain / (arms * p)
        policy.tell(duel, outcome)


def test_a_thompson_sampler_plays_arms_as_often_as_they_are_best_in_its_posterior() -> None:
    policy = SparringThompson(n_arms=3, seed=5)
    policy.left.won[:], policy.left.lost[:] = [8, 5, 2], [3, 5, 6]
    played = np.bincount([policy.ask().left for _ in range(20_000)], minlength=3) / 20_000
    draws = np.random.default_rng(0).beta([8, 5, 2], [3, 5, 6], size=(200_000, 3)).argmax(1)
    assert played == pytest.approx(np.bincount(draws, minlength=3) / 200_000, abs=0.015)


def test_the_parameters_of_the_held_bandits_are_set_through_sparring() -> None:
    policy = SparringUCB(n_arms=2, exploration=0.5)
    assert isinstance(policy.left, UCB1)
    assert policy.left.exploration == policy.right.exploration == 0.5
