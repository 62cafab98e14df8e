"""Every two rankers of a log against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from duelist.analysis.comparison import Comparison
from duelist.analysis.credits import Credits
from duelist.analysis.traffic import Traffic, traffic_of
from duelist.clicks.impressions import Array
from duelist.core.memory import Flags, Floats
from duelist.evidence.accounts import Accounts, Course
from duelist.evidence.betting import BettingSequence
from duelist.evidence.capped import Capping
from duelist.evidence.deltas import Freezer
from duelist.evidence.table import IMPRESSIONS


class Counting(NamedTuple):
    """How preferences by one outcome are counted."""

    window: float | None = (
        None  # seconds after the first impression when a user enters, once; None: as often as it comes
    )
    ended: bool = False  # users whose window is open count as well
    cap: float | None = None  # of preferences: a value too rare to have come yet cannot turn the limits
    valued: bool = False  # whether preferences are values, which have no bound of their own
    waits: bool = False  # the time for clicks is over for no impression: everything may still change


class Pair:
    """Two rankers, one portion of impressions after another in the order of time."""

    def __init__(self, counting: Counting) -> None:
        self.accounts, self.impressions = Accounts(counting.cap), 0
        self.valued, self.largest = counting.valued, 0.0
        self.times: list[Floats] = []  # of the looks that the accounts keep
        self.last = np.zeros(0)
        self.freezer = None if counting.window is None else Freezer(counting.window)
        self.capping = None if counting.cap is None else Capping(counting.cap)

    def add(self, users: Array, times: Floats, preferences: Floats) -> None:
        """Enter impressions."""
        if not len(preferences):
            return
        self.impressions += len(preferences)
        self.largest = max(self.largest, float(np.abs(preferences).max()))
        values = preferences if self.capping is None else self.capping.cut(preferences)
        if self.freezer is not None:
            self.freezer.add(users, times, values)
            return
        before, looks = self.accounts.impressions, len(self.accounts.looks)
        self.accounts.add(users.astype(np.uint64), values)
        self.times.append(times[self.accounts.looks[looks:, IMPRESSIONS].astype(np.intp) - before - 1])
        self.last = times[-1:]

    def within(self, empty: Comparison, end: float, provisional: bool) -> Comparison:
        """The comparison with these impressions; users' windows close until `end`."""
        if self.valued and self.capping is None and self.largest:
            empty = replace(empty, needs_cap=proposed_cap(self.largest))
        empty = replace(empty, capped=None if self.capping is None else self.capping.so_far())
        if self.freezer is None:
            times = np.concatenate([*self.times, self.last])
            return replace(empty, accounts=self.accounts, times=times, provisional=provisional)
        frozen, accounts = self.freezer.frozen(end), Accounts()
        accounts.add(frozen.users, frozen.deltas)
        course = accounts.course()
        return replace(
            empty,
            accounts=accounts,
            times=frozen.closes[course.impressions - 1] if len(frozen.closes) else frozen.closes,
            open=frozen.open,
            late=frozen.late,
            provisional=provisional,
            betting=None if self.capping is None else _bet(course, frozen.deltas, self.capping.cap, empty.alpha),
        )


class Pairs:
    """Every two rankers that share an impression, by one outcome.

    Without a window every impression enters, in the order of time, for as long as the log lasts.
    """

    def __init__(self, rankers: Sequence[str], counting: Counting) -> None:
        self.rankers, self.counting = tuple(rankers), counting
        self.everybody = None if counting.window is None else Freezer(counting.window)
        self.end = -math.inf
        self.pairs: dict[tuple[int, int], Pair] = {}
        self.credit, self.shown = np.zeros(len(self.rankers)), np.zeros(len(self.rankers))
        self.present: list[tuple[int, Array]] = []  # how many impressions, and a bit for each ranker that took part

    def add(self, earned: Credits, units: Array) -> None:
        """Enter impressions; `units` are numbers of users or queries."""
        took_part = ~np.isnan(earned.credit)
        self.credit += np.nansum(earned.credit, 0)
        self.shown += took_part.sum(0)
        self.present.append((len(earned.present), np.packbits(earned.present, axis=0)))
        if not len(earned.times):
            return
        self.end = max(self.end, float(earned.times.max()))
        if self.everybody is not None:
            self.everybody.add(units, earned.times, np.zeros(len(units)))
        for first, second in combinations(range(len(self.rankers)), 2):
            chosen = np.flatnonzero(took_part[:, first] & took_part[:, second])
            if len(chosen):
                pair = self.pairs.setdefault((first, second), Pair(self.counting))
                preference = earned.credit[chosen, first] - earned.credit[chosen, second]
                pair.valued |= earned.beyond_clicks
                pair.add(units[chosen], earned.times[chosen], preference)

    @property
    def by_credit(self) -> list[str]:
        """The rankers, those that earned most an impression first."""
        with np.errstate(invalid="ignore"):
            order = np.argsort(-self.credit / self.shown, kind="stable")
        return [self.rankers[place] for place in order.tolist()]

    @property
    def provisional(self) -> bool:
        """Whether users are counted as they stand, since no window or time for clicks is over."""
        if self.everybody is None or self.counting.waits:
            return self.counting.waits
        return not (self.counting.ended or self.everybody.closed(self.end))

    def comparisons(self, alpha: float, seed: int) -> tuple[Comparison, ...]:
        """All of them, pairs of leaders first."""
        columns = [self.rankers.index(name) for name in self.by_credit]
        pairs = [(min(pair), max(pair)) for pair in combinations(columns, 2)]
        pairs = [pair for pair in pairs if pair in self.pairs]
        end, found = math.inf if self.provisional or self.counting.ended else self.end, []
        for first, second in pairs:
            names = self.rankers[first], self.rankers[second]
            empty = Comparison(*names, Accounts(), alpha / len(pairs), self._traffic(first, second), seed)
            found.append(self.pairs[first, second].within(empty, end, self.provisional))
        return tuple(found)

    def _traffic(self, first: int, second: int) -> Traffic:
        return traffic_of(_bits(self.present, first) & _bits(self.present, second))


def proposed_cap(largest: float) -> float:
    """The largest preference so far, rounded up to 1, 2 or 5 and zeros.

    >>> [proposed_cap(amount) for amount in (0.7, 80.0, 100.0, 230.0)]
    [1.0, 100.0, 100.0, 500.0]
    """
    zeros = 10.0 ** math.floor(math.log10(largest))
    return next(step * zeros for step in (1, 2, 5, 10) if step * zeros >= largest)


def _bits(packed: list[tuple[int, Array]], ranker: int) -> Flags:
    parts: list[Any] = [np.unpackbits(bits[:, ranker], count=number) for number, bits in packed]
    return np.concatenate(parts).astype(np.bool_)


def _bet(course: Course, deltas: Floats, bound: float, alpha: float) -> tuple[BettingSequence, Course]:
    """The betting sequence of deltas, and its limits at the looks of a course."""
    sequence, seen = BettingSequence(bound), 0
    low, high = np.empty(len(course.n)), np.empty(len(course.n))
    for place, look in enumerate(course.impressions.tolist()):
        sequence.add(deltas[seen:look])
        low[place], high[place] = sequence.limits(alpha)
        seen = look
    return sequence, course._replace(low=low, high=high)
