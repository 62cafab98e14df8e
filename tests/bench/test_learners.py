from pathlib import Path

import pytest

from duelist.bench import learners as bench
from duelist.core.errors import BadInput


def test_every_learner_has_a_row_with_speed_and_quality(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DUELIST_DATA", raising=False)
    monkeypatch.setattr(bench, "IMPRESSIONS", 300)
    rows = bench.bench_learners(["pdgd", "dbgd"], runs=2, data=None)
    assert [row["learner"] for row in rows] == ["pdgd", "dbgd"]
    assert all(row["impressions_per_second"] > 0 and 0 < row["final_ndcg"] < 1 for row in rows)
    printed = str(bench.learners_table(rows))
    assert printed.startswith("synthetic")
    assert "/ 250,000" in printed


def test_a_data_folder_without_the_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="mq2008"):
        bench.bench_learners(["pdgd"], 1, tmp_path)
