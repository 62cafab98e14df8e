"""Speed of the metrics: NDCG@10 and MAP of 10,000 queries with 100 documents each.

Ours against dense numpy, and against ranx where it is installed. All are given the same scores
and labels, and the values they find are compared. Times move from machine to machine: compare
rows of one run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

from duelist.core.memory import Floats, Ints
from duelist.data import Dataset, evaluate, mean
from duelist.present.tables import Table

QUERIES, DOCUMENTS = 10_000, 100
RELEVANT = (0.1, 0.2, 0.5)  # shares of relevant documents; MQ2008 has 0.19, the MSLR sample 0.45
FLOORS = {"numpy": 3.0, "ranx": 10.0}  # how many times as long each of these should take
TOLERANCE = 1e-9

Job = Callable[[], tuple[float, float]]  # the mean NDCG@10 and the MAP


def bench_metrics(runs: int, queries: int = QUERIES) -> list[dict[str, Any]]:
    """A row for each share of relevant documents and each way: the best time of `runs`, and the values."""
    rows: list[dict[str, Any]] = []
    for share in RELEVANT:
        rng = np.random.default_rng(1)
        labels = (rng.random((queries, DOCUMENTS)) < share) * rng.integers(1, 5, (queries, DOCUMENTS))
        best, values = _measure(_ways(labels, rng.random((queries, DOCUMENTS))), runs)
        rows += [
            {
                "name": name,
                "relevant": share,
                "milliseconds": best[name] * 1000,
                "times_ours": best[name] / best["duelist"],
                "floor": FLOORS.get(name),
                "ndcg@10": values[name][0],
                "map": values[name][1],
                "agrees": bool(np.allclose(values[name], values["numpy"], rtol=0, atol=TOLERANCE)),
            }
            for name in best
        ]
    return rows


def _ways(labels: Ints, scores: Floats) -> dict[str, Job]:
    jobs: dict[str, Job] = {"duelist": _duelist(labels, scores), "numpy": lambda: _numpy(labels, scores)}
    with suppress(ImportError):
        jobs["ranx"] = _ranx(labels, scores)
    return jobs


def _measure(jobs: dict[str, Job], runs: int) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """The best time and the values of each job, which take turns so that a busy moment hits them all."""
    values = {name: job() for name, job in jobs.items()}  # compiles what has to be
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(runs):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            best[name] = min(best[name], time.perf_counter() - start)
    return best, values


def _duelist(labels: Ints, scores: Floats) -> Job:
    queries, documents = labels.shape
    ids = tuple(map(str, range(queries)))
    offsets = np.arange(queries + 1) * documents
    data = Dataset(np.zeros((labels.size, 0)), labels.ravel(), offsets, ids, np.zeros(0, np.int64))

    def job() -> tuple[float, float]:
        found = mean(evaluate(data, scores.ravel(), ["ndcg@10", "map"]), data)
        return found["ndcg@10"], found["map"]

    return job


def _numpy(labels: Ints, scores: Floats) -> tuple[float, float]:
    """The same on dense arrays: one sort by score, one of the labels' best ten."""
    ranked = np.take_along_axis(labels, np.argsort(-scores, axis=1), axis=1)
    places = np.arange(1, labels.shape[1] + 1)
    discounts = 1 / np.log2(places[:10] + 1)
    ideal = -np.sort(np.partition(-labels, 9, axis=1)[:, :10], axis=1)
    found, best = (np.exp2(ranked[:, :10]) - 1) @ discounts, (np.exp2(ideal) - 1) @ discounts
    ndcg = np.divide(found, best, out=np.zeros(len(labels)), where=best > 0)
    hits = ranked > 0
    counts = hits.cumsum(axis=1)
    average = (counts * hits / places).sum(axis=1) / np.maximum(counts[:, -1], 1)
    return float(ndcg.mean()), float(average.mean())


def _ranx(labels: Ints, scores: Floats) -> Job:
    """ranx with its tables built beforehand."""
    ranx: Any = import_module("ranx")
    queries, documents = ([f"q{q}" for q in range(len(labels))], [f"d{d}" for d in range(labels.shape[1])])
    qrels = ranx.Qrels(
        {q: {d: int(v) for d, v in zip(documents, row, strict=True)} for q, row in zip(queries, labels, strict=True)}
    )
    run = ranx.Run({q: dict(zip(documents, row.tolist(), strict=True)) for q, row in zip(queries, scores, strict=True)})

    def job() -> tuple[float, float]:
        found = ranx.evaluate(qrels, run, ["ndcg_burges@10", "map"])
        return float(found["ndcg_burges@10"]), float(found["map"])

    return job


def metrics_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a way; how many times ours it should take stands behind the slash."""
    columns = ["way", "relevant", "ms", "times ours / floor", "NDCG@10", "MAP", "agrees"]
    lines = [
        [
            row["name"],
            f"{row['relevant']:.0%}",
            f"{row['milliseconds']:.1f}",
            f"{row['times_ours']:.1f}" + (f" / {row['floor']:g}" if row["floor"] else ""),
            f"{row['ndcg@10']:.6f}",
            f"{row['map']:.6f}",
            "yes" if row["agrees"] else "NO",
        ]
        for row in rows
    ]
    title = f"NDCG@10 and MAP of {QUERIES:,} queries with {DOCUMENTS} documents; ranx without its build step"
    there = any(row["name"] == "ranx" for row in rows)
    return Table(columns, lines, [] if there else ["ranx is not installed and was left out."], title)
