"""Whether the demo finds the best ranker: `duelist bench demo`, one headless run a seed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from duelist.core.progress import progress_bar
from duelist.demo.options import Options
from duelist.demo.run import run_headless
from duelist.present.tables import Table


def bench_demo(runs: int, options: Options) -> list[dict[str, Any]]:
    """What came of each seed, from 0, with the CPU seconds of the whole run."""
    rows = []
    with progress_bar("demos", runs) as advance:
        for seed in range(runs):
            began = time.process_time()
            summary = run_headless(options._replace(seed=seed)).summary()
            rows.append({"seed": seed, **summary, "cpu": round(time.process_time() - began, 1)})
            advance(1)
    return rows


def demo_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A row a seed; the note says how many found the best ranker."""
    cells = [
        [
            str(row["seed"]),
            row["best"],
            f"{row['evidence']['after']:,}" if row["certain"] else "",
            f"{row['duels']:,}",
            f"{row['regret']:.0f}",
            row["drifting"]["best"],
            f"{row['drifting']['regret']:.0f}",
            f"{row['cpu']:.0f}",
        ]
        for row in rows
    ]
    right, first = sum(row["best"] == row["right"] for row in rows), rows[0]
    forgetting = sum(row["drifting"]["best"] == row["right"] for row in rows)
    wrong = sum(row["certain"] and row["evidence"]["winner"] != row["right"] for row in rows)
    notes = [
        f"best ranker after {first['visitors']:,} visitors: {first['right']}",
        f"found in {right} of {len(rows)}; by the policy that forgets in {forgetting}",
        f"{sum(row['certain'] for row in rows)} were certain, and {wrong} of these wrong",
    ]
    columns = ["seed", "best", "certain after", "duels", "regret", "forgetting", "its regret", "CPU s"]
    return Table(columns, cells, notes)
