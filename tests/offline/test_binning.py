from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.pipeline import make_pipeline

from duelist.core.errors import BadInput
from duelist.data import Dataset
from duelist.offline.binning import PiecewiseConstant, percentiles, ranges
from duelist.offline.pairwise import SVMPairwise
from duelist.offline.ranker import Untrained


def test_the_example_of_figure_3_2() -> None:
    """w.phi is 0, w_a, w_a + w_b or w_a + w_b + w_c, by where a score lies among the cuts a, b and c."""
    steps = PiecewiseConstant(bins=3, spacing="even").fit([[0.0], [4.0]])
    assert steps.cuts_[0].tolist() == [1, 2, 3]
    assert (steps.transform([[0.5], [1.5], [2.5], [3.5]]) @ [10, 20, -5]).tolist() == [0, 10, 30, 25]


def test_quantiles_put_as_many_values_between_cuts() -> None:
    values = np.random.default_rng(1).exponential(size=(10_000, 1))
    steps = PiecewiseConstant(bins=9).fit(values).transform(values)
    np.testing.assert_allclose(steps.mean(0), np.arange(0.9, 0, -0.1), atol=1e-3)


def test_constant_features_and_equal_cuts_take_no_column() -> None:
    features = [[5.0, 0.0], [5.0, 0.0], [5.0, 1.0]]
    steps = PiecewiseConstant(bins=10).fit(features)
    assert [cuts.tolist() for cuts in steps.cuts_] == [[], [0.0]]
    assert steps.transform(features).tolist() == [[0], [0], [1]]
    assert steps.get_feature_names_out().tolist() == ["x1>0"]


def test_a_linear_ranker_of_steps_learns_what_is_not_monotone() -> None:
    values = np.linspace(0, 1, 60)[:, None]
    labels = (np.abs(values[:, 0] - 0.5) < 0.2).astype(int)
    stepped = make_pipeline(PiecewiseConstant(bins=20), SVMPairwise(C=1000)).fit(values, labels)
    assert stepped.score(values, labels) > 0.98  # three values share a step
    with pytest.warns(Untrained):
        assert SVMPairwise(C=1000).fit(values, labels).score(values, labels) < 0.6


def test_percentiles_and_ranges_are_within_queries() -> None:
    rng = np.random.default_rng(1)
    features, qid = rng.integers(0, 5, (50, 3)).astype(float), rng.integers(0, 4, 50)
    found, scaled = percentiles(features, qid), ranges(features, qid)
    for query in range(4):
        own = features[qid == query]
        wanted = np.column_stack([rankdata(column, "max") for column in own.T]) / len(own)
        np.testing.assert_allclose(found[qid == query], wanted)
        alone = Dataset(own, np.zeros(len(own), int), [0, len(own)], ("q",), [1, 2, 3]).normalised()  # type: ignore[arg-type]
        np.testing.assert_allclose(scaled[qid == query], alone.features)


@pytest.mark.parametrize(("settings", "name"), [({"bins": 0}, "bins"), ({"spacing": "log"}, "spacing")])
def test_bad_settings_are_named(settings: dict[str, Any], name: str) -> None:
    with pytest.raises(BadInput, match=f"{name} must be"):
        PiecewiseConstant(**settings).fit([[0.0], [1.0]])
