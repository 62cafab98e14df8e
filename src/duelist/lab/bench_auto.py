"""How far `auto` is from the best policy of every instance and horizon, beside other policies.

All policies here need no horizon, so one long run gives their regret at every shorter one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.charts import Series, draw_lines
from duelist.core.memory import Floats
from duelist.core.progress import progress_bar
from duelist.core.tables import format_table
from duelist.dueling.environments import load_environment
from duelist.dueling.simulate import simulate

POLICIES = (
    "auto",
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
)
FIRST = 1000  # the shortest horizon
MOST_ARMS = {"d-ts": 200}  # beyond, a run of a million duels takes ten minutes, and it is not the best


@dataclass(frozen=True)
class Comparison:
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


def bench_auto(horizon: int, runs: int, instances: Sequence[str] = INSTANCES) -> Comparison:
    """Run every policy on every instance; horizons are the powers of ten from 1,000 to `horizon`."""
    powers = round(np.log10(horizon))
    horizons = [10**power for power in range(round(np.log10(FIRST)), powers + 1)]
    regret = np.full((len(instances), len(horizons), len(POLICIES)), np.nan)
    with progress_bar("auto", len(instances) * len(POLICIES)) as advance:
        for row, instance in enumerate(instances):
            environment = load_environment(instance)
            for column, policy in enumerate(POLICIES):
                if environment.n_arms <= MOST_ARMS.get(policy, environment.n_arms):
                    result = simulate(policy, environment, horizons[-1], runs, 1, points=powers + 1, progress=False)
                    regret[row, :, column] = result.curve("strong").mean(axis=0)[-len(horizons) :]
                advance(1)
    return Comparison(tuple(instances), horizons, POLICIES, regret)


def draw_comparison(comparison: Comparison, path: Path) -> None:
    """For each policy its ratios in ascending order: low and flat is good."""
    series = []
    for column, policy in enumerate(comparison.policies):
        ratios = np.sort(comparison.ratios[:, :, column], axis=None)
        ratios = ratios[~np.isnan(ratios)]
        series.append(Series(policy, np.linspace(0, 100, ratios.size), ratios))
    panel = ("regret over that of the best policy", series, True)
    draw_lines([panel], "share of instances and horizons, %", "Never far from the best", path, x_logarithmic=False)


def print_comparison(comparison: Comparison) -> None:
    """Regret by cell, then the ratios by policy."""
    best = comparison.ratios == 1
    lines = []
    for row, instance in enumerate(comparison.instances):
        for column, horizon in enumerate(comparison.horizons):
            cells = [
                "" if np.isnan(value) else f"{value:.0f}" + ("*" if mark else "")
                for value, mark in zip(comparison.regret[row, column], best[row, column], strict=True)
            ]
            lines.append([instance, f"{horizon:.0e}".replace("e+0", "e"), *cells])
    print("mean strong regret; * is the best of its line\n")
    print(format_table(["instance", "horizon", *comparison.policies], lines))
    print("\nregret over that of the best policy of the line\n")
    ratios = comparison.ratios.reshape(-1, len(comparison.policies))
    where = np.nanargmax(ratios, axis=0)
    summary = [
        [policy, f"{np.nanmedian(ratios[:, i]):.1f}", f"{ratios[where[i], i]:.1f}", " ".join(lines[where[i]][:2])]
        for i, policy in enumerate(comparison.policies)
    ]
    print(format_table(["policy", "median", "worst", "where"], sorted(summary, key=lambda row: float(row[2]))))
