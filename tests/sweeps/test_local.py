"""Processes of this machine: the same bits however many there are, and nothing is lost when one is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

from duelist.core.cuda import Device
from duelist.core.errors import BadInput, MissingExtra
from duelist.core.spec import Spec
from duelist.sweeps import Cell, Folder, LearnerRuns, Local, Memory, PolicyRuns, open_engine, run_cells
from duelist.sweeps.local import one_a_gpu, serve
from duelist.sweeps.tasks import make_tasks

from .conftest import PATIENCE, assert_all_there, bits, until, waiting


@pytest.fixture
def two() -> Iterator[Local]:
    engine = Local(2)
    engine.chunk = 2.0
    yield engine
    engine.close()


def kill_who_waits(folder: Path, killed: list[int]) -> None:
    """kill -9 of the first process that waits; then nobody needs to wait any more."""
    number, process = until(lambda: waiting(folder))[0]
    os.kill(process, signal.SIGKILL)
    killed.append(number)
    (folder / "go").touch()


def test_a_killed_worker_loses_nothing(toys: ModuleType, tmp_path: Path, two: Local) -> None:
    cells = [toys.Toy(number, 1, "wait", str(tmp_path)) for number in range(4)]
    killed: list[int] = []
    killer = threading.Thread(target=kill_who_waits, args=(tmp_path, killed))
    killer.start()
    kept = Folder(tmp_path / "out", cells)
    assert run_cells(cells, kept, two) == []
    killer.join()
    assert len([number for number, _ in waiting(tmp_path) if number == killed[0]]) >= 2  # it was begun again
    assert_all_there(Folder(tmp_path / "out", cells), cells)
    assert_all_there(kept, cells)


def test_what_kills_or_fails_is_set_aside_by_name_and_the_rest_goes_on(
    toys: ModuleType, two: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toys.Toy, "cost", 0.001)  # all in one task
    cells = [toys.Toy(0, runs=1), toys.Toy(1, runs=1, act="die"), toys.Toy(2, runs=1, act="fail"), toys.Toy(3, runs=1)]
    told: list[int] = []
    aside = run_cells(cells, kept := Memory(cells), two, finished=told.append)
    assert sorted((done.task[0].place, done.trouble) for done in aside) == [
        (1, "it killed its worker 3 times"),
        (2, "ValueError: a toy that fails"),
    ]
    assert str(aside[0].task[0]) in ("toy 1: runs 0 to 0", "toy 2: runs 0 to 0")
    assert sorted(told) == [0, 1, 2, 3]
    assert kept.done() == [[range(1)], [], [], [range(1)]]
    again = [replace(cell, act="") for cell in cells]  # the same workers take more
    assert run_cells(again, kept, two) == []
    assert_all_there(kept, again)


def test_results_are_the_same_to_the_bit_however_many_work_and_whatever_a_task_is(tmp_path: Path, two: Local) -> None:
    policies = [Spec("policy", name) for name in ("rucb", "uniform")]
    cells: list[Cell] = [PolicyRuns(policy, "arxiv", 500, 5, seed, points=4) for policy in policies for seed in (0, 1)]
    cells.append(LearnerRuns(Spec("learner", "pdgd"), "synthetic:queries=30", impressions=100, runs=3, points=3))
    run_cells(cells, here := Memory(cells))
    for chunk in (500 * 5e-8 * 2, 1.0):
        two.chunk = chunk
        folder = Folder(tmp_path / str(chunk), cells)
        assert run_cells(cells, folder, two) == []
        for place, cell in enumerate(cells):
            wanted = bits(cell, here.result(place))
            assert bits(cell, folder.result(place)) == wanted
            assert bits(cell, Folder(folder.path, cells).result(place)) == wanted


def test_a_worker_that_lacks_a_module_says_so_and_lives(toys: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe:
        """The worker's end, with two tasks to come."""

        said: ClassVar[list[Any]] = []
        coming: ClassVar[list[Any]] = [ImportError("no module"), make_tasks([toys.Toy(3, 1)], [[]])[0], EOFError()]

        def recv(self) -> Any:
            given = self.coming.pop(0)
            if isinstance(given, Exception):
                raise given
            return given

        def send(self, said: Any) -> None:
            self.said.append(said)

    monkeypatch.setattr(signal, "signal", lambda *given: None)
    serve(Pipe())
    ready, missing, ([found], trouble) = Pipe.said
    assert (ready, missing, trouble) == ("ready", ([], "ImportError: no module"), "")
    assert found["last"].tolist() == [0.0]


def test_a_worker_that_cannot_start_is_not_tried_for_ever(tmp_path: Path) -> None:
    script = """
        from duelist.core.spec import Spec
        from duelist.sweeps import Local, Memory, PolicyRuns, run_cells
        cells = [PolicyRuns(Spec("policy", "uniform"), "cyclic", 10, 1)]
        run_cells(cells, Memory(cells), Local(1))
    """
    path = tmp_path / "unguarded.py"
    path.write_text(textwrap.dedent(script))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode != 0
    assert "a worker could not start" in done.stderr
    assert "if __name__ == '__main__'" in done.stderr


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("locl", {}, r"engine must be one of local, dask, cuda, not 'locl' \(did you mean 'local'\?\)"),
        ("local", {"scheduler": "tcp://x"}, "a scheduler is for engine dask, not for local"),
        ("local", {"workers": 0}, "workers must be a whole number of at least 1, not 0"),
        ("cuda", {"workers": 2}, "workers are chosen here for engine local alone"),
    ],
)
def test_engines_that_cannot_be(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message), open_engine(name, **options):
        pass


def test_a_worker_sees_one_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        Device()
    except MissingExtra:
        with pytest.raises(MissingExtra, match="engine cuda needs"):
            one_a_gpu()
    monkeypatch.setattr(Device, "__init__", lambda self: setattr(self, "cuda", type("Cuda", (), {"gpus": [0, 1]})))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert [settings["CUDA_VISIBLE_DEVICES"] for settings in one_a_gpu().settings] == ["0", "1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,7")
    engine = one_a_gpu()
    assert (engine.workers, [settings["CUDA_VISIBLE_DEVICES"] for settings in engine.settings]) == (2, ["5", "7"])
