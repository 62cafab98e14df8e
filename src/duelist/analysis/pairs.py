"""Every two rankers of a log against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from duelist.analysis.comparison import Comparison
from duelist.analysis.credits import Credits
from duelist.analysis.traffic import in_time, traffic_of
from duelist.clicks.impressions import Array
from duelist.core.memory import Floats
from duelist.evidence.accounts import Accounts, Course
from duelist.evidence.betting import BettingSequence
from duelist.evidence.capped import cap_preferences
from duelist.evidence.deltas import freeze
from duelist.evidence.table import Hashes


class Windows(NamedTuple):
    """Each user enters once, when the window after the first impression is over."""

    seconds: float
    end: float  # windows that close later are open
    cap: float | None = None  # of preferences: limits then hold at any number of users
    provisional: bool = False  # none has closed, and users are counted as they stand


def compare_all(
    earned: Credits, leaders: Sequence[str], units: Array, alpha: float, windows: Windows | None, seed: int
) -> tuple[Comparison, ...]:
    """Every two rankers that share an impression, pairs of leaders first; `units` are numbers of users or queries.

    Without windows every impression enters, in the order of time, for as long as the log lasts.
    """
    columns = [earned.rankers.index(name) for name in leaders]
    took_part = ~np.isnan(earned.credit)
    pairs = [sorted(pair) for pair in combinations(columns, 2) if took_part[:, pair].all(1).any()]
    users = units.astype(np.uint64)
    comparisons = []
    for first, second in pairs:
        chosen = np.flatnonzero(took_part[:, first] & took_part[:, second])
        chosen = chosen[in_time(earned.times[chosen])]
        preference = earned.credit[chosen, first] - earned.credit[chosen, second]
        traffic = traffic_of(earned.present[:, first] & earned.present[:, second])
        names = earned.rankers[first], earned.rankers[second]
        empty = Comparison(*names, Accounts(), alpha / len(pairs), traffic, seed)
        comparisons.append(compare(empty, users[chosen], earned.times[chosen], preference, windows))
    return tuple(comparisons)


def compare(
    empty: Comparison, users: Hashes, times: Floats, preferences: Floats, windows: Windows | None
) -> Comparison:
    """The comparison with these impressions, which are in the order of time."""
    accounts = Accounts()
    if windows is None:
        accounts.add(users, preferences)
        return replace(empty, accounts=accounts, times=_at_looks(accounts, times))
    capped = None if windows.cap is None else cap_preferences(preferences, windows.cap)
    values = preferences if capped is None else capped.values
    frozen = freeze(users, times, values, windows.seconds, windows.end)
    accounts.add(frozen.users, frozen.deltas)
    return replace(
        empty,
        accounts=accounts,
        times=_at_looks(accounts, frozen.closes),
        open=frozen.open,
        late=frozen.late,
        provisional=windows.provisional,
        capped=capped,
        betting=None if capped is None else _bet(accounts.course(), frozen.deltas, capped.cap, empty.alpha),
    )


def _at_looks(accounts: Accounts, times: Floats) -> Floats:
    looks = accounts.course().impressions
    return times[looks - 1] if len(times) else times


def _bet(course: Course, deltas: Floats, bound: float, alpha: float) -> tuple[BettingSequence, Course]:
    """The betting sequence of deltas, and its limits at the looks of a course."""
    sequence, seen = BettingSequence(bound), 0
    low, high = np.empty(len(course.n)), np.empty(len(course.n))
    for place, look in enumerate(course.impressions.tolist()):
        sequence.add(deltas[seen:look])
        low[place], high[place] = sequence.limits(alpha)
        seen = look
    return sequence, course._replace(low=low, high=high)
