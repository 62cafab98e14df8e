"""How time and memory grow: with the horizon, arms, documents, features, runs, workers, and finished cells."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.parallel import available_cores
from duelist.core.parameters import meant
from duelist.core.spec import Spec
from duelist.data.load import load_fold
from duelist.dueling.simulate import prepare, simulate
from duelist.online.simulate import learn
from duelist.present.charts import Lines, Panel, Series
from duelist.present.tables import Table
from duelist.sweeps import Cell, Folder, Here, Local, Memory, Plan, PolicyRuns, run_cells
from duelist.sweeps.tasks import START, missing

POLICIES = ("rucb", "rmed1", "d-ts", "rex3")
LEARNERS = ("pdgd", "dbgd")
LONG = 0.5  # seconds of a long task, at least
CELLS = (100, 1_000, 10_000)
ROUNDS = 3  # one and several workers take turns, and the best of each counts


class Point(NamedTuple):
    """One measurement."""

    axis: str
    what: str
    value: int
    speed: float
    unit: str
    megabytes: float | None = None  # of one run, of the data, or of the results


def scale_horizon() -> Iterator[Point]:
    """Duels a second on arXiv, the longer a run is."""
    for policy in POLICIES:
        for horizon in (10**3, 10**4, 10**5, 10**6, 10**7):
            yield _duels("horizon", policy, "arxiv", horizon, max(1, 10**5 // horizon), horizon)


def scale_arms() -> Iterator[Point]:
    """Duels a second of random Bradley-Terry arms."""
    for policy in POLICIES:
        for arms in (4, 16, 64, 256, 1024):
            yield _duels("arms", policy, f"bradley-terry:arms={arms}", 20_000 if arms < 1_000 else 2_000, 1, arms)


def scale_runs() -> Iterator[Point]:
    """Duels a second, and what the result of so many runs takes."""
    for runs in (1, 10, 100, 1_000, 10_000):
        point = _duels("runs", "rucb", "arxiv", 1_000, runs, runs)
        yield point._replace(megabytes=runs * 100 * 6 * 8 / 1e6)  # a checkpoint has up to six sums of eight bytes


def _duels(axis: str, policy: str, world: str, horizon: int, runs: int, value: int) -> Point:
    simulate(policy, world, 1, 1, cores=1, progress=False)  # compiles
    found = simulate(policy, world, horizon, runs, seed=1, cores=1, points=1, progress=False)
    template, _ = prepare(policy, world, horizon)
    return Point(axis, policy, value, found.steps_per_second, "duels/s", _bytes(template.memory) / 1e6)


def scale_documents() -> Iterator[Point]:
    """Impressions a second, the more documents a query has."""
    for learner in LEARNERS:
        for documents in (10, 30, 100, 300, 1_000):
            yield _impressions("documents", learner, f"documents={documents},features=50", documents)


def scale_features() -> Iterator[Point]:
    """Impressions a second, the more features a document has."""
    for learner in LEARNERS:
        for features in (10, 50, 200, 700, 2_000):
            yield _impressions("features", learner, f"documents=20,features={features}", features)


def _impressions(axis: str, learner: str, size: str, value: int) -> Point:
    fold = load_fold(f"synthetic:queries=50,{size},seed=1")
    many = max(100, min(5_000, 2_000_000 // value))
    found = learn(learner, fold, "navigational", many, 1, seed=1, points=1, cores=1, progress=False)
    return Point(axis, learner, value, found.impressions_per_second, "impressions/s", fold.train.features.nbytes / 1e6)


def scale_workers() -> Iterator[Point]:
    """Runs a second in a sweep of long tasks; all numbers of workers take turns in every round."""
    numbers = sorted({1, *(2**k for k in range(1, 8) if 2**k <= available_cores()), available_cores()})
    horizon = _long_horizon()
    tasks = 4 * numbers[-1]
    crews = {number: Local(number) for number in numbers}
    took: dict[int, list[tuple[float, float]]] = {number: [] for number in numbers}
    try:
        for crew in crews.values():
            crew.chunk = 1e-9  # every run is a task
            _sweep_seconds(crew, 10, crew.workers)  # starts, loads, compiles
        for _ in range(ROUNDS):
            for number, crew in crews.items():
                took[number].append(_sweep_seconds(crew, horizon, tasks))
    finally:
        for crew in crews.values():
            crew.close()
    for place, (what, unit) in enumerate([("of the clock", "runs/s"), ("of CPU time", "runs/CPU s")]):
        for number in numbers:
            yield Point("workers", what, number, tasks / min(seconds[place] for seconds in took[number]), unit)


def _long_horizon() -> int:
    """Duels of RUCB that take as long as a long task."""
    simulate("rucb", "arxiv", 1, 1, progress=False)
    return int(LONG * simulate("rucb", "arxiv", 10**6, 1, cores=1, progress=False).steps_per_second)


def _sweep_seconds(crew: Local, horizon: int, runs: int) -> tuple[float, float]:
    """Seconds of the clock, and of CPU time of the workers: the latter also tell on a machine that is busy."""
    cells: list[Cell] = [PolicyRuns(Spec("policy", "rucb"), "arxiv", horizon, runs, points=1)]
    kept, clock = Memory(cells), time.perf_counter()
    run_cells(cells, kept, crew, progress=False)
    return time.perf_counter() - clock, horizon * runs / kept.result(0).steps_per_second


class Quick(Here):
    """Many cells a task, so that they are made soon."""

    chunk: float | None = 100 * START["cpu"]


def scale_cells() -> Iterator[Point]:
    """Finished cells that a sweep finds again in a second: plan read and checked, footers read, nothing left to do."""
    for cells in CELLS:
        alphas = np.linspace(0.6, 4.0, cells // 10).round(6).tolist()
        record = {"policies": "rucb", "environments": "arxiv", "horizon": 10, "runs": 1, "points": 1}
        record |= {"seeds": list(range(10)), "set": {"alpha": alphas}}
        with tempfile.TemporaryDirectory() as folder:
            plan = Plan.from_dict(record)
            run_cells(plan.cells, Folder(Path(folder), plan.cells), Quick(), progress=False)
            clock = time.process_time()
            again = Plan.from_dict(record)
            done = Folder(Path(folder), again.cells).done()
            seconds = time.process_time() - clock
        assert not any(missing(1, parts) for parts in done)
        yield Point("cells", "resume", cells, cells / seconds, "cells/s")


AXES: dict[str, Callable[[], Iterator[Point]]] = {
    "horizon": scale_horizon,
    "arms": scale_arms,
    "documents": scale_documents,
    "features": scale_features,
    "runs": scale_runs,
    "workers": scale_workers,
    "cells": scale_cells,
}


def bench_scale(axes: Sequence[str] | None = None) -> list[Point]:
    """The curves of these axes, or of all."""
    for axis in axes or ():
        if axis not in AXES:
            raise BadInput(f"axes are {', '.join(AXES)}, not {axis!r}{meant(axis, AXES)}")
    return [point for axis in axes or AXES for point in AXES[axis]()]


def growth(points: Sequence[Point]) -> float:
    """How the time of a step grows over the last two points: as the value to this power.

    >>> round(growth([Point("arms", "rucb", 10, 8.0, ""), Point("arms", "rucb", 100, 0.08, "")]), 2)
    2.0
    """
    (first, last) = points[-2:]
    return -math.log(last.speed / first.speed) / math.log(last.value / first.value)


def scale_table(points: Sequence[Point]) -> Table:
    """A row a measurement, the growth of its curve beside the last."""
    rows = []
    for curve in _curves(points):
        for place, point in enumerate(curve, 1):
            size = "" if point.megabytes is None else f"{point.megabytes:,.3g}"
            ratio = f"{point.speed / curve[0].speed:.2f}"
            power = f"{growth(curve):+.1f}" if place == len(curve) > 1 else ""
            rows.append(
                [f"{point.axis} {point.value:,}", point.what, _number(point.speed), point.unit, ratio, power, size]
            )
    notes = [
        "ratio: of the first speed of its curve; power: a step's time grows as the axis to this power, at its end",
        "MB: the state of a run; of documents and features the training data, of runs their results",
        "speed: of CPU time on one core; of workers the best of rounds in which all numbers take turns",
    ]
    return Table(["axis", "what", "speed", "unit", "ratio", "power", "MB"], rows, notes)


def scale_chart(points: Sequence[Point]) -> Lines:
    """A panel an axis."""
    panels = []
    for axis in dict.fromkeys(point.axis for point in points):
        curves = [curve for curve in _curves(points) if curve[0].axis == axis]
        lines = [Series(c[0].what, [p.value for p in c], np.array([p.speed for p in c])) for c in curves]
        panels.append(Panel(f"{curves[0][0].unit} by {axis}", lines, axis != "workers"))
    return Lines(panels, "how many", "speed, by size")


def _curves(points: Sequence[Point]) -> list[list[Point]]:
    found: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        found.setdefault((point.axis, point.what), []).append(point)
    return list(found.values())


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _bytes(memory: Any) -> int:
    """Of all arrays in tuples."""
    if isinstance(memory, tuple):
        return sum(map(_bytes, memory))
    return memory.nbytes if isinstance(memory, np.ndarray) else 0
