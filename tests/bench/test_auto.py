import threading
import time
from collections.abc import Callable
from itertools import starmap
from pathlib import Path

import numpy as np
import pytest

from duelist.bench import auto
from duelist.bench.auto import POLICIES, RegretGrid, bench_auto, cell, rankers, ratio_chart, ratio_table, regret_table
from duelist.core.errors import BadInput
from duelist.dueling.environments import load_environment
from duelist.dueling.environments.matrix import Matrix


@pytest.fixture(scope="module")
def grid() -> RegretGrid:
    return bench_auto(10_000, runs=2, instances=("arxiv", "savage-30"))


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


def test_of_several_means_that_of_most_runs_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, measured = tmp_path / "cells.jsonl", list[int]()

    def mean_is_runs(policy: str, environment: Matrix, horizons: list[int], runs: int, engine: str) -> np.ndarray:
        measured.append(runs)
        return np.full((runs, len(horizons)), float(runs))

    monkeypatch.setattr(auto, "cell", mean_is_runs)
    bench_auto(1000, 5, ["cyclic"], keep=file)
    longer = bench_auto(10_000, 3, ["cyclic"], keep=file)
    assert longer.regret[0].tolist() == [[5.0] * len(POLICIES), [3.0] * len(POLICIES)]
    assert bench_auto(1000, 4, ["cyclic"], keep=file).regret[0].tolist() == [[5.0] * len(POLICIES)]
    assert measured == [5] * len(POLICIES) + [3] * len(POLICIES)
    bench_auto(10_000, 4, ["cyclic"], keep=file)  # of the longer ones there are three runs only
    assert measured[-1] == 4


def test_those_that_take_long_are_measured_with_many_arms_for_a_while_and_not_with_the_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(auto, "cell", lambda policy, world, horizons, runs, engine: np.ones((runs, len(horizons))))
    instances = [f"bradley-terry:arms={arms}" for arms in (10, 11, 30, 31, 64, 65, 200, 201)]
    known = ~np.isnan(bench_auto(1_000_000, 2, instances).regret)
    slow = [POLICIES.index("d-ts"), POLICIES.index("ecw-rmed")]
    assert known[:, :, slow].sum(axis=1).T.tolist() == [[4, 4, 4, 4, 4, 3, 3, 0], [4, 3, 3, 0, 0, 0, 0, 0]]
    assert np.delete(known, slow, axis=2).all()


def test_on_a_gpu_code_is_compiled_once_and_a_cell_that_fails_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled, lock = list[tuple[str, int]](), threading.Lock()

    def one(policy: str, world: Matrix, horizons: list[int], runs: int, engine: str) -> np.ndarray:
        if runs == 1:
            with lock:
                compiled.append((policy, world.n_arms))
        elif (policy, world.name) == ("rucb", "worst-case"):
            raise MemoryError("no room")
        return np.full((runs, len(horizons)), float(world.n_arms))

    monkeypatch.setattr(auto, "cell", one)
    monkeypatch.setattr(auto, "Device", lambda: None)
    monkeypatch.setattr(auto, "in_processes", starmap)
    instances = ["bradley-terry:arms=3", "worst-case:arms=3", "worst-case:arms=4"]
    regret = bench_auto(1000, 2, instances, engine="cuda").regret[:, 0]
    rucb = POLICIES.index("rucb")
    assert sorted(compiled) == sorted((policy, arms) for policy in POLICIES for arms in (3, 4))
    assert np.delete(regret, rucb, axis=1).tolist() == [[arms] * (len(POLICIES) - 1) for arms in (3, 3, 4)]
    assert np.isnan(regret[:, rucb]).tolist() == [False, True, True]
    assert "rucb on worst-case:arms=3: MemoryError: no room" in capsys.readouterr().err


def test_rankers_need_their_matrices() -> None:
    with pytest.raises(BadInput, match="'5 rankers, perfect' needs --preferences"):
        bench_auto(1000, 2, ["5 rankers, perfect"])


def test_what_nobody_measured_is_left_out() -> None:
    grid = RegretGrid(["arxiv"], [1000, 10_000], ["auto", "d-ts"], np.array([[[3.0, 2.0], [np.nan, np.nan]]]))
    assert regret_table(grid).rows == [["arxiv", "1e3", "3", "2*"]]
    assert [row[:3] for row in ratio_table(grid).rows] == [["d-ts", "1", "1.00"], ["auto", "1", "1.50"]]


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
