"""The lists of a journal in portions, for `analyze`: what `log_of` makes of them, without a record of every list.

Clicks are read first and kept by list, then the lists, so that each is known whole when it comes. Lists whose score is
the clicks on a ranker's slots are read by compiled code; others, those with further pages, clicks twice or actions
that are no clicks are made records one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from duelist.clicks.found_rows import (
    DONE,
    EMPTY_LINE,
    KINDS,
    LONG,
    PLAIN,
    QUERIES,
    SIZE,
    USERS,
    USUAL,
    FoundRows,
    clicks_at,
)
from duelist.clicks.gather import Gatherer
from duelist.clicks.portions import Portions
from duelist.clicks.records import BadRow
from duelist.clicks.rows import Read
from duelist.clicks.spool import PORTION, Spool
from duelist.core.garbage import collecting_seldom
from duelist.core.hashes import Hashes, pair_hashes, text_hashes
from duelist.live.clicked import NO_PAGES, NOTHING, Clicks, Done, Pages, bucket_of, joined_bodies, spans
from duelist.live.definition import Definition
from duelist.live.events import DEFINED, SHOWN, Listed, body_of
from duelist.live.log import SECOND, Kept
from duelist.live.packed import read_lists
from duelist.storage.journal import Event, Journal, Said


class LaterPage(Exception):
    """A list has a further page, which nobody looked for."""


def spool_journal(journal: Journal, attributes: Sequence[str] = (), portion: int = PORTION) -> Portions:
    """The lists of a journal of any size, as `spool_log` gives those of a file.

    >>> from duelist.live import open_experiments
    >>> with open_experiments("memory://") as experiments:
    ...     pair = experiments.define({"name": "search", "kind": "pair", "arms": ["old", "new"]})
    ...     pair.start()
    ...     page = pair.interleave({"old": ["a", "b"], "new": ["b", "c"]}, user="ann", length=2)
    ...     _ = pair.click(page.id, position=1)
    ...     [part.done.slots.tolist() for part in spool_journal(experiments.journal).portions()]
    [[1]]
    """
    with collecting_seldom():
        try:
            return _spool(journal, attributes, portion, NO_PAGES)
        except LaterPage:
            return _spool(journal, attributes, portion, pages_of(journal))


def pages_of(journal: Journal) -> Pages:
    """All later pages."""
    found = []
    for events in spans(journal, SHOWN):
        pages = _read(events)[0] if events else np.zeros(0, np.int64)
        for place in np.flatnonzero(pages != 1).tolist():
            listed: Listed = body_of(_event(events[place]))
            if listed.page != 1:
                found.append((events[place][0], listed.of, listed.begin))
    return Pages(*np.array(found, np.int64).reshape(-1, 3).T)


def _spool(journal: Journal, attributes: Sequence[str], portion: int, pages: Pages) -> Portions:
    definitions = {
        seq: _definition(event) for events in spans(journal, DEFINED) for event in events for seq in event[:1]
    }
    spool, found, first = Spool(once=True), Gatherer(attributes=attributes), 1
    for rows in _rows(journal, definitions, pages):
        for place in found.take_rows(rows, first):
            found.add(Read(rows.kept(place, journal).record()), first + place)
        first += len(rows.rows)
        if found.rows >= portion:
            spool.add(found.cut())
    spool.add(found.cut())
    return spool.finish(found.cut())


def _rows(journal: Journal, definitions: Mapping[int, Definition], pages: Pages) -> Iterator[ListRows]:
    clicks, bucket, done = Clicks(journal, pages), -1, NOTHING
    firsts, lasts = pages.last_pages()
    for events in spans(journal, SHOWN):
        if not events:
            continue
        if bucket_of(events[0][0]) != bucket:
            bucket = bucket_of(events[0][0])
            done = clicks.bucket(bucket)
        begin, end = np.searchsorted(firsts, (events[0][0], events[-1][0] + 1))
        last = dict(zip(firsts[begin:end].tolist(), lasts[begin:end].tolist(), strict=True))
        rows = ListRows(events, done, tuple(clicks.names), definitions, last)
        if rows.later and not len(pages.seq):
            raise LaterPage
        yield rows


class ListRows(FoundRows):
    """Some lists that follow each other, with all that was ever done with them.

    `last` has the number of the last page of those that have several.
    """

    def __init__(
        self,
        events: list[Said],
        done: Done,
        names: Sequence[str],
        definitions: Mapping[int, Definition],
        last: Mapping[int, int],
    ) -> None:
        super().__init__(len(events), 0)
        self.events, self.done, self.names, self.definitions, self.last = events, done, names, definitions, last
        seqs, times, experiments = (np.array([event[place] for event in events]) for place in range(3))
        number, sizes, hashes = _read(events)
        usual = (number == 1) & ~np.isin(seqs, list(last))
        for place in np.flatnonzero(number < 0).tolist():
            number[place] = body_of(_event(events[place])).page
        self.later, self.times = bool((number > 1).any()), times / SECOND
        self.hashes[:, USERS], self.hashes[:, QUERIES] = _user_hashes(events), hashes[:, 1]
        self.hashes[:, KINDS] = pair_hashes(pair_hashes(hashes[:, 0], experiments), sizes)
        self.begins, self.ends = np.searchsorted(done.of, seqs), np.searchsorted(done.of, seqs, side="right")
        self.rows[:, SIZE], self.rows[:, DONE] = sizes, np.cumsum(self.ends - self.begins)
        self._place(done)
        self.rows[:, USUAL] = np.where(usual & ~self._odd(done, sizes), PLAIN, LONG)
        self.rows[(number > 1) | ~np.isin(experiments, list(definitions)), USUAL] = EMPTY_LINE

    def _place(self, done: Done) -> None:
        """The clicks of all rows behind each other."""
        number = self.ends - self.begins
        self.of_click = np.repeat(np.arange(len(number)), number)
        self.at = np.arange(number.sum()) + np.repeat(self.begins - np.cumsum(number) + number, number)
        self.acts = clicks_at(done.slot[self.at], done.at[self.at] / SECOND)

    def _odd(self, done: Done, sizes: Any) -> Any:
        """Which rows have an action that is no click, a click twice, or one beyond their end."""
        slots = self.acts.slots
        odd = (done.name[self.at] != 0) | (slots >= sizes[self.of_click])
        order = np.lexsort((slots, self.of_click))
        same = (np.diff(slots[order]) == 0) & (np.diff(self.of_click[order]) == 0)
        odd[order[1:][same]] = True
        return np.bincount(self.of_click[odd], minlength=len(sizes)) > 0

    def row(self, place: int) -> dict[str, Any]:
        """What lists made alike have in common; BadRow where clicks on a ranker's slots are not what counts."""
        kept = self._kept(place, body_of(_event(self.events[place])))
        shown = kept.listed.shown
        if not kept.own_slots:
            raise BadRow("credit of its own")
        documents = [str(slot) for slot in range(len(shown.ranking))]
        rankers = [kept.definition.arms[arm] for arm in kept.listed.arms]
        teams, name = list(shown.teams), kept.definition.name
        return {"rankers": rankers, "teams": teams, "experiment": name, "shown": documents}

    def kept(self, place: int, journal: Journal) -> Kept:
        """A list with all that was done with it."""
        last = journal.get(self.last.get(self.events[place][0], 0))  # which has the whole list
        found = self._kept(place, body_of(last or _event(self.events[place])))
        for at in range(self.begins[place], self.ends[place]):
            name, slot = self.names[self.done.name[at]], int(self.done.slot[at])
            found.act(name, slot, float(self.done.value[at]), int(self.done.at[at]))
        return found

    def _kept(self, place: int, listed: Listed) -> Kept:
        return Kept(_event(self.events[place]), listed, self.definitions[self.events[place][2]])

    def value(self, place: int, column: int) -> None:
        """A journal has no further columns."""


def _event(said: Said) -> Event:
    seq, at, experiment, body, user = said
    return Event(seq, at, experiment, SHOWN, body, user, "")


def _definition(said: Said) -> Definition:
    return Definition.read(body_of(_event(said)._replace(kind=DEFINED)).definition)


def _read(events: Sequence[Said]) -> tuple[Any, Any, Hashes]:
    """Of each list its page, -1 if it is unusual, how many documents it has, and two hashes."""
    text, ends = joined_bodies([body for _, _, _, body, _ in events])
    pages, sizes = np.zeros(len(events), np.int64), np.zeros(len(events), np.int64)
    hashes = np.zeros((len(events), 2), np.uint64)
    read_lists(text, ends, pages, sizes, hashes)
    return pages, sizes, hashes


def _user_hashes(events: Sequence[Said]) -> Hashes:
    return text_hashes([user.hex() or f"list {seq}" for seq, _, _, _, user in events])
