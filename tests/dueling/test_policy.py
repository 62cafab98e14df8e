import inspect
import json
import sys
from typing import Any

import numpy as np
import pytest

from duelist import (
    IF2,
    RUCB,
    AlreadyTold,
    BadInput,
    Duel,
    DuelistError,
    ExpiredDuel,
    ForeignDuel,
    Policy,
    SparringEXP3,
    Uniform,
    UnknownName,
)


@pytest.fixture
def policy() -> RUCB:
    return RUCB(arms=["bm25", "ltr-v3", "vector"], seed=0)


def state(policy: Policy) -> str:
    return policy.to_json()


def learnt(policy: Policy) -> dict[str, Any]:
    """What it remembers, but for ids."""
    tables = {name: array.tolist() for name, array in policy.tables().items()}
    return {**tables, "luck": policy.rng.bit_generator.state}


def test_named_arms_are_asked_and_answered_by_name(policy: RUCB) -> None:
    for _ in range(400):
        duel = policy.ask()
        assert {duel.left, duel.right} <= {"bm25", "ltr-v3", "vector"}
        policy.tell(duel, winner="vector" if "vector" in (duel.left, duel.right) else duel.left)
    assert policy.best() == "vector"


def test_a_winner_means_the_same_as_its_outcome() -> None:
    by_winner, by_outcome = RUCB(n_arms=3, seed=4), RUCB(n_arms=3, seed=4)
    for step in range(60):
        duel = by_winner.ask()
        by_winner.tell(duel, winner=duel.left if step % 3 else duel.right)
        by_outcome.tell(by_outcome.ask(), float(step % 3 > 0))
    assert learnt(by_winner) == learnt(by_outcome)


@pytest.mark.parametrize(
    ("tell", "error", "message"),
    [
        (lambda p, d: p.tell(d, 1.5), BadInput, r"from 0 .* to 1 .*not 1\.5"),
        (lambda p, d: p.tell(d, float("nan")), BadInput, "not nan"),
        (lambda p, d: p.tell(d, "left"), BadInput, "not 'left'"),
        (lambda p, d: p.tell(d), BadInput, "either an outcome"),
        (lambda p, d: p.tell(d, 1, winner=d.left), BadInput, "either an outcome"),
        (lambda p, d: p.tell(d, winner="bm26"), BadInput, "not 'bm26'"),
        (lambda p, d: p.tell(("bm25", "vector"), 1), BadInput, "a duel that was asked or drawn is needed, not"),
        (lambda p, d: p.tell("17", 1), ForeignDuel, "'17' was not asked from this rucb"),
        (lambda p, d: p.ask(n=0), BadInput, "n must be a whole number of at least 1, not 0"),
        (lambda p, d: p.tell(d._replace(left="bm26"), 1), ForeignDuel, "unknown arm 'bm26'; known arms: 'bm25'"),
        (lambda p, d: p.tell(d._replace(left_p=0.3), 1), ForeignDuel, r"was asked as Duel\(.*, not as Duel\("),
        (lambda p, d: p.tell(Duel("bm25", "vector", 1, id="17"), 1), ForeignDuel, "'17' was not asked from this rucb"),
        (lambda p, d: p.ask(id=d.id), BadInput, "an id must be a text that was not used before"),
        (lambda p, d: p.apply(d, 2), BadInput, "not 2"),
        (lambda p, d: p.apply(d), BadInput, "either an outcome"),
        (lambda p, d: p.apply(d._replace(left="bm26"), 1), ForeignDuel, "unknown arm 'bm26'"),
        (lambda p, d: p.apply(("bm25", "vector"), 1), BadInput, "a duel that was asked or drawn is needed"),
    ],
)
def test_a_bad_tell_is_refused_and_changes_nothing(
    policy: RUCB, tell: Any, error: type[DuelistError], message: str
) -> None:
    duel = policy.ask()
    before = state(policy)
    with pytest.raises(error, match=message):
        tell(policy, duel)
    assert state(policy) == before
    policy.tell(duel, 1)  # the duel is still open


def test_a_duel_told_twice_is_refused_and_changes_nothing(policy: RUCB) -> None:
    duel = policy.ask()
    policy.tell(duel, 1)
    before = state(policy)
    with pytest.raises(AlreadyTold, match="told before"):
        policy.tell(duel, 0)
    assert state(policy) == before


