"""Speed of the offline rankers on fold 1 of a data set, beside other packages where they are installed.

Everyone trains on the same documents, and MAP on the test set stands beside the time. Times move from
machine to machine: compare rows of one run. Ceilings are for MQ2008.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.memory import Floats
from duelist.core.parallel import check_whole
from duelist.core.progress import progress_bar
from duelist.data import Dataset, Fold, evaluate, mean, read_fold, synthetic
from duelist.present.tables import Table

CEILINGS = {"svm-map, C = 1": 0.03, "svm-map, C = 100": 0.2, "svm-pairwise, C = 100": 0.05}
QUERIES = 780  # as MQ2008 has
ORACLE = "MAP oracle, 1,000 x 100,000 documents"
ORACLE_CEILING = 0.01
OURS = [(name, cost) for name in ("svm-map", "svm-roc", "svm-pairwise", "svm-ndcg", "svm-mrr") for cost in (1, 100)]

Score = Callable[[Dataset], Floats]
Fit = Callable[[], Score]


def bench_rankers(runs: int = 5, data: str | Path | None = None, queries: int = QUERIES) -> list[dict[str, Any]]:
    """A row a ranker: the best time of `runs` fits, and MAP on the test set.

    `data` is a directory that `read_fold` knows; without it a synthetic set of so many queries.
    """
    check_whole(1, runs=runs)
    fold = read_fold(data) if data is not None else _synthetic_fold(queries)
    ways = _ours(fold.train) | _peers(fold.train)
    rows = []
    with progress_bar("bench", len(ways) + 1) as advance:
        for name, fit in ways.items():
            seconds, score = _best_time(fit, runs if "svm" in name else 1)
            found = mean(evaluate(fold.test, score(fold.test), ["map"]), fold.test)["map"]
            rows.append({"name": name, "seconds": seconds, "ceiling": CEILINGS.get(name), "map": found})
            advance(1)
        seconds, _ = _best_time(_oracle(), max(runs, 10))
        rows.append({"name": ORACLE, "seconds": seconds, "ceiling": ORACLE_CEILING, "map": None})
    return rows


def _synthetic_fold(queries: int) -> Fold:
    pages = synthetic(queries=queries, documents=20, features=40, grades=3, noise=2.0, seed=1).normalised()
    parts = np.split(np.arange(queries), [3 * queries // 5, 4 * queries // 5])
    return Fold(*(pages.select(part) for part in parts))


def _best_time(fit: Callable[[], Any], runs: int) -> tuple[float, Any]:
    result = fit()  # compiles what has to be
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        result = fit()
        best = min(best, time.perf_counter() - start)
    return best, result


def _ours(train: Dataset) -> dict[str, Fit]:
    from duelist.offline.rankers import make_ranker, query_numbers, scores_of

    def fitting(name: str, cost: float) -> Fit:
        def fit() -> Score:
            ranker = make_ranker(name, C=cost).fit(train.features, train.labels, query_numbers(train))
            return lambda data: scores_of(ranker, data)

        return fit

    return {f"{name}, C = {cost}": fitting(name, cost) for name, cost in OURS}


def _oracle() -> Callable[[], float]:
    """One search for the most violated ranking of a long query, sorting included."""
    from duelist.offline.average_precision import SVMMap
    from duelist.offline.queries import Queries

    rng = np.random.default_rng(1)
    labels = np.repeat([1.0, 0.0], [1_000, 100_000])
    queries = Queries(np.zeros((len(labels), 0)), labels, np.array([0, len(labels)]))
    find, scores, out = SVMMap().finder(queries), rng.standard_normal(len(labels)) + labels, np.empty(len(labels))
    return lambda: find(scores, out)


def _peers(train: Dataset) -> dict[str, Fit]:
    found: dict[str, Fit] = {}
    for name, make in (("lightgbm", _trees), ("xgboost", _trees), ("dlib", _dlib), ("sklearn", _linear_svc)):
        with suppress(ImportError):
            import_module(name)
            label = {"dlib": "dlib svm_rank, C = 100", "sklearn": "LinearSVC of all pairs, C = 100"}.get(name, name)
            found[label] = make(train, name)
    return found


def _trees(train: Dataset, package: str) -> Fit:
    from duelist.offline.rankers import make_ranker, query_numbers

    def fit() -> Score:
        ranker = make_ranker(package).fit(train.features, train.labels, query_numbers(train))
        return lambda data: ranker.predict(data.features)

    return fit


def _linear_svc(train: Dataset, package: str) -> Fit:
    """The pairwise SVM with the pairs built, every other one turned round to have two classes."""
    svm: Any = import_module("sklearn.svm")

    def fit() -> Score:
        parts = []
        for query in range(train.n_queries):
            features, labels = train.features[train.rows(query)], train.labels[train.rows(query)]
            better, worse = np.nonzero(labels[:, None] > labels)
            parts.append(features[better] - features[worse])
        pairs = np.concatenate(parts)
        signs = np.where(np.arange(len(pairs)) % 2, 1.0, -1.0)
        model = svm.LinearSVC(loss="hinge", fit_intercept=False, C=100 / len(pairs), max_iter=10_000)
        weights = model.fit(pairs * signs[:, None], signs).coef_[0]
        return lambda data: np.asarray(data.features @ weights)

    return fit


def _dlib(train: Dataset, package: str) -> Fit:
    dlib: Any = import_module(package)

    def fit() -> Score:
        pairs = dlib.ranking_pairs()
        for query in range(train.n_queries):
            features, labels = train.features[train.rows(query)], train.labels[train.rows(query)]
            if 0 < (labels > 0).sum() < len(labels):
                pair = dlib.ranking_pair()
                for row, label in zip(features, labels, strict=True):
                    (pair.relevant if label > 0 else pair.nonrelevant).append(dlib.vector(row.tolist()))
                pairs.append(pair)
        trainer = dlib.svm_rank_trainer()
        trainer.c = 100
        weights = np.array(trainer.train(pairs).weights)
        return lambda data: np.asarray(data.features @ weights)

    return fit


def rankers_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a ranker; the ceiling stands behind the slash."""
    lines = [
        [
            row["name"],
            f"{row['seconds']:.4f}" + (f" / {row['ceiling']:g}" if row["ceiling"] else ""),
            "" if row["map"] is None else f"{row['map']:.4f}",
        ]
        for row in rows
    ]
    missing = [
        name for name in ("lightgbm", "xgboost", "dlib") if not any(row["name"].startswith(name) for row in rows)
    ]
    notes = [f"Not installed and left out: {', '.join(missing)}."] if missing else []
    return Table(["ranker", "seconds / ceiling", "test MAP"], lines, notes)
