"""Several duels at once: different pairs, no arm with itself, told in any order, by duel or by id."""

from __future__ import annotations

import numpy as np
import pytest

from duelist import RUCB, SelfSparring
from duelist.core.errors import AlreadyTold
from duelist.core.spec import Spec

ARMS = ["p0", "p1", "p2", "p3", "p4"]


# Of eight duels asked at once, pairs that differ. A round of knockout is many duels of one pair, and nothing else.
LEAST = {"rucb": 8, "auto": 8, "rmed1": 8, "savage:horizon=5000": 8, "if2:horizon=5000": 4, "knockout": 1}


@pytest.mark.parametrize(("name", "least"), LEAST.items())
def test_a_batch_is_never_an_arm_with_itself_and_is_spread_as_far_as_the_policy_draws(name: str, least: int) -> None:
    policy = Spec.read("policy", name).make(arms=ARMS, seed=1)
    batch = policy.ask(n=8)
    assert all(duel.left != duel.right for duel in batch)
    assert policy.open_duels() == batch
    pairs = {frozenset((duel.left, duel.right)) for duel in batch}
    assert len(pairs) >= least


def test_it_asks_about_other_pairs_than_those_that_are_open() -> None:
    policy = RUCB(arms=ARMS, seed=1)
    one, two = policy.ask(n=5), policy.ask(n=5)
    assert len({frozenset((duel.left, duel.right)) for duel in [*one, *two]}) == 10


def test_a_settled_policy_has_nothing_to_ask() -> None:
    policy = SelfSparring(arms=["a", "b"], seed=1)
    for _ in range(3000):
        duel = policy.draw(np.random.default_rng(policy.told))
        policy.apply(duel, 0.5 if duel.left == duel.right else float(duel.left == "a"))
    told = policy.told
    assert policy.ask(n=4) == []
    assert policy.told > told  # its time goes on all the same
    assert policy.asked == 0


def test_duels_are_told_by_id_in_any_order_and_once() -> None:
    policy, other = RUCB(arms=ARMS, seed=1), RUCB(arms=ARMS, seed=1)
    here, there = policy.ask(n=4), other.ask(n=4)
    for mine, theirs in zip(reversed(here), reversed(there), strict=True):
        policy.tell(mine.id, winner=mine.left)
        other.tell(theirs, winner=theirs.left)
    assert policy.met.record() == other.met.record()
    assert policy.open_duels() == []
    with pytest.raises(AlreadyTold):
        policy.tell(here[0].id, 1)
