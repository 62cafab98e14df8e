from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from duelist.core.compile import plain
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.dueling import Adversarial, Deceptive, Drifting, Environment, Result
from duelist.dueling.environment import SUMS

Walked = Callable[[Environment, int], tuple[Result, Ints, Ints]]
Outcomes = Callable[..., Floats]

TIMES = [1, 11, 30]
MEANS = np.array([[0.9, 0.2, 0.5], [0.1, 0.3, 0.5], [0.2, 0.8, 0.4]])
ROWS = np.array([[0.9, 0.3, 0.0], [0.0, 0.6, 1.0], [0.2, 0.8, 0.2], [0.5, 0.5, 0.1]])


def check_regret(walked: Walked, environment: Environment, utilities: Floats) -> Result:
    """Compare every view with its definition; `utilities` has a row for each duel."""
    result, left, right = walked(environment, len(utilities))
    each = np.arange(len(utilities))
    a, b = utilities[each, left], utilities[each, right]
    fixed = utilities[:, utilities.sum(0).argmax()]
    top = utilities.max(1)
    # Arm i beats j with probability (1 + x_i - x_j) / 2, so a gap in P is half a gap in utility.
    gap_a, gap_b = (fixed - a) / 2, (fixed - b) / 2
    expected = {
        "strong": (gap_a + gap_b) / 2,
        "weak": np.minimum(gap_a, gap_b),
        "sum": gap_a + gap_b,
        "generalised": np.maximum(gap_a, gap_b),
        "bandit": fixed - (a + b) / 2,
        "dynamic": ((top - a) / 2 + (top - b) / 2) / 2,
    }
    assert result.views == list(expected)
    for view, regret in expected.items():
        for run in result.curve(view):
            np.testing.assert_allclose(run, regret.cumsum(), atol=1e-12, err_msg=view)
    return result


def utilities_at(horizon: int, smooth: bool) -> Floats:
    ts = np.arange(1, horizon + 1)
    if smooth:
        return np.stack([np.interp(ts, TIMES, MEANS[:, arm]) for arm in range(3)], axis=1)
    return np.array([MEANS[max(i for i in range(3) if TIMES[i] <= t)] for t in ts])


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("horizon", [5, 25, 50])  # inside the first stretch, the second, and beyond the last row
def test_drifting_regret_is_the_sum_of_its_definitions(walked: Walked, smooth: bool, horizon: int) -> None:
    check_regret(walked, Drifting(TIMES, MEANS, smooth=smooth), utilities_at(horizon, smooth))


def test_drifting_accuracy_and_answer_are_of_the_best_arm_of_the_moment(walked: Walked) -> None:
    environment = Drifting(TIMES, MEANS)
    result, left, right = walked(environment, 50)
    best = utilities_at(50, smooth=False).argmax(1)
    assert result.accuracy.tolist() == ((left == best) & (right == best)).tolist()
    assert [environment.best_arms("strong", t) for t in (10, 11, 29, 30)] == [[0], [2], [2], [1]]


@pytest.mark.parametrize("smooth", [False, True])
def test_drifting_arms_win_with_the_utilities_of_the_moment(outcomes: Outcomes, smooth: bool) -> None:
    utilities = utilities_at(40, smooth)
    for t, (left, right) in itertools.product((1, 10, 11, 20, 40), ((0, 1), (2, 0))):
        won = outcomes(Drifting(TIMES, MEANS, smooth=smooth), t, left, right, n=2000)
        p = (1 + utilities[t - 1, left] - utilities[t - 1, right]) / 2
        assert won.mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / len(won)))


def test_preparing_a_drifting_run_takes_no_longer_at_a_longer_horizon() -> None:
    environment = Drifting(TIMES, MEANS, smooth=True)
    begun = time.perf_counter()
    environment.memory(300_000)  # a loop over the duels would take half a second, at 1e7 and 100 runs half an hour
    assert time.perf_counter() - begun < 0.1


