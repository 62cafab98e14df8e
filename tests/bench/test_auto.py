import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelist.bench import auto
from duelist.bench.auto import POLICIES, RegretGrid, bench_auto, cell, rankers, ratio_chart, ratio_table, regret_table
from duelist.dueling.environments import load_environment
from duelist.dueling.environments.matrix import Matrix


@pytest.fixture(scope="module")
def grid() -> RegretGrid:
    return bench_auto(10_000, runs=2, instances=("arxiv", "savage-30"))


def test_auto_is_what_it_holds_in_every_cell(grid: RegretGrid) -> None:
    auto, held = (grid.regret[:, :, POLICIES.index(name)] for name in ("auto", "spar-and-check"))
    assert grid.horizons == [1000, 10_000]
    assert np.array_equal(auto, held)


def test_what_was_kept_is_not_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, measured = tmp_path / "cells.jsonl", list[str]()

    def fixed(policy: str, environment: Matrix, horizons: list[int], runs: int, engine: str) -> np.ndarray:
        measured.append(f"{policy} on {environment.n_arms} until {horizons[-1]}")
        return np.arange(runs)[:, None] + np.array(horizons) / 1000

    monkeypatch.setattr(auto, "cell", fixed)
    assert np.isnan(bench_auto(1000, 3, ["cyclic"], keep=file, until=time.time() - 1).regret).all()
    assert not measured
    first = bench_auto(1000, 3, ["cyclic"], keep=file)
    assert first.regret.tolist() == [[[2.0] * len(POLICIES)]]
    both = bench_auto(1000, 3, ["arithmetic", "cyclic"], keep=file)
    assert measured == [f"{policy} on {arms} until 1000" for arms in (4, 8) for policy in POLICIES]
    assert both.regret.tolist() == [[[2.0] * len(POLICIES)]] * 2
    bench_auto(1000, 4, ["cyclic"], keep=file)
    assert len(measured) == 3 * len(POLICIES)


def test_with_many_arms_no_run_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "cell", lambda policy, world, horizons, runs, engine: np.ones((runs, len(horizons))))
    found = bench_auto(1_000_000, 2, ["arxiv", "bradley-terry:arms=500"])
    known = ~np.isnan(found.regret)
    assert known[0].all()
    assert known[1].any(axis=1).tolist() == [True, True, True, False]
    assert not known[1, :, POLICIES.index("d-ts")].any()
    assert [row[:2] for row in regret_table(found).rows][-1] == ["bradley-terry:arms=500", "1e5"]
    assert {row[0]: row[1] for row in ratio_table(found).rows}["d-ts"] == "4"


def test_without_a_condorcet_winner_regret_is_copelands() -> None:
    regret = cell("uniform", load_environment("no-condorcet"), [1000], 2)
    assert regret.min() > 100  # strong regret is below: arms that beat the Copeland winner count as better than it


def test_rankers_of_mslr_are_the_same_every_time(data: Callable[[str], Path]) -> None:
    folder = data("preferences/MSLR_Perfect_PMat.npz").parent
    few, more = rankers(folder, "Perfect", 5), rankers(folder, "Perfect", 16)
    assert np.array_equal(more.preference[:5, :5], few.preference)


def test_ratios_are_to_the_best_of_each_line(grid: RegretGrid) -> None:
    assert np.array_equal(grid.ratios.min(axis=2), np.ones((2, 2)))
    assert np.allclose(grid.ratios * grid.regret.min(axis=2, keepdims=True), grid.regret)


def test_it_is_printed_and_drawn(grid: RegretGrid) -> None:
    printed = str(regret_table(grid))
    assert all(policy in printed for policy in POLICIES)
    worst = grid.ratios[:, :, POLICIES.index("auto")].max()
    lines = {row[0]: row for row in ratio_table(grid).rows}
    assert lines["auto"][1:4:2] == ["4", f"{worst:.1f}"]
    axes = ratio_chart(grid).draw().axes[0]
    assert [line.get_label() for line in axes.lines] == list(POLICIES)
