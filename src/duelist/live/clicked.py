"""What was done with the lists of a journal, as arrays by list, in a temporary file where they are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.clicks.columns import Names
from duelist.clicks.impressions import Array
from duelist.clicks.records import CLICK
from duelist.clicks.spool import ArrayFile
from duelist.core.hashes import Hashes
from duelist.core.memory import Flags, Ints
from duelist.live.events import CLICKED, Clicked, body_of
from duelist.live.packed import NAME, NAME_END, OF, PADDING, POSITION, VALUE, read_clicks
from duelist.storage.journal import Event, Journal, Said

SPAN = 1 << 16  # numbers of events that are read at once
BUCKET = 1 << 18  # and those whose clicks are kept together: some spans


class Done(NamedTuple):
    """Clicks and other actions, one entry each."""

    of: Array  # the number of the list's first page
    slot: Array
    name: Array  # of the action, as a number; 0 is the click
    value: Array
    at: Array  # microseconds


class Pages(NamedTuple):
    """Later pages of lists, in the order of their numbers."""

    seq: Ints
    first: Ints  # the first page
    begin: Ints  # where the page begins in the whole list

    def last_pages(self) -> tuple[Ints, Ints]:
        """The lists that have later pages, in their order, and the last page of each."""
        order = np.argsort(self.first, kind="stable")
        firsts = self.first[order]
        last = np.append(firsts[1:] != firsts[:-1], True)[: len(firsts)]
        return firsts[last], self.seq[order][last]


NOTHING = Done(*(np.zeros(0, np.int64) for _ in Done._fields))
NO_PAGES = Pages(*(np.zeros(0, np.int64) for _ in Pages._fields))


def spans(journal: Journal, kind: str) -> Iterator[list[Said]]:
    """The events of a kind up to the last one there is now, a span of numbers at a time."""
    last = journal.head().seq
    for begin in range((journal.first() - 1) // SPAN * SPAN, last, SPAN):
        yield journal.said(kind, begin, min(last, begin + SPAN))


def bucket_of(seq: Any) -> Any:
    """Which clicks are kept together: those of numbers from 1, as spans are."""
    return (seq - 1) // BUCKET


def joined_bodies(bodies: Sequence[bytes]) -> tuple[Array, Ints]:
    """All bodies behind each other, and where each ends."""
    text = np.frombuffer(b"".join(bodies) + bytes(PADDING), np.uint8)
    return text, np.cumsum(np.fromiter(map(len, bodies), np.int64, len(bodies)))


class Clicks:
    """Everything that was done, by the number of the list."""

    def __init__(self, journal: Journal, pages: Pages) -> None:
        self.file, self.pages, self.names = ArrayFile(), pages, Names()
        self.names[CLICK] = 0
        self.parts: dict[int, list[int]] = {}
        self.numbers: dict[int, int] = {}  # of names by their hashes
        for events in spans(journal, CLICKED):
            if events:
                self._add(self._read(events))

    def bucket(self, number: int) -> Done:
        """What was done with the lists of some numbers, in the order of lists and then of time."""
        parts = [self.file.read(part) for part in self.parts.get(number, ())]
        if not parts:
            return NOTHING
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        return Done(*(column[order] for column in columns))

    def _add(self, done: Done) -> None:
        buckets = bucket_of(done.of)
        for number in np.unique(buckets).tolist():
            chosen = buckets == number
            part = self.file.add([column[chosen] for column in done])
            self.parts.setdefault(number, []).append(part)

    def _read(self, events: list[Said]) -> Done:
        """Clicks of events, each on the first page of its list."""
        seqs, times, experiments, bodies, users = zip(*events, strict=True)
        text, ends = joined_bodies(bodies)
        found, names = np.zeros((len(events), 5), np.int64), np.zeros(len(events), np.uint64)
        usual = np.zeros(len(events), np.bool_)
        read_clicks(text, ends, found, names, usual)
        numbers = self._numbers(text, found, names, usual)
        values = np.ones(len(events))
        at = found[usual, VALUE, None] + np.arange(8)
        values[usual] = np.ascontiguousarray(text[at]).view(">f8").ravel()
        for place in np.flatnonzero(~usual).tolist():
            event = Event(seqs[place], times[place], experiments[place], CLICKED, bodies[place], users[place], "")
            body: Clicked = body_of(event)
            found[place, OF], found[place, POSITION] = body.of, body.position
            numbers[place], values[place] = self.names[body.action], body.value
        first, begin = self._first_pages(found[:, OF])
        placed = found[:, POSITION] >= 0  # one that names a document was not on the list
        done = Done(first, begin + found[:, POSITION], numbers, values, np.array(times, np.int64))
        return Done(*(column[placed] for column in done))

    def _numbers(self, text: Array, found: Ints, names: Hashes, usual: Flags) -> Ints:
        kinds, places, which = np.unique(names, return_index=True, return_inverse=True)
        numbers = []
        for kind, place in zip(kinds.tolist(), places.tolist(), strict=True):
            if kind not in self.numbers and usual[place]:
                begin, end = found[place, NAME : NAME_END + 1].tolist()
                self.numbers[kind] = self.names[text[begin:end].tobytes().decode()]
            numbers.append(self.numbers.get(kind, 0))
        return np.array(numbers, np.int64)[which.reshape(-1)]

    def _first_pages(self, of: Ints) -> tuple[Ints, Ints]:
        """The first page of each page, and where the page begins in the whole list."""
        first, begin = of.copy(), np.zeros(len(of), np.int64)
        at = np.searchsorted(self.pages.seq, of)
        later = np.flatnonzero(at < len(self.pages.seq))
        later = later[self.pages.seq[at[later]] == of[later]]
        first[later], begin[later] = self.pages.first[at[later]], self.pages.begin[at[later]]
        return first, begin
