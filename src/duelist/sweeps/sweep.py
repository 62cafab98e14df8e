"""What a sweep found, read back: one table of all rows, one line a cell, charts."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.intervals import Interval, interval
from duelist.core.memory import Floats
from duelist.core.parameters import meant
from duelist.present.charts import Lines, Panel, Series
from duelist.present.frames import arrow_frame, check_rows_path
from duelist.present.tables import Table
from duelist.sweeps.cell import Cell
from duelist.sweeps.descents import DescentRuns
from duelist.sweeps.folder import Folder, Slice, join_slices, load_arrow, read_slices, read_table
from duelist.sweeps.learners import LearnerRuns
from duelist.sweeps.policies import PolicyRuns
from duelist.sweeps.tasks import missing

KINDS: dict[str, type[Cell]] = {kind.kind: kind for kind in (PolicyRuns, LearnerRuns, DescentRuns)}
WORLDS = ("environment", "data", "value")  # a panel each
POOLED = ("seed", "fold")  # runs that differ in these alone are one sample
ALL = 2**62


@dataclass(frozen=True)
class Found:
    """All runs of one cell."""

    axes: dict[str, Any]
    kind: type[Cell]
    result: Any

    def curve(self, measure: str) -> Floats:
        """Runs x checkpoints of a measure."""
        curves = self.kind.curves(self.result)
        if measure not in curves:
            known = ", ".join(curves)
            raise BadInput(f"{self.axes} has no measure {measure!r}{meant(measure, curves)}; it has {known}")
        return curves[measure]


@dataclass(frozen=True)
class Sample:
    """Runs of cells that differ in seeds and folds alone."""

    axes: dict[str, Any]
    times: Any
    curves: Floats

    @property
    def end(self) -> Interval:
        """Of the last checkpoint."""
        return interval(self.curves[:, -1])


class Sweep:
    """The results in a folder, whether all cells are there yet or not."""

    def __init__(self, slices: Sequence[Slice], where: str = "") -> None:
        if not slices:
            raise BadInput(f"there are no results of a sweep in {where!r}")
        self.cells: dict[str, list[Slice]] = {}
        for found in sorted(slices, key=lambda found: (found.place, found.first)):
            self.cells.setdefault(found.key, []).append(found)

    @classmethod
    def read(cls, folder: str | Path) -> Sweep:
        """What `duelist sweep` has written so far."""
        return cls(read_slices(Path(folder)), str(folder))

    @classmethod
    def of(cls, kept: Folder) -> Sweep:
        """The cells of a plan alone, of all that a folder has."""
        return cls([found for key in kept.keys for found in kept.found.get(key, [])], str(kept.path))

    @cached_property
    def found(self) -> list[Found]:
        """Of each cell, its axes and all its runs as a Result or a Learning."""
        return [
            Found(slices[0].axes, KINDS[slices[0].kind], join_slices(slices, KINDS[slices[0].kind], ALL))
            for slices in self.cells.values()
        ]

    def arrow(self) -> Any:
        """All rows, one a run and checkpoint, as an Arrow table: in the plan's order, whoever made them when."""
        parts = []
        for slices in self.cells.values():
            seen = list[range]()
            for found in slices:
                for fresh in missing(found.first + found.runs, [range(found.first), *seen]):
                    rows = found.begins + (fresh.start - found.first) * found.points, len(fresh) * found.points
                    parts.append(read_table(found.path).slice(*rows))
                    seen.append(fresh)
        return load_arrow()[0].concat_tables(parts, promote_options="permissive").replace_schema_metadata(None)

    def to_frame(self, library: str | None = None) -> Any:
        """The same as a frame of pandas or polars, whichever is installed."""
        return arrow_frame(self.arrow(), library)

    def save(self, path: Path) -> None:
        """All rows as one .csv or .parquet file."""
        check_rows_path(path)
        if path.suffix == ".parquet":
            load_arrow()[1].write_table(self.arrow(), path)
        else:
            importlib.import_module("pyarrow.csv").write_csv(self.arrow(), path)

    def summary(self, measure: str | None = None) -> list[dict[str, Any]]:
        """For JSON: a record for each sample."""
        name = self.measure(measure)
        return [
            {**sample.axes, "runs": len(sample.curves), "measure": name, **_numbers(sample.end)}
            for sample in self.samples(measure)
        ]

    def samples(self, measure: str | None = None) -> list[Sample]:
        """By all axes but seeds and folds."""
        pooled: dict[str, list[Found]] = {}
        for found in self.found:
            pooled.setdefault(str({n: v for n, v in found.axes.items() if n not in POOLED}), []).append(found)
        return [_sample(group, measure) for group in pooled.values()]

    def table(self, measure: str | None = None) -> Table:
        """A row for each sample, and what all have in common below."""
        samples = self.samples(measure)
        varying, same = _axes([sample.axes for sample in samples])
        rows = [
            [*(_text(sample.axes.get(axis)) for axis in varying), f"{len(sample.curves):,}", _interval(sample.end)]
            for sample in samples
        ]
        notes = [f"{axis}: {_text(value)}" for axis, value in same.items()]
        return Table([*varying, "runs", self.measure(measure)], rows, [*notes, "mean of the runs at the end, ± 95 %"])

    def measure(self, wanted: str | None = None) -> str:
        """The measure that is shown unless another is wanted: the first there is."""
        return wanted or next(iter(KINDS[next(iter(self.cells.values()))[0].kind].curves(self.found[0].result)))

    def chart(self, measure: str | None = None, by: str | None = None) -> Lines:
        """Curves over time, or the end of each against a number that was varied, such as a parameter's value."""
        samples, shown = self.samples(measure), self.measure(measure)
        world = next(axis for axis in WORLDS if axis in samples[0].axes)
        panels = []
        for place in dict.fromkeys(sample.axes[world] for sample in samples):
            here = [sample for sample in samples if sample.axes[world] == place]
            lines = _curves(here, world) if by is None else _against(here, world, by)
            panels.append(Panel(f"{shown}{' regret' * (world == 'environment')}, {place}", lines))
        clock = next(iter(self.cells.values()))[0].clock
        return Lines(panels, by or clock, "mean of the runs, bands: its 95 % interval", by is None)


