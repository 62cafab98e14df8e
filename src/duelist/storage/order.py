"""From the batches of a stream to numbers: which event has which, and when it was, as a fold of the batches in order.

Whoever appends a batch does not know what others append at the same moment, so a batch says neither its numbers nor
which of its keys were seen before. Both follow from the batches before it, and every process comes to the same.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from duelist.storage.journal import Draft, Event, Place
from duelist.storage.keys import Keys


class Batch(msgspec.Struct, array_like=True, frozen=True):
    """What is appended at once: one message of the stream."""

    id: bytes  # of this append, however often it is sent
    at: int  # by the clock of whoever appends
    drafts: list[Draft]
    dropped: int = 0  # events up to this number are let go of


class Start(msgspec.Struct, array_like=True, frozen=True):
    """Where the fold begins when the messages before are gone."""

    message: int = 0  # the last one that is gone
    seq: int = 0  # the last number that is gone with it
    at: int = 0
    first: int = 1  # the first number that is kept: that message may have some that are not
    repeats: dict[int, list[int]] = {}  # what was a repetition of a key, which may be gone


class Order:
    """The numbers of all messages from a start on.

    >>> order = Order()
    >>> order.enter(1, Batch(b"", 50, [Draft(1, "asked", key="a"), Draft(1, "told")]))
    [Place(seq=1, at=50, repeated=False), Place(seq=2, at=50, repeated=False)]
    >>> order.enter(2, Batch(b"", 40, [Draft(1, "asked", key="a"), Draft(1, "told")]))
    [Place(seq=1, at=50, repeated=True), Place(seq=3, at=50, repeated=False)]
    >>> order.message_of(3)
    2
    """

    def __init__(self, start: Start | None = None) -> None:
        self.start = start or Start()  # where another process may begin that does not see the messages before
        self.message, self.seq = self.start.message, self.start.seq
        self.at, self.first = self.start.at, self.start.first
        self.keys = Keys()
        self.repeats = dict(self.start.repeats)
        self._before = self.message  # the message before the first one that is known here
        self._firsts, self._times = array("q"), array("q")  # of each message: its first number, its time

    def enter(self, message: int, batch: Batch) -> list[Place]:
        """The next message; where its drafts stand."""
        at = max(self.at, batch.at)
        self.message = message
        self._firsts.append(self.seq + 1)
        self._times.append(at)
        known, places, repeated = self.repeats.get(message, ()), list[Place](), list[int]()
        for place, draft in enumerate(batch.drafts):
            if place in known:
                seen = self.keys.get(draft.experiment, draft.key) or 0
            else:
                seen = (self.keys.enter(draft.experiment, draft.key, self.seq + 1) or 0) if draft.key else 0
            if seen or place in known:
                repeated.append(place)
                places.append(Place(seen, self._time(seen), repeated=True))
            else:
                self.seq, self.at = self.seq + 1, at
                places.append(Place(self.seq, at))
        self._times[-1] = self.at  # that of the last event, where this message has none
        if repeated:
            self.repeats[message] = repeated
        if batch.dropped:
            self._drop(min(batch.dropped, self.seq - 1))
        return places

    def message_of(self, seq: int) -> int | None:
        """The message that has an event, if it is kept."""
        if not self.first <= seq <= self.seq:
            return None
        return self._before + bisect_right(self._firsts, seq)

    def events(self, message: int, drafts: Sequence[Draft]) -> list[Event]:
        """The events of a message, as far as they are kept."""
        place = message - self._before - 1
        seq, at = self._firsts[place], self._times[place]
        if repeated := self.repeats.get(message):
            drafts = [draft for place, draft in enumerate(drafts) if place not in repeated]
        found = [Event(seq + number, at, *draft) for number, draft in enumerate(drafts)]
        return found[max(0, self.first - seq) :]

    def _drop(self, until: int) -> None:
        self.keys.forget(until)  # also where it is known that they are gone: until this message their keys counted
        if until < self.first:
            return
        self.first = until + 1
        gone = bisect_right(self._firsts, self.first) - 1  # whole messages
        if gone:
            message = self._before = self._before + gone
            self.repeats = {each: found for each, found in self.repeats.items() if each > message}
            self.start = Start(message, self._firsts[gone] - 1, self._times[gone - 1], self.first, self.repeats.copy())
            del self._firsts[:gone], self._times[:gone]
        else:
            self.start = msgspec.structs.replace(self.start, first=self.first, repeats=self.repeats.copy())

    def _time(self, seq: int) -> int:
        message = self.message_of(seq)
        return self._times[message - self._before - 1] if message else 0
