from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.dueling import Environment, Preferences, Result, Utilities

Walked = Callable[[Environment, int], tuple[Result, Ints, Ints]]

MEANS = np.array([0.2, 0.9, 0.5])


@pytest.mark.parametrize("ties", [False, True])
def test_every_regret_view_is_the_sum_of_its_definition(walked: Walked, ties: bool) -> None:
    result, left, right = walked(Utilities(MEANS, ties=ties), 30)
    lost = MEANS.max() - MEANS  # utility; the matrix' gaps are half of it
    copeland = np.array([0, 1, 0.5])
    borda = np.array([(0.15 + 0.35) / 2, (0.85 + 0.7) / 2, (0.65 + 0.3) / 2])
    expected = {
        "strong": (lost[left] + lost[right]) / 4,
        "weak": np.minimum(lost[left], lost[right]) / 2,
        "sum": (lost[left] + lost[right]) / 2,
        "generalised": np.maximum(lost[left], lost[right]) / 2,
        "copeland": 1 - (copeland[left] + copeland[right]) / 2,
        "borda": borda.max() - (borda[left] + borda[right]) / 2,
        "bandit": MEANS.max() - (MEANS[left] + MEANS[right]) / 2,
        "dynamic": (lost[left] + lost[right]) / 4,
    }
    assert result.views == list(expected)
    for view, regret in expected.items():
        for run in result.curve(view):
            np.testing.assert_allclose(run, regret.cumsum(), atol=1e-12, err_msg=view)


def test_the_left_arm_wins_with_half_of_one_plus_its_lead(outcomes: Callable[..., Floats]) -> None:
    for left, right in itertools.product(range(3), repeat=2):
        won, p = outcomes(Utilities(MEANS), 1, left, right), (1 + MEANS[left] - MEANS[right]) / 2
        assert set(won) <= {0.0, 1.0}
        assert won.mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / len(won)))


def test_ties_are_equal_earnings(outcomes: Callable[..., Floats]) -> None:
    for left, right in itertools.product(range(3), repeat=2):
        a, b = MEANS[left], MEANS[right]
        seen = outcomes(Utilities(MEANS, ties=True), 1, left, right)
        for outcome, p in ((1.0, a * (1 - b)), (0.5, a * b + (1 - a) * (1 - b)), (0.0, (1 - a) * b)):
            assert (seen == outcome).mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / len(seen)))


@pytest.mark.parametrize("mean", [0.13, 0.5, 0.9])
def test_arms_of_equal_utility_are_tied(mean: float) -> None:
    facts = Preferences.of(Utilities([mean, mean, 0.1]).preference)
    assert (facts.condorcet, facts.copeland, facts.ties) == (None, [0, 1], 1)
    assert facts.strong_transitivity


@pytest.mark.parametrize(
    ("means", "complaint"),
    [
        ([0.5], "at least 2 arms"),
        ([[0.5, 0.4]], r"1 axes.*shape is \(1, 2\)"),
        ([], "shape"),
        ([0.5, 1.5], "from 0 to 1, not 1.5"),
        ([0.5, -0.1], "from 0 to 1, not -0.1"),
        ([0.5, float("nan")], "from 0 to 1, not nan"),
        (["a", "b"], "utilities"),
        ([0.5, [0.4]], "utilities"),
    ],
)
def test_bad_utilities_are_refused(means: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        Utilities(means)
