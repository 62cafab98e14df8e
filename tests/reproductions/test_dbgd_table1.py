"""DBGD's table and figure, and verdicts that notice another horizon or step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from duelist.reproductions import dbgd_table1
from duelist.reproductions.dbgd_table1 import (
    FACTORS,
    FIGURE,
    PUBLISHED,
    TABLE,
    TABLE_CELLS,
    DescentCell,
    all_cells,
    judge_table,
    label_of,
    lower,
)
from duelist.reproductions.reproduction import Found, Measured, Reproduction, Setting


@pytest.mark.parametrize(
    ("value", "factor", "figure", "band"),
    [("p2", 1.0, 0.749, 0.02), ("p4", 1.0, 0.299, 0.02), ("p4", 2.0, 0.286, 0.006), ("p4", 3.0, 0.407, 0.006)],
)
def test_cells_are_those_of_an_independent_implementation(
    value: str, factor: float, figure: float, band: float
) -> None:
    found = DescentCell("dbgd", value, factor, runs=2).measure(Setting())
    assert float(found.sample.mean()) == pytest.approx(figure, abs=band)


def noisy(numbers: Mapping[str, Sequence[float]], more: float = 0.0) -> Found:
    luck = np.random.default_rng(0)
    return {
        label_of("dbgd", value, factor): Measured(number + more + luck.normal(0, 0.001, 6))
        for value, row in numbers.items()
        for factor, number in zip(FACTORS, row, strict=True)
    }


def test_a_cell_far_from_the_table_does_not_agree() -> None:
    cell = TABLE_CELLS[0]
    assert cell.rows(Measured(np.array([0.44, 0.46, 0.45])))[0].agrees
    assert not cell.rows(Measured(np.array([0.395, 0.40, 0.39])))[0].agrees


def test_what_is_noise_in_a_cell_is_not_in_all_of_them() -> None:
    assert all_cells(noisy(PUBLISHED)).agrees
    off = noisy(PUBLISHED, more=-0.02)
    assert all(cell.rows(off[cell.label])[0].agrees for cell in TABLE_CELLS)
    assert not all_cells(off).agrees


def test_the_best_factor_has_to_be_the_tables() -> None:
    turned = {value: row[::-1] if value == "p1" else row for value, row in PUBLISHED.items()}
    rows = judge_table(noisy(turned))
    assert [row.cell for row in rows if not row.agrees] == ["P1, best delta_L"]
    assert rows[1].ours == (0.8, 0.8, 0.8)


def test_a_table_of_another_horizon_does_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dbgd_table1, "HORIZON", 100_000)
    cell = TABLE_CELLS[3]  # P1, delta_L = 2, where the step is large and learning is fast
    assert not cell.rows(cell.measure(Setting(quick=True)))[0].agrees


def test_a_lower_regret_is_claimed_for_the_whole_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dbgd_table1, "HORIZON", 20_000)
    found = {cell.label: cell.measure(Setting(quick=True)) for cell in FIGURE.cells[:3]}
    assert lower(found, "p1", "bgd2", "dbgd", "section 5.1").agrees
    assert not lower(found, "p1", "dbgd", "bgd2", "section 5.1").agrees
    assert not lower(found, "p1", "dbgd", "dbgd", "section 5.1").agrees


@pytest.mark.parametrize(("reproduction", "rows"), [(TABLE, 25 + 1 + 5), (FIGURE, 8 + 3)], ids=["table", "figure"])
def test_both_reports_have_all_rows_and_a_chart(
    reproduction: Reproduction, rows: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dbgd_table1, "HORIZON", 300)
    report = reproduction.run(Setting(quick=True))
    assert len(report.rows) == rows
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000