@pytest.mark.parametrize(
    "other", [RUCB(n_arms=3, seed=1), RUCB(n_arms=3, alpha=0.6, seed=0), Uniform(n_arms=3, seed=0)]
)
def test_another_policys_duel_is_foreign_even_while_ours_are_open(other: Policy) -> None:
    policy = RUCB(n_arms=3, seed=0)
    policy.ask()
    with pytest.raises(ForeignDuel):
        policy.tell(other.ask(), 1)
    assert policy.told == 0


def test_the_oldest_duel_expires_when_too_many_are_open() -> None:
    policy = RUCB(n_arms=3, seed=0, max_open=2)
    first, second, third = policy.ask(), policy.ask(), policy.ask()
    policy = RUCB.from_json(policy.to_json())  # which of them expired travels along
    with pytest.raises(ExpiredDuel, match="max_open=2"):
        policy.tell(first, 1)
    policy.tell(third, 1)
    policy.tell(second, 1)
    assert policy.told == 2


def test_memory_stays_bounded_when_no_duel_is_ever_told() -> None:
    policy = RUCB(n_arms=3, seed=0, max_open=50)
    for _ in range(500):
        policy.ask()
    assert len(state(policy)) < 12_000
    assert len(policy._open) == len(policy._closed) == 50


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RUCB(n_arms=1), "at least 2, not 1"),
        (lambda: RUCB(n_arms=2.5), "not 2.5"),  # type: ignore[arg-type]
        (lambda: RUCB(n_arms=True), "not True"),
        (lambda: RUCB(), "either n_arms"),
        (lambda: RUCB(n_arms=2, arms=["a", "b"]), "either n_arms"),
        (lambda: RUCB(arms=["a"]), "at least 2 names"),
        (lambda: RUCB(arms=["a", "b", "a"]), "'a' comes twice"),
        (lambda: RUCB(n_arms=2, seed=-1), "seed must be .* not -1"),
        (lambda: RUCB(n_arms=2, max_open=0), "max_open must be .* not 0"),
        (lambda: RUCB(n_arms=2, alpha=0.5), "alpha must be a number above 0.5, not 0.5"),
        (lambda: RUCB(n_arms=2, beta=1), "no parameter 'beta'; its parameters: alpha"),
        (lambda: IF2(n_arms=2, horizon=0), "horizon must be a whole number at least 1, not 0"),
        (lambda: SparringEXP3(n_arms=2), "needs horizon"),
    ],
)
def test_bad_arguments_are_named_with_what_is_allowed(make: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        make()


@pytest.mark.parametrize(
    ("record", "error", "message"),
    [
        ("{", BadInput, "not the JSON of a policy"),
        ("[]", BadInput, "schema is None"),
        ('{"schema": 99}', BadInput, "schema is 99"),
        ('{"schema": 2, "spec": "rucbb"}', UnknownName, "did you mean 'rucb'"),
    ],
)
def test_json_that_is_not_a_policys_is_refused(record: str, error: type[DuelistError], message: str) -> None:
    with pytest.raises(error, match=message):
        Policy.from_json(record)


def test_json_of_one_policy_is_not_taken_for_another() -> None:
    with pytest.raises(BadInput, match="holds the policy 'uniform', not a RUCB"):
        RUCB.from_json(Uniform(n_arms=2).to_json())


def test_json_may_come_as_text_bytes_or_a_mapping(policy: RUCB) -> None:
    text = policy.to_json()
    for record in (text, text.encode(), json.loads(text)):
        assert state(RUCB.from_json(record)) == text


def test_numpy_numbers_are_taken_as_numbers() -> None:
    policy = RUCB(n_arms=np.int64(3), alpha=np.float64(0.7), seed=np.int64(1))
    policy.tell(policy.ask(), np.float32(0.25))
    record = json.loads(policy.to_json())
    assert (record["n_arms"], record["spec"]["parameters"]) == (3, {"alpha": 0.7})


def test_every_policy_says_what_it_needs() -> None:
    from duelist.dueling.facts import facts_of
    from duelist.dueling.policy import POLICIES

    for name in POLICIES:
        facts = facts_of(POLICIES.get(name))
        if POLICIES.get(name).__module__.startswith("duelist."):
            assert all(facts[key] for key in ("summary", "needs", "horizon", "regret", "departs", "ties")), name
            needs = facts["parameters"].get("horizon", {}).get("required", False)
            assert facts["horizon"].startswith("needed" if needs else ("not needed", "needed only")), name


# Drawn and applied: for those who keep a journal


def test_a_duel_drawn_with_the_callers_luck_takes_none_of_the_policys(policy: RUCB) -> None:
    before = state(policy)
    duels = [policy.draw(np.random.default_rng(seed)) for seed in (0, 0, 1, 2, 3)]
    assert duels[0] == duels[1]
    assert len(set(duels)) > 1
    assert {duel.id for duel in duels} == {""}
    assert state(policy) == before


def test_applying_needs_no_open_duel_and_counts_as_told(policy: RUCB) -> None:
    duel = policy.draw(np.random.default_rng(0))
    policy.apply(duel, 1.0)
    policy.apply(duel, winner=duel.right)
    assert (policy.told, policy.asked, len(policy._open)) == (2, 0, 0)
    assert policy.clock.wins.sum() == 2 * (duel.left != duel.right)


def test_telling_and_applying_the_same_duels_teach_the_same() -> None:
    told, applied = RUCB(n_arms=4, seed=2), RUCB(n_arms=4, seed=2)
    for _ in range(300):
        duel = told.ask()
        told.tell(duel, float(duel.left < duel.right))
        applied.apply(duel, float(duel.left < duel.right))
    assert np.array_equal(told.clock.wins, applied.clock.wins)
    assert told.best() == applied.best()


def test_what_was_told_before_does_not_let_draws_matter_afterwards() -> None:
    asked = RUCB(n_arms=4, seed=2)
    for _ in range(200):
        duel = asked.ask()
        asked.tell(duel, float(duel.left < duel.right))
    drawn, alone = RUCB.from_json(asked.to_json()), RUCB.from_json(asked.to_json())
    luck = np.random.default_rng(0)
    for step in range(50):
        duel = drawn.draw(luck)
        for each in (drawn, alone):
            each.apply(duel, float(duel.left < duel.right))
        assert learnt(drawn) == learnt(alone), step


# Values


@pytest.mark.parametrize("arm", ["bm25", 3, 2.5, True, None, ("bm25", ("k1", 1.2))])
def test_a_duel_survives_json(arm: Any) -> None:
    duel = Duel(arm, "vector", 7, 0.25, 1 / 3, "x")
    for record in (duel.to_json(), duel.to_json().encode(), json.loads(duel.to_json())):
        assert Duel.from_json(record) == duel


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        ("{", "not the JSON of a duel"),
        ('{"schema": 99}', "not the JSON of a duel of schema 1: schema is 99"),
        ('{"schema": 1, "left": 1}', "not the JSON of a duel: .*right"),
        ('{"schema": 1, "left": 1, "right": 2, "t": 1, "up": 3}', "not the JSON of a duel: .*up"),
    ],
)
def test_json_that_is_not_a_duels_is_refused(record: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        Duel.from_json(record)


def test_an_arm_without_a_form_in_json_is_named() -> None:
    with pytest.raises(BadInput, match=r"JSON has no form for all of the duel \(<object"):
        Duel(object(), 1, 1).to_json()


def test_a_duel_comes_back_from_json_open_and_is_told_once(policy: RUCB) -> None:
    duel = policy.ask()
    loaded = Policy.from_json(policy.to_json())
    loaded.tell(Duel.from_json(duel.to_json()), 1)
    with pytest.raises(AlreadyTold):
        loaded.tell(duel, 1)


def test_a_policy_shows_its_parameters_to_help_and_signature() -> None:
    signature = inspect.signature(RUCB)
    assert list(signature.parameters) == ["n_arms", "arms", "seed", "max_open", "alpha"]
    assert signature.parameters["alpha"].default == 0.51
    assert inspect.signature(IF2).parameters["horizon"].default is inspect.Parameter.empty
    assert "alpha: exploration; the regret bound needs more than 1/2" in (RUCB.__doc__ or "")


def test_asking_and_telling_for_ever_keeps_nothing() -> None:
    policy, luck = RUCB(3, seed=1).warm_up(), np.random.default_rng(0)
    before = sys.getrefcount(policy.rng), sys.getrefcount(luck)
    for _ in range(50):
        policy.tell(policy.ask(), 0.5)
        policy.apply(policy.draw(luck), 0.5)
    assert (sys.getrefcount(policy.rng), sys.getrefcount(luck)) == before  # each would hold 64 bytes
