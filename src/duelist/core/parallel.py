"""Many runs on all cores, with a progress bar, that can be interrupted."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Ints
from duelist.core.progress import progress_bar

T = TypeVar("T")
Report = Callable[[int], bool]  # says how many steps were made, is told whether to go on


def run_all(
    run: Callable[[np.random.SeedSequence, Report], T],
    seeds: Sequence[np.random.SeedSequence],
    label: str,
    steps: int,
    cores: int | None = None,
    progress: bool | None = None,
) -> list[T]:
    """The results of one run a seed, in order. Runs are threads: compiled code lets them run at once."""
    stop = threading.Event()
    with progress_bar(label, steps, progress) as advance:

        def report(done: int) -> bool:
            advance(done)
            return not stop.is_set()

        with ThreadPoolExecutor(cores or available_cores()) as pool:
            jobs = [pool.submit(run, seed, report) for seed in seeds]
            try:
                return [job.result() for job in jobs]
            except BaseException:
                stop.set()
                pool.shutdown(cancel_futures=True)
                raise


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checkpoints_until(horizon: int, points: int) -> Ints:
    """Up to so many times to note how a run is doing, evenly spaced in the logarithm; one is the end.

    >>> checkpoints_until(1000, 4).tolist(), checkpoints_until(1000, 1).tolist()
    ([1, 10, 100, 1000], [1000])
    """
    if points == 1:
        return np.array([horizon])
    return np.unique(np.geomspace(1, horizon, points).round().astype(np.int64))


def check_whole(least: int, **numbers: Any) -> None:
    """An error that names the first of `numbers` that is not whole or below `least`."""
    for name, value in numbers.items():
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
            raise BadInput(f"{name} must be a whole number of at least {least}, not {value!r}")
