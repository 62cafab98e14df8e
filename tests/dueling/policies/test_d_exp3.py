import math

import numpy as np
import pytest

from duelist import simulate
from duelist.dueling.policies.d_exp3 import DEXP3


def test_probabilities_and_scores_are_those_of_the_paper() -> None:
    arms, horizon, luck = 4, 4000, np.random.default_rng(0)
    policy, scores = DEXP3(n_arms=arms, horizon=horizon, seed=1), np.zeros(arms)
    eta = (math.log(arms) / (horizon * math.sqrt(arms))) ** (2 / 3)
    gamma = math.sqrt(eta * arms)
    for _ in range(horizon):
        weights = np.exp(eta * (scores - scores.max()))
        q = (1 - gamma) * weights / weights.sum() + gamma / arms
        duel = policy.ask()
        assert duel.left_p == pytest.approx(q[duel.left], rel=1e-9)
        assert duel.right_p == pytest.approx(q[duel.right], rel=1e-9)
        outcome = float(luck.choice([0.0, 0.5, 1.0], p=[0.4, 0.1, 0.5]))
        policy.tell(duel, outcome)
        # Nothing is learned about the right arm.
        scores[duel.left] += outcome / (arms * q[duel.left] * q[duel.right])
    assert policy.weights.log == pytest.approx(eta * scores, rel=1e-9)


def test_the_mean_of_the_scores_is_the_borda_score() -> None:
    """Over all pairs that may be drawn, in proportion to their probabilities; q is far from uniform."""
    preference = np.array([[0.5, 0.9, 0.3], [0.1, 0.5, 0.8], [0.7, 0.2, 0.5]])
    mean = np.zeros(3)
    for seed in range(40):
        policy, luck = DEXP3(n_arms=3, horizon=1000, seed=seed), np.random.default_rng(seed)
        policy.weights.value[:], policy.weights.total[0] = [0.7, 0.2, 0.1], 1.0
        duels = [policy.ask() for _ in range(1000)]  # all drawn before the first tell
        for duel in duels:
            policy.tell(duel, float(luck.random() < preference[duel.left, duel.right]))
        mean += policy.weights.log / 40_000
    eta = (math.log(3) / (1000 * math.sqrt(3))) ** (2 / 3)
    assert mean / eta == pytest.approx(preference.mean(1), abs=0.03)


def test_the_borda_winner_is_found_and_not_the_condorcet_winner() -> None:
    result = simulate(DEXP3, "bvs-20", 100_000, runs=10, seed=0, progress=False)
    assert result.best_arm_rate == 1.0  # right by the Borda view
    uniform = simulate("uniform", "bvs-20", 100_000, runs=2, seed=0, progress=False)
    assert result.curve("borda")[:, -1].mean() < 0.35 * uniform.curve("borda")[:, -1].mean()


def test_borda_regret_grows_like_t_to_two_thirds() -> None:
    """The lead of the best arm, (K / T)^(1/3), is the hardest to see."""
    ratios = []
    for horizon in (1000, 10_000, 100_000):
        matrix, lead = np.full((5, 5), 0.5), 0.9 * (5 / horizon) ** (1 / 3)
        matrix[0, 1:] += lead
        matrix[1:, 0] -= lead
        regret = simulate(DEXP3, matrix, horizon, runs=40, seed=1, progress=False).curve("borda")[:, -1]
        ratios.append(regret.mean() / horizon ** (2 / 3))
    assert max(ratios) / min(ratios) < 1.15  # T would have 4.6 from first to last, sqrt(T) 0.46
    assert ratios[0] < 2.0
