"""What can be asked and told, shown on the smallest agent: it counts."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pytest

from duelist.core.agent import Agent, Live
from duelist.core.errors import AlreadyTold, BadInput, DuelError, UnknownName
from duelist.core.memory import holds, parameter, per_arm, scratch
from duelist.core.registry import Registry
from duelist.core.spec import Spec


class Stranger(DuelError):
    pass


class Lapsed(DuelError):
    pass


class Counter(Agent, abstract=True):
    """Base of the family."""

    registry = Registry("counter", "math")
    asks, foreign, expired = "number", Stranger, Lapsed
    compiled = 0

    def __init__(self, n_arms: int, *, seed: Any = None, max_open: int = 3, **parameters: Any) -> None:
        super().__init__(n_arms, parameters, seed, max_open)

    def ask(self, id: str | None = None) -> str:
        issued = self._issue(id)
        self._remember(issued, [self.asked])
        return issued

    def tell(self, id: str) -> None:
        if id not in self._open:
            raise self._refuse(id)
        self._close(id, "told")
        self.told += 1

    def choose(self) -> None:
        """Nothing to choose."""

    def update(self) -> None:
        """Nothing to learn."""

    def identity(self) -> dict[str, Any]:
        return {"n_arms": self.n_arms}

    @classmethod
    def revive(cls, data: Mapping[str, Any], spec: Spec) -> Self:
        counter = cls(data["n_arms"], seed=0, max_open=data["max_open"], **spec.parameters)
        counter._open = dict(data["open"])
        return counter

    def _compile(self) -> Live:
        Counter.compiled += 1
        return Live(None, None)


class SlowTally(Counter):
    """Counts slowly."""

    pace: float = parameter(0.5, "how fast", above=0)
    counts: Any = per_arm(int)
    room: Any = scratch(lambda k: (k,))

    def start(self, rng: np.random.Generator) -> None:
        for arm in range(self.n_arms):
            self.counts[arm] = int(10**9 * rng.random())


class QuickTally(Counter):
    """Counts at once."""

    name = "quick"
    steps: int = parameter(1, "how many at a time", low=1)


class Around(Counter):
    """Holds another."""

    base: str = parameter("slow-tally", "who counts", family="counter")
    one: Any = holds(SlowTally)
    two: Any = holds(SlowTally)


# Identity


def test_a_name_is_made_from_that_of_the_class_unless_given() -> None:
    assert list(Counter.registry) == ["around", "quick", "slow-tally"]
    assert Counter.registry.get("slow-tally") is SlowTally


def test_an_agent_gives_its_spec_and_describes_itself() -> None:
    agent = SlowTally(2, pace=0.25)
    agent.ask()
    assert agent.spec == Spec("counter", "slow-tally", {"pace": 0.25})
    assert repr(agent) == "SlowTally(n_arms=2, pace=0.25): 0 told, 1 open"


def test_parameters_are_shown_by_signature_and_help() -> None:
    assert str(inspect.signature(QuickTally)).startswith("(n_arms: 'int', *, seed: 'Any' = None, max_open: 'int' = 3")
    assert inspect.signature(QuickTally).parameters["steps"].default == 1
    assert "Parameters:\n        steps: how many at a time" in (QuickTally.__doc__ or "")


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"seed": -1}, "SlowTally: seed must be a whole number of at least 0 or None, not -1"),
        ({"max_open": 0}, "SlowTally: max_open must be a whole number of at least 1, not 0"),
        ({"pace": 0}, "SlowTally: pace must be a number above 0, not 0"),
        ({"pac": 1}, r"SlowTally has no parameter 'pac' \(did you mean 'pace'\?\)"),
    ],
)
def test_bad_arguments_are_named(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        SlowTally(2, **settings)


def test_the_same_seed_starts_the_same() -> None:
    one, same, other = (SlowTally(3, seed=seed) for seed in (1, 1, 2))
    assert one.counts.tolist() == same.counts.tolist() != other.counts.tolist()


# Open and told


def test_ids_are_random_texts_or_the_callers_own() -> None:
    agents = [SlowTally(2, seed=0, max_open=100) for _ in range(2)]
    issued = [agent.ask() for agent in agents for _ in range(50)]
    assert len(set(issued)) == 100
    assert all(isinstance(each, str) for each in issued)
    assert agents[0].ask("mine") == "mine"


@pytest.mark.parametrize("id", ["open", "told", "", 3])
def test_an_id_of_ones_own_must_be_a_new_text(id: Any) -> None:
    agent = SlowTally(2)
    agent.ask("open")
    agent.tell(agent.ask("told"))
    with pytest.raises(BadInput, match=f"an id must be a text that was not used before, not {id!r}"):
        agent.ask(id)
    assert agent.asked == 2


def test_what_cannot_be_told_says_why() -> None:
    agent = SlowTally(2)
    agent.tell(agent.ask("told"))
    for letter in "abcd":
        agent.ask(letter)
    with pytest.raises(AlreadyTold, match="number 'told' was told before"):
        agent.tell("told")
    with pytest.raises(Lapsed, match="number 'a' expired: more than max_open=3 were opened since"):
        agent.tell("a")
    with pytest.raises(Stranger, match="number 'x' was not asked from this slow-tally"):
        agent.tell("x")
    assert (agent.told, agent.asked) == (1, 5)


def test_what_was_told_long_ago_is_forgotten() -> None:
    agent = SlowTally(2)
    for number in range(10):
        agent.tell(agent.ask(f"{number}"))
    assert len(agent._closed) == 3
    with pytest.raises(Stranger, match="told or expired long ago"):
        agent.tell("0")


# JSON and copies


def test_an_agent_comes_back_from_its_record_as_it_was() -> None:
    agent = SlowTally(2, seed=5, pace=0.25)
    agent.tell(agent.ask("told"))
    agent.ask("open")
    agent.counts[1] = 17
    for again in (
        Counter.from_json(agent.to_json()),
        SlowTally.from_json(json.loads(agent.to_json())),
        SlowTally.from_json(agent.record()),
        pickle.loads(pickle.dumps(agent)),
        copy.deepcopy(agent),
    ):
        assert type(again) is SlowTally
        assert again.to_json() == agent.to_json()
        assert again.rng.random() == copy.deepcopy(agent).rng.random()
        with pytest.raises(AlreadyTold):
            again.tell("told")
        again.tell("open")
        again.counts[0] = -1
    assert agent.counts[0] >= 0


def test_two_from_one_record_never_issue_the_same_id() -> None:
    text = SlowTally(2, seed=0).to_json()
    assert SlowTally.from_json(text).ask() != SlowTally.from_json(text).ask()


def test_scratch_stays_out_of_the_record() -> None:
    agent = SlowTally(2)
    agent.room[:] = np.nan
    assert list(json.loads(agent.to_json())["tables"]) == ["counts"]


def without(name: str) -> str:
    record = json.loads(SlowTally(2).to_json())
    del record[name]
    return json.dumps(record)


@pytest.mark.parametrize("name", sorted(SlowTally(2).record().keys() - {"schema"}))
def test_what_a_record_lacks_is_named(name: str) -> None:
    with pytest.raises(BadInput, match=f"not the JSON of a counter: it has no '{name}'"):
        Counter.from_json(without(name))


@pytest.mark.parametrize(
    ("changes", "error", "complaint"),
    [
        ({"schema": 1}, BadInput, "not the JSON of a counter of schema 2: schema is 1"),
        ({"tables": {}}, BadInput, "it has no 'counts'"),
        ({"tables": {"counts": [1, 2, 3]}}, BadInput, "not the JSON of a counter: .*shape"),
        ({"generator": {"bit_generator": "dice"}}, BadInput, "not the JSON of a counter: "),
        ({"spec": "slow-taly"}, UnknownName, "did you mean 'slow-tally'"),
        ({"spec": {"name": "slow-tally", "pace": 0}}, BadInput, "pace must be a number above 0, not 0"),
        ({"spec": {"family": "policy", "name": "rucb"}}, BadInput, "a counter is needed here, not the policy 'rucb'"),
        ({"spec": "quick"}, BadInput, "this JSON holds the counter 'quick', not a SlowTally"),
    ],
)
def test_what_is_wrong_in_a_record_is_said(changes: dict[str, Any], error: Any, complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        SlowTally.from_json(json.loads(SlowTally(2).to_json()) | changes)


# Holding another


def test_an_agent_holds_whom_its_base_names() -> None:
    agent = Around(2, base="quick", steps=4)
    assert [type(part) for part in (agent.one, agent.two)] == [QuickTally, QuickTally]
    assert agent.spec == Spec("counter", "around", {"base": "quick", "steps": 4})
    assert type(agent) is type(Around(3, base=QuickTally)) is Around.over(QuickTally)
    assert issubclass(type(agent), Around)
    assert Around.over(SlowTally) is Around


def test_who_holds_another_is_copied_with_it() -> None:
    agent = Around(2, base="quick", steps=4, seed=0)
    for again in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent), Counter.from_json(agent.to_json())):
        assert type(again) is Around.over(QuickTally)
        assert again.to_json() == agent.to_json()


@pytest.mark.parametrize("base", [3, int, Counter.registry])
def test_a_base_of_no_agent_is_refused(base: Any) -> None:
    with pytest.raises(BadInput, match="base must be a counter's name or class, not "):
        Around(2, base=base)


def test_a_base_of_another_family_is_refused() -> None:
    from duelist.dueling import RUCB

    with pytest.raises(BadInput, match="base must be a counter's name or class, not "):
        Around(2, base=RUCB)


# Compiled code


def test_code_is_compiled_once_for_a_class() -> None:
    before = Counter.compiled
    agent = QuickTally(2).warm_up()
    assert agent.live() is QuickTally(5).warm_up().live()
    assert Counter.compiled == before + 1
