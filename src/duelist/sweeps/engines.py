"""Engines by the names people type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from duelist.core.errors import BadInput
from duelist.core.parallel import check_whole
from duelist.core.parameters import meant
from duelist.sweeps.cluster import Cluster
from duelist.sweeps.local import Local, one_a_gpu
from duelist.sweeps.runner import Engine

ENGINES = {
    "local": "processes of this machine, one a core",
    "dask": "the workers of a Dask cluster",
    "cuda": "the GPUs of this machine, a process each",
}


@contextmanager
def open_engine(name: str, scheduler: str | None = None, workers: int | None = None) -> Iterator[Engine]:
    """The engine called `name`; its workers end with the block."""
    if name not in ENGINES:
        raise BadInput(f"engine must be one of {', '.join(ENGINES)}, not {name!r}{meant(name, ENGINES)}")
    if scheduler is not None and name != "dask":
        raise BadInput(f"a scheduler is for engine dask, not for {name}")
    if workers is not None:
        check_whole(1, workers=workers)
    if workers is not None and (name == "cuda" or scheduler is not None):
        raise BadInput("workers are chosen here for engine local alone: GPUs and clusters have as many as they have")
    engine: Engine = (
        Cluster(scheduler, workers) if name == "dask" else one_a_gpu() if name == "cuda" else Local(workers)
    )
    try:
        yield engine
    finally:
        engine.close()
