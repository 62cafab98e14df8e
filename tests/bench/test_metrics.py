from __future__ import annotations

from duelist.bench.metrics import RELEVANT, bench_metrics, metrics_table


def test_the_ways_agree_and_are_printed() -> None:
    rows = bench_metrics(runs=1, queries=50)
    ways = [row["name"] for row in rows]
    assert ways.count("duelist") == ways.count("numpy") == len(RELEVANT)
    assert all(row["agrees"] for row in rows)
    assert all(row["milliseconds"] > 0 for row in rows)
    lines = str(metrics_table(rows)).splitlines()
    assert sum(line.startswith(("duelist", "numpy")) for line in lines) == 2 * len(RELEVANT)
