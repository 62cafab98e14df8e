from pathlib import Path

import numpy as np
import pytest
from duelist.reproductions.reproduction import Setting
from duelist.reproductions import dbgd_table1
from duelist.reproductions.dbgd_table1 import FACTORS, FIGURE, TABLE, best_factor, cell, lower, measure

from duelist.online.continuous import descend


@pytest.mark.parametrize(
    ("value", "factor", "figure", "band"),
    [("p2", 1.0, 0.749, 0.02), ("p4", 1.0, 0.299, 0.02), ("p4", 2.0, 0.286, 0.006), ("p4", 3.0, 0.407, 0.006)],
)
def test_cells_are_those_of_an_independent_implementation(
    value: str, factor: float, figure: float, band: float
) -> None:
    assert float(measure("dbgd", value, factor, 2).average.mean) == pytest.approx(figure, abs=band)


def test_a_cell_far_from_the_table_does_not_agree() -> None:
    assert cell("p1", 0.6, 0.465, np.array([0.44, 0.46, 0.45])).agrees
    assert not cell("p1", 0.6, 0.465, np.array([0.38, 0.40, 0.39])).agrees


def test_the_best_factor_has_to_be_the_tables() -> None:
    luck = np.random.default_rng(0)
    flat = [np.full(6, mean) + luck.normal(0, 0.001, 6) for mean in (0.5, 0.4, 0.35, 0.3, 0.4)]
    row = best_factor("p1", flat)
    assert (row.measured, row.low, row.high, row.agrees) == (2.0, 2.0, 2.0, True)
    assert not best_factor("p2", flat).agrees


def test_a_lower_regret_is_claimed_for_the_whole_interval() -> None:
    better, worse = (descend(name, "p1", 10, 20_000, 4, seed=1, cores=1) for name in ("bgd2", "dbgd"))
    assert lower("bgd2 is better", better, worse).agrees
    assert not lower("dbgd is better", worse, better).agrees
    assert not lower("equal", worse, worse).agrees


def test_both_reports_have_all_rows_and_a_chart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(dbgd_table1, "HORIZON", 300)
    steps: list[int] = []
    for reproduction, rows in ((TABLE, 25 + 5), (FIGURE, 8 + 3)):
        steps.clear()
        report = reproduction.run(Setting(quick=True, advance=steps.append))
        assert len(report.rows) == rows
        assert sum(steps) == reproduction.steps
        report.draw(tmp_path / "chart.png")
        assert (tmp_path / "chart.png").stat().st_size > 10_000
    assert len(FACTORS) == 5
