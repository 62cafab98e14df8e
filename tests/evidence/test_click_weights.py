"""Weights that know whose clicks they were learned from."""

from __future__ import annotations

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence import ClickWeights, SameUsers, inverse_z_weights


def users_of(first: int, last: int) -> list[str]:
    return [f"u{user}" for user in range(first, last) for _ in range(10)]


def clicks(luck: np.random.Generator, users: int) -> Floats:
    """Ten impressions of each user, whose tastes are firm and have mean 0."""
    return (luck.normal(0, 1, (users, 1, 4)) + luck.normal(0, 1, (users, 10, 4))).reshape(-1, 4)


def test_learning_and_testing_on_the_same_users_warns_and_proves_nothing() -> None:
    luck, same, others = np.random.default_rng(0), 0, 0
    for _ in range(100):
        features = clicks(luck, 80)
        weights = ClickWeights.learn({"a over b": features[:400]}, {"a over b": users_of(0, 40)})
        with pytest.warns(SameUsers, match="40 of 40 users are among those"):
            same += weights.test(features[:400], users_of(0, 40)).p_value < 0.05
        others += weights.test(features[400:], users_of(40, 80)).p_value < 0.05
    assert same > 30
    assert others <= 5 + 3 * np.sqrt(5)


def test_weights_are_the_learners_and_survive_json() -> None:
    features = clicks(np.random.default_rng(1), 5)
    weights = ClickWeights.learn({"p": features}, {"p": users_of(0, 5)})
    expected = inverse_z_weights(features)
    assert weights.weights == pytest.approx(expected / np.abs(expected).max())
    assert weights.preferences(features) == pytest.approx(features @ weights.weights)
    again = ClickWeights.from_json(weights.to_json())
    assert again == weights
    assert again.knows("u3")
    assert not again.knows("u5")


def test_what_does_not_fit_is_refused() -> None:
    weights = ClickWeights((1.0, 0.5), frozenset(), ())
    with pytest.raises(BadInput, match="features must have 2 columns"):
        weights.preferences([[1.0, 2.0, 3.0]])
    with pytest.raises(BadInput, match="on one pair of rankers or more"):
        ClickWeights.learn({}, {})
    with pytest.raises(BadInput, match="not the JSON of click weights"):
        ClickWeights.from_json("{}")
