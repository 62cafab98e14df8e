"""The compiled loop of comparisons, written once for every algorithm, value, link and domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from duelist.core.compile import kernel, once, rebind, specialise
from duelist.core.memory import Floats, Ints
from duelist.online.continuous.dbgd import Searcher
from duelist.online.continuous.domains import Domain
from duelist.online.continuous.drift import Path, place


class World(NamedTuple):
    """What people want, and scratch space."""

    path: Path
    best: float  # the value of the best point
    segment: Ints  # the next row of path.centres
    centre: Floats
    shifted: Floats
    current: Floats  # the value of the current point, kept while neither it nor the centre moves


def value(point: Floats) -> float:
    """Bound to the value function."""
    raise TypeError("unbound")


def link(difference: float) -> float:
    """Bound to the link."""
    raise TypeError("unbound")


def aim(algorithm: Any, rng: np.random.Generator) -> None:
    """Bound to the algorithm's kernel."""
    raise TypeError("unbound")


def move(algorithm: Any, won: bool, chance: float) -> bool:
    """Bound to the algorithm's kernel."""
    raise TypeError("unbound")


def worth(world: World, points: Floats, row: int) -> float:
    """The value of a point, now."""
    for column in range(points.shape[1]):
        world.shifted[column] = points[row, column] - world.centre[column]
    return value(world.shifted)


def run(
    algorithm: Any,
    world: World,
    start: int,
    stop: int,
    totals: Floats,
    algorithm_rng: np.random.Generator,
    people_rng: np.random.Generator,
) -> None:
    """Comparisons `start` + 1 to `stop`. totals: regret so far, and the most by which a value was above the best."""
    moved = True
    for t in range(start + 1, stop + 1):
        moved |= place(world.path, t, world.segment, world.centre)
        if moved:
            world.current[0] = worth(world, algorithm.points, 0)
        aim(algorithm, algorithm_rng)
        tried = worth(world, algorithm.points, 1)
        chance = link(world.current[0] - tried)
        totals[0] += link(world.best - world.current[0]) + link(world.best - tried) - 1.0
        totals[1] = max(totals[1], world.current[0] - world.best, tried - world.best)
        moved = move(algorithm, people_rng.random() >= chance, chance)


@once
def compiled_run(
    algorithm: type[Searcher], function: Callable[..., float], shape: Callable[..., float], domain: Domain
) -> specialise:
    """The loop for one algorithm, value function, link and domain."""
    bound = {"project": kernel(domain.project)}
    kernels = {name: rebind(getattr(algorithm, name), bound) for name in ("aim", "move")}
    kernels["worth"] = rebind(worth, {"value": kernel(function)})
    return specialise(run, {**kernels, "link": shape})
