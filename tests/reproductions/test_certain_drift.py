"""Under drift: right about the average so far, not about now; a window forgets, and its promise too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.reproductions import certain_drift
from duelist.reproductions.certain import ARMS, ordered
from duelist.reproductions.certain_drift import DRIFT, watch
from duelist.reproductions.reproduction import Setting


def test_what_was_certain_stays_so_for_a_while_after_the_order_turned_round() -> None:
    worlds = np.concatenate([np.broadcast_to(ordered(step), (3000, ARMS, ARMS)) for step in (0.15, -0.15)])
    found = watch(worlds, 10)
    assert (found.all[:, 29] == 0).mean() > 0.7
    assert (found.all[:, 31] == 0).mean() > 0.7  # 200 duels later: right about the average, wrong about now
    assert (found.average[:, 31] == 0).all()
    assert (found.all[:, -1] != 0).all()
    assert (found.window[:, -1] == ARMS - 1).mean() > 0.5


@pytest.mark.breaks("certain-drift")
def test_the_reproduction_agrees_and_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = DRIFT.run(Setting(quick=True))
    assert [row.cell for row in report.rows if row.agrees is False] == []
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000
    monkeypatch.setattr(certain_drift, "surely_beaten", lambda since, arm, confidence: since[:, arm].sum() > 0)
    broken = DRIFT.run(Setting(quick=True))
    assert [row.cell for row in broken.rows if row.agrees is False] == ["no change: warned all the same"]
