"""All figures of `lab.figures`, measured with many runs and printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from duelist.core.progress import progress_bar
from duelist.lab.figures import FIGURES, RATIOS, Measured, MeasuredRatio, measure, measure_ratio


def bench_figures(runs: int, ratio_runs: int) -> list[Measured | MeasuredRatio]:
    """Every regret figure with `runs` runs, and the thesis' ratios with `ratio_runs`."""
    measured: list[Measured | MeasuredRatio] = []
    with progress_bar("figures", len(FIGURES) + len(RATIOS)) as advance:
        for figure in FIGURES:
            measured.append(measure(figure, runs))
            advance(1)
        for ratio in RATIOS if ratio_runs else ():
            measured.append(measure_ratio(ratio, ratio_runs))
            advance(1)
    return measured


def rows(measured: Sequence[Measured | MeasuredRatio]) -> list[dict[str, Any]]:
    """The comparison as plain data."""
    found = []
    for item in measured:
        if isinstance(item, Measured):
            ours = {"cell": item.figure.label, "independent": item.figure.mean, "measured": item.mean}
        else:
            cell = f"IF1 / IF2, {item.ratio.instance}, K={item.ratio.arms}, median"
            ours = {"cell": cell, "independent": item.ratio.median, "measured": item.median}
        found.append(ours | {"standard_errors_apart": round(float(item.deviations), 2), "agrees": bool(item.agrees)})
    return found


def print_figures(measured: Sequence[Measured | MeasuredRatio]) -> None:
    """The comparison as a table."""
    table = Table(title="regret against independent implementations")
    for column in ("cell", "independent", "ours", "standard errors apart", "agrees"):
        table.add_column(column, justify="left" if column == "cell" else "right")
    for row in rows(measured):
        digits = 2 if row["independent"] < 10 else 0
        numbers = [f"{row[key]:.{digits}f}" for key in ("independent", "measured")]
        table.add_row(row["cell"], *numbers, f"{row['standard_errors_apart']:+.1f}", "yes" if row["agrees"] else "NO")
    Console().print(table)
