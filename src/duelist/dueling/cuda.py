"""The simulation loop on a GPU: one run a thread, from the same text as on the CPU."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numba import float64

from duelist.core.compile import inlined, kernel, rebind
from duelist.core.cuda import Device, Launch
from duelist.core.errors import BadInput
from duelist.core.generator import set_generator
from duelist.core.layout import WARP, Layout
from duelist.core.memory import Ints
from duelist.core.parallel import in_slices
from duelist.core.progress import progress_bar, say_once
from duelist.dueling.environment import SUMS, Environment
from duelist.dueling.loop import Runs, kernels_of
from duelist.dueling.loop import run as run_template
from duelist.dueling.policy import Policy, reset

# Seconds: a launch is made longer below the first and shorter above the second, so that Ctrl-C is heard.
BRIEF, LONG = 0.2, 0.8
CHUNK = 2**28  # bytes that are copied from the device at a time
KEPT = len(SUMS)

# Bound when a loop is compiled: numba's module, the type of a generator, and for one policy and one environment
# the memory of run i, what it begins with, and the loop.
cuda: Any = None
GENERATOR: Any = None
memories: Any = None
begin: Any = None
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
    """The duels after `done` up to `until` of all runs, a thread each; `first` is the number of the first one."""
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
    policy, environment = memories(arenas, shared, i)
    set_generator(luck[0], key, first + i, 0, drawn[0, i])
    set_generator(luck[1], key, first + i, 1, drawn[1, i])
    for view in range(KEPT):
        sums[view] = totals[view, i]
    if done == 0:
        reset(policy, luck[0])
        begin(environment, shared)
    hits[i] = run(policy, environment, done, until, sums, luck[0], luck[1])
    for view in range(KEPT):
        totals[view, i] = sums[view]
    drawn[0, i], drawn[1, i] = luck[0].drawn, luck[1].drawn


def run_on_device(
    policy: Policy,
    world: Environment,
    checkpoints: Ints,
    runs: int,
    seed: np.random.SeedSequence,
    progress: bool | None = None,
    device: Any = None,
    first: int = 0,
) -> Runs:
    """The runs from number `first` on, in as many batches as the GPU's memory asks for.

    A run's luck depends on the seed and its number.
    """
    horizon, key = int(checkpoints[-1]), int(seed.generate_state(1, np.uint64)[0])
    engine = Engine(policy, world, horizon, device or Device())
    batch = engine.batch(runs)
    with progress_bar(f"{policy.name} on {world.describe()}", horizon * runs, progress) as advance:
        last = first + runs
        parts = [
            engine.run(key, start, min(batch, last - start), checkpoints, advance)
            for start in range(first, last, batch)
        ]
    sums, hits, arms = (np.concatenate(found) for found in list(zip(*parts, strict=True))[:3])
    return Runs(sums, hits, arms, sum(part.seconds for part in parts))


class Engine:
    """One policy in one environment on a device: the memory of many runs, and the loop."""

    def __init__(self, policy: Policy, world: Environment, horizon: int, device: Any, small: int | None = None) -> None:
        self.policy, self.device = policy, device
        memory = world.memory(horizon)
        found, again = arrays_in(memory, "world"), arrays_in(world.memory(horizon), "world")
        # What is made anew for each run may be written to; what is the same object is read by all.
        common = [array for path, array in found.items() if again[path] is array]
        own = {path: array for path, array in found.items() if again[path] is not array}
        self.layout = Layout([policy.memory, memory], common, small)
        self.shared = [*self.layout.shared, *own.values()]
        text = self._text(memory, own)
        template, roots = self._bind(type(policy), type(world), text)
        say_once(f"compiling {policy.name} for the GPU, once")
        self.launch: Launch = device.loop(template, *roots)

    def _text(self, memory: Any, own: dict[str, Any]) -> str:
        """The source of `memories`, and of `begin` for those arrays of the environment that a run has for itself."""
        layout = self.layout
        pair = f"({layout.text(self.policy.memory)}, {layout.text(memory)})"
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

    def _bind(self, kind: type[Policy], world: type[Environment], text: str) -> tuple[FunctionType, tuple[Any, ...]]:
        """The loop with all its names bound, and what it is compiled from."""
        names = self.device.names()
        space = {**self.layout.tuples, "window": names["window"], "np": np, "inf": math.inf, "nan": math.nan}
        exec(text, space)  # the arrays of a run have different types: their tuple cannot be made in a loop
        looped = rebind(run_template, {name: kernel(f) for name, f in kernels_of(kind, world).items()})
        fresh = kind.method("reset", kernel)
        bound = {"run": inlined(looped), "reset": inlined(fresh)}
        bound |= {name: inlined(space[name]) for name in ("memories", "begin")}
        template = rebind(threads, {**names, "one": inlined(rebind(one, bound))})
        return template, (looped, fresh, text, Path(__file__).read_bytes())

    def batch(self, runs: int) -> int:
        """How many of so many runs fit into the device's memory at once."""
        room, size = self.device.room(), self.layout.size + 8 * KEPT + 1 + 16
        fits = room // size // WARP * WARP
        if fits < 1:
            raise BadInput(f"{WARP} runs of {self.policy.name} take {WARP * size:,} bytes; the GPU has {room:,} free")
        return int(min(runs, fits))

    def run(self, key: int, first: int, runs: int, checkpoints: Ints, report: Callable[[int], None]) -> Runs:
        """The runs from number `first` on, together."""
        batch = Batch(self, key, first, runs, report)
        sums, hits = np.empty((runs, checkpoints.size, KEPT)), np.empty((runs, checkpoints.size), np.bool_)

        def note(point: int) -> None:
            sums[:, point], hits[:, point] = self.device.get(batch.totals).T, self.device.get(batch.hits)

        in_slices(batch.advance, checkpoints, int(checkpoints[-1]), lambda steps: None, note)
        return Runs(sums, hits, batch.best_arms(), batch.seconds)


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
        shared = tuple(map(device.put, engine.shared)) or (device.empty(1, np.float64),)
        self.totals = device.put(np.zeros((KEPT, runs)))
        self.hits, self.drawn = device.put(np.zeros(runs, np.bool_)), device.put(np.zeros((2, runs), np.uint64))
        self.start = np.int64(first), np.uint64(key)
        self.memory = self.arenas, shared, self.totals, self.hits, self.drawn
        self.seconds, self.steps = 0.0, 1
        self._launch(0, 0, 0)  # no run: compiles

    def advance(self, done: int, until: int) -> None:
        """The duels after `done` up to `until`, in launches of a fraction of a second."""
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

    def best_arms(self) -> Ints:
        """The arm that each run names best, asked of the policy itself."""
        layout, policy, found = self.engine.layout, self.engine.policy, []
        groups = max(1, CHUNK // (layout.size * WARP + 1))
        for first in range(0, self.runs, runs := groups * WARP):
            ends = [(size * first, size * (first + runs)) for size in layout.sizes]
            parts = [self.engine.device.get(arena[a:b]) for arena, (a, b) in zip(self.arenas, ends, strict=False)]
            for run in range(min(runs, self.runs - first)):
                layout.read(parts, run)
                found.append(policy.best_arm())
        return np.array(found)

    def _launch(self, runs: int, done: int, until: int) -> None:
        self.engine.launch(runs, np.int64(runs), *self.start, np.int64(done), np.int64(until), *self.memory)
