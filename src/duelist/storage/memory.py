"""A journal that lives as long as its process: for tests, and for trying things."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence

from duelist.storage.journal import (
    CHUNK,
    Clock,
    Draft,
    Event,
    Journal,
    Place,
    Snapshot,
    can_have,
    check_drafts,
    countable,
    machine_clock,
)


class MemoryJournal(Journal):
    """Events in a list.

    >>> journal = MemoryJournal()
    >>> [place.seq for place in journal.append([Draft(1, "asked", key="a"), Draft(1, "asked", key="a")])]
    [1, 1]
    """

    def __init__(self, clock: Clock = machine_clock) -> None:
        self.salt = secrets.token_bytes(16)
        self._clock = clock
        self._events: list[Event] = []
        self._dropped = 0  # how many are gone from the beginning
        self._keys: dict[tuple[int, str], Event] = {}
        self._snapshots: dict[int, Snapshot] = {}
        self._changed = threading.Condition()

    def load(self, events: Sequence[Event]) -> None:
        """Begin with events of another journal, numbers and times included."""
        self._events = list(events)
        self._dropped = events[0].seq - 1 if events else 0
        self._keys = {(event.experiment, event.key): event for event in events if event.key}

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        checked, places = check_drafts(drafts), []
        with self._changed:
            at = max(self._clock(), self._head().at)
            for draft in checked:
                known = self._keys.get((draft.experiment, draft.key)) if draft.key else None
                if known is None:
                    known = Event(self._dropped + len(self._events) + 1, at, *draft)
                    self._events.append(known)
                    places.append(Place(known.seq, at))
                    if draft.key:
                        self._keys[draft.experiment, draft.key] = known
                else:
                    places.append(Place(known.seq, known.at, repeated=True))
            self._changed.notify_all()
        return places

    def read(self, after: int = 0, limit: int = CHUNK) -> list[Event]:
        first, most = countable(after), countable(limit)
        with self._changed:
            begin = max(0, first - self._dropped)
            return self._events[begin : begin + most]

    def get(self, seq: int) -> Event | None:
        with self._changed:
            place = seq - self._dropped
            return self._events[place - 1] if 0 < place <= len(self._events) else None

    def find(self, experiment: int, key: str) -> Event | None:
        if not can_have(experiment, key):
            return None
        with self._changed:
            return self._keys.get((experiment, key))

    def head(self) -> Place:
        with self._changed:
            return self._head()

    def _head(self) -> Place:
        return Place(self._events[-1].seq, self._events[-1].at) if self._events else Place(0, 0)

    def wait(self, after: int, timeout: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._head().seq > after, timeout)

    def save_snapshot(self, snapshot: Snapshot) -> bool:
        with self._changed:
            known = self._snapshots.get(snapshot.experiment)
            newer = known is None or known.seq < snapshot.seq
            if newer:
                self._snapshots[snapshot.experiment] = snapshot
            return newer

    def load_snapshot(self, experiment: int) -> Snapshot | None:
        with self._changed:
            return self._snapshots.get(experiment)

    def rename_user(self, old: bytes, new: bytes) -> int:
        with self._changed:
            found = [event for event in self._events if event.user == old and old]
            for event in found:
                renamed = event._replace(user=new)
                self._events[event.seq - self._dropped - 1] = renamed
                if event.key:
                    self._keys[event.experiment, event.key] = renamed
            return len(found)

    def drop(self, until: int) -> int:
        with self._changed:
            going = max(0, min(until - self._dropped, len(self._events) - 1))
            for event in self._events[:going]:
                if event.key:
                    del self._keys[event.experiment, event.key]
            del self._events[:going]
            self._dropped += going
            return going

    def close(self) -> None:
        pass
