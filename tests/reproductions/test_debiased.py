"""A fitted model takes the bias of positions out of clicks; clicks as they are say who had the better places."""

from __future__ import annotations

from pathlib import Path

import pytest

from duelist.reproductions import debiased
from duelist.reproductions.debiased import DEBIASED, nulls
from duelist.reproductions.reproduction import Setting


@pytest.mark.breaks("debiased")
def test_the_reproduction_agrees_and_draws_and_not_without_the_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = DEBIASED.run(Setting(quick=True))
    assert [row.cell for row in report.rows if row.agrees is False] == []
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000
    monkeypatch.setattr(debiased, "debiased_clicks", lambda records: "clicks")
    monkeypatch.setattr(debiased, "nulls", lambda upper, experiments: nulls(upper, 40))
    broken = {row.cell for row in DEBIASED.run(Setting(quick=True)).rows if row.agrees is False}
    assert {"mean z, debiased, upper slot 0.8", "the same, debiased"} <= broken
