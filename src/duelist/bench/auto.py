"""How far `auto` is from the best policy of every instance and horizon, beside other policies.

All policies here need no horizon, so one long run gives their regret at every shorter one. Regret is strong regret, and
Copeland regret where no arm beats all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.memory import Floats
from duelist.core.progress import progress_bar
from duelist.dueling.environment import Environment
from duelist.dueling.environments import load_environment
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.preferences import condorcet_winner
from duelist.dueling.simulate import simulate
from duelist.present.charts import Lines, Panel, Series
from duelist.present.tables import Table

POLICIES = (
    "auto",
    "spar-and-check",
    "d-ts",
    "shared-tsallis",
    "self-sparring",
    "winner-stays-strong",
    "rmed1",
    "merge-dts",
    "rex3",
    "rucb",
)
INSTANCES = (
    "bradley-terry:arms=2",
    "cyclic",
    "arxiv",
    "arithmetic",
    "bradley-terry:arms=10",
    "worst-case:arms=10",
    "bvs-20",
    "savage-30",
    "bradley-terry:arms=50",
    "worst-case:arms=50",
    "bradley-terry:arms=200",
    "worst-case:arms=200",
    "bradley-terry:arms=500",
    "worst-case:arms=500",
    "strong:arms=10",
    "strong:arms=20",
    "tangled:arms=8",
    "tangled:arms=20",
    "no-condorcet",
)
RANKERS = {
    f"{count} rankers, {clicks.lower()}": (clicks, count)
    for count in (5, 16, 64)
    for clicks in ("Perfect", "Navigational", "Informational")
}
FIRST = 1000  # the shortest horizon
MOST_ARMS = {"d-ts": 200}  # beyond, a run of a million duels takes ten minutes, and it is not the best


@dataclass(frozen=True)
class RegretGrid:
    """Mean regret by instance, horizon and policy; nan where it was not measured."""

    instances: Sequence[str]
    horizons: Sequence[int]
    policies: Sequence[str]
    regret: Floats

    @property
    def ratios(self) -> Floats:
        """Each policy's regret over that of the best policy of the cell."""
        return np.asarray(self.regret / np.nanmin(self.regret, axis=2, keepdims=True))

    def rows(self) -> list[dict[str, Any]]:
        """One row an instance and horizon."""
        return [
            {"instance": instance, "horizon": horizon, **dict(zip(self.policies, cell.tolist(), strict=True))}
            for instance, table in zip(self.instances, self.regret, strict=True)
            for horizon, cell in zip(self.horizons, table, strict=True)
        ]


def bench_auto(
    horizon: int,
    runs: int,
    instances: Sequence[str] = INSTANCES,
    engine: str = "cpu",
    preferences: Path | None = None,
) -> RegretGrid:
    """Run every policy on every instance; horizons are the powers of ten from 1,000 to `horizon`.

    `preferences` is the folder with the matrices of MSLR's rankers, of which some are drawn.
    """
    environments = {name: load_environment(name) for name in instances}
    if preferences:
        environments |= {name: rankers(preferences, *which) for name, which in RANKERS.items()}
    horizons = [10**power for power in range(round(np.log10(FIRST)), round(np.log10(horizon)) + 1)]
    regret = np.full((len(environments), len(horizons), len(POLICIES)), np.nan)
    with progress_bar("auto", len(environments) * len(POLICIES)) as advance:
        for row, environment in enumerate(environments.values()):
            for column, policy in enumerate(POLICIES):
                if environment.n_arms <= MOST_ARMS.get(policy, environment.n_arms):
                    regret[row, :, column] = cell(policy, environment, horizons, runs, engine).mean(axis=0)
                advance(1)
    return RegretGrid(tuple(environments), horizons, POLICIES, regret)


def cell(policy: str, environment: Environment, horizons: Sequence[int], runs: int, engine: str = "cpu") -> Floats:
    """Regret by run and horizon."""
    points = round(np.log10(horizons[-1])) + 1
    result = simulate(policy, environment, horizons[-1], runs, 1, engine=engine, points=points, progress=False)
    matrix = getattr(environment, "preference", None)
    view = "copeland" if matrix is not None and condorcet_winner(matrix) is None else "strong"
    return result.curve(view)[:, -len(horizons) :]


def rankers(folder: Path, clicks: str, count: int) -> Matrix:
    """Some of MSLR's 136 rankers, as users who click so prefer them."""
    matrix = Matrix.read(folder / f"MSLR_{clicks}_PMat.npz").preference
    chosen = np.random.default_rng(0).permutation(len(matrix))[:count]
    return Matrix(matrix[np.ix_(chosen, chosen)], f"{count} rankers, {clicks.lower()}")


def ratio_chart(grid: RegretGrid) -> Lines:
    """For each policy its ratios in ascending order: low and flat is good."""
    series = []
    for column, policy in enumerate(grid.policies):
        ratios = np.sort(grid.ratios[:, :, column], axis=None)
        ratios = ratios[~np.isnan(ratios)]
        series.append(Series(policy, np.linspace(0, 100, ratios.size), ratios))
    panel = Panel("regret over that of the best policy", series, True)
    return Lines([panel], "share of instances and horizons, %", "Never far from the best", x_logarithmic=False)


def regret_table(grid: RegretGrid) -> Table:
    """Regret by cell."""
    best, lines = grid.ratios == 1, []
    for row, instance in enumerate(grid.instances):
        for column, horizon in enumerate(grid.horizons):
            cells = [
                "" if np.isnan(value) else f"{value:.0f}" + ("*" if mark else "")
                for value, mark in zip(grid.regret[row, column], best[row, column], strict=True)
            ]
            lines.append([instance, _short(horizon), *cells])
    return Table(["instance", "horizon", *grid.policies], lines, title="mean regret; * is the best of its line")


def ratio_table(grid: RegretGrid) -> Table:
    """By policy, the smallest worst ratio first."""
    ratios = grid.ratios.reshape(-1, len(grid.policies))
    cells = [f"{instance} {_short(horizon)}" for instance in grid.instances for horizon in grid.horizons]
    where = np.nanargmax(ratios, axis=0)
    lines = [
        [policy, f"{np.nanmedian(ratios[:, i]):.1f}", f"{ratios[where[i], i]:.1f}", cells[where[i]]]
        for i, policy in enumerate(grid.policies)
    ]
    title = "regret over that of the best policy of the line"
    return Table(["policy", "median", "worst", "where"], sorted(lines, key=lambda row: float(row[2])), title=title)


def _short(horizon: int) -> str:
    return f"{horizon:.0e}".replace("e+0", "e")
