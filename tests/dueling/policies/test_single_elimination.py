"""A tournament and its replays: who meets whom, who goes on, and how often the answer is wrong."""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np
import pytest

from duelist import SingleElimination
from duelist.core.errors import BadInput
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.until import until_certain

Match = tuple[int, int, list[float]]  # first, second, outcomes for the first


def played(policy: SingleElimination, preference: np.ndarray, seed: int) -> list[Match]:
    luck, duels = np.random.default_rng(seed), []
    while policy.decided[0] == 0:
        duel = policy.ask()
        duels.append((duel.left, duel.right, float(luck.random() < preference[duel.left, duel.right])))
        policy.tell(duel, duels[-1][2])
    return [(*pair, [outcome for _, _, outcome in group]) for pair, group in groupby(duels, key=lambda duel: duel[:2])]


@pytest.mark.parametrize("arms", [2, 5, 8, 11])
def test_losers_are_out_until_the_one_who_beat_them_is_found(arms: int) -> None:
    height, k, length = math.ceil(math.log2(arms)), min(3, arms - 1), 7
    policy = SingleElimination(n_arms=arms, k=k, budget=length * (arms - 1 + (k - 1) * height), seed=arms)
    matches = played(policy, arithmetic(arms=arms, step=0.02).preference, arms)
    beaten_by: dict[int, int] = {}
    counts, found = [0], [int(arm) for arm in policy.found[:k]]
    for first, second, outcomes in matches:
        # Each arm that plays is unbeaten, or was beaten by one that is found by now.
        while any(arm in beaten_by and beaten_by[arm] not in found[: len(counts) - 1] for arm in (first, second)):
            counts.append(0)
        counts[-1] += 1
        won = sum(outcomes)
        assert max(won, len(outcomes) - won) == length // 2 + 1  # over as soon as four of seven are won
        assert (2 * outcomes[-1] - 1) * (2 * won - len(outcomes)) > 0
        beaten_by[second if 2 * won > len(outcomes) else first] = first if 2 * won > len(outcomes) else second
    assert counts[0] == arms - 1  # a tournament
    assert max([0, *counts[1:]]) <= height
    for place, arm in enumerate(found):
        assert arm not in beaten_by or beaten_by[arm] in found[:place]
    assert policy.certain() is None  # it spent its budget, and promised nothing
    assert policy.top(k) == tuple(found)


def test_without_noise_the_best_are_found_whatever_their_number() -> None:
    for arms in range(2, 10):
        preference = np.triu(np.ones((arms, arms)), 1) + np.eye(arms) / 2
        for k in range(1, arms):
            policy = SingleElimination(n_arms=arms, k=k, gap=0.5, seed=arms + k)
            played(policy, preference, 0)
            assert policy.top(k) == tuple(range(k))


def test_a_match_is_as_long_as_hoeffding_asks() -> None:
    policy = SingleElimination(n_arms=12, k=3, gap=0.1, delta=0.05)
    matches = 5 * 4  # (2 k - 1) ceil(log2 K)
    assert (
        matches * math.exp(-2 * policy.length[0] * 0.01) <= 0.05 < matches * math.exp(-2 * (policy.length[0] - 1) / 100)
    )


@pytest.mark.parametrize("k", [1, 2])
def test_at_the_gap_it_is_wrong_no_more_often_than_promised(k: int) -> None:
    flat = np.full((6, 6), 0.5)
    flat[:k, k:], flat[k:, :k] = 0.55, 0.45
    ended = until_certain(f"single-elimination:gap=0.05,delta=0.1,k={k}", flat, runs=200)
    assert sum(tuple(sorted(answer)) != tuple(range(k)) for answer in ended.answers) <= 20


def test_too_many_arms_or_too_few_duels_are_refused() -> None:
    with pytest.raises(BadInput, match="k must be below the number of arms, 3, not 3"):
        SingleElimination(n_arms=3, k=3)
    with pytest.raises(BadInput, match="budget must be at least 7, one duel a match, not 6"):
        SingleElimination(n_arms=8, budget=6)
