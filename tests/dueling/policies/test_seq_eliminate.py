"""The anchor and those it meets: against a transcription of the paper's Compare, and how good the answer is."""

from __future__ import annotations

import math

import numpy as np

from duelist import SeqEliminate
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.until import until_certain


def test_arms_meet_the_anchor_as_in_the_paper() -> None:
    epsilon, delta, preference = 0.15, 0.1, arithmetic(arms=6, step=0.04).preference
    policy, luck = SeqEliminate(n_arms=6, epsilon=epsilon, delta=delta, seed=5), np.random.default_rng(5)
    anchor, *others = policy.players.tolist()
    for arm in others:
        n, share, radius = 0, 0.0, math.inf
        middle, most = epsilon / 2, 2 / epsilon**2 * math.log(2 / (delta / 6))
        while abs(share - 0.5 - middle) <= radius and n < most:
            duel = policy.ask()
            assert (duel.left, duel.right) == (arm, anchor)
            outcome = float(luck.random() < preference[arm, anchor])
            policy.tell(duel, outcome)
            share = (share * n + outcome) / (n + 1)
            n += 1
            radius = math.sqrt(math.log(4 * n * n / (delta / 6)) / (2 * n))
        anchor = arm if share - 0.5 > middle else anchor
        assert policy.best() == anchor
    certainty = policy.certain()
    assert certainty is not None
    assert (certainty.arm, certainty.duels, certainty.confidence) == (anchor, policy.told, 0.9)


def test_the_answer_is_beaten_by_more_than_epsilon_no_more_often_than_promised() -> None:
    preference = arithmetic(arms=6, step=0.07).preference  # the second best is beaten by more
    ended = until_certain("seq-eliminate:epsilon=0.06,delta=0.1", preference, runs=200)
    assert sum(preference[:, answer[0]].max() - 0.5 > 0.06 for answer in ended.answers) <= 20
