"""Many runs on all cores, with a progress bar, that can be interrupted."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Ints
from duelist.core.progress import progress_bar

T = TypeVar("T")
Report = Callable[[int], None]  # says how many steps were made; raises Interrupted when the run is to end


class Interrupted(KeyboardInterrupt):
    """Raised inside a run when another run failed, or somebody stopped them all."""


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

        def report(done: int) -> None:
            advance(done)
            if stop.is_set():
                raise Interrupted

        with ThreadPoolExecutor(cores or available_cores()) as pool:
            jobs = [pool.submit(run, seed, report) for seed in seeds]
            try:
                return [job.result() for job in jobs]
            except BaseException:
                stop.set()
                pool.shutdown(cancel_futures=True)
                raise


def in_slices(
    step: Callable[[int, int], None],
    checkpoints: Iterable[int],
    every: int,
    report: Report,
    note: Callable[[int], None],
    breaks: Sequence[int] = (),
) -> None:
    """Run a compiled loop from checkpoint to checkpoint.

    step(done, until) makes the steps after `done` up to `until`: at most `every` of them, so that a run can
    be stopped, and never across one of `breaks`, where the world changes. At each checkpoint, note(number)
    writes down how the run is doing. A checkpoint at 0 makes no step and calls all the same: it compiles.

    >>> made, noted = [], []
    >>> in_slices(lambda *part: made.append(part), [2, 10], 5, lambda n: None, noted.append, breaks=[6])
    >>> made, noted
    ([(0, 2), (2, 6), (6, 7), (7, 10)], [0, 1])
    """
    done = 0
    for point, checkpoint in enumerate(map(int, checkpoints)):
        within = {place for place in breaks if done < place < checkpoint}
        for until in sorted({*range(done + every, checkpoint, every), *within, checkpoint}):
            step(done, until)
            report(until - done)
            done = until
        note(point)


class Timed:
    """A step that adds up the seconds of CPU time that its calls took. Where notes are cheap, time the whole run."""

    def __init__(self, step: Callable[[int, int], None]) -> None:
        self.step, self.seconds = step, 0.0

    def __call__(self, done: int, until: int) -> None:
        clock = time.thread_time()
        self.step(done, until)
        self.seconds += time.thread_time() - clock


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checkpoints_until(horizon: int, points: int, changes: Sequence[int] = ()) -> Ints:
    """Up to so many times to note how a run is doing, evenly spaced in the logarithm; one is the end.

    Where the world changes late, as many again, evenly spaced in time, and the changes.

    >>> checkpoints_until(1000, 4).tolist(), checkpoints_until(1000, 1).tolist()
    ([1, 10, 100, 1000], [1000])
    >>> checkpoints_until(1000, 4, changes=[600]).tolist()
    [1, 10, 100, 250, 500, 600, 750, 1000]
    """
    if points == 1:
        return np.array([horizon])
    found = np.geomspace(1, horizon, points).round()
    if changes:
        found = np.array([*found, *np.ceil(np.linspace(0, horizon, points + 1)[1:]), *changes])
    return np.unique(found.astype(np.int64))


def check_whole(least: int, **numbers: Any) -> None:
    """An error that names the first of `numbers` that is not whole or below `least`."""
    for name, value in numbers.items():
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
            raise BadInput(f"{name} must be a whole number of at least {least}, not {value!r}")
