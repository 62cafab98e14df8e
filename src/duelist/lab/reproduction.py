"""What a reproduction is: a table or figure of a paper, made again and compared."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.errors import BadInput, UnknownName
from duelist.core.intervals import interval
from duelist.core.tables import format_table
from duelist.dueling.environments import Matrix


@dataclass(frozen=True)
class Row:
    """One comparison. `published` is None where the paper makes a claim without a number."""

    cell: str
    published: float | None
    measured: float
    low: float  # 95 % interval of ours
    high: float
    agrees: bool


@dataclass(frozen=True)
class Report:
    """The rows, and how to draw the chart."""

    rows: Sequence[Row]
    draw: Callable[[Path], Any]


@dataclass(frozen=True)
class Setting:
    """How a reproduction is to be run."""

    quick: bool = False
    data: Path | None = None  # the data folder, for those that need it
    advance: Callable[[int], None] = lambda amount: None

    def matrix(self, name: str) -> Matrix:
        """A preference matrix from the data folder."""
        path = self._home() / "preferences" / name
        if not path.is_file():
            raise BadInput(f"this reproduction needs {name} in the folder preferences of --data (looked for {path})")
        return Matrix.read(path)

    def folder(self, name: str) -> Path:
        """A folder of the data folder."""
        path = self._home() / name
        if not path.is_dir():
            raise BadInput(f"this reproduction needs the folder {name} in that of --data (looked for {path})")
        return path

    def _home(self) -> Path:
        return self.data or Path(os.environ.get("DUELIST_DATA", ""))


@dataclass(frozen=True)
class Reproduction:
    """A table or figure of a paper that can be made again."""

    name: str
    source: str  # where it is in the paper, and where the numbers to compare with come from
    missing: str  # what of it cannot be reproduced, and why; empty if nothing
    steps: int  # of the progress bar
    run: Callable[[Setting], Report] = field(repr=False)


def compare(cell: str, published: float, error: float, sample: Any) -> Row:
    """A published mean, with half its 95 % interval, against a sample of ours.

    They agree when they differ by less than 3.5 standard errors of the difference.
    """
    mean, low, high = interval(sample)
    ours = float(np.std(sample, ddof=1)) / math.sqrt(len(sample))
    agrees = abs(mean - published) < 3.5 * math.hypot(ours, error / 1.96)
    return Row(cell, published, float(mean), float(low), float(high), bool(agrees))


def claim(cell: str, sample: Any, holds: Callable[[float, float], bool]) -> Row:
    """A statement about a mean of ours: it agrees when it holds for the whole 95 % interval."""
    mean, low, high = interval(sample)
    return Row(cell, None, float(mean), float(low), float(high), bool(holds(float(low), float(high))))


def find(reproductions: Sequence[Reproduction], name: str) -> Reproduction:
    """The reproduction called `name`."""
    for reproduction in reproductions:
        if reproduction.name == name:
            return reproduction
    raise UnknownName(f"unknown reproduction {name!r}. Known: {', '.join(r.name for r in reproductions)}")


def format_report(report: Report) -> str:
    """The rows as a table."""
    lines = []
    for row in report.rows:
        digits = 3 if abs(row.measured) < 10 else 0
        published = "claim" if row.published is None else f"{row.published:.{digits}f}"
        ours = f"{row.measured:.{digits}f} [{row.low:.{digits}f}, {row.high:.{digits}f}]"
        lines.append([row.cell, published, ours, "yes" if row.agrees else "NO"])
    return format_table(["cell", "published", "ours [95 %]", "agrees"], lines)
