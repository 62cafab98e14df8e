from __future__ import annotations

import json
import pickle
import sys
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import AlreadyTold, BadInput, ExpiredImpression, ForeignImpression, UnknownName
from duelist.online import DBGD, DM2L, LEARNERS, PDGD, Impression, Learner

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
    with pytest.raises(AlreadyTold, match="was told before"):
        learner.tell(impression, [0])
    again = Learner.from_json(before)
    with pytest.raises(AlreadyTold):
        again.tell(impression, [0])
    assert learner.to_json() == before


def test_impressions_of_others_are_refused() -> None:
    learner = PDGD(2, seed=1)
    for other in (DBGD(2, seed=1).ask(DOCUMENTS), PDGD(3, seed=1).ask(np.ones((2, 3))), PDGD(2, length=4).ask([])):
        for act in (learner.tell, learner.apply):
            with pytest.raises(ForeignImpression, match="features"):
                act(other, [0])
    with pytest.raises(ForeignImpression, match="not asked from this pdgd"):
        learner.tell(PDGD(2, seed=1).ask(DOCUMENTS), [0])  # a twin's, even
    assert learner.told == 0


def test_two_learners_loaded_from_one_json_know_their_impressions_apart() -> None:
    record = PDGD(2, seed=1).to_json()
    one, two = Learner.from_json(record), Learner.from_json(record)
    first, second = one.ask(DOCUMENTS), two.ask(DOCUMENTS)
    assert first.ranking == second.ranking  # the same luck
    assert first.id != second.id
    with pytest.raises(ForeignImpression):
        one.tell(second, [0])
    one.tell(first, [0])


def test_an_id_of_ones_own_must_be_new() -> None:
    learner = PDGD(2, seed=1)
    impression = learner.ask(DOCUMENTS, id="query 7")
    assert impression.id == "query 7"
    for _ in range(2):  # while it is open, and after it was told
        with pytest.raises(BadInput, match="not used before, not 'query 7'"):
            learner.ask(DOCUMENTS, id="query 7")
        if learner.told == 0:
            learner.tell(impression, [])


def test_an_impression_is_never_written_to() -> None:
    learner = PDGD(2, seed=1)
    impression = learner.ask(DOCUMENTS)
    before = impression.to_json()
    learner.tell(impression, [0, 2])
    assert impression.to_json() == before
    assert Impression.from_json(before) == impression


def test_learners_are_pickled_with_what_is_open() -> None:
    learner = DM2L(2, base="p-dbgd", seed=1)
    impression = learner.ask(DOCUMENTS)
    copy = pickle.loads(pickle.dumps(learner))
    copy.tell(impression, [0])
    assert type(copy) is type(learner)
    assert (learner.told, copy.told) == (0, 1)
    assert copy.spec == learner.spec


def test_a_bad_seed_is_named() -> None:
    with pytest.raises(BadInput, match="PDGD: seed must be a whole number of at least 0 or None, not -1"):
        PDGD(2, seed=-1)


def test_a_learner_is_drawn_from_with_luck_that_is_handed_in() -> None:
    learner = PDGD(2, seed=1)
    before = learner.to_json()
    lists = [learner.draw(DOCUMENTS, luck=np.random.default_rng(seed)).ranking for seed in (0, 0, 1, 2, 3)]
    assert lists[0] == lists[1]
    assert len(set(lists)) > 1
    assert learner.to_json() == before


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
    with pytest.raises(UnknownName, match="did you mean 'pdgd'"):
        LEARNERS.get("pdg")


@pytest.mark.parametrize("record", ["", "[]", '{"schema": 99}', "nonsense"])
def test_json_of_something_else_is_refused(record: str) -> None:
    for load in (Learner.from_json, Impression.from_json):
        with pytest.raises(BadInput, match="not the JSON of"):
            load(record)


def test_json_of_another_learner_is_refused() -> None:
    with pytest.raises(BadInput, match="holds the learner 'dbgd', not a PDGD"):
        PDGD.from_json(DBGD(2, seed=1).to_json())


def test_memory_of_open_and_told_impressions_is_bounded() -> None:
    learner = PDGD(2, seed=1, max_open=5)
    first = learner.ask(DOCUMENTS)
    for number in range(20):
        learner.tell(learner.ask(DOCUMENTS, id=f"told {number}"), [])
    for _ in range(5):
        learner.ask(DOCUMENTS)
    record = json.loads(learner.to_json())
    assert list(record["closed"]) == ["told 16", "told 17", "told 18", "told 19", first.id]
    assert len(record["open"]) == 5
    with pytest.raises(ExpiredImpression, match="max_open=5"):
        learner.tell(first, [])


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
    with pytest.raises(BadInput, match="finite numbers"):
        PDGD(2, seed=1).start_at(weights)


def test_a_learner_starts_where_another_has_come() -> None:
    taught = PDGD(2, seed=1)
    for _ in range(20):
        impression = taught.ask(DOCUMENTS)
        taught.tell(impression, [impression.ranking.index(1)])
    heir = DBGD(2, seed=1).start_at(taught)
    assert heir.score(DOCUMENTS).tolist() == taught.ranker.score(DOCUMENTS).tolist() != [0.0, 0.0, 0.0]
    assert taught.ranker.source == str(taught.spec)


def test_asking_and_telling_for_ever_keeps_nothing() -> None:
    learner, seen = PDGD(n_features=2, seed=1), list[int]()
    for _ in range(60):
        learner.tell(learner.ask([[1.0, 0.0], [0.0, 1.0]]), [0])
        seen.append(sys.getrefcount(learner.rng))
    assert seen[-1] == seen[10]  # each call would hold 64 bytes
