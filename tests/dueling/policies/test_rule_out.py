"""Arms ruled out by bets: against a transcription from the history of all duels, and all sequences of outcomes."""

from __future__ import annotations

import copy
import math
from itertools import product

import numpy as np
import pytest

from duelist import RuleOut
from duelist.core.errors import BadInput
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.until import until_certain

History = list[tuple[int, int, float]]


def stake(history: History, on: int, against: int, imagined: float = 2.0) -> float:
    """What one unit comes to if before each duel of the pair the arm ahead is bet on, by definition."""
    won = lost = 0.0
    stakes = 1.0
    for left, right, outcome in history:
        if {left, right} == {on, against}:
            y = outcome if left == on else 1 - outcome
            share = (won + imagined) / (won + lost + 2 * imagined)
            if won > lost:
                stakes *= (2 * share) ** y * (2 - 2 * share) ** (1 - y)
            won, lost = won + y, lost + 1 - y
    return stakes


def ruled_out(history: History, arms: int, k: int, delta: float) -> set[int]:
    """Those of whom at some time the smallest product of K - k stakes on others had reached k / delta."""
    out: set[int] = set()
    for end in range(1, len(history) + 1):
        for arm in range(arms):
            stakes = sorted(stake(history[:end], other, arm) for other in range(arms) if other != arm)
            if len(out) < arms - k and math.prod(stakes[: arms - k]) >= k / delta:
                out.add(arm)
    return out


def chosen(policy: RuleOut, out: set[int]) -> tuple[int, int]:
    """The pair it should choose next, with the luck it has."""
    luck, k, wins = copy.deepcopy(policy.rng), policy.k, policy.wins
    won, lost = wins.sum(1), wins.sum(0)
    rates = {arm: luck.beta(won[arm] + 1, lost[arm] + 1) for arm in range(policy.n_arms) if arm not in out}
    ahead = sorted(rates, key=lambda arm: -rates[arm])[:k]
    drawn = {
        (arm, other): luck.beta(wins[arm, other] + 1, wins[other, arm] + 1)
        for arm in rates
        if arm not in ahead
        for other in sorted(ahead)
    }
    challenger = max(drawn, key=lambda pair: drawn[pair])[0]
    return min(ahead, key=lambda arm: (policy.stakes[arm, challenger], -rates[arm])), challenger


@pytest.mark.parametrize("k", [1, 2])
def test_each_duel_and_each_arm_that_goes_out_is_as_told(k: int) -> None:
    policy, luck = RuleOut(n_arms=4, k=k, delta=0.2, seed=k), np.random.default_rng(k)
    preference, history = arithmetic(arms=4, step=0.15).preference, []
    while policy.certain() is None:
        out = {int(arm) for arm in np.flatnonzero(policy.out)}
        expected = chosen(policy, out)
        duel = policy.ask()
        assert (duel.left, duel.right) == expected
        outcome = float(luck.choice([0.5, float(luck.random() < preference[duel.left, duel.right])], p=[0.1, 0.9]))
        policy.tell(duel, outcome)
        history.append((duel.left, duel.right, outcome))
    assert {int(arm) for arm in np.flatnonzero(policy.out)} == ruled_out(history, 4, k, 0.2)
    certainty = policy.certain()
    assert certainty is not None
    assert certainty.duels == len(history)
    assert policy.ranking()[:k] == (certainty.arm if k > 1 else (certainty.arm,)) == policy.top(k)
    settled = policy.ask()
    assert settled.left == settled.right


def test_of_all_sequences_no_more_than_promised_rule_out_an_arm_that_is_no_worse() -> None:
    wrong = 0
    for outcomes in product([0.0, 1.0], repeat=9):
        policy = RuleOut(n_arms=2, delta=0.25, seed=0)
        policy.learn((0, 1, outcome) for outcome in outcomes)
        wrong += bool(policy.out[0])
    assert 0 < wrong <= 0.25 * 2**9


@pytest.mark.parametrize("spec", ["rule-out:delta=0.1", "rule-out:delta=0.1,k=2"])
def test_near_ties_are_answered_wrongly_no_more_often_than_promised(spec: str) -> None:
    ended = until_certain(spec, arithmetic(arms=4, step=0.04).preference, runs=200)
    right = tuple(range(len(ended.answers[0])))
    assert (ended.duels > 0).all()
    assert sum(tuple(sorted(answer)) != right for answer in ended.answers) <= 20


def test_as_many_as_there_are_arms_cannot_be_found() -> None:
    with pytest.raises(BadInput, match="k must be below the number of arms, 3, not 3"):
        RuleOut(n_arms=3, k=3)
