"""All figures of `lab.figures`, measured with many runs and printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duelist.core.progress import progress_bar
from duelist.core.tables import format_table
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
    lines = []
    for row in rows(measured):
        digits = 2 if row["independent"] < 10 else 0
        numbers = [f"{row[key]:.{digits}f}" for key in ("independent", "measured")]
        lines.append([row["cell"], *numbers, f"{row['standard_errors_apart']:+.1f}", "yes" if row["agrees"] else "NO"])
    print(format_table(["cell", "independent", "ours", "apart", "agrees"], lines))
    print("\napart: the difference in standard errors of the difference; 3.5 or more disagrees")
