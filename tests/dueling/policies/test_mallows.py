"""Selection and merge sort, pair by pair: against transcriptions with lists, and every order of a few arms."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest

from duelist import MallowsMPI, MallowsMPR, Policy
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.policies.mallows import most_comparisons
from duelist.dueling.until import until_certain

MATRIX = arithmetic(arms=5, step=0.11).preference


class Asked:
    """Plays pairs with the policy; each must be the one that is expected."""

    def __init__(self, policy: Policy, doubt: float, bets: bool) -> None:
        self.policy, self.doubt, self.bets, self.luck = policy, doubt, bets, np.random.default_rng(4)
        self.comparisons = 0

    def better(self, first: int, second: int) -> bool:
        """Whether the first arm is, after as many duels as it takes."""
        self.comparisons += 1
        won, lost, stakes = 0.0, 0.0, {1: 1.0, 0: 1.0}
        while True:
            duel = self.policy.ask()
            assert (duel.left, duel.right) == (first, second)
            outcome = float(self.luck.random() < MATRIX[first, second])
            self.policy.tell(duel, outcome)
            if won != lost:
                ahead = int(won > lost)
                share = (max(won, lost) + 2) / (won + lost + 4)
                stakes[ahead] *= 2 * share if outcome == ahead else 2 - 2 * share
            won, lost = won + outcome, lost + 1 - outcome
            n = won + lost
            if self.bets:
                if max(stakes.values()) >= 1 / self.doubt:
                    return stakes[1] > stakes[0]
            elif abs(won / n - 0.5) > math.sqrt(math.log(4 * n * n / self.doubt) / (2 * n)):
                return won > lost


def merge(first: list[int], second: list[int], better: Callable[[int, int], bool]) -> list[int]:
    merged = []
    first, second = list(first), list(second)
    while first and second:
        merged.append(first.pop(0) if better(first[0], second[0]) else second.pop(0))
    return merged + first + second


def queue_sort(arms: list[int], better: Callable[[int, int], bool]) -> list[int]:
    runs = [[arm] for arm in arms]
    while len(runs) > 1:
        runs.append(merge(runs.pop(0), runs.pop(0), better))
    return runs[0]


@pytest.mark.parametrize("bets", [False, True])
def test_the_best_so_far_meets_one_arm_after_the_other(bets: bool) -> None:
    policy = MallowsMPI(n_arms=5, delta=0.1, bets=bets, seed=3)
    asked = Asked(policy, 0.1 / 5, bets)
    best, *others = policy.players.tolist()
    for other in others:
        best = best if asked.better(best, other) else other
    certainty = policy.certain()
    assert certainty is not None
    assert (certainty.arm, certainty.duels) == (best, policy.told) == (policy.best(), policy.told)


@pytest.mark.parametrize("bets", [False, True])
def test_runs_are_merged_as_lists_are(bets: bool) -> None:
    policy = MallowsMPR(n_arms=5, delta=0.1, bets=bets, seed=3)
    asked = Asked(policy, 0.1 / 8, bets)  # 5 arms: 8 comparisons at most
    arms = policy.runs.tolist()
    assert sorted(policy.ranking()) == [0, 1, 2, 3, 4]  # before it knows
    order = queue_sort(arms, asked.better)
    certainty = policy.certain()
    assert certainty is not None
    assert certainty.arm == tuple(order) == policy.ranking()
    assert certainty.duels == policy.told
    assert policy.best() == order[0]


def test_no_order_takes_more_comparisons_than_delta_is_shared_out_over() -> None:
    for n in range(2, 8):
        counts = []
        for order in permutations(range(n)):
            asked: list[int] = []
            queue_sort(list(order), lambda a, b, seen=asked: (seen.append(a), a < b)[1])  # type: ignore[misc]
            counts.append(len(asked))
        assert max(counts) == most_comparisons(n)


@pytest.mark.parametrize("kind", ["mallows-mpi", "mallows-mpr"])
def test_near_ties_are_answered_wrongly_no_more_often_than_promised(kind: str) -> None:
    ended = until_certain(f"{kind}:delta=0.1,bets=true", arithmetic(arms=4, step=0.03).preference, runs=200)
    right = (0,) if kind == "mallows-mpi" else (0, 1, 2, 3)
    assert (ended.duels > 0).all()
    assert sum(answer != right for answer in ended.answers) <= 20
