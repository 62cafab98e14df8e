"""Made-up logs are read back alike in every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from duelist.bench.log_shapes import SHAPES
from duelist.bench.logs import bench_logs, logs_table
from duelist.bench.made_logs import write_lines
from duelist.clicks import read_log
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
    with pytest.raises(BadInput, match=r"shapes are plain, dates, .* all, not 'round'"):
        bench_logs(1000, ["jsonl"], ["round"])
    with pytest.raises(BadInput, match="at least 1,000, not 5"):
        bench_logs(5)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_every_shape_says_the_same(kind: str) -> None:
    pytest.importorskip("pyarrow")
    rows = bench_logs(1000, [kind], tuple(SHAPES))
    assert [row["shape"] for row in rows] == list(SHAPES)
    timed = [row["shape"] in ("values", "all") for row in rows]  # a list is known whole when nothing more can happen
    for kept in (True, False):
        found = {(row["verdict"], row["counted"]) for row, own in zip(rows, timed, strict=True) if own is kept}
        assert len(found) == 1


def test_shapes_are_those_that_they_say(tmp_path: Path) -> None:
    write_lines(tmp_path / "log.jsonl", 1000, SHAPES["all"])
    record = next(record for record in read_log(tmp_path / "log.jsonl").records if len(record.clicks) > 1)
    assert [action.name for action in record.actions] == ["add-to-cart", "purchase"]
    assert (record.actions[0].slot, record.actions[1].slot) == (record.clicks[0], record.clicks[-1])
    assert record.rankers == ("bm25", "ltr")
    assert set(record.teams) == {0, 1}
