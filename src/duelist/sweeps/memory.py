"""Results kept in memory, by the places of their cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from duelist.sweeps.cell import Cell
from duelist.sweeps.tasks import Task


class Kept(Protocol):
    """Where the results of cells are kept."""

    def done(self) -> list[list[range]]:
        """Of each cell, the runs that are there."""

    def add(self, task: Task, results: Sequence[Any]) -> None:
        """Keep the results of a task; when this returns they are safe."""

    def result(self, place: int) -> Any:
        """All runs of the cell at `place`, as one result."""


class Memory:
    """For as long as the process lives."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = cells
        self.found: list[dict[range, Any]] = [{} for _ in cells]

    def done(self) -> list[list[range]]:
        return [list(parts) for parts in self.found]

    def add(self, task: Task, results: Sequence[Any]) -> None:
        for part, result in zip(task, results, strict=True):
            self.found[part.place][range(part.first, part.first + part.runs)] = result

    def result(self, place: int) -> Any:
        parts = sorted(self.found[place].items(), key=lambda item: item[0].start)
        return self.cells[place].join([result for _, result in parts]) if len(parts) > 1 else parts[0][1]
