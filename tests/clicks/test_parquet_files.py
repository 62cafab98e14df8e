"""Columns of Parquet whose types are not the usual ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from duelist.clicks.scan import scan_log


def test_texts_of_parquet_may_be_views_and_times_nanoseconds(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    view, moment = pyarrow.string_view(), pyarrow.timestamp("ns")
    columns = {"user": pyarrow.array(["ann", " "], view), "shown": pyarrow.array([["a", "b"]] * 2, pyarrow.list_(view))}
    click = pyarrow.struct({"position": pyarrow.int64(), "time": moment})
    clicks = [[{"position": 1, "time": 1_700_000_000_123_456_789}]] * 2
    parquet.write_table(
        pyarrow.table(columns | {"clicks": pyarrow.array(clicks, pyarrow.list_(click))}), tmp_path / "log.parquet"
    )
    log = scan_log(tmp_path / "log.parquet")
    assert (len(log), log.losses.rows.total(), log.done.times.tolist()) == (1, 1, [1_700_000_000.123456])
