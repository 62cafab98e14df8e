"""The one runner of cells: what is missing is made by an engine, and kept as it comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from duelist.core.progress import progress_bar
from duelist.sweeps.cell import Cell
from duelist.sweeps.memory import Kept
from duelist.sweeps.tasks import Done, Task, make_tasks, run_task


class Engine(Protocol):
    """Where tasks run."""

    chunk: float | None  # seconds of a task, roughly; None: whole cells

    def run(self, tasks: Sequence[Task]) -> Iterator[Done]:
        """All tasks, in any order; each comes once, whole or in parts."""

    def close(self) -> None:
        """Let its workers go."""


class Here:
    """This process: cells one after the other, their runs on all cores as threads. An error ends it all."""

    chunk: float | None = None

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
    ([], [75, 63])
    """
    engine = engine or Here()
    tasks, aside = make_tasks(cells, kept.done(), engine.chunk), list[Done]()
    left = Counter[int]()  # runs, by the place of the cell
    for task in tasks:
        for part in task:
            left[part.place] += part.runs
    for place in range(len(cells)):
        if not left[place]:
            finished(place)
    with progress_bar(label, _milliseconds(tasks), progress) as advance:
        for done in engine.run(tasks):
            if done.trouble:
                aside.append(done)
            else:
                kept.add(done.task, done.results)
            for part in done.task:
                left[part.place] -= part.runs
                if not left[part.place]:
                    finished(part.place)
            advance(_milliseconds([done.task]), lambda: f"{len(cells) - len(+left)} of {len(cells)} cells")
    return aside


def _milliseconds(tasks: Sequence[Task]) -> int:
    return sum(max(1, round(1000 * part.cost)) for task in tasks for part in task)
