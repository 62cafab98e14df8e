from __future__ import annotations

from typing import Any

import pytest

from duelist.core.errors import AlreadyDefined, BadInput, UnknownName
from duelist.live import Definition
from duelist.live.definition import Session

from .helpers import definition, experiments


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"kind": "duel"}, "Invalid enum value 'duel'"),
        ({"name": "a b"}, "name must be letters"),
        ({"arms": ["old"]}, "from 2 to 1000 arms"),
        ({"arms": ["old", "old"]}, "different names"),
        ({"policy": "rucbb"}, "rucb"),
        ({"policy": "rucb", "parameters": {"alpha": -1}}, "alpha"),
        ({"method": "team-drafts"}, "team-draft"),
        ({"share": 1.5}, "share must be from 0 to 1, not 1.5"),
        ({"floor": 0.4}, "floor must be from 0 to 0.333333, not 0.4"),
        ({"session": {"timeout": 0}}, "session.timeout"),
        ({"session": {"time": 1}}, "unknown field `time`"),
        ({"stop": {"rule": "budget"}}, "stop.budget must be from 1"),
        ({"credit": {}}, "credit must name at least one action"),
        ({"click_weights": [1.0]}, "14 numbers"),
        ({"default": "nobody"}, "default must be one of the arms"),
        ({"colour": "red"}, "unknown field `colour`"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises((BadInput, UnknownName), match=complaint):
        Definition.read({**definition(), **change})


@pytest.mark.parametrize(
    ("kind", "change", "complaint"),
    [
        ("pair", {"arms": ["a", "b", "c"]}, "exactly two arms"),
        ("multileave", {"method": "balanced"}, "balanced combines two rankings"),
        ("weights", {"features": 0}, "weights needs features"),
        ("weights", {"learner": "pdgdd"}, "pdgd"),
        ("weights", {"stop": {"rule": "evidence"}}, "'hand' or 'budget'"),
        ("pair", {"stop": {"rule": "certain"}}, "try 'evidence'"),
    ],
)
def test_what_does_not_fit_a_kind_is_named(kind: str, change: dict[str, Any], complaint: str) -> None:
    with pytest.raises((BadInput, UnknownName), match=complaint):
        Definition.read({**definition(kind), **change})


def test_a_document_is_read_back() -> None:
    made = Definition.read(definition(policy="d-ts", session={"grace": 5}))
    assert made.session == Session(grace=5)
    assert Definition.read(made.document()) == made
    assert Definition.read(made.document()).digest == made.digest
    assert made.digest != Definition.read(definition(policy="rucb")).digest


def test_the_same_again_is_the_same_and_another_is_refused() -> None:
    with experiments() as living:
        living.define(definition())
        living.define(definition())
        assert len(living.fold.states) == 1
        with pytest.raises(AlreadyDefined, match="another experiment is called 'search'"):
            living.define(definition(policy="rucb"))
        with pytest.raises(UnknownName, match="there is no experiment 'seek'; there are 'search'"):
            living["seek"]


def test_a_method_that_cannot_decide_a_duel_is_refused() -> None:
    with experiments() as living:
        with pytest.raises(BadInput, match="'balanced' does not say who won without a bias"):
            living.define(definition(method="balanced"))
        assert living.names() == []
        living.define(definition("pair", method="balanced"))


def test_states_follow_each_other() -> None:
    with experiments() as living:
        search = living.define(definition())
        with pytest.raises(BadInput, match="is a draft; start it first"):
            search.ask()
        with pytest.raises(AlreadyDefined, match="is draft, and cannot become paused"):
            search.pause()
        search.start()
        search.start()
        assert search.ask().id is not None
        search.pause()
        assert search.ask() == (None, "old", "old")
        search.start()
        search.stop()
        assert search.ask() == (None, "old", "old")
        assert search.tell(search.ask().id, winner="old") == (None, False, False)
        with pytest.raises(AlreadyDefined, match="is stopped, and cannot become running"):
            search.start()
        assert search.status()["state"] == "stopped"
