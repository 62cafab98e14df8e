"""Rankers that duel for clicks: two rankings of a random query as one list, and a simulated user who clicks."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from duelist.clicks.cascade import Cascade, cascade, cascade_clicks
from duelist.core.compile import compiled, kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.core.named import named
from duelist.core.parameters import limits
from duelist.core.sampling import below
from duelist.data import Dataset, evaluate, read_fold, synthetic
from duelist.dueling.environment import ENVIRONMENTS, Environment, pack
from duelist.dueling.environments.matrix import Matrix
from duelist.interleaving.team_draft import team_draft

Arms = Annotated[int, limits("how many rankers", low=2)]
Folder = Annotated[str, limits("a directory with S1 to S5 or train, vali and test files; empty: made data")]
Source = Annotated[str, limits("what the rankers are", choices=("features", "random"))]
Seed = Annotated[int, limits("of the rankers", low=0)]


class Rankers(Environment):
    """Linear rankers of a data set. A duel draws a query, interleaves by team draft and counts simulated clicks.

    Which ranker is better is measured first, with `checks` duels of every pair: regret is by these.

    >>> data = synthetic(queries=20, documents=15, features=4, seed=1).normalised()
    >>> world = Rankers(data, np.eye(4), cascade("navigational", grades=data.max_label + 1))
    >>> world.n_arms, world.matrix.preference.shape
    (4, (4, 4))
    """

    sums: ClassVar[tuple[str, ...]] = Matrix.sums

    def __init__(
        self, data: Dataset, weights: Floats, users: Cascade, length: int = 10, checks: int = 10_000, seed: int = 0
    ) -> None:
        data = data.select(data.relevant_queries())
        if not data.n_queries:
            raise BadInput("no query has a relevant document, so that no ranker is better than another")
        self.n_arms, self.users, self.length = len(weights), users, length
        users.check_labels(data.labels)
        self.labels, self.first = data.labels, data.offsets[:-1]
        self.rankings = rank_all(data, weights, length)
        self.widest = int(np.diff(data.offsets).max())
        wins = np.full((self.n_arms, self.n_arms), 0.5)
        self.matrix = Matrix(wins)  # nothing is known yet
        measure(self.memory(0), checks, np.random.default_rng(seed), wins)
        self.matrix = Matrix(wins, "rankers")

    def memory(self, horizon: int) -> Any:
        return pack(
            rankings=self.rankings,
            labels=self.labels,
            first=self.first,
            click=self.users.click,
            stop=self.users.stop,
            examined=self.users.rule == "examined",
            pair=np.zeros((2, self.length), np.int64),
            shown=np.zeros(self.length, np.int64),
            teams=np.zeros(self.length, np.int64),
            grades=np.zeros(self.length, np.int64),
            clicked=np.zeros(self.length, np.bool_),
            order=np.zeros((2, 2), np.int64),
            placed=np.zeros(self.widest, np.bool_),
            gap=self.matrix.gap,
            best=self.matrix.best,
        )

    def duel(self, t: int, left: int, right: int, rng: np.random.Generator) -> float:
        return click_duel(self, left, right, rng)

    account = Matrix.account

    def best_arms(self, view: str, horizon: int) -> list[int]:
        return self.matrix.best_arms(view, horizon)


def rank_all(data: Dataset, weights: Floats, length: int) -> Ints:
    """rankings[query, ranker, rank]: documents, counted from 0 within their query, and -1 behind the last."""
    found = np.full((data.n_queries, len(weights), length), -1, np.int64)
    scores = data.features @ np.asarray(weights, np.float64).T
    for query in range(data.n_queries):
        order = np.argsort(-scores[data.rows(query)], axis=0, kind="stable")[:length]
        found[query, :, : len(order)] = order.T
    return found


@kernel
def click_duel(self: Any, left: int, right: int, rng: np.random.Generator) -> float:
    """1 if the documents of `left` get more clicks, 0 if those of `right` do, .5 if as many."""
    query = below(self.rankings.shape[0], rng)
    for rank in range(self.pair.shape[1]):
        self.pair[0, rank], self.pair[1, rank] = self.rankings[query, left, rank], self.rankings[query, right, rank]
    size = team_draft(self.pair, self.shown.size, True, rng, self.order, self.placed, self.shown, self.teams)
    for slot in range(size):
        self.grades[slot] = self.labels[self.first[query] + self.shown[slot]]
    cascade_clicks(self.grades[:size], self.click, self.stop, self.examined, rng, self.clicked)
    lead = 0
    for slot in range(size):
        if self.clicked[slot] and self.teams[slot] >= 0:
            lead += 1 - 2 * self.teams[slot]
    return 0.5 if lead == 0 else 1.0 if lead > 0 else 0.0


@compiled
def measure(self: Any, checks: int, rng: np.random.Generator, wins: Floats) -> None:
    """wins[i, j]: the mean outcome of so many duels of i and j."""
    for left in range(wins.shape[0]):
        for right in range(left + 1, wins.shape[0]):
            total = 0.0
            for _ in range(checks):
                total += click_duel(self, left, right, rng)
            wins[left, right] = total / checks
            wins[right, left] = 1.0 - wins[left, right]


def draw_rankers(path: str, fold: int, arms: int, source: str, seed: int) -> tuple[Dataset, Floats]:
    """Training queries, and a row of weights for each ranker."""
    made = synthetic(queries=100, documents=20, features=20, grades=3, seed=1)
    data = (read_fold(path, fold).train if path else made).normalised()
    luck = np.random.default_rng(seed)
    if source == "random":
        return data, luck.standard_normal((arms, data.n_features))
    useful = np.flatnonzero(np.ptp(data.features, axis=0) > 0)
    if arms > useful.size:
        raise BadInput(f"arms must be at most {useful.size}, the features that differ, not {arms}")
    return data, np.eye(data.n_features)[luck.permutation(useful)[:arms]]


@named(ENVIRONMENTS, "rankers")
def rankers(
    path: Folder = "",
    fold: Annotated[int, limits("which fold's training queries", low=1)] = 1,
    arms: Arms = 10,
    source: Source = "features",
    clicks: Annotated[str, limits("how people click: a cascade model")] = "navigational",
    length: Annotated[int, limits("documents shown", low=1)] = 10,
    checks: Annotated[int, limits("duels of every pair that say which ranker is better", low=1)] = 10_000,
    seed: Seed = 0,
) -> Rankers:
    """Features of a data set, or random linear rankers, that duel for clicks on interleaved lists."""
    data, weights = draw_rankers(path, fold, arms, source, seed)
    return Rankers(data, weights, cascade(clicks, grades=data.max_label + 1), length, checks, seed)


@named(ENVIRONMENTS, "ndcg-rankers")
def ndcg_rankers(
    path: Folder = "",
    fold: Annotated[int, limits("which fold's training queries", low=1)] = 1,
    arms: Arms = 100,
    source: Source = "random",
    scale: Annotated[float, limits("of the differences in NDCG@10", above=0)] = 10.0,
    seed: Seed = 0,
) -> Matrix:
    """People see both rankings of a random query and prefer one by the logistic of NDCG@10; thesis 5.5.2."""
    data, weights = draw_rankers(path, fold, arms, source, seed)
    data = data.select(data.relevant_queries())
    quality = np.stack([evaluate(data, data.features @ each, ["ndcg@10"])["ndcg@10"] for each in weights])
    preference = np.full((arms, arms), 0.5)
    for arm in range(arms):
        preference[arm] = (1 / (1 + np.exp(-scale * (quality[arm] - quality)))).mean(1)
    return Matrix((preference + 1 - preference.T) / 2, "ndcg-rankers")
