"""Worker processes of this machine. One may die at any moment: its task is given to another."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, parent_process
from typing import Any

from duelist.core.errors import BadInput, DuelistError
from duelist.core.parallel import available_cores
from duelist.sweeps.tasks import CHUNK, LIVES, Done, Retries, Task, run_task

# A worker is one core. Sums of linear algebra also depend on the number of its threads, and results must not.
ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
READY = "ready"


class Local:
    """As many processes as there are cores, or as told; `settings` are environment variables of each.

    They stay between two calls of `run`, until `close`.
    """

    chunk: float | None = CHUNK

    def __init__(self, workers: int | None = None, settings: Sequence[Mapping[str, str]] = ()) -> None:
        self.workers = workers or len(settings) or available_cores()
        self.settings = settings
        self.crew: list[Worker] = []

    def run(self, tasks: Sequence[Task]) -> Iterator[Done]:
        if self.workers > 1 and not self.settings and any(task[0].cell.engine == "cuda" for task in tasks):
            raise BadInput(f"{self.workers} workers would share one GPU: a sweep with engine cuda has one worker a GPU")
        waiting, retries = deque(tasks), Retries()
        for number in range(len(self.crew), min(self.workers, len(tasks))):
            self.crew.append(self._hire(number))
        try:
            while waiting or any(worker.task for worker in self.crew):
                for worker in self.crew:
                    if worker.ready and not worker.task and waiting:
                        worker.give(waiting.popleft())
                for place in _heard(self.crew):
                    task, said = self.crew[place].hear()
                    if said is None:  # it died
                        self.crew[place].end()
                        self.crew[place] = self._hire(place)
                    if task:
                        yield from _settle(task, said, waiting, retries)
        finally:
            if any(worker.task for worker in self.crew):  # interrupted: what they are at is not wanted any more
                self.close()

    def close(self) -> None:
        """End all workers."""
        while self.crew:
            self.crew.pop().end()

    def _hire(self, number: int) -> Worker:
        return Worker({**ALONE, **(self.settings[number % len(self.settings)] if self.settings else {})})


def _heard(crew: Sequence[Worker]) -> list[int]:
    """The places of workers that have something to say, or died."""
    ready = connection.wait([worker.pipe for worker in crew])
    return [place for place, worker in enumerate(crew) if worker.pipe in ready]


def _settle(task: Task, answer: Done | None, waiting: deque[Task], retries: Retries) -> Iterator[Done]:
    """What comes of an answer: results, tasks to try again, or one to set aside."""
    if answer is not None and not answer.trouble:
        yield answer
        return
    again = retries.after_death(task) if answer is None else retries.after_error(task)
    waiting.extendleft(reversed(again))
    if not again:
        yield answer or Done(task, [], f"it killed its worker {LIVES} times")


class Worker:
    """One process, and what it is at."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        context = get_context("spawn")  # a fork would copy threads' locks, and what the compiler holds
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True, name="duelist worker")
        with _environment(settings):
            self.process.start()
        theirs.close()
        self.ready, self.task = False, ()  # type: bool, Task

    def give(self, task: Task) -> None:
        """Let it run a task. One that died is noticed when it is heard."""
        self.task = task
        with suppress(OSError):
            self.pipe.send(task)

    def hear(self) -> tuple[Task, Done | None]:
        """The task it was at, and what it says of it; None when it died."""
        task = self.task
        try:
            said: Any = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            if not self.ready:
                raise BadInput(
                    f"a worker could not start (exit status {self.process.exitcode}); a script that runs a sweep "
                    "does so below if __name__ == '__main__'"
                ) from None
            return task, None
        if said == READY:
            self.ready = True
            return (), Done((), [])
        self.task = ()
        results, trouble = said
        return task, Done(task, results, trouble)

    def end(self) -> None:
        """Stop it, whatever it is at."""
        self.pipe.close()
        self.process.kill()
        self.process.join()
        self.process.close()


def serve(pipe: Any) -> None:
    """The life of a worker: tasks come, results go, until the other end is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who gives the tasks
    threading.Thread(target=_end_with, args=(parent_process(),), daemon=True).start()
    pipe.send(READY)
    with suppress(EOFError, OSError):
        while True:
            try:
                task = pipe.recv()
            except ImportError as error:  # of a module that is not here
                pipe.send(([], f"{type(error).__name__}: {error}"))
            else:
                pipe.send(answer(task))


def _end_with(parent: Any) -> None:
    """Nobody wants the results of a worker whose parent was killed, however long its task still takes."""
    if parent is not None:
        parent.join()
        os._exit(1)


def answer(task: Task) -> tuple[list[Any], str]:
    """The results of a task, or what is wrong with it."""
    try:
        return run_task(task), ""
    except DuelistError as error:
        return [], str(error)
    except Exception as error:  # a user's own policy may raise anything; the other cells do not care
        return [], f"{type(error).__name__}: {error}"


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Environment variables that a process started meanwhile inherits."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            os.environ.update({} if value is None else {name: value})


def one_a_gpu() -> Local:
    """A worker for each GPU, which sees that one alone."""
    from duelist.core.cuda import Device

    count = len(Device().cuda.gpus)
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = given.split(",") if given else list(map(str, range(count)))
    return Local(settings=[{"CUDA_VISIBLE_DEVICES": name} for name in names[:count]])
