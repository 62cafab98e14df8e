"""Many requests, one commit, for an event loop.

Whoever comes while a commit is under way goes into the next one. A commit (append, then fold) runs in one worker
thread and costs one hop there and back, however many wait for it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from duelist.core.errors import CannotStore, Overloaded
from duelist.live.experiments import Experiments
from duelist.live.requests import Plan
from duelist.storage.journal import Draft, Place

BATCH = 2_000  # events of one commit, about
WAIT, LONGEST_WAIT = 1.0, 0.01  # for those who may come along: of the time of the last commit, and seconds

T = TypeVar("T")


class Waiting(NamedTuple):
    """A plan and whoever waits for its answer."""

    plan: Plan
    answer: asyncio.Future[Any]


class Job(NamedTuple):
    """Something else to do between two commits."""

    work: Callable[[], Any]
    answer: asyncio.Future[Any]


class Door:
    """Carries plans out. To be made and used in one event loop.

    Whatever else folds events must be done by `run`: an event that is folded by somebody else between its append and
    its answer would not be known to have been repeated or late.
    """

    def __init__(self, experiments: Experiments, limit: int = 20_000) -> None:
        self.experiments, self.limit = experiments, limit
        self.waiting = 0  # events
        self.commits = 0
        self._began = self._took = 0.0  # the last commit, seconds
        self._expected = 1  # who may be there for the next one
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._pending: deque[Waiting] = deque()
        self._busy = self._closed = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._work: SimpleQueue[list[Waiting] | Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise Overloaded if too many wait, before any work is done for one more."""
        if self.waiting >= self.limit:
            raise Overloaded(f"{self.waiting} events wait for the journal; try again later")

    async def carry_out(self, plan: Plan) -> Any:
        """Append a plan's events; its answer once they are safe and folded."""
        if not plan.drafts:
            return plan.answer([], {})
        self.check()
        if self._closed:
            raise CannotStore("the service is closing")
        future: asyncio.Future[Any] = self._loop.create_future()
        self._pending.append(Waiting(plan, future))
        self.waiting += len(plan.drafts)
        if not self._busy:
            self._busy = True
            self._idle.clear()
            self._gather()
        elif self._timer is not None and len(self._pending) >= self._expected:
            self._timer.cancel()
            self._begin()
        return await future

    async def run(self, work: Callable[[], T]) -> T:
        """Do something in the worker thread, between two commits."""
        future: asyncio.Future[T] = self._loop.create_future()
        self._work.put(Job(work, future))
        return await future

    async def close(self) -> None:
        """Finish what waits, and take nothing more."""
        self._closed = True
        await self._idle.wait()
        self._work.put(None)
        await asyncio.to_thread(self._thread.join)

    def _gather(self) -> None:
        """Begin a commit, or wait a little: those who were just answered often come back at once."""
        if len(self._pending) >= self._expected:
            self._loop.call_soon(self._begin)  # whoever comes in the same turn of the loop comes along
        else:
            self._timer = self._loop.call_later(min(LONGEST_WAIT, WAIT * self._took), self._begin)

    def _begin(self) -> None:
        self._timer = None
        self._began = time.monotonic()
        batch, size = [], 0
        while self._pending and size < BATCH:
            batch.append(self._pending.popleft())
            size += len(batch[-1].plan.drafts)
        self._work.put(batch)

    def _finish(self, batch: list[Waiting], results: list[Any]) -> None:
        self.commits += 1
        self._took = time.monotonic() - self._began
        self._expected = len(batch) + len(self._pending)
        for (plan, future), result in zip(batch, results, strict=True):
            self.waiting -= len(plan.drafts)
            _settle(future, result)
        if self._pending:
            self._gather()
        else:
            self._busy = False
            self._idle.set()

    # In the worker thread.

    def _run(self) -> None:
        while (item := self._work.get()) is not None:
            if isinstance(item, Job):
                self._loop.call_soon_threadsafe(_settle, item.answer, _result(item.work))
            else:
                self._loop.call_soon_threadsafe(self._finish, item, self._commit(item))

    def _commit(self, batch: Sequence[Waiting]) -> list[Any]:
        """An answer or an error for everybody."""
        drafts = [draft for waiting in batch for draft in waiting.plan.drafts]
        try:
            self.experiments.mend()
            places = self.experiments.journal.append(drafts)
        except CannotStore as error:
            return [error] * len(batch)
        except Exception as error:  # somebody's events cannot be written, or not so many at once: nobody else is hurt
            half = len(batch) // 2
            return [error] if not half else self._commit(batch[:half]) + self._commit(batch[half:])
        return self._answers(batch, drafts, places)

    def _answers(self, batch: Sequence[Waiting], drafts: list[Draft], places: list[Place]) -> list[Any]:
        try:
            verdicts = self.experiments.absorb(drafts, places)
        except Exception as error:
            return [error] * len(batch)
        results: list[Any] = []
        first = 0
        for plan, _ in batch:
            mine = places[first : first + len(plan.drafts)]
            first += len(mine)
            results.append(_result(partial(plan.answer, mine, verdicts)))
        return results


def _result(work: Callable[[], Any]) -> Any:
    """What it returns, or the error."""
    try:
        return work()
    except Exception as error:
        return error


def _settle(future: asyncio.Future[Any], result: Any) -> None:
    if future.done():  # whoever asked has gone
        return
    if isinstance(result, BaseException):
        future.set_exception(result)
    else:
        future.set_result(result)
