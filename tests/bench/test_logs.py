"""Made-up logs are read back alike in every format."""

from __future__ import annotations

import pytest

from duelist.bench.logs import bench_logs, logs_table
from duelist.core.errors import BadInput


def test_every_format_says_the_same() -> None:
    pytest.importorskip("pyarrow")
    rows = bench_logs(3000)
    assert [row["format"] for row in rows] == ["jsonl", "csv", "parquet", "journal", "ubi.jsonl"]
    assert len({row["verdict"] for row in rows[:3]}) == 1
    assert rows[3]["verdict"] == rows[4]["verdict"]  # where clicks have times
    assert rows[4]["counted"] == rows[3]["counted"] == rows[0]["counted"] == 3000
    assert "3,000" in str(logs_table(rows))


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(BadInput, match=r"formats are jsonl, csv, parquet, journal, ubi\.jsonl, not 'xml'"):
        bench_logs(1000, ["xml"])
    with pytest.raises(BadInput, match="at least 1,000, not 5"):
        bench_logs(5)
