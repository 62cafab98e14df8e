from __future__ import annotations

import pytest

from duelist.lab.bench_metrics import RELEVANT, bench_metrics, print_bench


def test_the_ways_agree_and_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    rows = bench_metrics(runs=1, queries=50)
    ways = [row["name"] for row in rows]
    assert ways.count("duelist") == ways.count("numpy") == len(RELEVANT)
    assert all(row["agrees"] for row in rows)
    assert all(row["milliseconds"] > 0 for row in rows)
    print_bench(rows)
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith(("duelist", "numpy")) for line in lines) == 2 * len(RELEVANT)
