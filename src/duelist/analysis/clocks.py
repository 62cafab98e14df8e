"""Whether the times of a log can be believed, and what came too late."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelist.clicks.impressions import Impressions
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
    low, high = math.ceil(OUTSIDE * (len(times) - 1)), math.floor((1 - OUTSIDE) * (len(times) - 1))
    ordered = np.partition(times, (min(low, high), high))
    first, last = float(ordered[min(low, high)]), float(ordered[high])
    room = max(last - first, WEEK)
    return np.asarray((times >= first - room) & (times <= last + room))


class Moments(NamedTuple):
    """When things were done, beside when the list was shown."""

    timed: int  # clicks and actions whose time is known
    early: int  # dated before their list was shown, by more than clocks differ
    late: Flags  # of each click or action: after the time in which it counts
    end: float  # of the log
    attribution: float  # seconds after which nothing counts


def moments_of(log: Impressions, attribution: float) -> Moments:
    """What was done too early to be true, and too late to count: `attribution` seconds after the list was shown."""
    shown = log.times[log.done.rows]
    known = ~np.isnan(log.done.times)
    early = known & (log.done.times < shown - SKEW)
    late = np.asarray(known & (log.done.times > shown + attribution))
    return Moments(int(known.sum()), int(early.sum()), late, float(log.times.max(initial=0.0)), attribution)
