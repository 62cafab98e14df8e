from __future__ import annotations

import pytest

from duelist.bench.writers import BATCHES, WRITERS, bench_writers, writers_table
from duelist.core.errors import BadInput


def test_each_number_of_writers_is_measured_with_each_batch() -> None:
    rows = bench_writers(seconds=0.2, journals=["sqlite"])
    assert [(row["writers"], row["batch"]) for row in rows] == [(w, b) for w in WRITERS for b in BATCHES]
    for row in rows:
        assert row["events_a_second"] * 0.2 >= row["writers"] * row["batch"]
        assert 0 < row["p50_ms"] <= row["p99_ms"]
        assert row["cpu_us"] > 0
        assert row["store_cpu_us"] == 0
    lines = str(writers_table(rows)).splitlines()
    assert sum(line.startswith("sqlite") for line in lines) == 4
    assert lines[-1] == "Left out: postgres, nats."
    with pytest.raises(BadInput, match="more than 0"):
        bench_writers(seconds=0)
