"""All figures of `reproductions.figures`, measured with many runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from duelist.core.progress import progress_bar
from duelist.present.tables import Table
from duelist.reproductions.figures import FIGURES, RATIOS
from duelist.reproductions.reproduction import Setting
from duelist.reproductions.verdicts import CHANCE, Row


def bench_figures(runs: int, ratio_runs: int, engine: str = "cpu") -> list[Row]:
    """Every regret figure with `runs` runs, and the thesis' ratios with `ratio_runs`."""
    rows, setting = list[Row](), Setting(engine=engine)
    with progress_bar("figures", len(FIGURES) + len(RATIOS)) as advance:
        for figure in FIGURES:
            rows += figure.rows(replace(figure, runs=runs).measure(setting))
            advance(1)
        for ratio in RATIOS if ratio_runs else ():
            found = {cell.label: replace(cell, runs=ratio_runs).measure(setting) for cell in ratio.cells}
            rows.append(ratio.row(found))
            advance(1)
    return rows


def figures_table(rows: Sequence[Row]) -> Table:
    """The comparison, with how far apart the two are."""
    lines = []
    for row in rows:
        value = row.reference.value or 0.0
        numbers = [f"{number:.{2 if value < 10 else 0}f}" for number in (value, row.ours.mean)]
        lines.append([row.cell, *numbers, f"{row.apart:+.1f}", "yes" if row.agrees else "NO"])
    note = f"apart: the difference in standard errors of the difference; more than {CHANCE} disagrees"
    return Table(["cell", "independent", "ours", "apart", "agrees"], lines, [note])
