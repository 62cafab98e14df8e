"""Speed of the online learners, with what they showed and learnt beside it.

On MQ2008 where the data folder has it, otherwise on a synthetic data set of its size. Speeds are
for one core; they move from machine to machine: compare rows of one run.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput
from duelist.core.progress import progress_bar
from duelist.data import Fold, read_fold, synthetic
from duelist.online import LEARNERS, learn
from duelist.present.tables import Table

IMPRESSIONS = 10_000
# Impressions a second that each learner should reach.
FLOORS = {"dbgd": 250_000, "pdgd": 250_000, "p-mgd": 30_000, "nsgd-dsp": 40_000, "pairrank": 30_000}
PEERS = {"dbgd": 6_400, "pdgd": 3_000, "mgd": 4_800, "p-dbgd": 1_000, "p-mgd": 20, "nsgd-dsp": 6, "pairrank": 100}


def bench_learners(names: Sequence[str] | None, runs: int, data: Path | None) -> list[dict[str, Any]]:
    """A row a learner: the best speed of `runs`, and the means of what they showed and learnt."""
    chosen = [LEARNERS.get(name).name for name in names or LEARNERS]
    label, fold = load_bench_fold(data)
    rows = []
    with progress_bar("bench", len(chosen)) as advance:
        for name in chosen:
            results = [
                learn(name, fold, "navigational", IMPRESSIONS, 1, seed, points=1, cores=1, progress=False)
                for seed in range(runs)
            ]
            rows.append(
                {
                    "learner": name,
                    "data": label,
                    "impressions_per_second": max(result.impressions_per_second for result in results),
                    "floor": FLOORS.get(name),
                    "peer": PEERS.get(name),
                    "online_ndcg": sum(float(result.online_ndcg.mean) for result in results) / runs,
                    "final_ndcg": sum(float(result.final_ndcg.mean) for result in results) / runs,
                }
            )
            advance(1)
    return rows


def load_bench_fold(data: Path | None) -> tuple[str, Fold]:
    """What it is called, and fold 1: MQ2008 from the data folder, or a synthetic set of its size."""
    folder = (data or Path(os.environ.get("DUELIST_DATA", ""))) / "mq2008"
    if folder.is_dir():
        return "MQ2008, fold 1", read_fold(folder, 1)
    if data is not None:
        raise BadInput(f"there is no folder {folder}")
    pages = synthetic(784, 19, 40, grades=3, noise=1.0, seed=1).normalised()
    return "synthetic", Fold(pages.select(range(470)), pages.select(range(0)), pages.select(range(470, 784)))


def learners_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a learner; the speed it should reach stands behind the slash."""
    lines = [
        [
            row["learner"],
            f"{row['impressions_per_second']:,.0f}" + (f" / {row['floor']:,}" if row["floor"] else ""),
            f"{row['peer']:,}" if row["peer"] else "",
            f"{row['online_ndcg']:.0f}",
            f"{row['final_ndcg']:.3f}",
        ]
        for row in rows
    ]
    title = f"{rows[0]['data']}, navigational clicks, {IMPRESSIONS:,} impressions a run, one core"
    return Table(["learner", "impressions/s / floor", "research code", "online", "final NDCG"], lines, title=title)
