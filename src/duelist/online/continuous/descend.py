"""Let an algorithm search a space for the point that people prefer, many times, and keep its regret."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from duelist.core.compile import python_function
from duelist.core.errors import BadInput, UnknownName
from duelist.core.intervals import Interval, interval
from duelist.core.memory import Floats, Ints
from duelist.core.parallel import Report, check_whole, in_slices, run_all
from duelist.core.seeds import check_seed, split_seed
from duelist.online.continuous.dbgd import BGD1, BGD2, PointDBGD, Searcher
from duelist.online.continuous.dm2l import PointDM2L
from duelist.online.continuous.domains import DOMAINS, Domain
from duelist.online.continuous.drift import Drift
from duelist.online.continuous.links import LINKS
from duelist.online.continuous.loop import World, compiled_run
from duelist.online.continuous.values import VALUES, Value

ALGORITHMS: dict[str, type[Searcher]] = {kind.name: kind for kind in (PointDBGD, BGD1, BGD2, PointDM2L)}
SLICE = 200_000  # comparisons after which a run reports progress and can be stopped


@dataclass(frozen=True)
class Descent:
    """Regret of one algorithm, one row a run.

    Regret is the sum form of the papers: what the best point of the moment would gain against both
    points compared, so a comparison of two bad points costs nearly 1.
    """

    algorithm: str
    parameters: dict[str, Any]  # step sizes as they were used
    value: str
    dimension: int
    horizon: int
    seed: int
    checkpoints: Ints
    regret: Floats  # up to each checkpoint
    last: Floats  # the point at the end of each run
    comparisons_per_second: float

    @property
    def curve(self) -> Floats:
        """The average regret of a comparison, up to each checkpoint."""
        return np.asarray(self.regret / self.checkpoints)

    @property
    def average(self) -> Interval:
        """The average regret of a comparison, over the whole run."""
        return interval(self.curve[:, -1])


class Search(NamedTuple):
    """All that the runs of one call share."""

    kind: type[Searcher]
    settings: dict[str, Any]
    function: Callable[..., float]
    link: Callable[..., float]
    domain: Domain
    start: Floats
    best: Floats
    drift: Drift
    dimension: int


def descend(
    algorithm: str | type[Searcher],
    value: str | Value | Callable[[Floats], float],
    dimension: int,
    horizon: int,
    runs: int = 5,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    *,
    first: int = 0,
    link: str | Callable[[float], float] = "logistic",
    domain: str = "ball",
    start: Any = None,
    drift: Drift | None = None,
    points: int = 20,
    cores: int | None = None,
    progress: bool | None = None,
) -> Descent:
    """Average regret of `algorithm` on a value function: `runs` independent runs of `horizon` comparisons.

    `value` is "p1" to "p5", a function of a point whose best point is 0, or a Value that says which
    point is best. `start` is the first point, by default what the paper prints,
    sqrt(5 / dimension) in every coordinate; it is brought into the domain. `drift` moves the best point.
    `parameters` are the algorithm's: radius, factor, lipschitz, distance, rate. `first` is the number of the first run.

    >>> def bowl(w):
    ...     return -((w[0] - 1.0) ** 2) - (w[1] + 0.5) ** 2
    >>> found = descend("dbgd", Value(bowl, [1.0, -0.5]), 2, 50_000, runs=40, seed=1, parameters={"radius": 2.0})
    >>> found.last.mean(0).round(1).tolist()
    [1.0, -0.5]
    """
    check_whole(1, dimension=dimension, horizon=horizon, runs=runs, points=points, cores=1 if cores is None else cores)
    check_whole(0, first=first)
    seeds = split_seed(check_seed("descend", seed), runs, first)
    wanted = _value(value)
    search = _search(algorithm, wanted, int(dimension), int(horizon), parameters or {}, link, domain, start, drift)
    checkpoints = np.unique(np.linspace(0, horizon, points + 1).round().astype(np.int64))[1:]
    _one_run(search, np.zeros(1, np.int64), np.random.SeedSequence(0), lambda steps: None)  # compiles

    def run(sequence: np.random.SeedSequence, report: Report) -> Any:
        return _one_run(search, checkpoints, sequence, report)

    done = run_all(run, seeds, f"{search.kind.name} on {wanted.name}", horizon * runs, cores, progress)
    return Descent(
        algorithm=search.kind.name,
        parameters=search.settings,
        value=wanted.name,
        dimension=int(dimension),
        horizon=int(horizon),
        seed=int(seed),
        checkpoints=checkpoints,
        regret=np.stack([regret for regret, _, _ in done]),
        last=np.stack([last for _, last, _ in done]),
        comparisons_per_second=horizon * runs / max(1e-9, sum(seconds for _, _, seconds in done)),
    )


def _one_run(
    search: Search, checkpoints: Ints, sequence: np.random.SeedSequence, report: Report
) -> tuple[Floats, Floats, float]:
    """The regret at each checkpoint, the last point and the seconds it took; without comparisons it only compiles."""
    own, people = map(np.random.default_rng, split_seed(sequence, 2))
    algorithm = search.kind(search.dimension, search.settings)
    algorithm.begin(search.start)
    world, loop = _world(search), compiled_run(search.kind, search.function, search.link, search.domain)
    totals, regret = np.zeros(2), np.zeros(checkpoints.size)

    def step(done: int, until: int) -> None:
        loop(algorithm.memory, world, done, until, totals, own, people)

    def note(point: int) -> None:
        regret[point] = totals[0]

    clock = time.thread_time()
    in_slices(step, checkpoints, SLICE, report, note)
    seconds = time.thread_time() - clock
    if totals[1] > 1e-9 * (1 + abs(world.best)):
        raise BadInput(
            f"the point said to be best is not: one was met that is {totals[1]:.3g} better; pass Value(f, best)"
        )
    return regret, algorithm.points[0], seconds


def _world(search: Search) -> World:
    best = float(python_function(search.function)(search.best))
    path = search.drift.path(search.settings["horizon"], search.dimension)
    centre, shifted = np.zeros(search.dimension), np.zeros(search.dimension)
    return World(path, best, np.zeros(1, np.int64), centre, shifted, np.zeros(1))


def _search(
    algorithm: Any,
    value: Value,
    dimension: int,
    horizon: int,
    parameters: Mapping[str, Any],
    link: Any,
    domain: str,
    start: Any,
    drift: Drift | None,
) -> Search:
    kind, (shape, space) = find_algorithm(algorithm, parameters), find_space(link, domain)
    settings = kind(dimension, {"horizon": horizon, **parameters}).parameter_values()
    settings |= kind.steps(space.reach(settings["radius"], dimension), dimension, settings)
    first = point_of("start", math.sqrt(5 / dimension) if start is None else start, dimension)
    python_function(space.project)(first[None], 0, settings["radius"])
    best = point_of("best", 0.0 if value.best is None else value.best, dimension)
    drift = Drift(0.0) if drift is None else drift
    _check_inside(space, best, drift, horizon, dimension, settings["radius"])
    return Search(kind, settings, value.function, shape, space, first, best, drift, dimension)


def find_algorithm(algorithm: Any, parameters: Mapping[str, Any]) -> type[Searcher]:
    """An algorithm by name or class; it must have these parameters."""
    kind: Any = named(ALGORITHMS, "algorithm", algorithm) if isinstance(algorithm, str) else algorithm
    if not (isinstance(kind, type) and issubclass(kind, Searcher)):
        raise BadInput(f"algorithm must be one of {', '.join(ALGORITHMS)} or a Searcher class, not {algorithm!r}")
    if unknown := sorted(parameters.keys() - kind.parameters().keys()):
        raise BadInput(f"{kind.name} has no parameter {unknown[0]!r}; its parameters: {', '.join(kind.parameters())}")
    return kind


def find_space(link: Any, domain: str) -> tuple[Callable[..., float], Domain]:
    """A link by name, or a function, and a domain by name."""
    return named(LINKS, "link", link) if isinstance(link, str) else link, named(DOMAINS, "domain", domain)


def _check_inside(space: Domain, best: Floats, drift: Drift, horizon: int, dimension: int, radius: float) -> None:
    """Regret is against the best point wherever it is, so it has to stay in the domain."""
    path = drift.path(horizon, dimension)
    corners = path.centres if not drift.turns else drift.away * np.eye(dimension)[[0, 1, 0, 1]] * [[1], [1], [-1], [-1]]
    for corner in best + corners:
        near = corner[None].copy()
        python_function(space.project)(near, 0, radius)
        if not np.allclose(near[0], corner):
            raise BadInput(f"the best point {corner.tolist()} is not in the {space.name} of radius {radius:g}")


def _value(given: Any) -> Value:
    given = named(VALUES, "value", given) if isinstance(given, str) else given
    made = given if isinstance(given, Value) else Value(given)
    if not callable(made.function):
        raise BadInput(f"value must be one of {', '.join(VALUES)}, a function or a Value, not {given!r}")
    return made


def named(known: Mapping[str, Any], family: str, name: str) -> Any:
    if name not in known:
        raise UnknownName(f"unknown {family} {name!r}. Known: {', '.join(known)}")
    return known[name]


def point_of(name: str, given: Any, dimension: int) -> Floats:
    try:
        point = np.broadcast_to(np.asarray(given, np.float64), (dimension,)).copy()
    except (TypeError, ValueError):
        raise BadInput(f"{name} must be a number or {dimension} numbers, not {given!r}") from None
    if not np.isfinite(point).all():
        raise BadInput(f"{name} must be finite, not {given!r}")
    return point
