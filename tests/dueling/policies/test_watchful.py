"""Watchful: every duel and every change it sees is what the text says, and it follows what it is not told of."""

from __future__ import annotations

import copy
import math
from collections import defaultdict

import numpy as np
import pytest

from duelist import Drifting, Policy, SparAndCheck, Watchful, simulate
from duelist.core.compile import plain
from duelist.testing import check_policy

TURNS = Drifting([1, 1501, 3001], [[0.9, 0.5, 0.5, 0.3], [0.3, 0.9, 0.5, 0.5], [0.5, 0.3, 0.3, 0.9]])


class Plain:
    """The same from lists of outcomes, written for this test."""

    def __init__(self, arms: int) -> None:
        self.arms, self.changes, self.told = arms, 0, 0
        self.forget()

    def forget(self) -> None:
        self.past: defaultdict[tuple[int, int], list[float]] = defaultdict(list)  # of the lower arm
        self.recent: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
        self.rests, self.begun = [0] * self.arms, self.told

    def ahead(self, table: dict[tuple[int, int], list[float]], arm: int, other: int) -> float:
        outcomes = table.get((min(arm, other), max(arm, other)), [])
        return (2 * sum(outcomes) - len(outcomes)) * (1 if arm < other else -1)

    def choose(self, left: int, right: int, luck: np.random.Generator) -> tuple[int, int]:
        """Given what the base policy would choose."""
        if left != right:
            return left, right
        others = [arm for arm in range(self.arms) if arm != left]
        behind = [-self.ahead(self.recent, left, arm) for arm in others]
        if max(behind) > 0:
            return left, others[behind.index(max(behind))]
        if luck.random() >= 0.7 * math.sqrt((1 + 10 * self.changes) / (self.told + 1)):
            return left, left
        weights: list[float] = []
        for arm in others:
            met = len(self.past[min(left, arm), max(left, arm)])
            weights.append((met + 2) / (abs(self.ahead(self.past, left, arm)) + 1))
            if luck.random() < weights[-1] / sum(weights):  # the last that is taken: each with its share
                right = arm
        return left, right

    def tell(self, left: int, right: int, outcome: float) -> None:
        self.told += 1
        if left == right:
            self.rests[left] += 1
            return
        pair = min(left, right), max(left, right)
        self.recent[pair].append(outcome if left < right else 1 - outcome)
        leader, other = pair if self.ahead(self.past, *pair) >= 0 else pair[::-1]
        lead, met = self.ahead(self.past, leader, other), len(self.past[pair])
        behind = -self.ahead(self.recent, leader, other)
        if behind <= 0 or lead <= 1.5 * math.sqrt(met) or self.rests[leader] < 5 * met:
            self.past[pair] += self.recent.pop(pair)
            return
        least = (lead + met) / (2 * met) - 1.5 * math.sqrt(0.25 / met)
        if behind > lead or behind * math.log(least / (1 - least)) > 5:
            self.changes += 1
            self.forget()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_duel_and_every_change_is_that_of_a_plain_transcription(seed: int) -> None:
    policy, transcribed, base = Watchful(4, seed=seed), Plain(4), plain(SparAndCheck.choose)
    world, duels = TURNS.memory(4500), np.random.default_rng(seed)
    let_in = 0
    for t in range(1, 4501):
        luck = copy.deepcopy(policy.rng)
        proposed = base(policy.policy.memory, t - transcribed.begun, luck)
        duel = policy.ask()
        expected = transcribed.choose(proposed.left, proposed.right, luck)
        assert (duel.left, duel.right) == expected
        let_in += expected != (proposed.left, proposed.right)
        outcome = plain(Drifting.duel)(world, t, duel.left, duel.right, duels)
        policy.tell(duel, outcome)
        transcribed.tell(duel.left, duel.right, outcome)
        assert (policy.changes[0], policy.begun[0]) == (transcribed.changes, transcribed.begun)
    assert transcribed.changes >= 2
    assert let_in > 20
    assert policy.best() == 3


def test_the_contract_holds_around_another_policy() -> None:
    check_policy(Watchful, base="d-ts")


@pytest.mark.parametrize("world", ["abrupt", "smooth"])
def test_it_follows_without_being_told_how_often_things_change(world: str) -> None:
    """Better than windows that are too short or too long for these changes, and than not to forget."""
    regret = {
        name: simulate(name, world, horizon=100_000, runs=20, seed=5, points=1, progress=False).regret("dynamic")
        for name in ("watchful", "spar-and-check", "window:base=d-ts,size=1000", "window:base=d-ts,size=32000")
    }
    ours = regret.pop("watchful")
    assert all(ours.high < other.low for other in regret.values())


def test_where_nothing_changes_it_seldom_believes_so() -> None:
    watchful, fixed = (
        simulate(name, "arxiv", horizon=30_000, runs=40, seed=5, points=1, progress=False).curve()[:, -1]
        for name in ("watchful", "spar-and-check")
    )
    assert watchful.mean() < 2 * fixed.mean()


def test_a_duel_from_before_a_change_teaches_nothing() -> None:
    policy = Watchful(n_arms=3, seed=0)
    late = policy.ask()
    for step in range(6000):
        duel = policy.ask()
        likes = min if step < 3000 else max
        policy.tell(duel, winner=likes(duel.left, duel.right))
    assert policy.changes[0] == 1
    before = {name: table.copy() for name, table in policy.tables().items()}
    policy.tell(late, 1.0)
    assert all(np.array_equal(table, before[name]) for name, table in policy.tables().items())


def test_the_base_and_its_parameters_travel_with_the_policy() -> None:
    policy = Watchful(arms=["a", "b", "c"], base="d-ts", alpha=0.7, care=0.2, seed=3)
    for _ in range(77):
        policy.tell(policy.ask(), 0.0)
    again = Policy.from_json(policy.to_json())
    assert again.parameter_values() == {"base": "d-ts", "alpha": 0.7, "care": 0.2}
    assert [again.ask(id=n) for n in "abcde"] == [policy.ask(id=n) for n in "abcde"]
