"""How far `auto` is from the best policy of every instance and horizon, beside other policies.

All policies here need no horizon, so one long run gives their regret at every shorter one. Regret is strong regret, and
Copeland regret where no arm beats all others.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np

from duelist.bench.gpu import in_processes, say
from duelist.core.cuda import Device
from duelist.core.errors import BadInput
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
    "auto",  # spar-and-check, with as many arms as there are here
    "d-ts",
    "shared-tsallis",
    "self-sparring",
    "winner-stays-strong",
    "rmed1",
    "merge-dts",
    "rex3",
    "rucb",
    "ecw-rmed",
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
    "circle:arms=20",
    "tournament:arms=10",
    "tournament:arms=30",
)
RANKERS = {
    f"{count} rankers, {clicks.lower()}": (clicks, count)
    for count in (5, 16, 64)
    for clicks in ("Perfect", "Navigational", "Informational")
}
FIRST = 1000  # the shortest horizon
AT_ONCE = 16  # simulations on one GPU: a few thousand runs do not fill it
LONGEST = 100_000
MANY = {"d-ts": 64, "ecw-rmed": 10}  # with more arms their runs are no longer than LONGEST: they take long
MOST = {"d-ts": 200, "ecw-rmed": 30}  # with more still they are not measured


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
        return np.asarray(self.regret / np.fmin.reduce(self.regret, axis=2, keepdims=True))

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
    keep: Path | None = None,
    until: float = math.inf,
) -> RegretGrid:
    """Run every policy on every instance; horizons are the powers of ten from 1,000 to `horizon`.

    `preferences` is the folder with the matrices of MSLR's rankers, of which those that `instances` names are drawn.
    What is measured is added to the file `keep`, and what is there already with as many runs, of either engine, is not
    measured again; the mean of most runs counts. Nothing is begun after the time `until`.
    """
    worlds = {name: world(name, preferences) for name in instances}
    rows = [row for row in kept_rows(keep) if row["runs"] >= runs]
    known = {(row["policy"], row["instance"], horizon) for row in rows for horizon in row["horizons"]}
    asked = [(policy, name, longest(policy, worlds[name], horizon)) for name in worlds for policy in POLICIES]
    cells = [(*cell, runs, engine, preferences, until) for cell in asked if cell[2] and cell not in known]
    if engine == "cuda":
        Device()  # where there is none, that is said once instead of in every cell
        cells.sort(key=lambda cell: -worlds[cell[1]].n_arms)  # the longest first, so that none is alone in the end
    with progress_bar("auto", len(cells)) as advance:
        for row in on_gpu(cells) if engine == "cuda" else starmap(measure, cells):
            if row is not None:
                rows.append(row)
                if keep:
                    with keep.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
            advance(1)
    return _grid(list(worlds), powers(horizon), rows)


def on_gpu(cells: Sequence[tuple[Any, ...]]) -> Iterator[dict[str, Any] | None]:
    """`measure` of each cell, as they are done: compiled by all cores first, then run beside each other by threads.

    A GPU gives processes turns, and runs what threads of one process start at once.
    """
    kinds = {}
    for policy, name, *_, preferences, _ in cells:
        environment = world(name, preferences)
        kinds[policy, type(environment), environment.n_arms] = policy, name, preferences
    for _ in in_processes(compile_ahead, list(kinds.values())):
        pass
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for future in as_completed([pool.submit(measured, cell) for cell in cells]):
            yield future.result()


def measured(cell: tuple[Any, ...]) -> dict[str, Any] | None:
    """`measure` of a cell; what goes wrong is told and does not stop the others."""
    try:
        return measure(*cell)
    except Exception as error:
        say(f"{cell[0]} on {cell[1]}: {type(error).__name__}: {error}")
        return None


def compile_ahead(policy: str, instance: str, preferences: Path | None) -> None:
    """Have the code of a policy for so many arms on disk, where other processes find it."""
    cell(policy, world(instance, preferences), [FIRST], 1, "cuda")


def world(instance: str, preferences: Path | None) -> Environment:
    """An instance by its name, or some rankers of the matrices in the folder `preferences`."""
    if instance not in RANKERS:
        return load_environment(instance)
    if preferences is None:
        raise BadInput(f"{instance!r} needs --preferences, the folder with MSLR's matrices")
    return rankers(preferences, *RANKERS[instance])


def longest(policy: str, environment: Environment, horizon: int) -> int:
    """How many duels of a policy are measured, of at most `horizon`.

    >>> longest("d-ts", load_environment("bradley-terry:arms=100"), 1_000_000)
    100000
    """
    if environment.n_arms <= MANY.get(policy, environment.n_arms):
        return horizon
    return min(horizon, LONGEST) if environment.n_arms <= MOST[policy] else 0


def powers(horizon: int) -> list[int]:
    """The horizons up to the longest.

    >>> powers(100_000)
    [1000, 10000, 100000]
    """
    return [10**power for power in range(round(math.log10(FIRST)), round(math.log10(horizon)) + 1)]


def kept_rows(keep: Path | None) -> list[dict[str, Any]]:
    """What was measured before."""
    return [json.loads(line) for line in keep.read_text().splitlines()] if keep and keep.exists() else []


def measure(
    policy: str, instance: str, horizon: int, runs: int, engine: str, preferences: Path | None, until: float
) -> dict[str, Any] | None:
    """One policy on one instance: its mean regret at each horizon, and the standard errors."""
    if time.time() > until:
        return None
    horizons = powers(horizon)
    regret = cell(policy, world(instance, preferences), horizons, runs, engine)
    errors = regret.std(axis=0, ddof=1) / math.sqrt(len(regret))
    row = {"instance": instance, "policy": policy, "runs": runs, "engine": engine, "horizons": horizons}
    return row | {"regret": regret.mean(axis=0).tolist(), "error": errors.tolist()}


def _grid(names: Sequence[str], horizons: Sequence[int], rows: Iterable[Mapping[str, Any]]) -> RegretGrid:
    regret = np.full((len(names), len(horizons), len(POLICIES)), np.nan)
    for row in sorted(rows, key=lambda row: int(row["runs"])):
        if row["instance"] in names:
            found = row["regret"][: len(horizons)]
            regret[names.index(row["instance"]), : len(found), POLICIES.index(row["policy"])] = found
    return RegretGrid(names, horizons, POLICIES, regret)


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
            if any(cells):
                lines.append([instance, _short(horizon), *cells])
    return Table(["instance", "horizon", *grid.policies], lines, title="mean regret; * is the best of its line")


def ratio_table(grid: RegretGrid) -> Table:
    """By policy, the smallest worst ratio first."""
    ratios = grid.ratios.reshape(-1, len(grid.policies))
    cells = [f"{instance} {_short(horizon)}" for instance in grid.instances for horizon in grid.horizons]
    lines = []
    for policy, column in zip(grid.policies, ratios.T, strict=True):
        if count := np.count_nonzero(~np.isnan(column)):
            where = int(np.nanargmax(column))
            median, worst = np.nanmedian(column), column[where]
            lines.append([policy, f"{count}", f"{median:.2f}", f"{worst:.1f}", cells[where]])
    title = "regret over that of the best policy of the line"
    columns = ["policy", "cells", "median", "worst", "where"]
    return Table(columns, sorted(lines, key=lambda row: float(row[3])), title=title)


def _short(horizon: int) -> str:
    return f"{horizon:.0e}".replace("e+0", "e")
