"""The calculator against simulated experiments and the figures of the specification."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence.limits import boundary
from duelist.evidence.power import crossing, detectable_effect, users_needed
from duelist.evidence.watch import looks_at, watch


def coins(p: float, experiments: int, users: int, seed: int) -> Floats:
    return np.where(np.random.default_rng(seed).random((experiments, users)) < p, 1.0, -1.0)


def test_planned_numbers_are_those_of_the_specification() -> None:
    assert users_needed(0.1, watched=False) == 785
    assert users_needed(0.2, watched=False) == 197
    assert 1325 <= users_needed(0.1, math.sqrt(1 - 0.1**2)) <= 1425
    assert users_needed(0.2, math.sqrt(1 - 0.2**2)) == 350


@pytest.mark.parametrize(("effect", "spread", "users"), [(0.1, 1.0, 1500), (0.6, 3.0, 500), (0.0, 1.0, 2000)])
def test_the_chance_of_a_crossing_is_that_of_simulated_sums(effect: float, spread: float, users: int) -> None:
    path = crossing(users, effect, spread)
    looks = path.looks
    steps = np.diff(looks, prepend=0)
    sums = np.random.default_rng(1).normal(effect * steps, spread * np.sqrt(steps), (20_000, len(looks))).cumsum(1)
    outside = np.abs(sums) > math.hypot(spread, effect) * np.sqrt(looks) * boundary(looks)
    simulated = np.logical_or.accumulate(outside, 1).mean(0)
    error = 3.5 * np.sqrt(path.chance * (1 - path.chance) / 20_000)
    assert (np.abs(path.chance - simulated) <= error).all()


@pytest.mark.parametrize("p", [0.55, 0.6])
def test_the_watched_sequence_finds_the_effect_as_often_as_promised(p: float) -> None:
    effect = 2 * p - 1
    users = users_needed(effect, math.sqrt(1 - effect**2))
    alarms = watch(coins(p, 3000, users, 3), looks_at(users))["confidence sequence"]
    found = np.logical_or.accumulate(alarms, 1).mean(0)
    # The number is the first look with the chance: it was less, but not much less, one look before.
    assert found[-2] - 0.022 < 0.8 < found[-1] + 0.022


@pytest.mark.parametrize(("tied", "p"), [(0.9, 0.65), (0.5, 0.55)])
def test_tied_users_do_not_move_the_clock(tied: float, p: float) -> None:
    luck = np.random.default_rng(5)
    effect, square = (1 - tied) * (2 * p - 1), 1 - tied
    users = users_needed(effect, math.sqrt(square - effect**2), kurtosis=1 / square)
    deltas = np.where(luck.random((2000, users)) < tied, 0.0, coins(p, 2000, users, 6))
    found = watch(deltas, looks_at(users))["confidence sequence"].any(1).mean()
    assert found == pytest.approx(0.8, abs=0.03)


def test_the_planned_test_finds_the_effect_as_often_as_promised() -> None:
    deltas = coins(0.55, 4000, users_needed(0.1, watched=False), 2)
    found = np.abs(deltas.mean(1)) * math.sqrt(deltas.shape[1]) / deltas.std(1) > 1.96
    assert found.mean() == pytest.approx(0.8, abs=0.02)


@settings(max_examples=6, deadline=None)
@given(st.floats(0.03, 0.5), st.floats(0.5, 3), st.sampled_from([0.5, 0.8, 0.9]), st.booleans())
def test_the_detectable_effect_is_the_inverse(effect: float, spread: float, power: float, watched: bool) -> None:
    users = users_needed(effect, spread, power, watched=watched)
    found = detectable_effect(users, spread, power, watched=watched)
    assert found <= effect * 1.0002  # the search stops at a ten thousandth
    if users > 200:  # two looks earlier the effect was not yet found
        assert detectable_effect(int(users * 0.95 - 25), spread, power, watched=watched) > effect


def test_looks_are_a_watchers() -> None:
    assert crossing(1200, 0.1).looks.tolist() == looks_at(1200, first=75).tolist()
    long = crossing(100_000, 0.1).looks
    assert long[-1] == 100_000
    assert (np.diff(long)[:-1] <= np.maximum(25, long[:-2] / 100)).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(75, 6000), st.floats(0, 0.3))
def test_the_chance_only_grows(users: int, effect: float) -> None:
    path = crossing(users, effect)
    assert path.looks[-1] == users
    assert (path.chance >= 0).all()
    assert (path.chance <= 1 + 1e-9).all()
    assert (np.diff(path.chance) > -1e-9).all()


def test_an_effect_of_nothing_is_found_as_seldom_as_promised() -> None:
    assert crossing(100_000, 0.0).chance[-1] < 0.05


def test_tiny_effects_need_many_users_and_no_overflow() -> None:
    assert 7e12 < users_needed(1e-6, watched=False) < users_needed(1e-6) < 1e14


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"effect": 0.0}, "effect must be a finite number above 0, not 0.0"),
        ({"effect": 0.1, "spread": math.inf}, "spread must be a finite number above 0, not inf"),
        ({"effect": 0.1, "kurtosis": 0.5}, "kurtosis must be a finite number of at least 1, not 0.5"),
        ({"effect": 0.1, "power": 1.0}, "power must be above 0 and below 1"),
        ({"effect": 0.1, "power": 0.04}, "power must be above alpha = 0.05, not 0.04"),
    ],
)
def test_bad_questions_are_refused(arguments: dict[str, float], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        users_needed(**arguments)  # type: ignore[arg-type]


def test_too_few_users_show_nothing() -> None:
    with pytest.raises(BadInput, match="users must be at least 75, not 74"):
        detectable_effect(74)
