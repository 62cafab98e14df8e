from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from duelist.core.errors import BadInput
from duelist.data import average_precision, read_fold, synthetic
from duelist.offline import (
    PiecewiseConstant,
    SVMAcc,
    SVMDecomposition,
    SVMMap,
    SVMMrr,
    SVMNdcg,
    SVMOrdinal,
    SVMPairwise,
    SVMPrecision,
    SVMRoc,
    Untrained,
)
from duelist.offline.queries import group, number_queries
from duelist.offline.rankers import make_ranker

PAGES = synthetic(queries=30, documents=12, features=4, seed=1)
QID = np.repeat(np.arange(30), 12)
RANKERS = [
    SVMMap(),
    SVMRoc(),
    SVMPairwise(),
    SVMMrr(),
    SVMPrecision(k=1),
    SVMNdcg(),
    SVMOrdinal(),
    SVMDecomposition(),
    SVMAcc(),
    SVMAcc(balanced=True),
]


ONE_CLASS = ("check_estimators_dtypes", "check_fit2d_1feature")
LEVELS = (SVMRoc, SVMPairwise, SVMNdcg, SVMOrdinal, SVMDecomposition, PiecewiseConstant)


def does_not_apply(estimator: Any) -> dict[str, str]:
    """Two checks have the labels 1 and 2: all relevant, where relevant is 1, and nothing to learn."""
    if isinstance(estimator, LEVELS) or estimator.relevant == 2:
        return {}
    return dict.fromkeys(ONE_CLASS, "all labels of this check are relevant")


@pytest.mark.parametrize("kind", [SVMMap, SVMMrr, SVMPrecision, SVMAcc])
def test_the_checks_that_do_not_apply_pass_once_two_is_the_least_relevant_label(kind: Any) -> None:
    chosen = [
        check
        for _, check in estimator_checks_generator(kind(relevant=2))
        if getattr(check, "func", check).__name__ in ONE_CLASS
    ]
    assert len(chosen) == len(ONE_CLASS)
    for check in chosen:
        check(kind(relevant=2) if kind is not SVMPrecision else kind(k=1, relevant=2))


@pytest.mark.filterwarnings("ignore::duelist.offline.Untrained")  # the checks have random labels
@parametrize_with_checks([*RANKERS, PiecewiseConstant()], expected_failed_checks=does_not_apply)  # type: ignore[untyped-decorator]
def test_scikit_learn_agrees(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("ranker", RANKERS, ids=repr)
def test_every_ranker_learns_is_cloned_and_pickled(ranker: Any) -> None:
    fitted = clone(ranker).set_params(C=100.0).fit(PAGES.features, PAGES.labels, qid=QID)
    scores = fitted.predict(PAGES.features)
    assert fitted.score(PAGES.features, PAGES.labels, QID) > 0.7
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(PAGES.features), scores)
    assert 0 <= fitted.gap_ <= 0.5 * (4 if isinstance(ranker, SVMDecomposition) else 1)
    assert clone(fitted).get_params() == fitted.get_params()
    assert not hasattr(clone(fitted), "coef_")


@pytest.mark.parametrize("ranker", RANKERS, ids=repr)
def test_rows_of_a_query_may_stand_anywhere(ranker: Any) -> None:
    order = np.random.default_rng(1).permutation(len(QID))
    names = np.array([f"query {q}" for q in QID])
    one = clone(ranker).fit(PAGES.features, PAGES.labels, QID)
    two = clone(ranker).fit(PAGES.features[order], PAGES.labels[order], names[order])
    assert one.primal_ == pytest.approx(two.primal_, abs=2e-3)
    assert one.score(PAGES.features, PAGES.labels, QID) == pytest.approx(
        one.score(PAGES.features[order], PAGES.labels[order], names[order])
    )


