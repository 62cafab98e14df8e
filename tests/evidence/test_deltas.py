"""Users enter once, with a number that never changes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.evidence.deltas import Frozen, check_deltas, freeze

IMPRESSIONS = st.lists(
    st.tuples(st.sampled_from("abcde"), st.integers(0, 50), st.integers(-2, 2)), min_size=1, max_size=40
)


def freeze_log(impressions: list[tuple[str, int, int]], window: int, now: int) -> Frozen:
    users, times, preferences = zip(*impressions, strict=True)
    return freeze(users, times, preferences, window, now)


def by_hand(impressions: list[tuple[str, int, int]], window: int, now: float) -> list[tuple[str, float]]:
    """The definition, user by user."""
    frozen = []
    for user in sorted({user for user, _, _ in impressions}):
        first = min(time for name, time, _ in impressions if name == user)
        counted = [p for name, time, p in impressions if name == user and (time < first + window or time == first)]
        if first + window <= now:
            frozen.append((first + window, user, float(np.mean(counted))))
    return [(user, delta) for _, user, delta in sorted(frozen)]


@settings(deadline=None)
@given(IMPRESSIONS, st.integers(0, 30), st.integers(0, 90))
def test_users_are_frozen_as_the_definition_says(
    impressions: list[tuple[str, int, int]], window: int, now: int
) -> None:
    frozen = freeze_log(impressions, window, now)
    expected = by_hand(impressions, window, now)
    assert list(frozen.users) == [user for user, _ in expected]
    assert frozen.deltas.tolist() == pytest.approx([delta for _, delta in expected])
    assert len(frozen.users) + frozen.open == len({user for user, _, _ in impressions})


@settings(deadline=None)
@given(IMPRESSIONS, st.integers(0, 30), st.randoms(use_true_random=False))
def test_a_later_look_only_appends(impressions: list[tuple[str, int, int]], window: int, luck: Any) -> None:
    before: list[tuple[str, float]] = []
    for now in range(0, 90, 5):
        # The log as it is at that time; its rows come in any order.
        log = [impression for impression in impressions if impression[1] <= now]
        luck.shuffle(log)
        if not log:
            continue
        frozen = freeze_log(log, window, now)
        seen = list(zip(frozen.users, frozen.deltas.round(9).tolist(), strict=True))
        assert seen[: len(before)] == before
        before = seen


def test_an_experiment_that_has_ended_has_no_open_windows() -> None:
    frozen = freeze(["a", "b"], [0, 100], [1, -1], window=1000, now=math.inf)
    assert frozen.users == ("a", "b")
    assert frozen.open == 0


def test_impressions_after_the_window_never_count() -> None:
    frozen = freeze(["a", "a", "a"], [0, 9, 10], [1, 0, -5], window=10)
    assert frozen.deltas.tolist() == [0.5]
    assert frozen.late == 1


@pytest.mark.parametrize(
    ("deltas", "complaint"),
    [
        ([1.0, math.nan], "delta 1 must be a finite number, not nan"),
        ([math.inf], "delta 0 must be a finite number, not inf"),
        ([[1.0]], r"one number a user, not an array of shape \(1, 1\)"),
        (["x"], "every delta must be a number"),
    ],
)
def test_bad_deltas_are_named(deltas: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        check_deltas(deltas)


def test_bad_windows_and_lengths_are_refused() -> None:
    with pytest.raises(BadInput, match="window must be at least 0, not -1"):
        freeze(["a"], [0], [0], window=-1)
    with pytest.raises(BadInput, match="not 1, 2, 1"):
        freeze(["a"], [0, 1], [0], window=1)
