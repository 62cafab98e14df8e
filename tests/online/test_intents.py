import math
from typing import Any

import numpy as np
import pytest

from duelist import BadInput, UnknownName
from duelist.data import Fold, evaluate, mean, synthetic
from duelist.online.intents import DriftLearning, Intents, read_drift
from duelist.online.result import learning_chart
from duelist.online.simulate import learn

TASTES = {
    "abrupt": [[0.624021, -0.781407], [0.592962, -0.80523]],
    "smooth": [[-0.624021, 0.781407], [0.111289, 0.993788]],
}


def small_fold() -> Fold:
    data = synthetic(60, 12, 5, grades=3, seed=2).normalised()
    return Fold(data.select(range(40)), data.select(range(0)), data.select(range(40, 60)))


def test_every_query_keeps_its_labels_and_the_taste_is_the_perfect_ranker() -> None:
    data, intents = small_fold().train, read_drift("abrupt:times=10,seed=4", 20, 5)
    for stage in range(2):
        dealt = intents.relabel(data, stage)
        scores = data.features @ intents.tastes[stage]
        for query in range(data.n_queries):
            rows = data.rows(query)
            assert sorted(dealt.labels[rows]) == sorted(data.labels[rows])
            assert (np.diff(dealt.labels[rows][np.argsort(-scores[rows])]) <= 0).all()
        assert mean(evaluate(dealt, scores, ["ndcg@10"]), dealt, empty="skip")["ndcg@10"] == pytest.approx(1)
    assert (intents.relabel(data, 0).labels != intents.relabel(data, 1).labels).any()


def test_schedules() -> None:
    assert read_drift("fixed:seed=3", 100, 4).times.tolist() == [0]
    abrupt = read_drift("abrupt:times=30+60,seed=3", 100, 4)
    assert [abrupt.at(t) for t in (0, 29, 30, 59, 60, 99)] == [0, 0, 1, 1, 2, 2]
    assert np.allclose(np.linalg.norm(abrupt.tastes, axis=1), 1)
    assert np.allclose(read_drift("fixed:seed=3", 100, 4).tastes[0], abrupt.tastes[0])
    smooth = read_drift("smooth:turns=0.5,stages=50,seed=3", 1000, 4)
    assert smooth.times.tolist() == list(range(0, 1000, 20))
    cosines = (smooth.tastes[1:] * smooth.tastes[:-1]).sum(1)
    assert np.allclose(cosines, math.cos(math.pi / 50))
    assert smooth.tastes[0] @ smooth.tastes[25] == pytest.approx(0, abs=1e-12)
    assert len(read_drift("smooth:stages=100", 10, 4).times) == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sudden", "unknown drift 'sudden'. Known: abrupt, fixed, smooth"),
        ("abrubt:times=5", "unknown drift 'abrubt' .did you mean 'abrupt'"),
        ("abrupt:times=x", "abrupt: times must be a whole number at least 1, not 'x'"),
        ("abrupt:times=5.5", "abrupt: times must be a whole number at least 1, not 5.5"),
        ("abrupt:turns=2", "abrupt has no parameter 'turns'; its parameters: times, seed"),
        ("smooth:turns=-1", "smooth: turns must be a number at least 0, not -1"),
        ("smooth:turns=inf", "smooth: turns must be a number at least 0, not inf"),
        ("smooth:stages=0", "smooth: stages must be a whole number at least 1, not 0"),
        ("fixed:seed=-1", "fixed: seed must be a whole number at least 0, not -1"),
        ("abrupt:times=60+30", r"times must rise from 1 to at most 99, not \[60, 30\]"),
        ("abrupt:times=100", r"times must rise from 1 to at most 99, not \[100\]"),
    ],
)
def test_bad_schedules_are_named(text: str, message: str) -> None:
    with pytest.raises((BadInput, UnknownName), match=message):
        read_drift(text, 100, 4)


def test_a_taste_needs_a_plane_to_turn_in() -> None:
    with pytest.raises(BadInput, match="at least 2 features, not with 1"):
        read_drift("smooth", 100, 1)


def test_schedules_of_ones_own_have_no_spec() -> None:
    assert str(read_drift("abrupt:times=30", 100, 4).spec) == "abrupt:times=30,seed=0"
    with pytest.raises(BadInput, match="this Intents was not made by a name"):
        Intents(np.array([0]), np.ones((1, 4))).spec  # noqa: B018


def test_tastes_are_as_they_always_were() -> None:
    """Numbers of another day: a seed means the same for ever."""
    assert read_drift("abrupt:times=30,seed=3", 100, 2).tastes.round(6).tolist() == TASTES["abrupt"]
    assert read_drift("smooth:stages=2,turns=.25,seed=3", 100, 2).tastes.round(6).tolist() == TASTES["smooth"]


def test_a_change_of_mind_is_felt_when_it_comes_and_not_before() -> None:
    fold = small_fold()
    settings: dict[str, Any] = {"clicks": "perfect", "impressions": 600, "runs": 3, "seed": 1, "cores": 1}
    fixed: Any = learn("pdgd", fold, drift="fixed:seed=1", points=12, **settings)
    changed: Any = learn("pdgd", fold, drift="abrupt:times=300,seed=1", points=12, **settings)
    assert isinstance(changed, DriftLearning)
    before, too = fixed.checkpoints <= 300, np.isin(changed.checkpoints, fixed.checkpoints[fixed.checkpoints <= 300])
    assert (fixed.lost[:, before] == changed.lost[:, too]).all()
    assert {50, 300, 550} <= set(changed.checkpoints.tolist())  # a change late in a run is seen in the curve
    assert learning_chart([changed], "title").changes == (300,)
    assert not learning_chart([changed], "title").x_logarithmic
    assert learning_chart([fixed], "title").x_logarithmic
    assert changed.dynamic_regret.low > fixed.dynamic_regret.high
    assert changed.summary()["dynamic_regret"]["mean"] == pytest.approx(changed.lost[:, -1].mean())


def test_a_change_to_the_same_wishes_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fold = small_fold()
    settings: dict[str, Any] = {"clicks": "perfect", "impressions": 400, "runs": 2, "seed": 1, "cores": 1}
    fixed: Any = learn("pdgd", fold, drift="fixed:seed=1", **settings)
    taste = read_drift("fixed:seed=1", 400, 5).tastes

    def same(*given: Any) -> Intents:
        return Intents(np.array([0, 77, 300]), np.repeat(taste, 3, 0))

    monkeypatch.setattr("duelist.online.users.read_drift", same)
    again: Any = learn("pdgd", fold, drift="abrupt:times=77+300,seed=1", **settings)
    both = np.isin(again.checkpoints, fixed.checkpoints)
    assert (again.online[:, both] == fixed.online).all()
    assert (again.final[:, both] == fixed.final).all()


def test_regret_is_what_is_missing_to_a_perfect_list() -> None:
    """With NDCG undiscounted, what is lost and what is shown add up to the impressions with relevant documents."""
    fold = small_fold()
    found: Any = learn("pdgd", fold, "perfect", 500, 2, seed=1, drift="fixed:seed=1", cores=1)
    relevant = [fold.train.labels[fold.train.rows(q)].any() for q in range(fold.train.n_queries)]
    assert all(relevant)
    assert (found.lost[:, -1] < 500).all()
    assert (found.online[:, -1] + found.lost[:, -1] <= 500 + 1e-9).all()
    assert (np.diff(found.lost, axis=1) >= -1e-9).all()
