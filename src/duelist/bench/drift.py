"""Preferences that change: `watchful`, which is not told how often, beside every window around D-TS, the best of them.

A window whose restarts fall on the changes is lucky. So some instances change at drawn times.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.core.progress import progress_bar
from duelist.dueling.environment import Environment
from duelist.dueling.environments.drifting import Drifting
from duelist.dueling.environments.instances import load_environment
from duelist.dueling.simulate import simulate
from duelist.present.tables import Table

SIZES = tuple(round(250 * 2 ** (step / 2)) for step in range(17))  # 250 to 64,000


class Cell(NamedTuple):
    """An instance: arms that are the best in turn, or preferences by name that stay."""

    kind: str
    horizon: int
    arms: int = 0
    stretch: int = 0  # duels between two changes; where times are drawn, on average
    lead: float = 0.0  # of the best arm, in utility


CELLS = (
    Cell("abrupt", 10_000, 5, 1_000, 0.4),
    Cell("abrupt", 10_000, 5, 2_000, 0.4),
    Cell("abrupt", 100_000, 5, 5_000, 0.4),
    Cell("abrupt", 100_000, 5, 20_000, 0.4),
    Cell("abrupt", 100_000, 5, 20_000, 0.2),
    Cell("abrupt", 100_000, 10, 20_000, 0.4),
    Cell("smooth", 10_000, 5, 1_000, 0.4),
    Cell("smooth", 10_000, 5, 2_000, 0.4),
    Cell("smooth", 100_000, 5, 5_000, 0.4),
    Cell("smooth", 100_000, 5, 20_000, 0.4),
    Cell("smooth", 100_000, 5, 20_000, 0.2),
    Cell("smooth", 100_000, 10, 20_000, 0.4),
    Cell("arxiv", 100_000),
    Cell("bradley-terry:arms=10", 100_000),
    # These were not looked at while the policy was made.
    Cell("drawn", 10_000, 5, 1_000, 0.4),
    Cell("drawn", 100_000, 6, 1_000, 0.4),
    Cell("drawn", 100_000, 6, 10_000, 0.3),
    Cell("drawn", 1_000_000, 6, 100_000, 0.4),
    Cell("drawn", 100_000, 16, 10_000, 0.4),
    Cell("drawn", 1_000_000, 16, 100_000, 0.4),
    Cell("drawn", 100_000, 32, 10_000, 0.4),
    Cell("smooth", 100_000, 6, 10_000, 0.3),
    Cell("smooth", 100_000, 16, 10_000, 0.4),
    Cell("arithmetic", 100_000),
    Cell("cyclic", 100_000),
    Cell("worst-case:arms=10", 100_000),
    Cell("tangled:arms=8", 100_000),
    Cell("arxiv", 1_000_000),
)


class Row(NamedTuple):
    """Mean regret in a cell: dynamic regret, or strong regret where nothing changes."""

    cell: Cell
    watchful: float
    error: float  # its standard error
    fixed: float  # spar-and-check, which does not forget
    window: float  # the best window around D-TS, or nan where nothing changes
    size: int  # of that window

    @property
    def ratio(self) -> float:
        """To the best window; where nothing changes, to spar-and-check."""
        return self.watchful / (self.fixed if math.isnan(self.window) else self.window)


def instance(cell: Cell) -> Environment:
    """The environment of a cell.

    >>> instance(Cell("drawn", 10_000, 5, 1_000, 0.4)).changes[:3]
    [1137, 1906, 2446]
    """
    if not cell.stretch:
        return load_environment(cell.kind)
    count = cell.horizon // cell.stretch
    if cell.kind != "drawn":
        return load_environment(
            f"{cell.kind}:arms={cell.arms},stretch={cell.stretch},changes={count - 1},lead={cell.lead}"
        )
    luck = np.random.default_rng(0)
    times = 1 + np.cumsum([0, *(luck.uniform(0.5, 1.5, count - 1) * cell.stretch).astype(int)])
    means = np.full((count, cell.arms), 0.5 - 0.5 * cell.lead)
    means[np.arange(count), np.arange(count) % cell.arms] += cell.lead
    return Drifting(times, means, name="drawn")


def bench_drift(runs: int, cells: Sequence[Cell] = CELLS, sizes: Sequence[int] = SIZES) -> list[Row]:
    """Each cell with `watchful`, spar-and-check, and windows of each size up to the horizon."""
    rows = []
    with progress_bar("drift", len(cells)) as advance:
        for cell in cells:
            rows.append(measure(cell, runs, sizes))
            advance(1)
    return rows


def measure(cell: Cell, runs: int, sizes: Sequence[int] = SIZES) -> Row:
    """One cell."""

    def regret(policy: str) -> tuple[float, float]:
        result = simulate(policy, instance(cell), cell.horizon, runs, 1, points=1, progress=False)
        last = result.curve("dynamic" if cell.stretch else "strong")[:, -1]
        return float(last.mean()), float(last.std() / math.sqrt(runs))

    fitting = [size for size in sizes if size <= cell.horizon] if cell.stretch else []
    windows = [(regret(f"window:base=d-ts,size={size}")[0], size) for size in fitting]
    window, size = min(windows, default=(math.nan, 0))
    return Row(cell, *regret("watchful"), regret("spar-and-check")[0], window, size)


def drift_table(rows: Sequence[Row]) -> Table:
    """A line a cell."""
    lines = [
        [
            row.cell.kind,
            *(f"{value:,}" if value else "" for value in (row.cell.arms, row.cell.stretch, row.cell.lead)),
            f"{row.cell.horizon:.0e}".replace("e+0", "e"),
            f"{row.fixed:.0f}",
            f"{row.window:.0f} ({row.size})" if row.size else "",
            f"{row.watchful:.0f} ± {2 * row.error:.0f}",
            f"{row.ratio:.2f}",
        ]
        for row in rows
    ]
    columns = ["instance", "arms", "every", "lead", "duels", "spar-and-check", "best window", "watchful", "ratio"]
    notes = [
        "best window: the best of all sizes around D-TS, and its size; ratio: watchful to that,",
        "or to spar-and-check where nothing changes, in strong regret",
    ]
    return Table(columns, lines, notes, "mean dynamic regret")
