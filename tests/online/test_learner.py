from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import AlreadyTold, BadInput, ForeignImpression, UnknownName
from duelist.online import DBGD, LEARNERS, PDGD, Learner

DOCUMENTS = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])


def test_a_list_is_made_of_the_ids_given() -> None:
    impression = PDGD(2, seed=1).ask(DOCUMENTS, ids=["a", "b", "c"])
    assert sorted(impression.ranking) == ["a", "b", "c"]
    numbered = PDGD(2, seed=1).ask(DOCUMENTS)
    assert ["abc"[number] for number in numbered.ranking] == list(impression.ranking)


def test_an_impression_is_told_once() -> None:
    learner = PDGD(2, seed=1)
    impression = learner.ask(DOCUMENTS)
    learner.tell(impression, [0])
    before = learner.to_json()
    with pytest.raises(AlreadyTold, match="0 was told before"):
        learner.tell(impression, [0])
    again = Learner.from_json(before)
    with pytest.raises(AlreadyTold):
        again.tell(impression, [0])
    assert learner.to_json() == before


def test_impressions_of_others_are_refused() -> None:
    learner = PDGD(2, seed=1)
    for other in (DBGD(2, seed=1).ask(DOCUMENTS), PDGD(3, seed=1).ask(np.ones((2, 3)))):
        with pytest.raises(ForeignImpression, match="features"):
            learner.tell(other, [0])
    assert learner.told == 0


@pytest.mark.parametrize("clicks", [[3], [-1], [0.5], ["a"]])
def test_clicks_must_be_positions_of_the_list(clicks: list[Any]) -> None:
    learner = PDGD(2, seed=1)
    impression = learner.ask(DOCUMENTS)
    with pytest.raises(BadInput, match=r"from 0 to 2"):
        learner.tell(impression, clicks)
    learner.tell(impression, [0])  # nothing was lost


def test_a_click_counts_once() -> None:
    once, twice = PDGD(2, seed=1), PDGD(2, seed=1)
    once.tell(once.ask(DOCUMENTS), [1])
    twice.tell(twice.ask(DOCUMENTS), [1, 1])
    assert np.array_equal(once.weights, twice.weights)


@pytest.mark.parametrize(
    ("documents", "complaint"),
    [
        ([[1.0, 2.0, 3.0]], "2 features"),
        ([[1.0, float("nan")]], r"documents\[0, 1\] is nan"),
        ([["a", "b"]], "rows of numbers"),
        ([1.0, 2.0], "2 features"),
    ],
)
def test_bad_documents_are_named(documents: Any, complaint: str) -> None:
    learner = PDGD(2, seed=1)
    for act in (learner.ask, learner.score):
        with pytest.raises(BadInput, match=complaint):
            act(documents)


@pytest.mark.parametrize("keys", [[1, 2], [1, 2, -1], [0.5, 1, 2]])
def test_keys_must_be_whole_numbers_one_a_document(keys: list[Any]) -> None:
    with pytest.raises(BadInput, match="3 whole numbers"):
        PDGD(2, seed=1).ask(DOCUMENTS, keys=keys)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(BadInput, match="no parameter 'speed'"):
        PDGD(2, speed=1)
    with pytest.raises(BadInput, match="n_features must be"):
        PDGD(0)
    with pytest.raises(BadInput, match="rate must be"):
        PDGD(2, rate=-1)
    with pytest.raises(UnknownName, match="Did you mean 'pdgd'"):
        LEARNERS.get("pdg")


@pytest.mark.parametrize("record", ["", "[]", '{"schema": 99}', "nonsense"])
def test_json_of_something_else_is_refused(record: str) -> None:
    for load in (Learner.from_json, Learner.impression_from_json):
        with pytest.raises(BadInput, match="not the JSON of"):
            load(record)


def test_json_of_another_learner_is_refused() -> None:
    with pytest.raises(BadInput, match="holds the learner 'dbgd', not a PDGD"):
        PDGD.from_json(DBGD(2, seed=1).to_json())


def test_old_tells_are_forgotten_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.online.learner.REMEMBERED", 5)
    learner = PDGD(2, seed=1)
    for _ in range(20):
        learner.tell(learner.ask(DOCUMENTS), [])
    assert json.loads(learner.to_json())["recent"] == [15, 16, 17, 18, 19]


def test_a_longer_list_can_be_asked_for() -> None:
    learner = PDGD(2, length=2, seed=1)
    assert len(learner.ask(DOCUMENTS).ranking) == 2


@pytest.mark.parametrize("name", ["pdgd", "tally", "dm2l", "window-pdgd"])  # each has its weights in other places
def test_a_learner_can_start_at_the_weights_of_another_ranker(name: str) -> None:
    learner = LEARNERS.get(name)(2, seed=1).start_at([40.0, -40.0])
    assert learner.score(DOCUMENTS).tolist() == [40.0, -40.0, 0.0]
    first = [learner.ask(DOCUMENTS).ranking[0] for _ in range(20)]
    assert first.count(0) > 14  # the lists are made by them too


@pytest.mark.parametrize("weights", [[1.0], [1.0, float("nan")], [[1.0, 2.0]]])
def test_weights_to_start_at_must_be_one_a_feature(weights: Any) -> None:
    with pytest.raises(BadInput, match="2 finite numbers"):
        PDGD(2, seed=1).start_at(weights)
