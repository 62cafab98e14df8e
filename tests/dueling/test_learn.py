"""Duels made elsewhere, and arms that come and go."""

from __future__ import annotations

import numpy as np
import pytest

from duelist import Uniform
from duelist.core.errors import BadInput, ForeignDuel
from duelist.core.spec import Spec
from duelist.dueling.policy import LEARNS, POLICIES, Policy
from duelist.ranking import demo_duels

ROWS = [("a", "b", 1.0), ("b", "c", 0.75), ("c", "a", 0.0), ("a", "c", 0.5)] * 30


def make(name: str, arms: list[str] | None = None) -> Policy:
    policy: Policy = Spec.read("policy", name).make(arms=arms or ["a", "b", "c"], seed=1)
    return policy


@pytest.mark.parametrize("name", [name for name in POLICIES if POLICIES.get(name).lessons() == "all"])
def test_what_learns_all_learns_it_in_any_order(name: str) -> None:
    """Their counts of wins, wherever they keep them, are those of the duels."""
    mixed = [ROWS[place] for place in np.random.default_rng(1).permutation(len(ROWS))]
    name += ":horizon=1000" if name == "rmed2fh" else ""
    first, second = make(name), make(name)
    assert first.learn(ROWS) == second.learn(mixed) == len(ROWS) == first.told
    wins = first.met.table(3)
    assert wins.tolist() == pytest.approx(np.array([[0, 30, 45], [0, 0, 22.5], [15, 7.5, 0]]))
    for policy in (first, second):
        tables = [table for label, table in policy.tables().items() if label.endswith("wins")]
        assert tables, "its wins are kept elsewhere"
        assert any(np.allclose(table - np.diag(np.diag(table)), wins) for table in tables)
    assert first.best() == second.best() == "a"


@pytest.mark.parametrize("name", ["rex3", "sparring-exp3:horizon=100", "versatile-db", "d-exp3:horizon=100"])
def test_what_weighs_by_its_own_draws_refuses(name: str) -> None:
    policy = make(name)
    with pytest.raises(BadInput, match="learns no duels made elsewhere, none: it weighs"):
        policy.learn(ROWS)
    assert policy.told == 0


def test_holders_learn_as_what_they_hold() -> None:
    assert POLICIES.get("window").resolve({"base": "rex3"}).lessons() == "drawn"
    assert make("window:base=d-ts,size=50").lessons() == "all"
    assert make("if2:horizon=100").lessons() in LEARNS


def test_arms_come_and_go_and_what_is_known_of_the_others_stays() -> None:
    policy = make("d-ts")
    policy.learn(ROWS)
    other = policy.with_arms(["c", "a", "new"], seed=2)
    wins = policy.met.table(3)
    assert other.met.table(3)[0, 1] == pytest.approx(wins[2, 0])
    assert other.met.table(3)[1, 0] == pytest.approx(wins[0, 2])
    assert other.told == 60
    assert {other.ask().left for _ in range(200)} <= {"c", "a", "new"}
    with pytest.raises(BadInput, match="winner-stays-weak cannot change its arms"):
        make("winner-stays-weak").with_arms(["a", "b"])


def test_an_unknown_arm_is_named() -> None:
    with pytest.raises(ForeignDuel, match="unknown arm 'x'"):
        make("rucb").learn([("a", "x", 1.0)])


def test_a_log_of_duels_is_learnt_row_by_row() -> None:
    log = demo_duels(200)
    policy = Uniform(arms=list(log.arms), seed=1)
    policy.learn((log.arms[a], log.arms[b], y) for a, b, y in zip(log.left, log.right, log.outcome, strict=True))
    assert policy.met.duels == 200


def test_of_duels_that_may_no_longer_hold_a_share_is_learnt() -> None:
    policy = make("rucb")
    assert 400 < policy.learn(ROWS * 10, share=0.4) < 560  # of 1200
    assert policy.told == policy.met.duels
    for share in (0, 1.5, float("nan")):
        with pytest.raises(BadInput, match="share must be above 0 and at most 1"):
            policy.learn(ROWS, share=share)
