"""Tables and charts of `duelist bench scale`; the speeds themselves are nobody's promise."""

from __future__ import annotations

import pytest

from duelist.bench import scale
from duelist.bench.scale import Point, bench_scale, scale_chart, scale_table
from duelist.core.errors import BadInput

POINTS = [
    Point("arms", "rucb", 4, 1000.0, "duels/s", 0.5),
    Point("arms", "rucb", 16, 250.0, "duels/s", 8.0),
    Point("arms", "d-ts", 4, 800.0, "duels/s", 0.5),
    Point("workers", "rucb", 1, 10.0, "runs/s"),
    Point("workers", "rucb", 2, 19.0, "runs/s"),
]


def test_the_table_says_how_time_grows() -> None:
    rows = scale_table(POINTS).rows
    assert rows[1] == ["arms 16", "rucb", "250", "duels/s", "0.25", "+1.0", "8"]
    assert rows[2][5] == ""  # one point does not grow
    assert rows[4] == ["workers 2", "rucb", "19", "runs/s", "1.90", "-0.9", ""]
    assert [row[2] for row in rows[:3]] == ["1,000", "250", "800"]


def test_the_chart_has_a_panel_an_axis() -> None:
    chart = scale_chart(POINTS)
    assert [panel.y_label for panel in chart.panels] == ["duels/s by arms", "runs/s by workers"]
    assert [line.label for line in chart.panels[0].lines] == ["rucb", "d-ts"]


def test_an_unknown_axis_is_named() -> None:
    with pytest.raises(BadInput, match=r"axes are horizon, arms, .*, not 'amrs' \(did you mean 'arms'\?\)"):
        bench_scale(["amrs"])


def test_workers_and_cells_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "CELLS", (20,))
    monkeypatch.setattr(scale, "LONG", 0.001)
    monkeypatch.setattr(scale, "ROUNDS", 1)
    monkeypatch.setattr(scale, "available_cores", lambda: 1)
    points = bench_scale(["workers", "cells"])
    assert [(point.axis, point.value) for point in points] == [("workers", 1), ("workers", 1), ("cells", 20)]
    assert all(point.speed > 0 for point in points)
