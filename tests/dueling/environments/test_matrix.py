from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.dueling import Environment, Matrix, Result

Walked = Callable[[Environment, int], tuple[Result, Ints, Ints]]

# Arm 0 is the Condorcet winner, arm 1 the Borda winner.
CONDORCET = np.array([[0.5, 0.55, 0.6], [0.45, 0.5, 0.95], [0.4, 0.05, 0.5]])
# Nobody beats everybody: arm 1 beats two arms and loses to arm 3; the others beat one or none.
NO_CONDORCET = np.array([[0.5, 0.3, 0.5, 0.8], [0.7, 0.5, 0.6, 0.1], [0.5, 0.4, 0.5, 0.7], [0.2, 0.9, 0.3, 0.5]])


@pytest.mark.parametrize(("matrix", "best"), [(CONDORCET, 0), (NO_CONDORCET, 1)])
def test_every_regret_view_is_the_sum_of_its_definition(walked: Walked, matrix: Floats, best: int) -> None:
    result, left, right = walked(Matrix(matrix), 40)
    others = len(matrix) - 1
    gap = matrix[best] - 0.5
    copeland = (matrix > 0.5).sum(1) / others
    borda = (matrix.sum(1) - 0.5) / others
    expected = {
        "strong": (gap[left] + gap[right]) / 2,
        "weak": np.minimum(gap[left], gap[right]),
        "sum": gap[left] + gap[right],
        "generalised": np.maximum(gap[left], gap[right]),
        "copeland": copeland.max() - (copeland[left] + copeland[right]) / 2,
        "borda": borda.max() - (borda[left] + borda[right]) / 2,
        "dynamic": (gap[left] + gap[right]) / 2,
    }
    assert result.views == list(expected)
    for view, regret in expected.items():
        for run in result.curve(view):
            np.testing.assert_allclose(run, regret.cumsum(), atol=1e-12, err_msg=view)


def test_without_a_condorcet_winner_strong_regret_may_be_negative(walked: Walked) -> None:
    result, left, right = walked(Matrix(NO_CONDORCET), 40)
    steps = np.diff(result.curve("strong")[0], prepend=0)
    assert steps[(left == 3) & (right == 3)] == pytest.approx([-0.4] * 2)  # arm 3 beats the Copeland winner


def test_accuracy_counts_duels_of_the_best_arm_with_itself(walked: Walked) -> None:
    result, left, right = walked(Matrix(NO_CONDORCET), 40)
    assert result.accuracy.tolist() == ((left == 1) & (right == 1)).tolist()


def test_right_answers_are_the_winners_of_the_policys_view() -> None:
    assert Matrix(CONDORCET).best_arms("strong", 100) == [0]
    assert Matrix(CONDORCET).best_arms("borda", 100) == [1]
    cycle = Matrix([[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]])
    assert cycle.best_arms("copeland", 100) == [0, 1, 2]


def test_the_left_arm_wins_with_the_probability_of_the_matrix(outcomes: Callable[..., Floats]) -> None:
    for left, right in itertools.product(range(3), repeat=2):
        won, p = outcomes(Matrix(CONDORCET), 1, left, right), CONDORCET[left, right]
        assert set(won) <= {0.0, 1.0}
        assert won.mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / len(won)))


def test_certain_outcomes_never_fail(outcomes: Callable[..., Floats]) -> None:
    certain = Matrix([[0.5, 1], [0, 0.5]])
    assert outcomes(certain, 1, 0, 1).all()
    assert not outcomes(certain, 1, 1, 0).any()


def test_a_matrix_from_a_file_is_called_after_it(tmp_path: Path) -> None:
    np.savetxt(tmp_path / "mine.txt", CONDORCET)
    assert Matrix.read(tmp_path / "mine.txt").describe() == "mine.txt, 3 arms"


def test_a_bad_matrix_is_refused_under_its_name() -> None:
    with pytest.raises(BadInput, match=r"^mine: P\[0, 1\] \+ P\[1, 0\] must be 1"):
        Matrix([[0.5, 0.7], [0.4, 0.5]], name="mine")
