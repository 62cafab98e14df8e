"""Whether the times of a log can be believed, and what came too late."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelist.clicks.impressions import Impressions
from duelist.clicks.portions import Portions
from duelist.core.memory import Flags, Floats

OUTSIDE = 0.01  # share of rows at either end whose dates are not believed by themselves
WEEK = 7 * 86400.0
SKEW = 60.0  # seconds by which clocks of browsers and servers may differ


def believable(times: Floats) -> Flags:
    """Which impressions have a date that fits the others: one row of another year must not end the experiment.

    A date is strange if it lies farther from the middle 98 % of the log than these are long, and at least a week.

    >>> believable(np.array([10.0, 20, 30, 40, 1e9])).tolist()
    [True, True, True, True, False]
    """
    if not len(times):
        return np.ones(0, np.bool_)
    low, high = middle(len(times))
    ordered = np.partition(times, (low, high))
    first, last = believed(float(ordered[low]), float(ordered[high]))
    return np.asarray((times >= first) & (times <= last))


def middle(number: int) -> tuple[int, int]:
    """Where the middle 98 % of so many dates in order begin and end."""
    low, high = math.ceil(OUTSIDE * (number - 1)), math.floor((1 - OUTSIDE) * (number - 1))
    return min(low, high), high


def believed(first: float, last: float) -> tuple[float, float]:
    """From when to when dates fit, if the middle ones lie between these two."""
    room = max(last - first, WEEK)
    return first - room, last + room


def fitting(log: Portions) -> tuple[float, float]:
    """From when to when the dates of a log fit; its portions come in the order of time."""
    places, begin, found = middle(sum(map(len, log.portions()))), 0, []
    for portion in log.portions():
        found += [float(portion.times[place - begin]) for place in places if begin <= place < begin + len(portion)]
        begin += len(portion)
    return believed(*found)


class Moments(NamedTuple):
    """When things were done, beside when the list was shown."""

    impressions: int
    timed: int  # clicks and actions whose time is known
    early: int  # dated before their list was shown, by more than clocks differ
    late: int  # after the time in which they count
    begin: float  # of the log
    end: float
    attribution: float  # seconds after which nothing counts
    closed: bool  # whether any impression was shown so long before the end


def moments_of(log: Portions, attribution: float | None, usual: float) -> Moments:
    """What was done too early to be true, and too late to count: `attribution` seconds after the list was shown.

    Where that is not given it is the `usual` time for a log whose clicks carry their times, and endless for others.
    """
    number = timed = early = 0
    begin, end = math.inf, 0.0
    for portion in log.portions():
        known = ~np.isnan(portion.done.times)
        number, timed = number + len(portion), timed + int(known.sum())
        early += int((known & (portion.done.times < portion.times[portion.done.rows] - SKEW)).sum())
        begin, end = min(begin, float(portion.times.min())), max(end, float(portion.times.max()))
    limit = attribution if attribution is not None else usual if timed else math.inf
    late = sum(int(is_late(portion, limit).sum()) for portion in log.portions()) if timed else 0
    return Moments(number, timed, early, late, begin, end, limit, bool(number) and begin + limit <= end)


def is_late(log: Impressions, attribution: float) -> Flags:
    """Which clicks and actions came after the time in which they count."""
    return np.asarray(log.done.times > log.times[log.done.rows] + attribution)  # of those whose time is known
