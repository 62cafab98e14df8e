"""duelist sweep and duelist tune, as people type them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars
import pytest

from duelist.core.errors import BadInput
from duelist.dueling.simulate import simulate
from duelist.sweeps import Sweep

from .conftest import Command, Run

PLAN = """\
policies = ["uniform", "rucb"]
environments = "cyclic"
horizon = 300
runs = 3
points = 4
"""
SEARCH = """\
policies = "rucb"
environments = "cyclic"
horizon = 300
runs = 2
[search]
trials = 3
parameters.alpha = {low = 0.6, high = 3.0}
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.toml"
    path.write_text(PLAN)
    return path


def test_a_plan_for_both_engines_is_checked_wherever(plan: Path, run: Run) -> None:
    plan.write_text(PLAN + 'engine = ["cpu", "cuda"]')
    assert run("sweep", plan, "--check") == "4 cells, 12 runs\n"
    with pytest.raises(BadInput, match="cells for both cpu and cuda needs engine dask, whose workers differ"):
        run("sweep", plan)


def test_a_sweep_is_run_shown_saved_and_resumed(plan: Path, run: Run) -> None:
    assert run("sweep", plan, "--check") == "2 cells, 6 runs\n"
    printed = run("sweep", plan, "--workers", 1, "--save", "rows.csv", "--chart", "chart.png")
    assert "mine: results in mine" in printed
    assert polars.read_csv("rows.csv").height == 2 * 3 * 4
    assert Path("chart.png").stat().st_size > 1000
    with pytest.raises(BadInput, match="'mine' has results: --resume goes on with them, --out names another folder"):
        run("sweep", plan)
    files = {path.name for path in Path("mine").iterdir()}
    again = json.loads(run("sweep", plan, "--resume", "--json", "--measure", "weak"))
    assert {path.name for path in Path("mine").iterdir()} == files
    assert [(row["policy"], row["runs"], row["measure"]) for row in again] == [
        ("uniform", 3, "weak"),
        ("rucb", 3, "weak"),
    ]


def test_a_search_says_what_is_best(plan: Path, run: Run) -> None:
    plan.write_text(SEARCH)
    printed = run("tune", plan, "--workers", 1, "--chart", "trials.svg")
    assert "best: rucb:alpha=" in printed
    found = json.loads(run("tune", plan, "--resume", "--json"))
    assert (len(found["trials"]), f"best: {found['best']}" in printed) == (3, True)


def test_what_cannot_be_is_one_line_and_what_is_set_aside_has_a_status(
    plan: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = command("sweep", plan, "--engine", "dusk")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr == "error: engine must be one of local, dask, cuda, not 'dusk' (did you mean 'dask'?)\n"
    (plan.parent / "breaks.py").write_text(
        "from duelist.dueling import Uniform\n"
        "class Breaks(Uniform):\n"
        "    name = 'it-breaks'\n"
        "    def best_arm(self):\n"
        "        raise RuntimeError('out of order')\n"
    )
    plan.write_text(PLAN.replace('"uniform", "rucb"', '"breaks:Breaks"'))
    done = command("sweep", plan, "--workers", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("set aside: policy breaks:Breaks, environment cyclic, horizon 300, seed 0")
    assert "RuntimeError: out of order" in done.stderr


def begin(plan: Path) -> subprocess.Popen[bytes]:
    """A sweep whose first task is short, and is over when this returns; the next takes for ever."""
    plan.write_text(PLAN.replace("horizon = 300", "horizon = [300, 1_000_000_000_000]"))
    program = Path(sys.executable).parent / "duelist"
    begun = subprocess.Popen([program, "sweep", plan, "--workers", "1"], stderr=subprocess.PIPE)
    until(lambda: list(Path("mine").glob("*.parquet")))
    return begun


def until(done: Callable[[], object]) -> None:
    """Wait for something that comes, on a busy machine too."""
    end = time.monotonic() + 240
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def test_ctrl_c_keeps_what_is_finished(plan: Path) -> None:
    begun = begin(plan)
    begun.send_signal(signal.SIGINT)
    _, said = begun.communicate(timeout=240)
    assert begun.returncode == 130
    assert b"stopped; what is finished is in mine, and --resume goes on" in said
    assert [found.axes["horizon"] for found in Sweep.read("mine").found] == [300]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to see the workers of a process")
def test_a_killed_sweep_keeps_what_is_finished_leaves_no_worker_behind_and_is_resumed(plan: Path, run: Run) -> None:
    begun = begin(plan)
    workers = Path(f"/proc/{begun.pid}/task/{begun.pid}/children").read_text().split()
    begun.kill()
    begun.communicate(timeout=240)
    assert workers
    until(lambda: not any(is_alive(worker) for worker in workers))
    before = {path.name: path.stat().st_mtime_ns for path in Path("mine").iterdir()}
    plan.write_text(PLAN)
    found = json.loads(run("sweep", plan, "--resume", "--workers", 1, "--json"))
    assert [row["mean"] for row in found] == [
        float(simulate(name, "cyclic", 300, 3, points=4).regret().mean) for name in ("uniform", "rucb")
    ]
    assert before.items() <= {path.name: path.stat().st_mtime_ns for path in Path("mine").iterdir()}.items()


def is_alive(process: str) -> bool:
    """Whether a process still runs; one that ended may wait to be buried."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
