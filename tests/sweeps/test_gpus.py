"""A GPU a worker, by a fake list of two and emulated devices: the same bits, whoever dies and when it is resumed."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import duelist.dueling.cuda
import duelist.online.cuda
from duelist.core.cuda import Device
from duelist.core.errors import BadInput
from duelist.core.spec import Spec
from duelist.sweeps import Cell, Folder, Local, Memory, run_cells, tasks
from duelist.sweeps import cluster as cluster_module
from duelist.sweeps.cluster import Cluster, load_distributed
from duelist.sweeps.local import one_a_gpu
from duelist.testing.emulated import Emulated

from .conftest import PATIENCE, assert_all_there, bits, until, waiting

# Workers load it from a folder. The first worker of this machine that is given later runs of a policy dies.
CELLS = """
    import os, signal
    from pathlib import Path
    from types import SimpleNamespace
    import duelist.core.cuda, duelist.dueling.cuda, duelist.online.cuda
    from duelist.core.errors import MissingExtra
    from duelist.sweeps import LearnerRuns, PolicyRuns
    from duelist.testing.emulated import Emulated

    duelist.dueling.cuda.Device = duelist.online.cuda.Device = Emulated
    DIED = Path(__file__).parent / "died"

    class Duels(PolicyRuns):
        def run(self, first, runs, cores=None):
            if "CUDA_VISIBLE_DEVICES" in os.environ and first and not DIED.exists():
                DIED.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().run(first, runs, cores)

    class Lessons(LearnerRuns):
        pass

    def pretend(name):
        def device():
            if name == "none":
                raise MissingExtra("engine cuda needs an NVIDIA GPU")
            return SimpleNamespace(uuid=name or os.environ["CUDA_VISIBLE_DEVICES"])
        duelist.core.cuda.Device = device
"""


@pytest.fixture
def emulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module of cells that run on an emulated device, which few runs fill."""
    for module in (duelist.dueling.cuda, duelist.online.cuda):
        monkeypatch.setattr(module, "Device", Emulated)
    monkeypatch.setattr(tasks, "WIDE", 1)
    (tmp_path / "emulated_cells.py").write_text(textwrap.dedent(CELLS))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("emulated_cells")
    del sys.modules["emulated_cells"]


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Local]:
    """The engine cuda of a machine that seems to have two."""
    monkeypatch.setattr(Device, "__init__", lambda self: setattr(self, "cuda", SimpleNamespace(gpus=[0, 1])))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    engine = one_a_gpu()
    yield engine
    engine.close()


def cells_of(module: ModuleType) -> list[Any]:
    duels = module.Duels(Spec("policy", "winner-stays-strong"), "arxiv", 200, 6, points=3, engine="cuda")
    lessons = module.Lessons(Spec("learner", "pdgd"), "synthetic:queries=30", impressions=50, runs=2, engine="cuda")
    return [duels, lessons]


def assert_same(kept: Folder, wanted: Memory, cells: list[Cell]) -> None:
    for place, cell in enumerate(cells):
        assert bits(cell, kept.result(place)) == bits(cell, wanted.result(place))


def test_bits_are_those_of_one_process_though_a_worker_died_and_more_runs_were_wanted_later(
    emulated: ModuleType, two_gpus: Local, tmp_path: Path
) -> None:
    cells = cells_of(emulated)
    run_cells(cells, here := Memory(cells))
    fewer = [replace(cell, runs=runs) for cell, runs in zip(cells, (4, 1), strict=True)]
    two_gpus.chunk = fewer[0].cost * 2  # two runs of a policy, or one of a learner
    assert run_cells(fewer, Folder(tmp_path / "out", fewer), two_gpus) == []
    assert emulated.DIED.exists()
    resumed = Folder(tmp_path / "out", cells)
    assert [sum(map(len, parts)) for parts in resumed.done()] == [4, 1]
    two_gpus.chunk = 5.0  # what is left of a cell is one task
    assert run_cells(cells, resumed, two_gpus) == []
    assert_same(Folder(tmp_path / "out", cells), here, cells)


def gpus(folder: Path) -> dict[int, str]:
    """Of each process that ran a toy that waits, the GPU that it sees."""
    names = [path.name.split("-") for path in folder.glob("gpu-*")]
    return {int(process): gpu for _, gpu, process in names}