@pytest.mark.parametrize(
    ("times", "means", "complaint"),
    [
        ([2, 5], MEANS[:2], r"times must rise from 1.*not \[2, 5\]"),
        ([1, 5, 5], MEANS, "times must rise"),
        ([1, 5], MEANS, "one for each row"),
        ([1, 2.5, 4], MEANS, "times"),
        (["a", "b", "c"], MEANS, "times"),
        (1, MEANS[:1], "times must rise"),
        ([1], [0.5, 0.5], "means must have 2 axes"),
        ([1], [[0.5]], "at least 2 arms"),
        ([1], [[0.5, 1.5]], "means must be from 0 to 1, not 1.5"),
        ([], [], "means"),
    ],
)
def test_bad_drifts_are_refused(times: Any, means: Any, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        Drifting(times, means)


def deceptive_utilities(n_arms: int, horizon: int) -> Floats:
    utilities = np.full((horizon, n_arms), 0.5)
    utilities[:, 0] += [min(0.5, math.sqrt(n_arms * math.log(t) / t)) for t in range(1, horizon + 1)]
    return utilities


def test_deceptive_regret_is_the_sum_of_its_definitions(walked: Walked) -> None:
    result = check_regret(walked, Deceptive(3), deceptive_utilities(3, 60))
    assert np.flatnonzero(result.accuracy).tolist() == list(range(0, 60, 9))  # the walk's pair (0, 0)


def test_uniform_arms_lose_what_the_deceptive_figure_says() -> None:
    account, memory, totals = plain(Deceptive.account), Deceptive(10).memory(100_000), np.zeros(len(SUMS))
    for t in range(1, 100_001):
        account(memory, t, 1, 2, totals)
    # Nine of ten arms shown are worse; figures.md, section 3.
    assert 0.9 * totals[SUMS.index("bandit")] == pytest.approx(5457, rel=0.005)


def test_the_deceptive_arm_wins_with_its_shrinking_lead(outcomes: Outcomes) -> None:
    for t, left, right in ((1, 0, 1), (3, 0, 1), (500, 0, 2), (500, 2, 0), (500, 1, 2)):
        lead = min(0.5, math.sqrt(3 * math.log(t) / t)) * ((left == 0) - (right == 0))
        won, p = outcomes(Deceptive(3), t, left, right), (1 + lead) / 2
        assert won.mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / len(won)))


@pytest.mark.parametrize("n_arms", [1, 0, -3, 2.5, "ten"])
def test_a_deceptive_world_needs_two_arms(n_arms: Any) -> None:
    with pytest.raises(BadInput, match="n_arms must be"):
        Deceptive(n_arms)


@pytest.mark.parametrize("horizon", [2, 7, 40])  # less than all rows, not a multiple of them, a multiple
def test_adversarial_regret_is_the_sum_of_its_definitions(walked: Walked, horizon: int) -> None:
    utilities = ROWS[np.arange(horizon) % len(ROWS)]
    result = check_regret(walked, Adversarial(ROWS), utilities)
    best = int(utilities.sum(0).argmax())
    place = np.arange(horizon) % 9
    assert result.accuracy.tolist() == (place == best * 4).tolist()  # the walk's pair (best, best)
    assert Adversarial(ROWS).best_arms("strong", horizon) == [best]


def test_the_higher_utility_of_the_row_wins(outcomes: Outcomes) -> None:
    for t, left, right in itertools.product(range(1, 9), range(3), range(3)):
        lead = ROWS[(t - 1) % 4, left] - ROWS[(t - 1) % 4, right]
        won = outcomes(Adversarial(ROWS), t, left, right, n=200)
        assert won.mean() == pytest.approx(0.5, abs=0.15) if lead == 0 else (won == (lead > 0)).all()


def test_graded_adversaries_tell_the_lead(outcomes: Outcomes) -> None:
    for t, left, right in itertools.product(range(1, 9), range(3), range(3)):
        lead = ROWS[(t - 1) % 4, left] - ROWS[(t - 1) % 4, right]
        told = outcomes(Adversarial(ROWS, graded=True), t, left, right, n=3)
        assert told.tolist() == pytest.approx([(1 + lead) / 2] * 3)


@pytest.mark.parametrize("utilities", [[0.5, 0.5], [[0.5]], [[0.5, 2]], [], [["a", "b"]], [[0.5, 0.5], [0.5]]])
def test_bad_adversaries_are_refused(utilities: Any) -> None:
    with pytest.raises(BadInput, match="adversarial: utilities"):
        Adversarial(utilities)
