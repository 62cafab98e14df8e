from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from duelist import BadInput, UnknownName
from duelist.core.memory import Floats, single
from duelist.data import Dataset, evaluate, synthetic
from duelist.online.continuous import descend_rankings
from duelist.online.continuous.dbgd import PointDBGD

PAGES = synthetic(queries=30, documents=15, features=4, grades=3, seed=2)


class Watcher(PointDBGD):
    """Compares the first feature with the second for ever, and counts what it is told."""

    name = "watcher"
    told: Floats = single(float)
    wins: Floats = single(float)
    chances: Floats = single(float)

    def aim(self, rng: np.random.Generator) -> None:
        self.points[:] = 0.0
        self.points[0, 0] = 1.0
        self.points[1, 1] = 1.0

    def move(self, won: bool, chance: float) -> bool:
        self.told[0] += 1.0
        self.wins[0] += won
        self.chances[0] += chance
        self.points[0, 2] = self.told[0]
        self.points[0, 3] = self.wins[0] + 0.5 * self.chances[0] / self.told[0]
        return False


def chances_by_query(scale: float) -> Floats:
    """That the ranking by the first feature is preferred to that by the second."""
    first, second = (evaluate(PAGES, PAGES.features[:, column], ["ndcg@10"])["ndcg@10"] for column in (0, 1))
    return np.asarray(1 / (1 + np.exp(-scale * (first - second))))


@pytest.mark.parametrize(("queries", "scale"), [(1, 10.0), (4, 10.0), (7, 2.0)])
def test_the_ranking_with_the_larger_ndcg_is_preferred_and_the_majority_decides(queries: int, scale: float) -> None:
    steps = 30_000
    found = descend_rankings(Watcher, PAGES, steps * queries, 1, 3, queries=queries, scale=scale, points=1)
    told, packed = found.last[0, 2:]
    wins, chance = int(packed), 2 * (packed - int(packed))
    lost = float(chances_by_query(scale).mean())
    assert told == steps
    assert chance == pytest.approx(lost, abs=4.5 * chances_by_query(scale).std() / math.sqrt(steps * queries))
    most = sum(
        math.comb(queries, n) * (1 - lost) ** n * lost ** (queries - n) for n in range(queries // 2 + 1, queries + 1)
    )
    assert wins / steps == pytest.approx(most, abs=4.5 * math.sqrt(most * (1 - most) / steps))


def test_the_average_is_the_ndcg_of_the_current_ranker() -> None:
    still = {"rate": 1e-9, "distance": 1.0}
    found = descend_rankings("dbgd", PAGES, 40_000, 1, 1, still, start=[3.0, 0.0, 0.0, 0.0], cutoff=5, points=3)
    assert found.last == pytest.approx(np.array([[1.0, 0.0, 0.0, 0.0]]), abs=1e-4)
    values = evaluate(PAGES, PAGES.features[:, 0], ["ndcg@5"])["ndcg@5"]
    assert found.ndcg == pytest.approx(np.full((1, 3), values.mean()), abs=1e-6)
    assert found.average[0] == pytest.approx(values.mean(), abs=4.5 * values.std() / 200)


@pytest.mark.parametrize(("algorithm", "queries"), [("dbgd", 1), ("dbgd", 10), ("bgd2", 10)])
def test_it_finds_a_good_ranker_on_the_sphere(algorithm: str, queries: int) -> None:
    steps = {"distance": 0.5, "rate": 0.02}
    found = descend_rankings(algorithm, PAGES, 40_000, 4, 1, steps, queries=queries)
    random = np.mean(
        [evaluate(PAGES, own, ["ndcg@10"])["ndcg@10"].mean() for own in np.random.default_rng(1).random((20, 450))]
    )
    assert found.ndcg[:, -1].min() > random + 0.2
    assert np.allclose(np.linalg.norm(found.last, axis=1), 1.0)


def test_the_same_seed_is_the_same_run_on_any_number_of_cores() -> None:
    one, two = (descend_rankings("dbgd", PAGES, 2000, 3, 7, cores=cores) for cores in (1, 2))
    assert (one.last == two.last).all()
    assert (one.ndcg == two.ndcg).all()
    assert len({tuple(row) for row in one.last.tolist()}) == 3


def test_queries_without_relevant_documents_are_left_out() -> None:
    empty = Dataset(PAGES.features, np.zeros_like(PAGES.labels), PAGES.offsets, PAGES.queries, PAGES.feature_numbers)
    with pytest.raises(BadInput, match="no query has a relevant document"):
        descend_rankings("dbgd", empty, 10)
    labels = np.where(np.arange(450) < 435, 0, PAGES.labels)
    last = Dataset(PAGES.features, labels, PAGES.offsets, PAGES.queries, PAGES.feature_numbers)
    still = {"rate": 1e-9, "distance": 1.0}
    found = descend_rankings("dbgd", last, 100, 1, 1, still, start=[1.0, 0.0, 0.0, 0.0])
    assert found.average[0] == pytest.approx(found.ndcg[0, -1])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"algorithm": "adam"}, UnknownName, "unknown algorithm 'adam'"),
        ({"comparisons": 10, "queries": 3}, BadInput, "comparisons must be a multiple of queries, 3, not 10"),
        ({"scale": 0.0}, BadInput, "scale must be above 0, not 0.0"),
        ({"cutoff": 0}, BadInput, "cutoff must be a whole number of at least 1, not 0"),
        ({"parameters": {"speed": 1}}, BadInput, "dbgd has no parameter 'speed'"),
        ({"start": [1.0, 2.0]}, BadInput, "start must be a number or 4 numbers"),
        ({"domain": "cube"}, UnknownName, "unknown domain 'cube'. Known: ball, sphere, box"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], error: type[Exception], message: str) -> None:
    settings: dict[str, Any] = {"algorithm": "dbgd", "data": PAGES, "comparisons": 10, **change}
    with pytest.raises(error, match=message):
        descend_rankings(**settings)
