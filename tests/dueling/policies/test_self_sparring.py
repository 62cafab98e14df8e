import numpy as np
import pytest
from scipy.stats import chi2_contingency

from duelist.dueling.policies.self_sparring import SelfSparring


def test_both_arms_are_independent_draws_from_one_posterior() -> None:
    won, lost, n = np.array([8, 5, 2]), np.array([3, 5, 6]), 20_000
    policy, luck = SelfSparring(n_arms=3, seed=5), np.random.default_rng(0)
    policy.sampler.won[:], policy.sampler.lost[:] = won, lost
    counts = np.zeros((2, 3, 3))
    for _ in range(n):
        duel = policy.ask()
        counts[0, duel.left, duel.right] += 1
    left, right = (luck.beta(won, lost, size=(n, 3)).argmax(1) for _ in range(2))
    np.add.at(counts[1], (left, right), 1)
    assert chi2_contingency(counts.reshape(2, -1)).pvalue > 1e-4


def test_the_winner_gains_what_the_loser_loses_and_a_self_duel_teaches_nothing() -> None:
    policy, luck = SelfSparring(n_arms=4, seed=1), np.random.default_rng(2)
    won, lost, self_duels = np.ones(4), np.ones(4), 0  # uniform priors
    for _ in range(2000):
        duel = policy.ask()
        outcome = float(luck.choice([1.0, 0.0, 0.5, 0.25]) if luck.random() < 0.3 else duel.left < duel.right)
        policy.tell(duel, outcome)
        if duel.left == duel.right:
            self_duels += 1
        else:
            won += outcome * np.eye(4)[duel.left] + (1 - outcome) * np.eye(4)[duel.right]
            lost += (1 - outcome) * np.eye(4)[duel.left] + outcome * np.eye(4)[duel.right]
    assert policy.sampler.won == pytest.approx(won)
    assert policy.sampler.lost == pytest.approx(lost)
    assert self_duels > 500
    assert policy.best() == 0