def assert_all_run(cells: list[Any], engine: Local | Cluster, meanwhile: Callable[[], None]) -> None:
    """All cells are run, and none fails, while another thread does something."""
    thread, kept = threading.Thread(target=meanwhile), Memory(cells)
    thread.start()
    assert run_cells(cells, kept, engine) == []
    thread.join()
    assert_all_there(kept, cells)


def test_each_worker_has_a_gpu_and_who_comes_for_one_that_died_has_the_same(
    toys: ModuleType, two_gpus: Local, tmp_path: Path
) -> None:
    cells = [toys.Toy(number, 1, "wait", str(tmp_path), "cuda") for number in range(4)]
    two_gpus.chunk = 1.0
    at_first: dict[int, str] = {}

    def kill_one() -> None:
        until(lambda: len({process for _, process in waiting(tmp_path)}) == 2)
        at_first.update(gpus(tmp_path))
        os.kill(min(at_first), signal.SIGKILL)
        until(lambda: len(gpus(tmp_path)) == 3)
        (tmp_path / "go").touch()

    assert_all_run(cells, two_gpus, kill_one)
    assert sorted(at_first.values()) == ["0", "1"]
    (late,) = gpus(tmp_path).keys() - at_first.keys()
    assert gpus(tmp_path)[late] == at_first[min(at_first)]


def test_workers_that_would_share_a_gpu_are_refused(toys: ModuleType) -> None:
    cells = [toys.Toy(0, engine="cuda")]
    with pytest.raises(BadInput, match="2 workers would share one GPU: a sweep with engine cuda has one worker a GPU"):
        run_cells(cells, Memory(cells), Local(2))


@pytest.fixture
def mixed(toys: ModuleType, emulated: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Three workers of a Dask cluster, two of which have a GPU."""
    monkeypatch.setattr(cluster_module, "PATIENCE", PATIENCE)
    distributed = load_distributed()
    common = {"nthreads": 1, "host": "127.0.0.1", "dashboard": False}
    has_gpu = [{"env": {"CUDA_VISIBLE_DEVICES": gpu}, "resources": {"GPU": 1}} for gpu in "01"]
    workers = [{"cls": distributed.Nanny, "options": {**common, **more}} for more in (*has_gpu, {})]
    scheduler = {"cls": distributed.Scheduler, "options": {"host": "127.0.0.1", "port": 0, "dashboard": False}}
    with distributed.SpecCluster(dict(enumerate(workers)), scheduler, silence_logs=40) as cluster:
        engine = Cluster(cluster.scheduler_address)
        engine.client = engine._connect(distributed)
        engine.client.wait_for_workers(3, timeout=PATIENCE)
        yield engine
        engine.close()


def test_workers_of_a_cluster_have_a_gpu_each_and_the_others_none(
    toys: ModuleType, emulated: ModuleType, mixed: Cluster, tmp_path: Path
) -> None:
    cells = [toys.Toy(number, 1, "wait", str(tmp_path), "cuda") for number in range(3)]

    def let_go() -> None:
        until(lambda: len(gpus(tmp_path)) == 2)
        (tmp_path / "go").touch()

    mixed.client.run(emulated.pretend, "")
    mixed.chunk = 1.0
    assert_all_run(cells, mixed, let_go)
    assert sorted(gpus(tmp_path).values()) == ["0", "1"]  # the third worker has none, and was given nothing

    real = cells_of(emulated)[:1]  # a learner would take each worker seconds to compile
    run_cells(real, here := Memory(real))
    emulated.DIED.touch()
    there = Folder(tmp_path / "out", real)
    assert run_cells(real, there, mixed) == []
    assert_same(there, here, real)

    mixed.client.run(emulated.pretend, "GPU-7")
    with pytest.raises(BadInput, match=r"workers tcp\S+ and tcp\S+ have the same GPU, GPU-7: start each with its own"):
        run_cells(cells, Memory(cells), mixed)
    mixed.client.run(emulated.pretend, "none")
    with pytest.raises(BadInput, match="says that it has a GPU: engine cuda needs an NVIDIA GPU"):
        run_cells(cells, Memory(cells), mixed)
