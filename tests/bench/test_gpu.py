"""Tables and judgement of `duelist bench gpu`; the engine itself is tested elsewhere."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import starmap
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from duelist import sweeps
from duelist.bench import auto, gpu, policies
from duelist.core.cuda import Device
from duelist.core.errors import MissingExtra
from duelist.core.spec import Spec
from duelist.dueling import simulate
from duelist.reproductions import policy_cells
from duelist.reproductions.reproduction import Setting

SAMPLE = np.random.default_rng(0).normal(100.0, 10.0, 400)


def test_samples_of_one_distribution_agree_and_shifted_ones_do_not() -> None:
    assert gpu.compare("rucb", "arxiv", SAMPLE[:200], SAMPLE[200:])["agrees"]
    assert not gpu.compare("rucb", "arxiv", SAMPLE[:200] + 5.0, SAMPLE[200:])["agrees"]


def test_without_luck_only_rounding_may_differ() -> None:
    fixed = np.full(10, 100.0)
    assert gpu.compare("if1", "arxiv", fixed + 1e-10, fixed)["agrees"]
    assert not gpu.compare("if1", "arxiv", fixed + 1e-3, fixed)["agrees"]


def test_a_cell_that_fails_is_a_row_that_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(gpu, "simulate", fail)
    row = gpu.agree("rucb", "arxiv", 10, 10, time.time() + 100)
    assert row == {"policy": "rucb", "instance": "arxiv", "error": "ValueError: broken", "agrees": False}
    good = gpu.compare("rucb", "cyclic", SAMPLE, SAMPLE)
    text = str(gpu.agreement_table([row, good]))
    assert "failed!" in text
    assert "1 of 2 within 3.5 standard errors" in text


def test_nothing_is_begun_when_time_is_over() -> None:
    assert gpu.agree("rucb", "arxiv", 10, 10, time.time() - 1) is None
    assert list(gpu.bench_speed(10, 10, until=time.time() - 1)) == []


def test_speeds_stand_beside_those_of_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    def on_cpu(*args: Any, engine: str = "cpu", **options: Any) -> Any:
        return simulate(*args, **options)

    monkeypatch.setattr(gpu, "simulate", on_cpu)
    monkeypatch.setattr(gpu, "Device", lambda: SimpleNamespace(name="a device"))
    rows = list(gpu.bench_speed(200, 6, ["savage"]))
    cells = [(row["policy"], row["instance"], row["horizon"], row["runs"]) for row in rows]
    assert cells == [("savage", "arxiv", 200, 6)]
    text = str(gpu.speed_table(rows))
    assert "a device: 6 runs" in text
    assert f"{rows[0]['regret']['mean']:.1f}" in text


def test_cells_are_computed_in_processes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "Device", lambda: None)
    if gpu.agree("uniform", "arxiv", 2, 2, time.time() + 100).get("error") is None:  # type: ignore[union-attr]
        pytest.skip("there is a GPU: the bench itself is the test")
    rows = gpu.bench_agreement(2, 2, ["uniform"], ["arxiv", "cyclic"])
    assert [(row["instance"], row["error"].partition(":")[0]) for row in rows] == [
        ("arxiv", "MissingExtra"),
        ("cyclic", "MissingExtra"),
    ]


def test_without_a_gpu_the_bench_says_so() -> None:
    try:
        Device()
    except MissingExtra:
        with pytest.raises(MissingExtra, match="engine cuda needs"):
            gpu.bench_agreement(2, 2, ["uniform"])
    else:
        pytest.skip("there is a GPU")


@pytest.mark.parametrize("engine", ["cpu", "cuda"])
def test_other_benches_and_reproductions_pass_the_engine_on(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def note(*args: Any, engine: str, **options: Any) -> Any:
        asked.append(engine)
        assert engine == "cpu" or options.get("cores") is None
        return simulate("uniform", args[1], 1000, 2, points=4)

    for module in (auto, policies, sweeps.policies):
        monkeypatch.setattr(module, "simulate", note)
    monkeypatch.setattr(auto, "Device", lambda: None)
    monkeypatch.setattr(auto, "in_processes", starmap)
    auto.bench_auto(1000, 2, ["arxiv"], engine)
    table = str(policies.policies_table(policies.bench_policies(["if2"], 2, None, engine)))
    assert ("one GPU" in table, "/ 30" in table) == (engine == "cuda", engine == "cpu")
    cell = policy_cells.PolicyCell("RANDOM", Spec.read("policy", "uniform"), "arxiv", runs=3)
    cell.measure(Setting(engine=engine))
    assert set(asked) == {engine}
    replace(cell, world="bradley-terry:arms={run}3").measure(Setting(engine=engine))  # a world a run
    assert asked[-3:] == ["cpu"] * 3