def _numbers(found: Interval) -> dict[str, float | None]:
    return {name: float(value) if np.isfinite(value) else None for name, value in found._asdict().items()}


def _sample(group: Sequence[Found], measure: str | None) -> Sample:
    measure = measure or next(iter(group[0].kind.curves(group[0].result)))
    axes = {n: v for n, v in group[0].axes.items() if n not in POOLED}
    return Sample(axes, group[0].result.checkpoints, np.concatenate([found.curve(measure) for found in group]))


def _axes(all_axes: Sequence[dict[str, Any]]) -> tuple[list[str], dict[str, Any]]:
    """Those that tell samples apart, and what is the same for all; parameters stand in the name already."""
    names = [n for n in dict.fromkeys(n for axes in all_axes for n in axes) if not n.startswith("set.")]
    varying = [n for n in names if len({str(axes.get(n)) for axes in all_axes}) > 1]
    first = names[0]
    same = {n: all_axes[0][n] for n in names if n not in varying and n != first and all_axes[0][n] is not None}
    return [first, *(n for n in varying if n != first)], same


def _curves(samples: Sequence[Sample], world: str) -> list[Series]:
    varying, _ = _axes([sample.axes for sample in samples])
    return [
        Series(", ".join(_text(s.axes[n]) for n in varying if n != world), s.times, *_band(interval(s.curves)))
        for s in samples
    ]


def _against(samples: Sequence[Sample], world: str, by: str) -> list[Series]:
    """A line for each of the others; what has no such number is a line all along."""
    names = {n for sample in samples for n in sample.axes}
    axis = by if by in names else f"set.{by}"
    values = sorted({s.axes[axis] for s in samples if isinstance(s.axes.get(axis), int | float)})
    if not values:
        raise BadInput(f"nothing with numbers is called {by!r}{meant(by, names)}; there is {', '.join(sorted(names))}")
    lines: dict[str, list[Sample]] = {}
    for sample in samples:
        subject = next(iter(sample.axes))
        others = {n: v for n, v in sample.axes.items() if n not in (axis, world, subject)}
        name = str(sample.axes[subject]).partition(":")[0] if axis.startswith("set.") else str(sample.axes[subject])
        lines.setdefault(f"{name} {others}", []).append(sample)
    return [_line(group, axis, values) for group in lines.values()]


def _line(group: Sequence[Sample], axis: str, values: Sequence[float]) -> Series:
    name = str(next(iter(group[0].axes.values()))).partition(":")[0]
    if axis not in group[0].axes:
        group, x = [group[0]] * len(values), list(values)
    else:
        group = sorted(group, key=lambda sample: sample.axes[axis])
        x = [sample.axes[axis] for sample in group]
    return Series(name, x, *_band(Interval(*np.array([sample.end for sample in group]).T)))


def _band(found: Interval) -> tuple[Any, ...]:
    return found if np.isfinite(np.asarray(found.low)).all() else (found.mean,)


def _text(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _interval(found: Interval) -> str:
    digits = max(0, 3 - int(np.floor(np.log10(max(abs(float(found.mean)), 1e-9)))))
    band = f" ± {found.high - found.mean:.{digits}f}" if np.isfinite(found.high) else ""
    return f"{found.mean:.{digits}f}{band}"
