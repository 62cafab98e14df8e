"""Search for the ranker whose rankings people prefer, told no more than which of two rankings that is.

Yue, Joachims. Interactively Optimizing Information Retrieval Systems as a Dueling Bandits
Problem. ICML 2009, section 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from duelist.core.compile import kernel, once, python_function, rebind, specialise
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.core.parallel import Report, check_whole, in_slices, run_all
from duelist.core.sampling import below
from duelist.core.seeds import check_seed, split_seed
from duelist.data import Dataset, evaluate
from duelist.data import mean as mean_over_queries
from duelist.online.continuous.dbgd import Searcher
from duelist.online.continuous.descend import SLICE, find_algorithm, find_space, point_of
from duelist.online.continuous.domains import Domain
from duelist.online.continuous.loop import aim, link, move
from duelist.online.directions import draw_direction
from duelist.online.page import Page, dot, mix_page, rank_page, room
from duelist.online.users import measure_gains


@dataclass(frozen=True)
class RankingDescent:
    """What one algorithm found, one row a run."""

    algorithm: str
    parameters: dict[str, Any]  # step sizes as they were used
    queries: int  # compared before a step
    comparisons: int
    seed: int
    checkpoints: Ints
    ndcg: Floats  # of the current ranker on the data set, at each checkpoint
    average: Floats  # NDCG of the rankings of the current ranker, over all comparisons
    last: Floats  # weights at the end


class Crowd(NamedTuple):
    """People who come with a query and prefer, by and large, the ranking with the larger NDCG."""

    features: Floats
    shares: Floats  # of the best discounted gain of its query, what a document gains in the first place
    offsets: Ints
    discounts: Floats  # by slot
    scale: float
    queries: int  # compared before a step
    counts: Floats  # of the step under way: comparisons won less those lost, and the chances that they would be lost


def descend_rankings(
    algorithm: str | type[Searcher],
    data: Dataset,
    comparisons: int,
    runs: int = 5,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    *,
    queries: int = 1,
    scale: float = 10.0,
    cutoff: int = 10,
    link: str | Callable[[float], float] = "logistic",
    domain: str = "sphere",
    start: Any = None,
    points: int = 20,
    cores: int | None = None,
    progress: bool | None = None,
) -> RankingDescent:
    """`runs` searches for linear weights, by `comparisons` of two rankings of a random query each.

    A ranking is preferred to another with the probability link(scale * (difference of NDCG@cutoff)), the
    paper's by default. A step is taken if the tried weights win more of `queries` comparisons than they
    lose; the paper does not say how, so this is our reading. `parameters` are the algorithm's; only the
    direction of weights matters, so the domain is the sphere of radius 1. `start` is random by default.
    Queries without relevant documents are left out: no ranking of them is better than another.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=50, documents=20, features=5, seed=1)
    >>> found = descend_rankings("dbgd", pages, 20_000, runs=2, seed=1, parameters={"distance": 1.0, "rate": 0.01})
    >>> found.ndcg[:, -1].round(2).tolist()
    [0.88, 0.87]
    """
    check_whole(1, comparisons=comparisons, runs=runs, queries=queries, cutoff=cutoff, points=points)
    seeds = split_seed(check_seed("descend_rankings", seed), runs)
    if not 0 < scale < np.inf:
        raise BadInput(f"scale must be above 0, not {scale!r}")
    if comparisons % queries:
        raise BadInput(f"comparisons must be a multiple of queries, {queries}, not {comparisons!r}")
    kind, (shape, space) = find_algorithm(algorithm, parameters or {}), find_space(link, domain)
    dimension, steps = data.n_features, comparisons // queries
    settings = kind(dimension, {"horizon": steps, "radius": 1.0, **(parameters or {})}).parameter_values()
    settings |= kind.steps(space.reach(settings["radius"], dimension), dimension, settings)
    loop = compiled_run(kind, shape, space)
    crowd = _crowd(data, cutoff, float(scale), int(queries))
    checkpoints = np.unique(np.linspace(0, steps, points + 1).round().astype(np.int64))[1:] * queries
    begin = None if start is None else point_of("start", start, dimension)[None]

    def run(
        sequence: np.random.SeedSequence, report: Report, until: Ints = checkpoints
    ) -> tuple[Floats, float, Floats]:
        return _one_run(kind(dimension, settings), loop, space, data, crowd, until, begin, sequence, report)

    run(seeds[0], lambda steps: None, np.zeros(1, np.int64))  # compiles
    done = run_all(run, seeds, f"{kind.name}, {queries} queries a step", comparisons * runs, cores, progress)
    ndcg, average, last = (np.stack(parts) for parts in zip(*done, strict=True))
    return RankingDescent(
        kind.name, settings, int(queries), int(comparisons), int(seed), checkpoints, ndcg, average, last
    )


def _crowd(data: Dataset, cutoff: int, scale: float, queries: int) -> Crowd:
    data = data.select(data.relevant_queries())
    if not data.n_queries:
        raise BadInput("no query has a relevant document, so that no ranking is better than another")
    gains, discounts, ideal = measure_gains(data, cutoff)
    shares = gains[data.labels] / np.repeat(ideal, np.diff(data.offsets))
    return Crowd(data.features, shares, data.offsets, discounts, scale, queries, np.zeros(2))


def _one_run(
    algorithm: Searcher,
    loop: specialise,
    domain: Domain,
    data: Dataset,
    crowd: Crowd,
    checkpoints: Ints,
    start: Floats | None,
    sequence: np.random.SeedSequence,
    report: Report,
) -> tuple[Floats, float, Floats]:
    own, people = map(np.random.default_rng, split_seed(sequence, 2))
    first = np.empty((1, algorithm.dimension))
    draw_direction(first, 0, own)
    first = first if start is None else start.copy()
    python_function(domain.project)(first, 0, algorithm.radius)
    algorithm.begin(first[0])
    crowd = crowd._replace(counts=np.zeros(2))
    total, ndcg = np.zeros(1), np.zeros(checkpoints.size)
    longest, places = int(np.diff(crowd.offsets).max()), crowd.discounts.size
    space, measure = room(max(longest, places), 2), f"ndcg@{places}"

    def step(done: int, until: int) -> None:
        loop(algorithm.memory, crowd, space, done, until, total, own, people)

    def note(point: int) -> None:
        scores = data.features @ algorithm.points[0]
        ndcg[point] = mean_over_queries(evaluate(data, scores, [measure]), data, empty="skip")[measure]

    in_slices(step, checkpoints, SLICE, report, note)
    return ndcg, float(total[0] / max(1, checkpoints[-1])), algorithm.points[0].copy()


@kernel
def ndcg_of(page: Page, crowd: Crowd, ranker: int) -> float:
    """NDCG of the ranking by the scores in page.wanted[ranker]."""
    for document in range(page.size):
        page.scores[document] = page.wanted[ranker, document]
    rank_page(page, crowd.discounts.size, ranker)
    total = 0.0
    for slot in range(min(page.size, crowd.discounts.size)):
        total += crowd.shares[page.first + page.rankings[ranker, slot]] * crowd.discounts[slot]
    return total


def run(
    algorithm: Any,
    crowd: Crowd,
    space: Any,
    start: int,
    stop: int,
    total: Floats,
    algorithm_rng: np.random.Generator,
    people_rng: np.random.Generator,
) -> None:
    """Comparisons `start` + 1 to `stop`. total: NDCG of the current ranker's rankings so far."""
    scores, order, placed, rankings, wanted = space
    keys = order  # nobody asks who the documents are
    for t in range(start, stop):
        if t % crowd.queries == 0:
            aim(algorithm, algorithm_rng)
            crowd.counts[:] = 0.0
        query = below(crowd.offsets.size - 1, people_rng)
        first, size = crowd.offsets[query], crowd.offsets[query + 1] - crowd.offsets[query]
        page = Page(crowd.features, keys, first, size, scores, order, placed, rankings, wanted)
        mix_page(page, people_rng)
        for document in range(size):
            for ranker in range(2):
                wanted[ranker, document] = dot(crowd.features, first + document, algorithm.points, ranker)
        current, tried = ndcg_of(page, crowd, 0), ndcg_of(page, crowd, 1)
        total[0] += current
        chance = link(crowd.scale * (current - tried))
        crowd.counts[0] += 1.0 if people_rng.random() >= chance else -1.0
        crowd.counts[1] += chance
        if t % crowd.queries == crowd.queries - 1:
            move(algorithm, crowd.counts[0] > 0.0, crowd.counts[1] / crowd.queries)


@once
def compiled_run(algorithm: type[Searcher], shape: Callable[..., float], domain: Domain) -> specialise:
    """The loop for one algorithm, link and domain."""
    bound = {"project": kernel(domain.project)}
    kernels = {name: rebind(getattr(algorithm, name), bound) for name in ("aim", "move")}
    return specialise(run, {**kernels, "link": shape})