def test_rank_puts_the_best_first_query_after_query() -> None:
    ranker = SVMPairwise(C=100).fit([[0.0], [1.0]], [0, 1])
    assert ranker.rank([[1.0], [5.0], [3.0], [2.0], [9.0]], ["b", "a", "b", "a", "b"]).tolist() == [4, 2, 0, 1, 3]
    assert ranker.rank([[1.0], [1.0], [3.0]]).tolist() == [2, 0, 1]


def test_without_ids_all_rows_are_one_query() -> None:
    one = SVMMap().fit(PAGES.features, PAGES.labels)
    same = SVMMap().fit(PAGES.features, PAGES.labels, np.zeros(len(QID)))
    assert one.n_queries_ == 1
    np.testing.assert_array_equal(one.coef_, same.coef_)


def test_queries_of_one_class_are_left_out() -> None:
    extra = np.vstack([PAGES.features, PAGES.features[:20] + 3])
    labels = np.concatenate([PAGES.labels, np.zeros(10, int), np.full(10, 2)])
    qid = np.concatenate([QID, np.full(10, 98), np.full(10, 99)])
    without, with_them = SVMMap().fit(PAGES.features, PAGES.labels, QID), SVMMap().fit(extra, labels, qid)
    assert without.n_queries_ == with_them.n_queries_ <= 30
    np.testing.assert_array_equal(without.coef_, with_them.coef_)


def test_score_counts_queries_without_relevant_documents_as_zero() -> None:
    ranker = SVMMap(C=100).fit([[0.0], [1.0]], [0, 1])
    score = ranker.score([[2.0], [1.0], [0.0], [1.0]], [0, 1, 0, 0], ["a", "a", "b", "b"])
    assert score == average_precision([0, 1]) / 2


MIRRORED = np.vstack([PAGES.features, -PAGES.features])
TWICE = np.tile(PAGES.labels >= 1, 2).astype(int)  # half of them, so that a threshold gains nothing either


@pytest.mark.parametrize("ranker", RANKERS, ids=repr)
def test_a_fit_that_learns_nothing_says_so(ranker: Any) -> None:
    """Every document has a mirror image with the same label: no direction is better than its opposite."""
    with pytest.warns(Untrained, match=r"is untrained: its weights are all 0"):
        ranker = clone(ranker).fit(MIRRORED, TWICE)
    assert not ranker.trained_
    assert not ranker.coef_.any()


def test_labels_that_are_not_whole_are_relevant_or_not() -> None:
    ranker = SVMMap(C=100, relevant=0.5).fit([[0.0], [1.0]], [0.2, 0.8])
    assert ranker.coef_[0] > 0
    assert ranker.score([[2.0], [1.0]], [0.4, 0.6]) == 0.5


def test_relevant_is_the_least_relevant_label() -> None:
    features, labels = [[3.0], [2.0], [1.0], [0.0]], [1, 2, 2, 0]
    assert SVMMap(C=10, relevant=1).fit(features, labels).coef_[0] > 0
    with pytest.warns(Untrained):  # one above both others, one below: no order is better
        ranker = SVMMap(C=10, relevant=2).fit(features, labels)
    assert ranker.score(features, labels) == average_precision([0, 1, 1, 0])


def test_a_grid_search_is_grouped_by_query() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = SVMMap().set_fit_request(qid=True).set_score_request(qid=True)
        search = GridSearchCV(ranker, {"C": [1e-4, 10.0]}, cv=GroupKFold(3), error_score="raise")
        search.fit(PAGES.features, PAGES.labels, qid=QID, groups=QID)
        assert search.best_score_ == search.cv_results_["mean_test_score"].max() > 0.7
        assert search.score(PAGES.features, PAGES.labels, qid=QID) > 0.7
    best = search.best_estimator_
    assert best.n_queries_ == SVMMap().fit(PAGES.features, PAGES.labels, QID).n_queries_


