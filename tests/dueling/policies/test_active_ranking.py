"""Arms are placed as scores come apart: against a transcription, for the order and for the k best."""

from __future__ import annotations

import math

import numpy as np
import pytest

from duelist import ActiveRanking
from duelist.core.errors import BadInput
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.until import until_certain

SURE = np.triu(np.full((4, 4), 0.95), 1) + np.tril(np.full((4, 4), 0.05), -1) + np.eye(4) / 2


def placed(scores: dict[int, float], apart: float, free: list[int], top: int, k: int) -> dict[int, int]:
    """The ranks that are given now, by the paper's two conditions for sets of sizes 1, 1, ... or k, K - k."""
    order, given = sorted(scores, key=lambda arm: -scores[arm]), {}
    for place, arm in enumerate(order):
        better = order[:place] if k == 0 else [] if place < top else order[:top]
        worse = order[place + 1 :] if k == 0 else order[top:] if place < top else []
        if all(scores[other] - scores[arm] > apart for other in better) and all(
            scores[arm] - scores[other] > apart for other in worse
        ):
            given[arm] = free[place] if k == 0 else 0 if place < top else k
    return given


@pytest.mark.parametrize("k", [0, 2])
def test_ranks_are_given_as_in_the_paper(k: int) -> None:
    policy, luck = ActiveRanking(n_arms=4, k=k, delta=0.2, radii=2, seed=1), np.random.default_rng(1)
    won, ranks, rounds = dict.fromkeys(range(4), 0.0), dict[int, int](), 0
    while len(ranks) < 4:
        assert policy.certain() is None
        waiting = set(range(4)) - ranks.keys()
        for _ in range(len(waiting)):
            duel = policy.ask()
            waiting.remove(duel.left)
            assert duel.left != duel.right
            outcome = float(luck.random() < SURE[duel.left, duel.right])
            policy.tell(duel, outcome)
            won[duel.left] += outcome
        rounds += 1
        apart = 2 * math.sqrt(math.log(125 * 4 * math.log(1.12 * rounds) / 0.2) / rounds)
        scores = {arm: won[arm] / rounds for arm in range(4) if arm not in ranks}
        free = [rank for rank in range(4) if rank not in ranks.values()]
        ranks |= placed(scores, apart, free, k - sum(rank == 0 for rank in ranks.values()), k)
        assert policy.ranks.tolist() == [ranks.get(arm, -1) for arm in range(4)]
        assert sorted(policy.ranking()) == [0, 1, 2, 3]
    certainty = policy.certain()
    assert certainty is not None
    assert certainty.duels == policy.told
    assert certainty.arm == ((0, 1) if k else (0, 1, 2, 3)) == policy.top(k or 4)


def test_near_ties_are_answered_wrongly_no_more_often_than_promised() -> None:
    ended = until_certain("active-ranking:delta=0.1,radii=2", arithmetic(arms=3, step=0.1).preference, runs=100)
    assert sum(answer != (0, 1, 2) for answer in ended.answers) <= 10


def test_as_many_as_there_are_arms_cannot_be_found() -> None:
    with pytest.raises(BadInput, match="k must be below the number of arms, 3, not 3"):
        ActiveRanking(n_arms=3, k=3)
