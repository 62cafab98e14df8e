"""The one runner of cells: what is missing is made by an engine, and kept as it comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from duelist.core.progress import progress_bar
from duelist.sweeps.cell import Cell
from duelist.sweeps.memory import Kept
from duelist.sweeps.tasks import Done, Task, make_tasks, run_task

TURNS = 8  # tasks for each worker, if there is enough to do: those that end early take the rest
LEAST = 0.1  # seconds of a task, roughly: a shorter one is more bother than work
MANY = 32  # workers, where their number is not known


class Engine(Protocol):
    """Where tasks run."""

    chunk: float | None  # seconds of a task at most, roughly; None: whole cells

    @property
    def workers(self) -> int | None:
        """How many, where that is known."""

    def run(self, tasks: Sequence[Task]) -> Iterator[Done]:
        """All tasks, in any order; each comes once, whole or in parts."""

    def close(self) -> None:
        """Let its workers go."""


class Here:
    """This process: cells one after the other, their runs on all cores as threads. An error ends it all."""

    chunk: float | None = None
    workers: int | None = 1

    def run(self, tasks: Sequence[Task]) -> Iterator[Done]:
        for task in tasks:
            yield Done(task, run_task(task, None))

    def close(self) -> None:
        pass


def run_cells(
    cells: Sequence[Cell],
    kept: Kept,
    engine: Engine | None = None,
    *,
    label: str = "sweep",
    progress: bool | None = None,
    finished: Callable[[int], None] = lambda place: None,
) -> list[Done]:
    """Make what `kept` does not have of the cells; what had to be set aside comes back.

    `finished` is told the place of each cell that is all there.

    >>> from duelist.core.spec import Spec
    >>> from duelist.sweeps import Memory, PolicyRuns
    >>> cells = [PolicyRuns(Spec("policy", name), "cyclic", 1000, runs=2) for name in ("uniform", "rucb")]
    >>> kept = Memory(cells)
    >>> run_cells(cells, kept), [round(float(kept.result(place).regret().mean)) for place in (0, 1)]
    ([], [75, 44])
    """
    engine = engine or Here()
    done = kept.done()
    tasks, aside = make_tasks(cells, done, _chunk(engine, cells, done)), list[Done]()
    left = Counter[int]()  # runs, by the place of the cell
    for task in tasks:
        for part in task:
            left[part.place] += part.runs
    for place in range(len(cells)):
        if not left[place]:
            finished(place)
    with progress_bar(label, _milliseconds(tasks), progress) as advance:
        for made in engine.run(tasks):
            if made.trouble:
                aside.append(made)
            else:
                kept.add(made.task, made.results)
            for part in made.task:
                left[part.place] -= part.runs
                if not left[part.place]:
                    finished(part.place)
            advance(_milliseconds([made.task]), lambda: f"{len(cells) - len(+left)} of {len(cells)} cells")
    return aside


def _chunk(engine: Engine, cells: Sequence[Cell], done: Sequence[Sequence[range]]) -> float | None:
    """Seconds of a task: shorter ones where there would be too few for all workers."""
    if engine.chunk is None:
        return None
    left = sum(part.cost for task in make_tasks(cells, done, None) for part in task)
    return min(engine.chunk, max(LEAST, left / (TURNS * (engine.workers or MANY))))


def _milliseconds(tasks: Sequence[Task]) -> int:
    return sum(max(1, round(1000 * part.cost)) for task in tasks for part in task)