@pytest.mark.parametrize("name", ["svm-map", "svm-precision"])
def test_the_curve_over_small_costs_is_smooth(name: str, data: Callable[[str], Path]) -> None:
    train = read_fold(data("mq2008/S1.txt.gz").parent, 1).train
    qid = np.repeat(np.arange(train.n_queries), np.diff(train.offsets))
    costs = 10.0 ** np.arange(-6, 0)
    fitted = [make_ranker(name, C=cost).fit(train.features, train.labels, qid) for cost in costs]
    risks = [ranker.primal_ / cost for ranker, cost in zip(fitted, costs, strict=True)]
    assert (np.diff(risks) < 0).all()  # the objective over C falls as C grows
    assert np.ptp([ranker.score(train.features, train.labels, qid) for ranker in fitted]) < 0.03


def test_a_warm_start_keeps_planes_of_the_same_data_only() -> None:
    warm = SVMMap(C=30.0, warm_start=True).fit(PAGES.features, PAGES.labels, QID)
    cold = SVMMap(C=33.0).fit(PAGES.features, PAGES.labels, QID)
    warm.set_params(C=33.0).fit(PAGES.features, PAGES.labels, QID)
    assert warm.n_planes_ < cold.n_planes_ / 2
    assert warm.primal_ == pytest.approx(cold.primal_, abs=0.033)
    warm.fit(-PAGES.features, PAGES.labels, QID)
    assert warm.primal_ == pytest.approx(cold.primal_, abs=0.033)
    np.testing.assert_allclose(warm.coef_, -cold.coef_, atol=0.2)
    warm.set_params(relevant=3).fit(-PAGES.features, PAGES.labels, QID)
    assert warm.primal_ == pytest.approx(
        SVMMap(C=33.0, relevant=3).fit(-PAGES.features, PAGES.labels, QID).primal_, abs=0.033
    )


@pytest.mark.parametrize(
    ("features", "labels", "qid", "message"),
    [
        ([[np.nan], [1.0]], [0, 1], None, "contains NaN"),
        ([[np.inf], [1.0]], [0, 1], None, "contains infinity"),
        ([[0.0], [1.0]], [0, np.nan], None, "contains NaN"),
        ([[0.0], [1.0]], [0, 0], None, "no query has both documents with a label of at least relevant=1 and others"),
        ([[0.0], [1.0]], [0, 1], [1, 2], "no query has both"),
        ([[0.0], [1.0]], [0, 1], [1], r"qid must have the shape \(2,\), one a document"),
        ([[0.0], [1.0]], [0, 1], [1, np.nan], "qid must not be NaN"),
    ],
)
def test_bad_input_is_named(features: Any, labels: Any, qid: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        SVMMap().fit(features, labels, qid)


@pytest.mark.parametrize("settings", [{"C": 0}, {"C": -1}, {"tolerance": 0}, {"max_planes": 0}, {"max_planes": 1.5}])
def test_settings_that_make_no_sense_are_named(settings: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=f"{next(iter(settings))} must be"):
        SVMMap(**settings).fit([[0.0], [1.0]], [0, 1])


def test_groups_are_by_query_and_falling_label() -> None:
    assert number_queries(["z", "a", "z", "b"], 4).tolist() == [0, 1, 0, 2]
    queries = group(np.arange(5.0)[:, None], np.array([0.0, 1, 2, 0, 1]), ["z", "a", "z", "a", "z"])
    assert queries.features[:, 0].tolist() == [2, 4, 0, 1, 3]
    assert queries.offsets.tolist() == [0, 3, 5]


def test_names_are_known_without_loading_scikit_learn_and_its_absence_is_said() -> None:
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import duelist, duelist.offline\n"
        "assert 'SVMMap' in duelist.offline.__all__\n"
        "try:\n    duelist.offline.SVMMap\n"
        "except duelist.MissingExtra as error:\n    print(error)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'duelist[offline]'" in found.stdout


def test_every_public_name_is_there() -> None:
    from duelist import offline

    assert sorted(offline.__all__) == sorted(name for names in offline.HOMES.values() for name in names)
    assert all(getattr(offline, name) is not None for name in offline.__all__)
