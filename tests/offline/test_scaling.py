from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from duelist.data import Fold, evaluate, mean, synthetic
from duelist.offline import SVMAcc, SVMMap, SVMOrdinal, SVMPairwise
from duelist.offline.rankers import RANKERS, fit_best
from duelist.offline.scaling import find_scaling

BASE = synthetic(queries=100, documents=14, features=11, grades=4, seed=3)
BY_WORTH = np.argsort([abs(np.corrcoef(column, BASE.labels)[0, 1]) for column in BASE.features.T])
SCALES = np.empty(11)
SCALES[BY_WORTH] = 10.0 ** np.arange(4, -7, -1)  # the more a feature tells, the smaller are its numbers
# Labels of 1 or more are rare enough that documents in any order are far from a good one.
WILD = replace(BASE, features=BASE.features * SCALES, labels=np.maximum(BASE.labels - 1, 0))
FOLD = Fold(*(WILD.select(range(*part)) for part in ((0, 60), (60, 80), (80, 100))))
QID = np.repeat(np.arange(100), 14)


@pytest.mark.parametrize("name", [name for name in RANKERS if name.startswith("svm")])
def test_every_ranker_learns_whatever_the_units_of_features(name: str) -> None:
    steps = {"bins": [5]} if name in ("svm-acc3", "svm-acc4") else {}
    found = fit_best(name, FOLD, {"C": [1.0, 100.0], **steps})
    untrained = mean(evaluate(FOLD.test, np.zeros(FOLD.test.n_documents), ["map"]), FOLD.test)["map"]
    assert untrained < 0.45
    assert found.metrics["map"] > 0.7
    assert found.ranker.trained_


@pytest.mark.parametrize("ranker", [SVMMap(C=10), SVMOrdinal(C=10), SVMAcc(C=10)], ids=repr)
def test_other_units_give_the_same_scores(ranker: Any) -> None:
    scores = ranker.fit(BASE.features, WILD.labels, QID).predict(BASE.features)
    thresholds = getattr(ranker, "threshold_", getattr(ranker, "thresholds_", 0.0))
    degrees = 1.8 * BASE.features + 32.0
    other = ranker.fit(degrees, WILD.labels, QID).predict(degrees)
    shift = 32.0 * ranker.coef_.sum() if not isinstance(ranker, SVMAcc) else 0.0
    np.testing.assert_allclose(other - shift, scores, atol=1e-6)
    if isinstance(ranker, SVMOrdinal):
        np.testing.assert_allclose(ranker.thresholds_ - shift, thresholds, atol=1e-6)


def test_features_of_range_one_within_queries_are_left_alone() -> None:
    data = BASE.normalised()
    scaling = find_scaling(data.features, data.offsets)
    assert scaling.apply(data.features) is data.features
    plain, scaled = (SVMPairwise(rescale=on).fit(data.features, data.labels, QID) for on in (False, True))
    np.testing.assert_array_equal(plain.coef_, scaled.coef_)


def test_a_range_of_rounding_errors_is_none() -> None:
    features = np.array([[0.3, 1e-300], [0.1 + 0.2, 2e-300], [0.3, 3e-300]])
    scaling = find_scaling(features, np.array([0, 3]))
    np.testing.assert_allclose(scaling.ranges, [1.0, 2e-300])
    np.testing.assert_allclose(scaling.apply(features)[:, 1], [0.0, 0.5, 1.0])


def test_without_rescaling_small_features_are_not_used() -> None:
    plain, scaled = (SVMMap(C=1, rescale=on).fit(WILD.features, WILD.labels, QID) for on in (False, True))
    assert plain.score(WILD.features, WILD.labels, QID) < 0.6 < scaled.score(WILD.features, WILD.labels, QID)
