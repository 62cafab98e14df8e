"""Many callers, one commit: a disk takes as long for one event as for a hundred."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from duelist.core.errors import BadInput, CannotStore, Overloaded
from duelist.storage.journal import Draft, Journal, Place, check_drafts

WAITING = 10_000  # callers that may wait; beyond, the next is told to come back later
BATCH = 1_000  # callers whose events go into one commit, at most

Then = Callable[[list[Draft], list[Place]], None]  # what is to be done with a commit before its callers go on


class Waiting(NamedTuple):
    """A caller and what it wants to append."""

    drafts: list[Draft]
    places: Future[list[Place]]


class Group:
    """Collects what threads append while the disk is busy with the last commit.

    >>> from duelist.storage.memory import MemoryJournal
    >>> with Group(MemoryJournal()) as group:
    ...     [future.result()[0].seq for future in [group.submit([Draft(1, "told")]) for _ in range(3)]]
    [1, 2, 3]
    """

    def __init__(self, journal: Journal, waiting: int = WAITING, then: Then | None = None) -> None:
        self.journal, self.then = journal, then
        self._queue: queue.Queue[Waiting | None] = queue.Queue(waiting)
        self._open, self._door = True, threading.Lock()
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def submit(self, drafts: Sequence[Draft]) -> Future[list[Place]]:
        """A future of their places, which comes true when they are safe. Refused at once when too many wait."""
        waiting = Waiting(check_drafts(drafts), Future())
        with self._door:
            if not self._open:
                raise CannotStore("the journal is closed")
            try:
                self._queue.put_nowait(waiting)
            except queue.Full:
                raise Overloaded(f"{self._queue.maxsize} callers wait for the journal; try again later") from None
        return waiting.places

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        """As Journal.append."""
        return self.submit(drafts).result()

    def close(self) -> None:
        """Finish what was submitted. The journal stays open."""
        with self._door:
            closing, self._open = self._open, False
        if closing:
            self._queue.put(None)
            self._thread.join()

    def __enter__(self) -> Group:
        return self

    def __exit__(self, *reason: Any) -> None:
        self.close()

    def _work(self) -> None:
        going = True
        while going:
            batch = self._take()
            going = batch[-1] is not None
            self._commit([waiting for waiting in batch if waiting is not None])

    def _take(self) -> list[Waiting | None]:
        """The first that comes, and all that wait already; None ends it."""
        batch = [self._queue.get()]
        while batch[-1] is not None and len(batch) < BATCH:
            try:
                batch.append(self._queue.get_nowait())
            except queue.Empty:
                break
        return batch

    def _commit(self, batch: list[Waiting]) -> None:
        if not batch:
            return
        drafts = [draft for waiting in batch for draft in waiting.drafts]
        try:
            places = self.journal.append(drafts)
        except BadInput as error:  # somebody's events cannot be written, or not so many at once: nobody else is hurt
            half = len(batch) // 2
            if half:
                self._commit(batch[:half])
                self._commit(batch[half:])
            else:
                _fail(batch, error)
            return
        except Exception as error:  # whoever waits is told, and the next commit is tried
            _fail(batch, error)
            return
        self._answer(batch, drafts, places)

    def _answer(self, batch: list[Waiting], drafts: list[Draft], places: list[Place]) -> None:
        try:
            if self.then is not None:
                self.then(drafts, places)
        except Exception as error:
            _fail(batch, error)
            return
        for waiting in batch:
            mine, places = places[: len(waiting.drafts)], places[len(waiting.drafts) :]
            waiting.places.set_result(mine)


def _fail(batch: list[Waiting], error: Exception) -> None:
    for waiting in batch:
        waiting.places.set_exception(error)
