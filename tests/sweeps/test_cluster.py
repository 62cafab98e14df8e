"""A Dask cluster of this machine's processes: nothing is lost when a worker is killed, and the bits are the same."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from duelist.core.errors import BadInput, MissingExtra
from duelist.core.spec import Spec
from duelist.sweeps import Folder, Memory, PolicyRuns, run_cells
from duelist.sweeps import cluster as cluster_module
from duelist.sweeps.cluster import Cluster

from .conftest import PATIENCE, assert_all_there, until, waiting


@pytest.fixture
def cluster(toys: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Two workers that find the toys."""
    monkeypatch.setattr(cluster_module, "PATIENCE", PATIENCE)
    engine = Cluster(workers=2)
    engine.chunk = 2.0
    yield engine
    engine.close()


def forgive_nothing(dask_scheduler: Any) -> None:
    """A task that killed one worker is not tried again; usually it may kill three, which takes long."""
    dask_scheduler.allowed_failures = 0


def test_a_killed_worker_loses_nothing_and_what_kills_is_set_aside(
    toys: ModuleType, tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill_who_waits() -> None:
        os.kill(until(lambda: waiting(tmp_path))[0][1], signal.SIGKILL)
        (tmp_path / "go").touch()

    cells = [toys.Toy(number, 1, "wait", str(tmp_path)) for number in range(4)]
    killer = threading.Thread(target=kill_who_waits)
    killer.start()
    assert run_cells(cells, Folder(tmp_path / "out", cells), cluster) == []
    killer.join()
    assert len(waiting(tmp_path)) > len(cells)  # one was begun again
    assert_all_there(Folder(tmp_path / "out", cells), cells)

    # The same cluster, its address given as people give it.
    other = Cluster(cluster.client.scheduler.address)
    try:
        policy = [PolicyRuns(Spec("policy", "rucb"), "arxiv", 300, 4, seed) for seed in (0, 1)]
        run_cells(policy, here := Memory(policy))
        run_cells(policy, there := Memory(policy), other)
        for place in (0, 1):
            assert there.result(place).curve().tobytes() == here.result(place).curve().tobytes()
        bad = [toys.Toy(0, 1), toys.Toy(1, 1, "fail")]
        (aside,) = run_cells(bad, Memory(bad), other)
        assert (aside.task[0].place, aside.trouble) == (1, "ValueError: a toy that fails")
        with pytest.raises(BadInput, match="engine cuda needs workers with the resource GPU"):
            run_cells(gpu := [toys.Toy(0, engine="cuda")], Memory(gpu), other)
        with monkeypatch.context() as patch:
            patch.setattr(cluster_module, "__version__", "0.0.1")
            with pytest.raises(BadInput, match=r"the workers have duelist .*, and here is duelist 0\.0\.1, numpy"):
                run_cells(bad, Memory(bad), other)
        other.client.run_on_scheduler(forgive_nothing)
        (aside,) = run_cells(worse := [toys.Toy(2, 1, "die")], Memory(worse), other)
        assert aside.trouble == "it killed its workers"
    finally:
        other.close()


def test_a_scheduler_that_is_not_there_is_named(toys: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "PATIENCE", 0.5)
    cells = [toys.Toy(0)]
    with pytest.raises(BadInput, match=r"no Dask workers at 'tcp://127\.0\.0\.1:1'"):
        run_cells(cells, Memory(cells), Cluster("tcp://127.0.0.1:1"))


def test_without_dask_the_extra_is_named(toys: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    cells = [toys.Toy(0)]
    with pytest.raises(MissingExtra, match=r"pip install 'duelist\[dask\]'"):
        run_cells(cells, Memory(cells), Cluster())
