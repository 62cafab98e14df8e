"""Tasks cover what is missing, once; trouble is found part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist.sweeps import Done, Memory, run_cells
from duelist.sweeps.tasks import LIVES, Retries, Task, make_tasks, missing


@given(st.integers(1, 30), st.lists(st.tuples(st.integers(0, 35), st.integers(0, 12))))
def test_what_is_missing_is_all_but_what_is_done(runs: int, done: list[tuple[int, int]]) -> None:
    there = [range(first, first + many) for first, many in done]
    found = [run for gap in missing(runs, there) for run in gap]
    assert found == [run for run in range(runs) if not any(run in part for part in there)]


@pytest.mark.parametrize("chunk", [None, 0.1, 1.0, 3.0, 5.0, 1000.0])
def test_every_run_is_in_one_task(toys: ModuleType, chunk: float | None) -> None:
    cells = [toys.Toy(number, runs=runs) for number, runs in enumerate([4, 1, 9, 1, 1])]
    done = [[range(2)], [], [range(3, 5)], [range(1)], []]
    tasks = make_tasks(cells, done, chunk)
    found = [(part.place, run) for task in tasks for part in task for run in range(part.first, part.first + part.runs)]
    wanted = {(place, run) for place, cell in enumerate(cells) for run in range(cell.runs)}
    wanted -= {(place, run) for place, parts in enumerate(done) for part in parts for run in part}
    assert len(found) == len(set(found))
    assert set(found) == wanted
    if chunk is None:
        assert [{part.place for part in task} for task in tasks] == [{0}, {1}, {2}, {4}]
    else:
        assert all(sum(part.runs * part.cell.cost for part in task) <= max(chunk, 1.0) for task in tasks)


def test_a_task_is_for_one_engine(toys: ModuleType) -> None:
    cells = [toys.Toy(number, runs=1, engine=engine) for number, engine in enumerate(["cpu", "cpu", "cuda", "cpu"])]
    tasks = make_tasks(cells, [[]] * 4, 100.0)
    assert [[part.place for part in task] for task in tasks] == [[0, 1], [2], [3]]


def test_a_gpu_is_filled(toys: ModuleType) -> None:
    cells = [toys.Toy(number, runs=150_000, engine=engine) for number, engine in enumerate(["cpu", "cuda"])]
    sizes = [[part.runs for part in task] for task in make_tasks(cells, [[range(149_998)], []], 1.0)]
    assert sizes == [[1], [1], [65_536], [65_536], [18_928]]


def test_only_the_guilty_part_is_set_aside(toys: ModuleType) -> None:
    (task,) = make_tasks([toys.Toy(1, runs=1), toys.Toy(2, runs=1)], [[], []], 100.0)
    retries = Retries()
    assert retries.after_death(task) == retries.after_error(task) == [(task[0],), (task[1],)]
    assert retries.after_error((task[0],)) == []
    assert [retries.after_death((task[1],)) for _ in range(LIVES)] == [[(task[1],)], [(task[1],)], []]
    assert retries.after_death((task[0],)) == [(task[0],)]  # another's deaths are not its own


class Noting:
    """Runs nothing, and notes what it was given."""

    chunk: float | None = 5.0

    def __init__(self, workers: int | None) -> None:
        self.workers, self.given = workers, list[Task]()

    def run(self, tasks: Sequence[Task]) -> Iterator[Done]:
        self.given += tasks
        return iter(())

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("runs", "cost", "workers", "tasks"),
    [(100, 1.0, 2, 20), (20, 1.0, 2, 20), (16, 0.5, 1, 8), (4, 0.001, 2, 1), (1000, 0.01, 4, 33)],
)
def test_there_are_tasks_for_all_workers_unless_they_would_be_tiny(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch, runs: int, cost: float, workers: int, tasks: int
) -> None:
    monkeypatch.setattr(toys.Toy, "cost", cost)
    cells, engine = [toys.Toy(0, runs=runs)], Noting(workers)
    run_cells(cells, Memory(cells), engine)
    assert len(engine.given) == tasks


def test_many_cells_are_not_one_task_though_their_runs_cost_nothing(
    toys: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toys.Toy, "cost", 1e-9)
    cells, engine = [toys.Toy(number, runs=1) for number in range(1000)], Noting(2)
    run_cells(cells, Memory(cells), engine)
    assert 16 <= len(engine.given) <= 20
    assert all(40 <= len(task) <= 70 for task in engine.given[:-1])
