"""A fixed number of duels with random others, and the order of wins."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from duelist import BordaRanking
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.until import until_certain


def test_every_arm_duels_others_as_often_as_hoeffding_asks() -> None:
    policy, luck = BordaRanking(n_arms=4, epsilon=0.3, delta=0.1, seed=1), np.random.default_rng(1)
    preference, won, pairs = arithmetic(arms=4, step=0.15).preference, np.zeros(4), Counter[tuple[int, int]]()
    while policy.certain() is None:
        duel = policy.ask()
        pairs[duel.left, duel.right] += 1
        outcome = float(luck.random() < preference[duel.left, duel.right])
        won[duel.left] += outcome
        policy.tell(duel, outcome)
    each = policy.told // 4
    assert 2 * math.exp(-2 * each * 0.15**2) <= 0.1 / 4 < 2 * math.exp(-2 * (each - 1) * 0.15**2)
    for arm in range(4):
        met = [pairs[arm, other] for other in range(4) if other != arm]
        assert sum(met) == each
        assert min(met) > each / 6  # a third each, by luck
    certainty = policy.certain()
    assert certainty is not None
    assert certainty.arm == tuple(np.argsort(-won, kind="stable").tolist()) == policy.ranking()
    assert (certainty.duels, policy.best()) == (policy.told, policy.ranking()[0])


def test_scores_further_apart_than_epsilon_are_in_the_wrong_order_no_more_often_than_promised() -> None:
    # Borda scores of neighbours are 0.08 apart.
    ended = until_certain("borda-ranking:epsilon=0.079,delta=0.1", arithmetic(arms=4, step=0.06).preference, runs=100)
    assert sum(answer != (0, 1, 2, 3) for answer in ended.answers) <= 10
