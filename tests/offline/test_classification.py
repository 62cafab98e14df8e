from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from duelist.core.errors import BadInput
from duelist.data import synthetic
from duelist.offline.binning import cut, even_cuts, percentiles, ranges
from duelist.offline.classification import SVMAcc

PAGES = synthetic(queries=10, documents=12, features=4, seed=1)
QID = np.repeat(np.arange(10), 12)


@pytest.mark.parametrize("balanced", [False, True])
def test_it_is_the_linear_svm_of_scikit_learn(balanced: bool) -> None:
    """OP 1: the threshold is a weight like others, of a constant feature."""
    relevant = PAGES.labels >= 2
    ratio = (~relevant).sum() / relevant.sum() if balanced else 1.0
    peer = LinearSVC(
        loss="hinge", C=20 / 120, class_weight={True: ratio, False: 1.0}, tol=1e-9, max_iter=1_000_000
    ).fit(PAGES.features, relevant)
    ours = SVMAcc(C=20, balanced=balanced, relevant=2, tolerance=1e-7, rescale=False)
    ours.fit(PAGES.features, PAGES.labels, QID)
    np.testing.assert_allclose(ours.coef_, peer.coef_[0], atol=5e-3)
    assert -ours.threshold_ == pytest.approx(peer.intercept_[0], abs=5e-3)
    np.testing.assert_allclose(ours.predict(PAGES.features), peer.decision_function(PAGES.features), atol=2e-2)


@pytest.mark.parametrize(("convert", "function"), [("percentiles", percentiles), ("ranges", ranges)])
def test_converted_features_are_those_of_the_query(convert: Any, function: Any) -> None:
    steps = cut(function(PAGES.features, QID), [even_cuts(5)] * 4)
    by_hand = SVMAcc().fit(steps, PAGES.labels)
    ranker = SVMAcc(convert=convert, bins=5).fit(PAGES.features, PAGES.labels, QID)
    np.testing.assert_allclose(ranker.predict(PAGES.features, QID), by_hand.predict(steps), atol=1e-12)
    assert ranker.score(PAGES.features, PAGES.labels, QID) == pytest.approx(
        by_hand.score(steps, PAGES.labels, QID), abs=0.01
    )
    assert not np.allclose(ranker.predict(PAGES.features, QID), ranker.predict(PAGES.features))


def test_bad_settings_are_named() -> None:
    with pytest.raises(BadInput, match="convert must be None, 'percentiles' or 'ranges', not 'rank'"):
        SVMAcc(convert="rank").fit([[0.0], [1.0]], [0, 1])  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="bins must be a whole number"):
        SVMAcc(convert="ranges", bins=0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(BadInput, match="no query has both"):
        SVMAcc().fit([[0.0], [1.0]], [1, 1])
