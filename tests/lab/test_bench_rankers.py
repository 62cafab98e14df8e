from __future__ import annotations

import pytest

from duelist.lab.bench_rankers import CEILINGS, ORACLE, bench_rankers, print_bench


def test_rankers_are_timed_measured_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    rows = bench_rankers(runs=1, queries=60)
    names = [row["name"] for row in rows]
    assert {*CEILINGS, ORACLE, "LinearSVC of all pairs, C = 100"} <= set(names)
    assert all(row["seconds"] > 0 for row in rows)
    pairwise = {row["name"]: row["map"] for row in rows}
    # The same problem by another solver, to its tolerance.
    assert pairwise["svm-pairwise, C = 100"] == pytest.approx(pairwise["LinearSVC of all pairs, C = 100"], abs=0.02)
    print_bench(rows)
    printed = capsys.readouterr().out
    assert "svm-map, C = 100" in printed
    assert "test MAP" in printed
