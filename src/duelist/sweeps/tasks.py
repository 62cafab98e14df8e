"""Tasks: what one worker does at a time. Long cells are cut into ranges of runs, short ones are put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from duelist.sweeps.cell import Cell

CHUNK = 5.0  # seconds that a task takes, roughly
START = {"cpu": 0.003, "cuda": 1.0}  # seconds that a part takes beside its runs: made ready, launched, written down
LIVES = 3  # workers that one task may kill
WIDE = 2**16  # runs that a GPU takes at once: fewer would take it about as long


class Part(NamedTuple):
    """Some runs of a cell."""

    place: int  # of the cell in its plan
    cell: Cell
    first: int
    runs: int

    @property
    def cost(self) -> float:
        """Seconds, roughly."""
        return START[self.cell.engine] + self.runs * self.cell.cost

    def __str__(self) -> str:
        return f"{self.cell}: runs {self.first} to {self.first + self.runs - 1}"


Task = tuple[Part, ...]


class Done(NamedTuple):
    """What became of a task: its results, or the trouble with it."""

    task: Task
    results: Sequence[Any]
    trouble: str = ""


def run_task(task: Task, cores: int | None = 1) -> list[Any]:
    """The results of its parts."""
    return [part.cell.run(part.first, part.runs, cores) for part in task]


def missing(runs: int, done: Sequence[range]) -> list[range]:
    """The runs that are not done yet.

    >>> missing(10, [range(2, 4), range(3, 7)])
    [range(0, 2), range(7, 10)]
    """
    gaps, here = [], 0
    for part in sorted(done, key=lambda part: part.start):
        if part.start > here:
            gaps.append(range(here, min(part.start, runs)))
        here = max(here, part.stop)
    gaps.append(range(here, runs))
    return [gap for gap in gaps if gap]


def make_tasks(cells: Sequence[Cell], done: Sequence[Sequence[range]], chunk: float | None = CHUNK) -> list[Task]:
    """All that is missing, in tasks of about `chunk` seconds; without a chunk, what is missing of a cell is a task."""
    if chunk is None:
        whole = [tuple(_parts(place, cell, done[place], None)) for place, cell in enumerate(cells)]
        return [task for task in whole if task]
    tasks: list[Task] = []
    bundle: list[Part] = []
    for place, cell in enumerate(cells):
        for part in _parts(place, cell, done[place], chunk):
            full = sum(other.cost for other in bundle) + part.cost > chunk
            if bundle and (full or bundle[0].cell.engine != cell.engine):
                tasks.append(tuple(bundle))
                bundle = []
            bundle.append(part)
    return [*tasks, tuple(bundle)] if bundle else tasks


def _parts(place: int, cell: Cell, done: Sequence[range], chunk: float | None) -> Iterator[Part]:
    least = WIDE if cell.engine == "cuda" else 1
    most = cell.runs if chunk is None else max(least, int(chunk / cell.cost))
    for gap in missing(cell.runs, done):
        for first in range(gap.start, gap.stop, most):
            yield Part(place, cell, first, min(most, gap.stop - first))


class Retries:
    """What to do again after trouble: the parts of a task one by one, so that only the guilty one is set aside."""

    def __init__(self) -> None:
        self.deaths: Counter[tuple[int, int]] = Counter()

    def after_error(self, task: Task) -> list[Task]:
        """Tasks to run again after one failed; none when it is to be set aside."""
        return [(part,) for part in task] if len(task) > 1 else []

    def after_death(self, task: Task) -> list[Task]:
        """The same after its worker died."""
        if len(task) > 1:
            return self.after_error(task)
        name = (task[0].place, task[0].first)
        self.deaths[name] += 1
        return [task] if self.deaths[name] < LIVES else []
