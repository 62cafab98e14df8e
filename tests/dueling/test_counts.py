"""Certain for any policy, from the duels it was told."""

from __future__ import annotations

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.dueling.policy import POLICIES, Policy

NAMES = ["rucb", "d-ts", "rex3", "uniform", "winner-stays-weak", "window:base=d-ts,size=1000", "auto"]


def make(name: str) -> Policy:
    from duelist.core.spec import Spec

    policy: Policy = Spec.read("policy", name).make(arms=["a", "b", "c"], seed=1)
    return policy


def told(policy: Policy, duels: int) -> np.ndarray:
    """Tell so many, 'a' before 'b' before 'c' in nine of ten; what was told, counted apart."""
    luck, wins = np.random.default_rng(2), np.zeros((3, 3))
    for _ in range(duels):
        duel = policy.ask()
        better = min(duel.left, duel.right) if luck.random() < 0.9 else max(duel.left, duel.right)
        policy.tell(duel, winner=better)
        if duel.left != duel.right:
            loser = duel.right if better == duel.left else duel.left
            wins[policy.numbers[better], policy.numbers[loser]] += 1
    return wins


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_counts_what_it_was_told(name: str) -> None:
    policy = make(name)
    wins = told(policy, 300)
    assert (policy.met.table(3) == wins).all()
    again = Policy.from_json(policy.to_json())
    assert (again.met.table(3) == wins).all()
    assert again.certain(0.9) == policy.certain(0.9)


def test_certain_names_the_arm_by_target_and_then_needs_no_more() -> None:
    policy = make("uniform")
    assert policy.certain(0.95) is None
    assert policy.duels_needed(0.95) > 0
    told(policy, 600)
    for target in ("condorcet", "copeland", "borda"):
        found = policy.certain(0.95, target)
        assert found is not None
        assert (found.arm, found.confidence, found.duels) == ("a", 0.95, policy.met.duels)
        assert policy.duels_needed(0.95, target) == 0
    top = policy.certain(0.95, "top-k", k=2)
    assert top is not None
    assert top.arm == ("a", "b")
    assert policy.certain() is None  # uniform itself is never sure
    with pytest.raises(BadInput, match="target must be one of"):
        policy.certain(0.95, "best")


def test_records_of_before_are_read() -> None:
    policy = make("rucb")
    told(policy, 20)
    record = policy.record()
    del record["met"]
    assert POLICIES.get("rucb").from_json(record).met.duels == 0


def test_every_policy_puts_all_arms_in_order_its_best_one_first() -> None:
    for name in NAMES:
        policy = make(name)
        told(policy, 300)
        assert sorted(policy.ranking()) == ["a", "b", "c"]
        assert policy.ranking()[0] == policy.best()
        assert policy.top(2) == policy.ranking()[:2]
    assert make("uniform").top(3) == make("uniform").ranking()
    with pytest.raises(BadInput, match="k must be from 1 to 3, not 4"):
        policy.top(4)


def test_the_order_is_by_arms_beaten_then_by_the_rate_of_wins() -> None:
    policy = make("uniform")
    policy.learn([("c", "a", 1.0)] * 3 + [("c", "b", 1.0)] + [("b", "a", 1.0)] * 2)
    assert policy.ranking() == ("c", "b", "a")
    policy.learn([("a", "b", 1.0)] * 2)  # tied, and b lost to c less often
    assert policy.ranking() == ("c", "b", "a")
    policy.learn([("c", "b", 1.0)] * 9)
    assert policy.ranking() == ("c", "a", "b")


def test_certain_of_the_order_once_each_surely_beats_the_next() -> None:
    policy = make("uniform")
    assert policy.certain(0.95, "ranking") is None
    told(policy, 600)
    found = policy.certain(0.95, "ranking")
    assert found is not None
    assert found.arm == ("a", "b", "c") == policy.ranking()
    assert policy.duels_needed(0.95, "ranking") == 0


def test_a_policy_says_what_it_answers_with() -> None:
    with pytest.raises(BadInput, match="answers must be one of arm, top-k, ranking, not 'many'"):
        type("Wrong", (POLICIES.get("uniform"),), {"answers": "many", "__module__": __name__})
