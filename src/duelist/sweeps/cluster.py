"""Workers of a Dask cluster, on any number of machines. Needs the extra `dask`."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from typing import Any

from duelist import __version__
from duelist.core.errors import BadInput, MissingExtra
from duelist.core.parallel import available_cores
from duelist.sweeps.local import answer
from duelist.sweeps.tasks import CHUNK, Done, Retries, Task

PATIENCE = 60.0  # seconds until the first worker must be there
GPU = "GPU"  # what a worker that has one calls it: dask worker --resources GPU=1


class Cluster:
    """The workers of the scheduler at an address; without one, processes of this machine with their own scheduler.

    Tasks of a worker that dies are given to others by the scheduler, which also counts how many one has killed.
    """

    chunk: float | None = CHUNK

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        self.address, self.workers = address, workers
        self.open = ExitStack()
        self.client: Any = None

    def run(self, tasks: Sequence[Task]) -> Iterator[Done]:
        distributed, retries = load_distributed(), Retries()
        client = self.client = self.client or self._connect(distributed)
        _check_workers(client, tasks)
        given = {_submit(client, task): task for task in tasks}
        coming = distributed.as_completed(list(given), loop=client.loop)
        try:
            for future in coming:
                task, found = given.pop(future), _answer(distributed, future)
                future.release()
                again = retries.after_error(task) if found.trouble else []
                for part in again:  # of a task that kills, the scheduler has tried a single part often enough
                    given[fresh := _submit(client, part)] = part
                    coming.add(fresh)
                if not again:
                    yield Done(task, found.results, found.trouble)
        finally:
            client.cancel(list(given))  # interrupted: what they are at is not wanted any more

    def close(self) -> None:
        """Leave the cluster; end it if it was started here."""
        self.client = None
        self.open.close()

    def _connect(self, distributed: Any) -> Any:
        address: Any = self.address
        if address is None:
            address = self.open.enter_context(
                distributed.LocalCluster(
                    n_workers=self.workers or available_cores(),
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address=None,
                    silence_logs=logging.ERROR,
                )
            )
        try:
            client = self.open.enter_context(distributed.Client(address, timeout=PATIENCE, set_as_default=False))
            client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, TimeoutError, ValueError) as error:
            raise BadInput(f"no Dask workers at {self.address!r}: {error}") from None
        return client


def _submit(client: Any, task: Task) -> Any:
    resources = {GPU: 1} if task[0].cell.engine == "cuda" else None
    return client.submit(answer, task, pure=False, resources=resources)


def _answer(distributed: Any, future: Any) -> Done:
    """What a future came to."""
    try:
        results, trouble = future.result()
        return Done((), results, trouble)
    except distributed.scheduler.KilledWorker:
        return Done((), [], "it killed its workers")
    except Exception as error:  # lost on the way, or a worker that cannot load it
        return Done((), [], f"{type(error).__name__}: {error}")


def _check_workers(client: Any, tasks: Sequence[Task]) -> None:
    """All workers run this version, and some have a GPU of their own where one is needed."""
    found = client.run(versions, on_error="return").values()
    for error in found:
        if isinstance(error, ImportError):  # other errors are of workers that are just dying
            raise BadInput(f"a worker cannot load duelist: {error}")
    if others := sorted({text for text in found if isinstance(text, str)} - {versions()}):
        raise BadInput(f"the workers have {'; '.join(others)}, and here is {versions()}")
    if any(task[0].cell.engine == "cuda" for task in tasks):
        _check_gpus(client)


def _check_gpus(client: Any) -> None:
    """Some workers have a GPU, and no two the same one: each would take most of its memory."""
    having = client.run_on_scheduler(_have_gpu)
    if not having:
        raise BadInput(
            f"engine cuda needs workers with the resource {GPU}, and there is none: start one a GPU, with its own "
            f"CUDA_VISIBLE_DEVICES, by dask worker ADDRESS --nthreads 1 --resources {GPU}=1; for those of this machine "
            "alone, engine cuda needs no cluster"
        )
    owners: dict[str, str] = {}
    for worker, found in client.run(_which_gpu, workers=having, on_error="return").items():
        if isinstance(found, MissingExtra):
            raise BadInput(f"worker {worker} says that it has a {GPU}: {found}")
        other = owners.setdefault(found, worker) if isinstance(found, str) else worker  # or it is just dying
        if other != worker:
            raise BadInput(
                f"workers {other} and {worker} have the same {GPU}, {found}: start each with its own "
                "CUDA_VISIBLE_DEVICES"
            )


def versions() -> str:
    """Of all that results depend on: their last bits may differ with those of numpy and numba too."""
    return f"duelist {__version__}, numpy {version('numpy')}, numba {version('numba')}"


def _have_gpu(dask_scheduler: Any) -> list[str]:
    return [address for address, worker in dask_scheduler.workers.items() if worker.resources.get(GPU)]


def _which_gpu() -> str:
    from duelist.core.cuda import Device

    return Device().uuid


def load_distributed() -> Any:
    """The package."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import distributed
    except ImportError as error:
        raise MissingExtra("engine dask needs dask.distributed: pip install 'duelist[dask]'") from error
    return distributed
