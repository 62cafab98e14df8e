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
