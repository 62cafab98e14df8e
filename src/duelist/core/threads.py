"""Many runs of one compiled loop at once, one a thread of a device: their memory, and how far each has come."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba import float64

from duelist.core.compile import inlined, rebind
from duelist.core.cuda import Launch
from duelist.core.errors import BadInput
from duelist.core.generator import set_generator
from duelist.core.layout import WARP, Layout
from duelist.core.memory import Floats
from duelist.core.progress import say_once

# Seconds: a launch is made longer below the first and shorter above the second, so that Ctrl-C is heard.
BRIEF, LONG = 0.2, 0.8
CHUNK = 2**28  # bytes that are copied from the device at a time

# Bound when a loop is compiled: numba's module, the type of a generator, how many sums a run keeps, and for one agent
# in one world the memory of run i, what it begins with, and the loop.
cuda: Any = None
GENERATOR: Any = None
KEPT: int = 0
memories: Any = None
begin: Any = None
reset: Any = None
run: Any = None


def threads(
    runs: int,
    first: Any,
    key: Any,
    done: int,
    until: int,
    arenas: Any,
    shared: Any,
    totals: Any,
    hits: Any,
    drawn: Any,
) -> None:
    """The steps after `done` up to `until` of all runs, a thread each; `first` is the number of the first one."""
    i = cuda.grid(1)
    if i < runs:
        luck = cuda.local.array(2, GENERATOR)
        sums = cuda.local.array(KEPT, float64)
        one(i, first, key, done, until, arenas, shared, totals, hits, drawn, luck, sums)


def one(
    i: int,
    first: Any,
    key: Any,
    done: int,
    until: int,
    arenas: Any,
    shared: Any,
    totals: Any,
    hits: Any,
    drawn: Any,
    luck: Any,
    sums: Any,
) -> None:
    """Run i. Its luck and sums are its own while it runs, so that the compiler can keep them in registers."""
    agent, world = memories(arenas, shared, i)
    set_generator(luck[0], key, first + i, 0, drawn[0, i])
    set_generator(luck[1], key, first + i, 1, drawn[1, i])
    for place in range(KEPT):
        sums[place] = totals[place, i]
    if done == 0:
        reset(agent, luck[0])
        begin(world, shared)
    hits[i] = run(agent, world, done, until, sums, luck[0], luck[1])
    for place in range(KEPT):
        totals[place, i] = sums[place]
    drawn[0, i], drawn[1, i] = luck[0].drawn, luck[1].drawn


class Job(NamedTuple):
    """What each run does: the same for all but for their luck."""

    label: str
    agent: Any  # memory of one, which every run has for itself
    world: Any  # memory of what it lives in,
    again: Any  # made twice: what is the same object is read by all, what is not each run has for itself
    loop: FunctionType  # loop(agent, world, done, until, sums, luck of the agent, luck of the world): a flag
    reset: FunctionType  # reset(agent, luck)
    sums: Floats  # that a run begins with


class Engine:
    """A job on a device: the memory of many runs, and the loop."""

    def __init__(self, job: Job, device: Any, small: int | None = None) -> None:
        self.job, self.device = job, device
        found, again = arrays_in(job.world, "world"), arrays_in(job.again, "world")
        common = [array for path, array in found.items() if again[path] is array]
        own = {path: array for path, array in found.items() if again[path] is not array}
        self.layout = Layout([job.agent, job.world], common, small)
        self.shared = [*self.layout.shared, *own.values()]
        text = self._text(own)
        say_once(f"compiling {job.label} for the GPU, once")
        self.launch: Launch = device.loop(self._bind(text), job.loop, job.reset, text, Path(__file__).read_bytes())

    def _text(self, own: dict[str, Any]) -> str:
        """The source of `memories`, and of `begin` for those arrays of the world that a run has for itself."""
        layout = self.layout
        pair = f"({layout.text(self.job.agent)}, {layout.text(self.job.world)})"
        copies = [
            f"for i in np.ndindex({array.shape!r}): {path}[i] = shared[{number}][i]"  # slices need a counted reference
            for number, (path, array) in enumerate(own.items(), len(layout.shared))
        ]
        lines = [
            "def memories(arenas, shared, i):",
            f"    group, lane = i // {WARP}, i % {WARP}",
            f"    return {pair}",
            "def begin(world, shared):",
            *(f"    {copy}" for copy in copies or ["pass"]),
        ]
        return "\n".join(lines)

    def _bind(self, text: str) -> FunctionType:
        """The loop with all its names bound."""
        names = self.device.names() | {"KEPT": self.job.sums.size}
        space = {**self.layout.tuples, "window": names["window"], "np": np, "inf": math.inf, "nan": math.nan}
        exec(text, space)  # the arrays of a run have different types: their tuple cannot be made in a loop
        bound = {"run": inlined(self.job.loop), "reset": inlined(self.job.reset), "KEPT": names["KEPT"]}
        bound |= {name: inlined(space[name]) for name in ("memories", "begin")}
        return rebind(threads, {**names, "one": inlined(rebind(one, bound))})

    def batches(self, first: int, runs: int) -> Iterator[tuple[int, int]]:
        """The runs from number `first` on, as many at a time as fit into the device's memory: first and how many."""
        room, size = self.device.room(), self.layout.size + 8 * self.job.sums.size + 1 + 16
        fits = int(room // size // WARP * WARP)
        if fits < 1:
            raise BadInput(f"{WARP} runs of {self.job.label} take {WARP * size:,} bytes; the GPU has {room:,} free")
        for start in range(first, first + runs, fits):
            yield start, min(fits, first + runs - start)


def arrays_in(value: Any, path: str) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays in a tuple and the tuples in it, by the expression that reads them.

    >>> list(arrays_in((1, np.zeros(2), (np.ones(3),)), "world"))
    ['world[1]', 'world[2][0]']
    """
    if isinstance(value, np.ndarray):
        return {path: value}
    if not isinstance(value, tuple):
        return {}
    names = [f".{name}" for name in getattr(value, "_fields", ())] or [f"[{i}]" for i in range(len(value))]
    return {p: a for name, item in zip(names, value, strict=True) for p, a in arrays_in(item, path + name).items()}


class Batch:
    """The runs that are on the device at once."""

    def __init__(self, engine: Engine, key: int, first: int, runs: int, report: Callable[[int], None]) -> None:
        self.engine, self.runs, self.report = engine, runs, report
        device, layout = engine.device, engine.layout
        self.arenas = tuple(map(device.empty, layout.elements(runs), layout.types)) or (device.empty(1, np.float64),)
        self.share(engine.shared)
        self.totals = device.put(np.repeat(engine.job.sums[:, None], runs, axis=1))
        self.hits, self.drawn = device.put(np.zeros(runs, np.bool_)), device.put(np.zeros((2, runs), np.uint64))
        self.start = np.int64(first), np.uint64(key)
        self.seconds, self.steps = 0.0, 1
        self._launch(0, 0, 0)  # no run: compiles

    def share(self, arrays: list[Any]) -> None:
        """Let all runs read these from now on, of the shapes and types of those before."""
        device = self.engine.device
        self.shared = tuple(map(device.put, arrays)) or (device.empty(1, np.float64),)

    def advance(self, done: int, until: int) -> None:
        """The steps after `done` up to `until`, in launches of a fraction of a second."""
        while done < until:
            steps = min(self.steps, until - done)
            clock = time.perf_counter()
            self._launch(self.runs, done, done + steps)
            took = time.perf_counter() - clock
            self.seconds += took
            if took > LONG:
                self.steps = max(1, steps // 2)
            elif took < BRIEF and steps == self.steps:
                self.steps *= 2
            self.report(steps * self.runs)
            done += steps

    def sums(self) -> Any:
        """What each run has summed up, a row a run."""
        return self.engine.device.get(self.totals).T

    def ends(self) -> Iterator[int]:
        """The number in the batch of one run after the other, whose memory is in the job's arrays meanwhile."""
        layout, device = self.engine.layout, self.engine.device
        groups = max(1, CHUNK // (layout.size * WARP + 1))
        for first in range(0, self.runs, runs := groups * WARP):
            ends = [(size * first, size * (first + runs)) for size in layout.sizes]
            parts = [device.get(arena[a:b]) for arena, (a, b) in zip(self.arenas, ends, strict=False)]
            for run in range(min(runs, self.runs - first)):
                layout.read(parts, run)
                yield first + run

    def _launch(self, runs: int, done: int, until: int) -> None:
        span = np.int64(done), np.int64(until)
        memory = self.arenas, self.shared, self.totals, self.hits, self.drawn
        self.engine.launch(runs, np.int64(runs), *self.start, *span, *memory)
