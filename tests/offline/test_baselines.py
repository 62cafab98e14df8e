from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput, MissingExtra
from duelist.data import synthetic
from duelist.offline.baselines import BoostedTrees
from duelist.offline.ranker import Untrained

PAGES = synthetic(queries=40, documents=15, features=4, seed=1)
QID = np.repeat(np.arange(40), 15)


@pytest.mark.parametrize("package", ["lightgbm", "xgboost"])
def test_trees_learn_repeat_and_are_pickled(package: Any) -> None:
    pytest.importorskip(package)
    first, second = (BoostedTrees(package, trees=20).fit(PAGES.features, PAGES.labels, QID) for _ in range(2))
    scores = first.predict(PAGES.features)
    assert first.score(PAGES.features, PAGES.labels, QID) > 0.85
    np.testing.assert_array_equal(scores, second.predict(PAGES.features))
    np.testing.assert_array_equal(scores, pickle.loads(pickle.dumps(first)).predict(PAGES.features))


def test_trees_without_a_split_say_so() -> None:
    pytest.importorskip("lightgbm")
    with pytest.warns(Untrained, match="no tree splits these 600 documents"):
        assert not BoostedTrees(trees=5).fit(PAGES.features * 0.0, PAGES.labels, QID).trained_


def test_they_are_the_trees_of_the_package_itself() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    peer = lightgbm.LGBMRanker(n_estimators=10, num_leaves=7, learning_rate=0.2, random_state=3, verbosity=-1)
    # Rows in the order of the adapter, so that sums are rounded alike.
    order = np.lexsort((-PAGES.labels, QID))
    peer.fit(PAGES.features[order], PAGES.labels[order], group=np.full(40, 15))
    ours = BoostedTrees(trees=10, leaves=7, rate=0.2, seed=3).fit(PAGES.features, PAGES.labels, QID)
    np.testing.assert_allclose(ours.predict(PAGES.features), peer.booster_.predict(PAGES.features), atol=1e-9)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "xgboost", None)
    with pytest.raises(MissingExtra, match="pip install xgboost"):
        BoostedTrees("xgboost").fit(PAGES.features, PAGES.labels, QID)


@pytest.mark.parametrize(
    ("settings", "labels", "message"),
    [
        ({"package": "catboost"}, [0, 1], "package must be 'lightgbm' or 'xgboost', not 'catboost'"),
        ({"trees": 0}, [0, 1], "trees must be a whole number"),
        ({}, [0, 1.5], "labels must be whole numbers from 0, not 1.5"),
        ({}, [-1, 1], "labels must be whole numbers from 0, not -1"),
    ],
)
def test_bad_input_is_named(settings: dict[str, Any], labels: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        BoostedTrees(**settings).fit([[0.0], [1.0]], labels)
