"""DBGD's table and figure, and verdicts that notice another horizon or step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.online.continuous import Descent, descend
from duelist.reproductions import dbgd_table1
from duelist.reproductions.dbgd_table1 import (
    FACTORS,
    FIGURE,
    HORIZON,
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
from duelist.sweeps import descents


@pytest.mark.parametrize(
    ("value", "factor", "figure", "band"),
    [("p2", 1.0, 0.749, 0.02), ("p4", 1.0, 0.299, 0.02), ("p4", 2.0, 0.286, 0.006), ("p4", 3.0, 0.407, 0.006)],
)
def test_cells_are_those_of_an_independent_implementation(
    value: str, factor: float, figure: float, band: float
) -> None:
    found = DescentCell("dbgd", value, factor, start=None, runs=2).measure(Setting())  # from the printed start
    assert float(found.sample.mean()) == pytest.approx(figure, abs=band)


def noisy(numbers: Mapping[str, Sequence[float]], more: float = 0.0, spread: float = 0.001) -> Found:
    luck = np.random.default_rng(0)
    return {
        label_of("dbgd", value, factor): Measured(number + more + luck.normal(0, spread, 24))
        for value, row in numbers.items()
        for factor, number in zip(FACTORS, row, strict=True)
    }


def test_a_cell_further_from_the_table_than_a_run_from_its_mean_does_not_agree() -> None:
    cell, luck = TABLE_CELLS[0], np.random.default_rng(0).normal(0, 0.015, 24)
    assert cell.rows(Measured(0.482 + luck))[0].agrees
    assert not cell.rows(Measured(0.41 + luck))[0].agrees
    assert not cell.rows(Measured(0.482 + luck / 10))[0].agrees


def test_what_is_noise_in_a_cell_is_not_in_all_of_them() -> None:
    assert all_cells(noisy(PUBLISHED, spread=0.01)).agrees
    off = noisy(PUBLISHED, more=-0.015, spread=0.01)
    assert all(cell.rows(off[cell.label])[0].agrees for cell in TABLE_CELLS)
    assert not all_cells(off).agrees


def test_the_best_factor_has_to_be_the_tables() -> None:
    turned = {value: row[::-1] if value == "p1" else row for value, row in PUBLISHED.items()}
    rows = judge_table(noisy(turned))
    assert [row.cell for row in rows if not row.agrees] == ["P1, best delta_L"]
    assert rows[1].ours == (0.8, 0.8, 0.8)


def spoilt(rate: float) -> Callable[..., Descent]:
    """`descend` with another step than the cell asks for."""
    untyped: Any = descend
    return lambda *given, **named: untyped(*given[:-1], given[-1] | {"rate": rate}, **named)


@pytest.mark.breaks("dbgd-1")
def test_the_table_is_one_of_a_million_comparisons_from_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    cell, quick = TABLE_CELLS[4], Setting(quick=True)  # P1, delta_L = 3, the cell with the least noise

    def agrees(cell: DescentCell) -> bool | None:
        return cell.rows(cell.measure(quick))[0].agrees

    assert agrees(cell)
    assert not agrees(replace(cell, start=None))  # as printed
    for horizon in (800_000, 1_100_000):
        with monkeypatch.context() as patched:
            patched.setattr(dbgd_table1, "HORIZON", horizon)
            assert not agrees(cell)
    monkeypatch.setattr(descents, "descend", spoilt(rate=1.3 * 10 / HORIZON**0.5))
    assert not agrees(cell)


@pytest.mark.breaks("dbgd-2")
def test_a_lower_regret_is_claimed_for_the_whole_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dbgd_table1, "HORIZON", 20_000)
    found = {cell.label: cell.measure(Setting(quick=True)) for cell in FIGURE.cells[:3]}
    assert lower(found, "p1", "bgd2", "dbgd", "section 5.1").agrees
    assert not lower(found, "p1", "dbgd", "bgd2", "section 5.1").agrees
    assert not lower(found, "p1", "dbgd", "dbgd", "section 5.1").agrees
    monkeypatch.setattr(descents, "descend", spoilt(rate=1e-6))
    stuck = found | {cell.label: cell.measure(Setting(quick=True)) for cell in FIGURE.cells[2:3]}  # BGD2 does not move
    assert not lower(stuck, "p1", "bgd2", "dbgd", "section 5.1").agrees


@pytest.mark.parametrize(("reproduction", "rows"), [(TABLE, 25 + 1 + 5), (FIGURE, 8 + 3)], ids=["table", "figure"])
def test_both_reports_have_all_rows_and_a_chart(
    reproduction: Reproduction, rows: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dbgd_table1, "HORIZON", 300)
    report = reproduction.run(Setting(quick=True))
    assert len(report.rows) == rows
    report.chart.draw(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 10_000
