from __future__ import annotations

import pytest

from duelist.bench.rankers import CEILINGS, ORACLE, bench_rankers, rankers_table


def test_rankers_are_timed_measured_and_printed() -> None:
    rows = bench_rankers(runs=1, queries=60)
    names = [row["name"] for row in rows]
    assert {*CEILINGS, ORACLE, "LinearSVC of all pairs, C = 100"} <= set(names)
    assert all(row["seconds"] > 0 for row in rows)
    pairwise = {row["name"]: row["map"] for row in rows}
    # The same problem by another solver, to its tolerance.
    assert pairwise["svm-pairwise, C = 100"] == pytest.approx(pairwise["LinearSVC of all pairs, C = 100"], abs=0.02)
    printed = str(rankers_table(rows))
    assert "svm-map, C = 100" in printed
    assert "test MAP" in printed
