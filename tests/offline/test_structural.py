from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from duelist.core.errors import BadInput, MissingExtra
from duelist.core.memory import Floats
from duelist.data import synthetic
from duelist.offline import structural
from duelist.offline.average_precision import SVMMap
from duelist.offline.structural import Plane, solve


def hinges(examples: Floats) -> Any:
    """The oracle of a linear SVM without threshold: every example should score at least 1."""

    def oracle(weights: Floats) -> Plane:
        short = examples @ weights < 1
        return Plane(examples[short].sum(0) / len(examples), float(short.mean()))

    return oracle


def objective(weights: Floats, examples: Floats, cost: float) -> float:
    return float(weights @ weights / 2 + cost * np.maximum(0, 1 - examples @ weights).mean())


def independent(examples: Floats, cost: float, low: float | None = None) -> float:
    """The optimum by another solver, sequential least squares on the problem with all slacks."""
    n, width = examples.shape
    program: Any = minimize  # its types do not know constraints with a gradient
    result = program(
        lambda z: z[:width] @ z[:width] / 2 + cost * z[width:].mean(),
        np.concatenate([np.zeros(width), np.ones(n)]),
        jac=lambda z: np.concatenate([z[:width], np.full(n, cost / n)]),
        bounds=[(low, None)] * width + [(0, None)] * n,
        constraints={
            "type": "ineq",
            "fun": lambda z: examples @ z[:width] - 1 + z[width:],
            "jac": lambda z: np.hstack([examples, np.eye(n)]),
        },
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert result.success
    return float(result.fun)


@pytest.mark.parametrize("cost", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("nonnegative", [False, True])
def test_the_gap_is_certified_by_an_independent_solver(cost: float, nonnegative: bool) -> None:
    examples = np.random.default_rng(1).standard_normal((25, 4)) + np.array([0.5, 0.2, 0.0, -0.5])
    best = independent(examples, cost, 0.0 if nonnegative else None)
    found = solve(hinges(examples), 4, cost, tolerance=1e-7, nonnegative=nonnegative)
    assert found.gap <= 1e-7 * (found.nothing - found.dual)
    assert found.nothing == pytest.approx(cost)
    assert found.dual - 1e-6 <= best <= found.primal + 1e-6
    assert objective(found.weights, examples, cost) == pytest.approx(found.primal)
    assert not nonnegative or (0 <= found.weights.min() < 1e-9 < found.weights.max())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 100.0]))
def test_no_weights_are_below_the_dual(seed: int, cost: float) -> None:
    rng = np.random.default_rng(seed)
    examples = rng.standard_normal((30, 5)) + rng.standard_normal(5)
    found = solve(hinges(examples), 5, cost)
    assert 0 <= found.gap <= 5e-3 * (found.nothing - found.dual)
    for scale in (0, 1e-3, 0.1, 1):
        near = found.weights + scale * rng.standard_normal((20, 5))
        assert min(objective(weights, examples, cost) for weights in near) >= found.dual - 1e-9


@pytest.mark.parametrize("cost", [1e-9, 1e-6, 1e-3])
def test_small_costs_are_solved_as_well_as_others(cost: float) -> None:
    """The smaller C, the closer the best weights are to C times the mean example."""
    examples = np.random.default_rng(1).standard_normal((25, 4)) + 0.5
    found = solve(hinges(examples), 4, cost)
    np.testing.assert_allclose(found.weights / cost, examples.mean(0), rtol=5e-3)
    assert found.nothing - found.primal == pytest.approx(found.weights @ found.weights / 2, rel=1e-2)


def test_no_weights_are_the_answer_only_where_none_are_better() -> None:
    examples = np.array([[1.0], [-1.0]])
    nothing = solve(hinges(examples), 1, 5.0)
    assert nothing.weights.tolist() == [0.0]
    assert nothing.primal == nothing.nothing == 5.0
    little = solve(hinges(examples + 1e-3), 1, 5.0)
    assert little.weights[0] > 0


def test_a_gap_may_be_small_enough_in_itself() -> None:
    examples = np.random.default_rng(3).standard_normal((100, 10)) + 0.3
    rough, fine = (solve(hinges(examples), 10, 1.0, 1e-6, enough=enough) for enough in (0.1, 0.0))
    assert 1e-6 < rough.gap <= 0.1
    assert rough.rounds < fine.rounds


