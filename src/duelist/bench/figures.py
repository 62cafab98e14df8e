"""All figures of `reproductions.figures`, measured with many runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from duelist.core.progress import progress_bar
from duelist.present.tables import Table
from duelist.reproductions.figures import FIGURES, RATIOS
from duelist.reproductions.reproduction import Setting, measure_cells
from duelist.reproductions.verdicts import CHANCE, Row


def bench_figures(runs: int, ratio_runs: int, engine: str = "cpu") -> list[Row]:
    """Every regret figure with `runs` runs, and the thesis' ratios with `ratio_runs`."""
    ratios = RATIOS if ratio_runs else ()
    cells = [replace(figure, runs=runs) for figure in FIGURES]
    cells += [replace(cell, runs=ratio_runs) for ratio in ratios for cell in ratio.cells]
    with progress_bar("figures", len(cells)) as advance:
        found = measure_cells(cells, Setting(engine=engine, advance=advance))
    rows = [row for figure in FIGURES for row in figure.rows(found[figure.label])]
    return rows + [ratio.row(found) for ratio in ratios]


def figures_table(rows: Sequence[Row]) -> Table:
    """The comparison, with how far apart the two are."""
    lines = []
    for row in rows:
        value = row.reference.value or 0.0
        numbers = [f"{number:.{2 if value < 10 else 0}f}" for number in (value, row.ours.mean)]
        lines.append([row.cell, *numbers, f"{row.apart:+.1f}", "yes" if row.agrees else "NO"])
    note = f"apart: the difference in standard errors of the difference; more than {CHANCE} disagrees"
    return Table(["cell", "independent", "ours", "apart", "agrees"], lines, [note])
