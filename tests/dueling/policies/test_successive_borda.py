"""Rounds against a drawn arm: against a transcription with scores recomputed from all duels."""

from __future__ import annotations

import math

import numpy as np

from duelist import SuccessiveBorda
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.until import until_certain

# Arm 1 beats all but arm 0, widely; arm 0 beats all, by little: the Borda winner is arm 1.
TURNED = np.array([[0.5, 0.55, 0.55, 0.55], [0.45, 0.5, 0.95, 0.95], [0.45, 0.05, 0.5, 0.5], [0.45, 0.05, 0.5, 0.5]])


def test_rounds_and_drops_follow_the_definition() -> None:
    policy, luck = SuccessiveBorda(n_arms=4, delta=0.2, seed=2), np.random.default_rng(2)
    won, left, rounds = dict.fromkeys(range(4), 0.0), set(range(4)), 0
    while len(left) > 1:
        assert policy.certain() is None
        drawn = int(policy.drawn[0])
        for _ in range(len(left - {drawn})):
            duel = policy.ask()
            assert duel.left in left
            assert duel.right == drawn != duel.left
            outcome = float(luck.random() < TURNED[duel.left, duel.right])
            policy.tell(duel, outcome)
            won[duel.left] += outcome
        rounds += 1
        scores = {arm: 4 / 3 * won[arm] / rounds for arm in left}
        apart = 4 / 3 * math.sqrt(2 * math.log(4 * 4 * rounds**2 / 0.2) / rounds)
        left = {arm for arm in left if max(scores.values()) <= scores[arm] + apart}
        assert set(policy.members[: policy.n_members[0]].tolist()) == left
    certainty = policy.certain()
    assert certainty is not None
    assert (certainty.arm, certainty.duels) == (1, policy.told)


def test_near_ties_are_answered_wrongly_no_more_often_than_promised() -> None:
    ended = until_certain("successive-borda:delta=0.1", arithmetic(arms=4, step=0.06).preference, runs=100)
    assert sum(answer != (0,) for answer in ended.answers) <= 10