def test_a_warm_start_needs_fewer_planes_and_finds_the_same() -> None:
    examples = np.random.default_rng(3).standard_normal((200, 10)) + 0.3
    cold = solve(hinges(examples), 10, 20.0, tolerance=1e-6)
    again = solve(hinges(examples), 10, 20.0, tolerance=1e-6, start=cold.planes)
    near = solve(hinges(examples), 10, 21.0, tolerance=1e-6, start=cold.planes)
    assert again.rounds == 2  # at no weights, and at the solution
    assert near.rounds < cold.rounds * 3 / 4
    assert near.primal == pytest.approx(solve(hinges(examples), 10, 21.0, tolerance=1e-6).primal, abs=1e-4)
    np.testing.assert_allclose(again.weights, cold.weights, atol=1e-2)


def test_idle_planes_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = np.random.default_rng(3).standard_normal((300, 20)) + 0.2
    monkeypatch.setattr(structural, "IDLE_ROUNDS", 5)
    few = solve(hinges(examples), 20, 1000.0, tolerance=1e-5)
    monkeypatch.setattr(structural, "IDLE_ROUNDS", 10**9)
    all_planes = solve(hinges(examples), 20, 1000.0, tolerance=1e-5)
    assert len(few.planes.losses) < few.rounds / 2
    assert len(all_planes.planes.losses) == all_planes.rounds - 1
    assert few.primal == pytest.approx(all_planes.primal, rel=1e-5)


def test_too_many_planes_are_an_error_that_says_what_to_do() -> None:
    examples = np.random.default_rng(3).standard_normal((100, 10))
    with pytest.raises(BadInput, match=r"no solution within 5 planes: .* of the gain may still be missed; lower C"):
        solve(hinges(examples), 10, 1e4, max_planes=5)


def test_a_gap_that_stays_is_an_error() -> None:
    watch = structural._Watch(ExitStack(), False, 1e-3)
    for step in range(3 * structural.STALLED):
        watch(0.999**step, 1.0)  # slow, but falling
    for _ in range(structural.STALLED + 1):
        watch(0.1, 1.0)
    with pytest.raises(BadInput, match=r"the gap has stayed at 0\.1 for 500 planes"):
        watch(0.1, 1.0)


def test_more_planes_than_memory_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*arguments: Any, **more: Any) -> Any:
        if np.prod(arguments[0]) > 1000:
            raise MemoryError
        return zeros(*arguments, **more)

    zeros = np.zeros
    examples = np.random.default_rng(3).standard_normal((300, 20)) + 0.2
    oracle = hinges(examples)
    monkeypatch.setattr(np, "zeros", no_memory)
    with pytest.raises(BadInput, match="no memory for 32 planes of 20 features"):
        solve(oracle, 20, 1000.0)


@pytest.mark.parametrize("tolerance", [0, 1, float("nan"), "0.1"])
def test_tolerances_are_shares(tolerance: Any) -> None:
    with pytest.raises(BadInput, match="tolerance must be a number above 0 and below 1"):
        solve(hinges(np.eye(2)), 2, 1.0, tolerance)


@pytest.mark.parametrize("cost", [0, -1, float("nan"), float("inf"), "1"])
def test_costs_that_make_no_sense_are_refused(cost: Any) -> None:
    with pytest.raises(BadInput, match="C must be a number above 0"):
        solve(hinges(np.eye(2)), 2, cost)


def test_a_bar_is_shown_on_long_fits(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    examples = np.random.default_rng(3).standard_normal((300, 20)) + 0.2
    solve(hinges(examples), 20, 100.0, progress=True)
    assert "closing" not in capsys.readouterr().err
    monkeypatch.setattr(structural, "LONG", 0.0)
    solve(hinges(examples), 20, 100.0, progress=True)
    assert "closing the gap" in capsys.readouterr().err


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "piqp", None)
    with pytest.raises(MissingExtra, match=r"duelist\[offline\]"):
        solve(hinges(np.eye(2)), 2, 1.0)


def test_a_ranker_reports_an_objective_that_can_be_recomputed() -> None:
    pages = synthetic(queries=20, documents=10, features=3, seed=2)
    ranker = SVMMap(C=5.0).fit(pages.features, pages.labels, np.repeat(np.arange(20), 10))
    assert ranker.gap_ == pytest.approx(ranker.primal_ - ranker.dual_)
    assert 0 <= ranker.gap_ <= 5e-3 * 5
