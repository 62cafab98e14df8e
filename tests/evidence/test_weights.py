"""Learned click weights against their definitions and the thesis' examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence.fixed import FixedTest, t_test
from duelist.evidence.weights import (
    FEATURES,
    HeldOut,
    click_features,
    inverse_rank_weights,
    inverse_z_weights,
    leave_one_pair_out,
    mean_difference_weights,
    p_value_curve,
    totals_of,
)


def named(features: Floats) -> dict[str, float]:
    return {name: float(value) for name, value in zip(FEATURES, features, strict=True) if value}


def rows(seed: int, n: int = 300) -> Floats:
    luck = np.random.default_rng(seed)
    return luck.normal([0.3, 0.1, 0.0, -0.1], [1.0, 0.5, 2.0, 1.0], (n, 4)) @ luck.normal(size=(4, 4))


def test_the_four_examples_of_the_thesis_have_its_features() -> None:
    teams = (0, 1, 0)
    assert named(click_features([0], teams)) == {"1": 1, "5b": 1}
    assert named(click_features([2], teams)) == {"1": 1, "5a": 1, "5b": 1}
    assert named(click_features([2], teams, downloads=[2])) == {"1": 1, "2": 1, "3": 1, "5a": 1, "5b": 1}
    fourth = click_features([0, 1], teams, bold_title={1: 1.0})
    assert named(fourth) == {"4a": -1, "6a": 1, "6b": -1, "6d": 1}


def test_each_feature_of_several_clicks() -> None:
    teams = (0, 0, 1, 0, 1, *([0] * 10))
    features = named(click_features([12, 3, 1], teams, downloads=[12, 3], bold_title={1: 9}))
    assert features == {
        "1": 3,
        "2": 2,
        "3": pytest.approx(1),  # a third for each click
        "6a": 1,
        "6b": 1,
        "6c": 1,
        "6e": 1,
        "6f": 2,
        "6g": 2,  # 12 is followed by 3, and 3 by 1
    }
    equal = named(click_features([4, 1], teams, bold_title={4: 0.5, 1: 3.0}, bold_abstract={1: 7.0}))
    assert (equal["4a"], equal["4b"]) == (0.5, 2)


def test_neutral_clicks_are_nobodys_but_make_several_of_one() -> None:
    assert not click_features([0], [-1, 0, 1]).any()
    assert named(click_features([1, 0], [-1, 0, 1])) == {"1": 1, "6a": 1, "6c": 1, "6e": 1, "6f": 1, "6g": 1}


@given(st.lists(st.integers(0, 11), max_size=6), st.lists(st.sampled_from([-1, 0, 1]), min_size=12, max_size=12))
def test_swapping_the_teams_turns_every_feature(clicks: list[int], teams: list[int]) -> None:
    swapped = [1 - team if team >= 0 else -1 for team in teams]
    downloads = clicks[::2]
    assert click_features(clicks, teams, downloads) == pytest.approx(-click_features(clicks, swapped, downloads))
    if not clicks:
        assert not click_features(clicks, teams).any()


def test_a_click_outside_the_list_is_refused() -> None:
    with pytest.raises(BadInput, match=r"clicks must be positions from 0 to 1, not \[2\]"):
        click_features([2], [0, 1])


def test_the_mean_difference_is_largest() -> None:
    features, luck = rows(0), np.random.default_rng(1)
    weights = mean_difference_weights(features)
    assert np.linalg.norm(weights) == pytest.approx(1)
    others = luck.normal(size=(200, 4))
    others /= np.linalg.norm(others, axis=1)[:, None]
    assert (features @ weights).mean() >= (features @ others.T).mean(0).max()


def test_the_inverse_z_test_has_the_largest_z_score() -> None:
    features = rows(2)
    weights = inverse_z_weights(features, ridge=0)
    least_squares = np.linalg.lstsq(features, np.ones(len(features)), rcond=None)[0]
    assert weights / np.linalg.norm(weights) == pytest.approx(least_squares / np.linalg.norm(least_squares))
    assert weights @ (features.T @ features) @ weights == pytest.approx(1)
    start = weights * np.array([1.3, 0.6, 1.2, 0.8])

    def minus_score(candidate: Floats) -> float:
        return -float((features @ candidate).mean() / (features @ candidate).std())

    found = optimize.minimize(minus_score, start, tol=1e-10)
    assert minus_score(weights) == pytest.approx(found.fun, rel=1e-6)
    assert minus_score(start) > 0.99 * found.fun


def test_the_ridge_tames_features_that_come_together() -> None:
    features = np.column_stack([rows(3)[:, 0], rows(3)[:, 0] + 1e-9 * rows(4)[:, 0]])
    assert np.abs(inverse_z_weights(features, ridge=1.0)).max() < 1
    assert inverse_z_weights(np.zeros((3, 2))).tolist() == [0, 0]


@pytest.mark.parametrize("penalty", [0.01, 1.0, 30.0])
def test_the_inverse_rank_test_is_a_logistic_regression(penalty: float) -> None:
    features = rows(5)

    def loss(candidate: Floats) -> float:
        return float(np.logaddexp(0, -features @ candidate).sum() + penalty / 2 * candidate @ candidate)

    expected = optimize.minimize(loss, np.zeros(4), method="BFGS", tol=1e-10)
    assert inverse_rank_weights(features, penalty) == pytest.approx(expected.x, abs=1e-5)


def test_separable_data_do_not_let_the_weights_diverge() -> None:
    weights = inverse_rank_weights(np.abs(rows(6)) * 100)
    assert np.isfinite(weights).all()
    assert (np.abs(rows(6)) @ weights > 0).mean() > 0.95


def test_each_pair_is_tested_with_weights_of_the_others() -> None:
    pairs = {"a": rows(7), "b": rows(8), "c": rows(9)}
    users = {name: [f"{name}{i}" for i in range(len(features))] for name, features in pairs.items()}
    for held in leave_one_pair_out(pairs, users):
        others = np.concatenate([features for name, features in pairs.items() if name != held.pair])
        assert held.weights == pytest.approx(inverse_z_weights(others))
        expected = stats.ttest_1samp(pairs[held.pair] @ held.weights, 0.0)
        assert held.learned.p_value == pytest.approx(float(expected.pvalue))
        assert held.baseline.p_value == pytest.approx(float(stats.ttest_1samp(pairs[held.pair][:, 0], 0.0).pvalue))
    with pytest.raises(BadInput, match="two or more pairs of rankers are needed"):
        leave_one_pair_out({"a": rows(7)}, users)
    with pytest.raises(BadInput, match="'b' is missing"):
        leave_one_pair_out(pairs, {"a": users["a"]})
    with pytest.raises(BadInput, match="one user an impression, not 1 and"):
        leave_one_pair_out(pairs, users | {"b": ["ann"]})


def returning(luck: np.random.Generator, users: int = 40, visits: int = 10) -> Floats:
    """Impressions of users with firm tastes, which have mean 0: neither ranker is better."""
    taste = luck.normal(0, 1, (users, 1, 4))
    return (taste + luck.normal(0, 1, (users, visits, 4))).reshape(-1, 4)


def test_users_are_tested_and_not_impressions() -> None:
    luck, false, by_impression = np.random.default_rng(12), 0, 0
    for _ in range(200):
        pairs = {name: returning(luck) for name in "ab"}
        users = {name: [f"{name}{i // 10}" for i in range(400)] for name in pairs}
        held = leave_one_pair_out(pairs, users)[0]
        assert held.learned.n == 40
        false += held.learned.p_value < 0.05
        by_impression += float(stats.ttest_1samp(pairs["a"] @ held.weights, 0.0).pvalue) < 0.05
    assert by_impression > 60
    assert false <= 10 + 3 * math.sqrt(10)  # 5 % of 200 are expected


def test_nothing_is_learned_from_users_who_are_tested() -> None:
    luck, false, overlapping = np.random.default_rng(13), 0, 0
    for _ in range(200):
        # The same forty users saw a and b, with the same tastes; forty others saw b alone, and one c.
        taste = luck.normal(0, 1, (80, 1, 4))
        a, b = ((taste[:n] + luck.normal(0, 1, (n, 10, 4))).reshape(-1, 4) for n in (40, 80))
        users = {"a": [f"u{i // 10}" for i in range(400)], "b": [f"u{i // 10}" for i in range(800)], "c": ["last"]}
        held = leave_one_pair_out({"a": a, "b": b, "c": np.zeros((1, 4))}, users)[0]
        assert held.shared == 40
        assert held.weights == pytest.approx(inverse_z_weights(b[400:]))
        false += held.learned.p_value < 0.05
        overlapping += t_test(totals_of(a @ inverse_z_weights(b[:400]), users["a"])).p_value < 0.05
    assert overlapping > 50  # five times as many as promised
    assert false <= 10 + 3 * math.sqrt(10)
    with pytest.raises(BadInput, match="nobody else to learn from"):
        leave_one_pair_out({"a": a, "b": a}, {"a": users["a"], "b": users["a"]})


def test_the_share_of_samples_is_the_squared_ratio_of_the_statistics() -> None:
    def held(learned: float, baseline: float) -> float:
        tests = [FixedTest("t", 100, 0.0, statistic, 0.5) for statistic in (learned, baseline)]
        return HeldOut("pair", np.zeros(2), tests[0], tests[1]).samples

    assert held(4.0, 2.0) == 0.25
    assert held(-1.0, 2.0) == math.inf
    assert held(1.0, -2.0) == 0


def test_the_thesis_example_learns_that_only_the_last_click_counts() -> None:
    luck = np.random.default_rng(10)

    def pair() -> Floats:
        last = luck.choice([-1.0, 1.0], 2000, p=[0.4, 0.6])
        return np.column_stack([last, luck.choice([-1.0, 1.0], (2000, 2)).sum(1)])

    for learn in (inverse_z_weights, inverse_rank_weights, mean_difference_weights):
        last, other = learn(pair())
        assert abs(other) < 0.2 * last


def test_the_curve_is_the_mean_of_scipys_p_values() -> None:
    deltas = np.random.default_rng(11).choice([-1.0, 0.0, 1.0], 500, p=[0.3, 0.3, 0.4])
    luck = np.random.default_rng(0)
    sample = deltas[luck.integers(500, size=(200, 80))]
    expected = np.mean([float(stats.ttest_1samp(row, 0.0).pvalue) for row in sample])
    assert p_value_curve(deltas, [80], draws=200)[0] == pytest.approx(expected, rel=1e-9)
    falling = p_value_curve(deltas, [50, 200, 800])
    assert falling[0] > falling[1] > falling[2]


def test_features_must_be_finite_rows() -> None:
    with pytest.raises(BadInput, match=r"one row an impression, not of shape \(2,\)"):
        mean_difference_weights([1.0, 2.0])
    with pytest.raises(BadInput, match="ridge must be at least 0, not -1"):
        inverse_z_weights([[1.0]], ridge=-1)
    with pytest.raises(BadInput, match="penalty must be above 0, not 0"):
        inverse_rank_weights([[1.0]], penalty=0)
