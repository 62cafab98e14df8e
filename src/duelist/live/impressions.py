"""Lists that were shown and may still be clicked: opened, continued, clicked, and closed when they are due.

Everything due is closed before an event is applied, in the order of (deadline, number), and only the `at` of events
says what is due: another clock, another process and a later replay close the same lists with the same clicks.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, NamedTuple

from duelist.live.definition import Definition
from duelist.live.events import Clicked

SECOND = 1_000_000
COUNTED, REPEATED, LATE, UNKNOWN = "counted", "repeated", "late", "unknown"

Clicks = dict[tuple[int, str], float]  # (position in the whole list, action): value


class Open:
    """A list that may still be clicked."""

    __slots__ = ("arms", "at", "clicks", "deadline", "order", "pages", "seq", "user")

    def __init__(self, seq: int, at: int, deadline: int, user: bytes, order: int, arms: tuple[int, ...]) -> None:
        self.seq, self.at, self.deadline, self.user, self.order, self.arms = seq, at, deadline, user, order, arms
        self.pages = [(seq, 0)]  # the event of each page, and where it begins in the whole list
        self.clicks: Clicks = {}

    def record(self) -> list[Any]:
        """As plain values."""
        clicks = [[place, action, value] for (place, action), value in self.clicks.items()]
        return [self.seq, self.at, self.deadline, self.user, self.order, self.arms, self.pages, clicks]


class Closed(NamedTuple):
    """A list as it is credited."""

    seq: int  # of its first page
    last: int  # of its last page, which has the whole list
    user: bytes
    clicks: Clicks
    order: int  # how many were shown before it
    arms: tuple[int, ...]  # whose rankings it has


class Impressions:
    """All open lists of one experiment."""

    def __init__(self, definition: Definition, close: Callable[[Closed], None]) -> None:
        session = definition.session
        patient = set(definition.credit) != {"click"}  # what is bought is bought later
        self.timeout = round(session.timeout * SECOND)
        self.grace = 0 if patient else round(session.grace * SECOND)
        self.next = session.next and not patient
        self.actions = set(definition.credit)
        self.close = close
        self.open: dict[int, Open] = {}  # by the number of the first page
        self.first_page: dict[int, int] = {}  # of a later page
        self.of_user: dict[bytes, list[int]] = {}
        self.due: list[tuple[int, int]] = []  # a heap; entries whose deadline was moved are stale
        self.shown = 0

    def add(self, seq: int, at: int, user: bytes, arms: tuple[int, ...] = ()) -> None:
        """A list is shown; it closes the last one of its user."""
        if self.next and user:
            for earlier in sorted(self.of_user.get(user, ())):
                self._close(self.open[earlier])
        self.open[seq] = opened = Open(seq, at, at + self.timeout, user, self.shown, arms)
        self.shown += 1
        if user:
            self.of_user.setdefault(user, []).append(seq)
        heapq.heappush(self.due, (opened.deadline, seq))

    def add_page(self, seq: int, first: int, begin: int) -> bool:
        """One more page of an open list; whether it is open."""
        opened = self.open.get(first)
        if opened is None:
            return False
        opened.pages.append((seq, begin))
        self.first_page[seq] = first
        return True

    def click(self, clicked: Clicked, at: int) -> str:
        """What becomes of a click on a list that is open; LATE if none is."""
        opened = self.open.get(self.first_page.get(clicked.of, clicked.of))
        if opened is None:
            return LATE
        begin = dict(opened.pages)[clicked.of]
        if clicked.action not in self.actions:
            return UNKNOWN
        place = (begin + clicked.position, clicked.action)
        if place in opened.clicks:
            return REPEATED
        opened.clicks[place] = clicked.value
        if self.grace:
            opened.deadline = min(opened.at + self.timeout, at + self.grace)
            heapq.heappush(self.due, (opened.deadline, opened.seq))
        return COUNTED

    def others(self, seq: int) -> list[Open]:
        """The other open lists of the user of a list."""
        opened = self.open.get(self.first_page.get(seq, seq))
        if opened is None or not opened.user:
            return []
        return [self.open[other] for other in self.of_user[opened.user] if other != opened.seq]

    def advance(self, at: int) -> None:
        """Close everything that is due."""
        while self.due and self.due[0][0] <= at:
            deadline, seq = heapq.heappop(self.due)
            opened = self.open.get(seq)
            if opened is not None and opened.deadline == deadline:
                self._close(opened)

    def rename(self, old: bytes, new: bytes) -> None:
        """Let a user go on under another hash."""
        mine = self.of_user.pop(old, None)
        if mine is not None:
            self.of_user[new] = mine
            for seq in mine:
                self.open[seq].user = new

    def _close(self, opened: Open) -> None:
        del self.open[opened.seq]
        for page, _ in opened.pages[1:]:
            del self.first_page[page]
        if opened.user:
            mine = self.of_user[opened.user]
            mine.remove(opened.seq)
            if not mine:
                del self.of_user[opened.user]
        self.close(Closed(opened.seq, opened.pages[-1][0], opened.user, opened.clicks, opened.order, opened.arms))

    def record(self) -> dict[str, Any]:
        """As plain values, oldest first."""
        return {"shown": self.shown, "open": [opened.record() for _, opened in sorted(self.open.items())]}

    def restore(self, record: dict[str, Any]) -> None:
        """Go on from a record."""
        self.shown = record["shown"]
        for seq, at, deadline, user, order, arms, pages, clicks in record["open"]:
            self.open[seq] = opened = Open(seq, at, deadline, user, order, tuple(arms))
            opened.pages = [(page, begin) for page, begin in pages]
            opened.clicks = {(place, action): value for place, action, value in clicks}
            self.first_page |= {page: seq for page, _ in opened.pages[1:]}
            if user:
                self.of_user.setdefault(user, []).append(seq)
            heapq.heappush(self.due, (deadline, seq))
