"""Whether the times of a log can be believed, and what came too late."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelist.clicks.impressions import NOWHERE, Array, Impressions
from duelist.clicks.portions import Portions
from duelist.core.memory import Flags, Floats

OUTSIDE = 0.01  # share of rows at either end whose dates are not believed by themselves
FEW = 0.05  # share at either end that is not believed where a long time without any row parts it from the others
WEEK = 7 * 86400.0
MONTH = 4 * WEEK
SKEW = 60.0  # seconds by which clocks of browsers and servers may differ


def believable(times: Floats) -> Flags:
    """Which impressions have a date that fits the others: a few rows of another year must not end the experiment.

    A date is strange if it lies farther from the middle 98 % of the log than these are long, and at least a week; or
    if it lies outside the middle 90 %, beyond a time without any row that is longer than these, and at least a month.

    >>> believable(np.array([10.0, 20, 30, 40, 1e9])).tolist()
    [True, True, True, True, False]
    """
    if not len(times):
        return np.ones(0, np.bool_)
    ordered = np.sort(times)
    low, high = middle(len(times), FEW)
    first, last = limits_of(ordered[: low + 1], ordered[high:], len(times))
    return np.asarray((times >= first) & (times <= last))


def middle(number: int, outside: float) -> tuple[int, int]:
    """Where so many dates in order begin and end, without a share at either end."""
    low, high = math.ceil(outside * (number - 1)), math.floor((1 - outside) * (number - 1))
    return min(low, high), high


def limits_of(lower: Floats, upper: Floats, number: int) -> tuple[float, float]:
    """From when to when dates fit, by those up to where the middle 90 % begin, and from where they end."""
    low, high = middle(number, OUTSIDE)
    begin, end = float(lower[low]), float(upper[high - number])
    room = max(end - begin, WEEK)
    longest = max(float(upper[0] - lower[-1]), MONTH)
    before, after = np.flatnonzero(np.diff(lower) > longest), np.flatnonzero(np.diff(upper) > longest)
    first = float(lower[before[-1] + 1]) if len(before) else -math.inf
    last = float(upper[after[0]]) if len(after) else math.inf
    return max(first, begin - room), min(last, end + room)


def fitting(log: Portions) -> tuple[float, float]:
    """From when to when the dates of a log fit; its portions come in the order of time."""
    number, begin = sum(map(len, log.portions())), 0
    low, high = middle(number, FEW)
    lower, upper = [], []
    for portion in log.portions():
        lower.append(portion.times[: max(0, low + 1 - begin)])
        upper.append(portion.times[max(0, high - begin) :])
        begin += len(portion)
    return limits_of(np.concatenate(lower), np.concatenate(upper), number)


class Moments(NamedTuple):
    """When things were done, beside when the list was shown: of all impressions, those that wait included."""

    impressions: int
    acted: Array  # clicks and actions that have a place, by the number of their name
    nowhere: Array  # and those that have none, of lists that are there
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
    acted, nowhere = np.zeros((2, len(log.head.action_names)), np.int64)
    for portion in log.portions():
        names, lost = portion.done.names, portion.done.slots == NOWHERE
        acted += np.bincount(names[(names >= 0) & ~lost], minlength=len(acted))
        nowhere += np.bincount(names[(names >= 0) & lost], minlength=len(acted))
        known = ~np.isnan(portion.done.times)
        number, timed = number + len(portion), timed + int(known.sum())
        early += int((known & (portion.done.times < portion.times[portion.done.rows] - SKEW)).sum())
        begin, end = min(begin, float(portion.times.min())), max(end, float(portion.times.max()))
    limit = attribution if attribution is not None else usual if timed else math.inf
    late = sum(int(is_late(portion, limit).sum()) for portion in log.portions()) if timed else 0
    closed = bool(number) and begin + limit <= end
    return Moments(number, acted, nowhere, timed, early, late, begin, end, limit, closed)


def is_late(log: Impressions, attribution: float) -> Flags:
    """Which clicks and actions came after the time in which they count."""
    return np.asarray(log.done.times > log.times[log.done.rows] + attribution)  # of those whose time is known
