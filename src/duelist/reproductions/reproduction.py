"""What a reproduction is: a table or figure of a paper, made again and judged."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.progress import progress_bar
from duelist.dueling.environments import Matrix
from duelist.dueling.simulate import ENGINES
from duelist.present.charts import Chart
from duelist.present.tables import Table
from duelist.reproductions.verdicts import Row, rows_table
from duelist.sweeps import Cell as Runs
from duelist.sweeps import Engine, Folder, Kept, Memory, run_cells


@dataclass(frozen=True)
class Setting:
    """How a reproduction is to be run."""

    quick: bool = False
    data: Path | None = None  # the data folder, for those that need it
    engine: str = "cpu"  # of simulated policies: cpu or cuda
    advance: Callable[[int], None] = lambda amount: None
    workers: Engine | None = None  # who runs the cells; None: this process, on all cores
    keep: Path | None = None  # a folder of results: what is there is not run again

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise BadInput(f"engine must be one of {', '.join(ENGINES)}, not {self.engine!r}")

    @property
    def home(self) -> Path:
        """The data folder."""
        return self.data or Path(os.environ.get("DUELIST_DATA", ""))

    def matrix(self, name: str) -> Matrix:
        """A preference matrix from the data folder."""
        path = self.home / "preferences" / name
        if not path.is_file():
            raise BadInput(f"this reproduction needs {name} in the folder preferences of --data (looked for {path})")
        return Matrix.read(path)

    def run(self, runs: Sequence[Runs], finished: Callable[[int], None] = lambda place: None) -> list[Any]:
        """The results of cells of a sweep, in order."""
        kept: Kept = Memory(runs) if self.keep is None else Folder(self.keep, runs)
        for done in run_cells(runs, kept, self.workers, progress=False, finished=finished):
            raise BadInput(f"{done.task[0]}: {done.trouble}")
        return [kept.result(place) for place in range(len(runs))]

    def folder(self, name: str) -> Path:
        """A folder of the data folder."""
        path = self.home / name
        if not path.is_dir():
            raise BadInput(f"this reproduction needs the folder {name} in that of --data (looked for {path})")
        return path


@dataclass(frozen=True)
class Report:
    """The rows, and the chart."""

    rows: Sequence[Row]
    chart: Chart

    @property
    def agrees(self) -> bool:
        """Whether no verdict is NO; observations do not count."""
        return not any(row.agrees is False for row in self.rows)

    @property
    def verdict(self) -> str:
        """The same in words."""
        judged = [row.agrees for row in self.rows if row.agrees is not None]
        if not judged:
            return "nothing to agree with"
        return (
            f"all {len(judged)} agree"
            if all(judged)
            else f"NOT ALL AGREE: {judged.count(False)} of {len(judged)} do not"
        )

    @property
    def table(self) -> Table:
        """The rows, and what they are held against."""
        return rows_table(self.rows)

    def __str__(self) -> str:
        return str(self.table)


@dataclass(frozen=True)
class Measured:
    """What a cell gave: a number for each run, and the curves behind it."""

    sample: Floats
    curves: Any = None  # a Result or a Learning


Found = Mapping[str, Measured]  # by the cells' labels


class Cell(Protocol):
    """Something to simulate and to judge, as data."""

    @property
    def label(self) -> str:
        """By which it is found."""

    @property
    def quick(self) -> bool:
        """Whether the small version has it too."""

    def measure(self, setting: Setting) -> Measured:
        """Run it."""

    def plan(self, setting: Setting) -> Sequence[Runs]:
        """What is run for it: cells of a sweep."""

    def collect(self, results: Sequence[Any]) -> Measured:
        """What they gave, in the plan's order."""

    def rows(self, measured: Measured) -> list[Row]:
        """What it gave, beside what it is held against."""


class Measurable:
    """What every cell can do by itself."""

    def measure(self: Cell, setting: Setting) -> Measured:
        """Run it."""
        return measure_cells([self], setting)[self.label]


def measure_cells(cells: Sequence[Cell], setting: Setting) -> dict[str, Measured]:
    """Run cells together: whoever works, and whatever was kept, each gives the same."""
    plans = [cell.plan(setting) for cell in cells]
    owners = [number for number, plan in enumerate(plans) for _ in plan]
    left = Counter(owners)

    def finished(place: int) -> None:
        left[owners[place]] -= 1
        if not left[owners[place]]:
            setting.advance(1)

    results = iter(setting.run([runs for plan in plans for runs in plan], finished))
    return {cell.label: cell.collect([next(results) for _ in plan]) for cell, plan in zip(cells, plans, strict=True)}


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper that can be made again: cells that are simulated, or code where it must be."""

    name: str
    source: str  # where it is in the paper
    missing: str  # what of it cannot be had and why; where a verdict is NO, what follows from it
    cells: Sequence[Cell] = ()
    judge: Callable[[Found], Sequence[Row]] = field(default=lambda found: (), repr=False)  # rows of several cells
    draw: Callable[[Found], Chart] | None = field(default=None, repr=False)
    code: Callable[[Setting], Report] | None = field(default=None, repr=False)
    steps: int = 0  # of the progress bar, where it is code

    def __post_init__(self) -> None:
        if (self.code is None) == (self.draw is None):
            raise BadInput(f"reproduction {self.name!r} has either cells and a chart to draw, or code")

    def chosen(self, quick: bool) -> list[Cell]:
        """The cells to run."""
        return [cell for cell in self.cells if cell.quick or not quick]

    def run(self, setting: Setting | None = None) -> Report:
        """All of it, or the small version."""
        setting = setting or Setting()
        if self.code is not None:
            return self.code(setting)
        assert self.draw is not None
        chosen = self.chosen(setting.quick)
        found = measure_cells(chosen, setting)
        rows = [row for cell in chosen for row in cell.rows(found[cell.label])]
        return Report([*rows, *self.judge(found)], self.draw(found))

    def summary(self, report: Report) -> dict[str, Any]:
        """A report of it for JSON."""
        rows = [row.summary() for row in report.rows]
        return {
            "name": self.name,
            "source": self.source,
            "missing": self.missing,
            "rows": rows,
            "agrees": report.agrees,
        }

    def run_watched(self, setting: Setting) -> Report:
        """The same with a progress bar."""
        steps = self.steps or len(self.chosen(setting.quick))
        with progress_bar(self.name, steps) as advance:
            return self.run(replace(setting, advance=advance))
