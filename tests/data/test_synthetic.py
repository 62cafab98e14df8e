from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.data import evaluate, synthetic


def test_the_docstring_is_the_truth() -> None:
    data = synthetic(queries=30, documents=10, features=4, grades=4, noise=0.3, seed=9)
    rng = np.random.default_rng(9)
    weights = rng.standard_normal(4)
    x = rng.standard_normal((300, 4))
    noise = rng.standard_normal(300)
    utility = [
        sum(w * v for w, v in zip(weights, row, strict=True)) / np.sqrt(sum(w * w for w in weights))
        + 0.25 * (row[0] * row[1] - abs(row[0]))
        + 0.3 * e
        for row, e in zip(x, noise, strict=True)
    ]
    order = np.argsort(utility)
    np.testing.assert_array_equal(data.features, x)
    np.testing.assert_array_equal(data.offsets, np.arange(31) * 10)
    assert np.diff(data.labels[order]).min() == 0  # labels grow with utility
    # Of 300, the upper 150, 75 and 37.5 have the labels 1, 2 and 3 or more.
    assert [int((data.labels >= label).sum()) for label in (1, 2, 3)] in ([150, 75, 37], [150, 75, 38])


def test_the_same_seed_is_the_same_set() -> None:
    one, same, other = (synthetic(5, 6, 3, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.features, same.features)
    np.testing.assert_array_equal(one.labels, same.labels)
    assert not np.array_equal(one.features, other.features)


def test_a_linear_ranker_learns_most_and_not_all() -> None:
    data = synthetic(queries=300, documents=20, features=5, noise=0, seed=2)
    weights, *_ = np.linalg.lstsq(data.features, data.labels - data.labels.mean(), rcond=None)
    learned, random = (
        evaluate(data, scores, ["ndcg@10"])["ndcg@10"].mean()
        for scores in (data.features @ weights, np.random.default_rng(0).random(data.n_documents))
    )
    assert random < 0.5 < 0.8 < learned < 0.99


def test_one_feature_and_two_grades() -> None:
    assert synthetic(3, 4, 1, grades=2).labels.sum() == 6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"queries": 0}, "queries must be at least 1, not 0"),
        ({"documents": 0}, "documents must be at least 1"),
        ({"features": -1}, "features must be at least 1"),
        ({"grades": 1}, "grades must be from 2 to 51, not 1"),
        ({"noise": -0.1}, "noise must be at least 0"),
        ({"noise": float("nan")}, "noise must be at least 0"),
    ],
)
def test_bad_sizes(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        synthetic(**({"queries": 2, "documents": 2, "features": 2} | changes))
