"""How an experiment went from day to day, and who made it: rates by day, and users who come too often to be people."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from duelist.analysis.credits import Credits
from duelist.clicks.impressions import Array

DAY = 86400.0
ENOUGH = 100  # impressions of a day whose rate says something
TIMES = 2.0  # so many times the usual rate, or its inverse, is worth a word
OFTEN = 10  # so many times as often as all but one user of a hundred
LEAST = 50  # impressions of a user that is called extreme


class Day(NamedTuple):
    """One day of the log, of impressions that compare rankers."""

    date: str
    impressions: int
    credit: float  # of all rankers together, an impression
    preference: float  # of the first leader over the second, an impression that compares them


def days_of(earned: Credits, first: str, second: str) -> tuple[Day, ...]:
    """The days of a log; none if it has no times."""
    if not earned.times.any():
        return ()
    numbers, of_row = np.unique((earned.times // DAY).astype(np.int64), return_inverse=True)
    shown = np.bincount(of_row)
    credit = np.bincount(of_row, np.nansum(earned.credit, 1)) / shown
    pair = earned.credit[:, earned.rankers.index(first)] - earned.credit[:, earned.rankers.index(second)]
    known = ~np.isnan(pair)
    compared = np.maximum(1, np.bincount(of_row[known], minlength=len(numbers)))
    preference = np.bincount(of_row[known], pair[known], minlength=len(numbers)) / compared
    dates = [datetime.fromtimestamp(number * DAY, UTC).strftime("%Y-%m-%d") for number in numbers.tolist()]
    return tuple(map(Day, dates, shown.tolist(), credit.tolist(), preference.tolist()))


def strange_days(days: tuple[Day, ...]) -> list[str]:
    """Days on which people seem to have clicked far more or less than usual."""
    told = [day for day in days if day.impressions >= ENOUGH]
    usual = float(np.median([day.credit for day in told])) if len(told) > 2 else 0.0
    strange = [day for day in told if usual and not usual / TIMES <= day.credit <= usual * TIMES]
    return [
        f"On {day.date} {day.credit:.3g} credit an impression, usually {usual:.3g}: was everything logged?"
        for day in strange[:3]
    ]


def halves(days: tuple[Day, ...]) -> tuple[float, float] | None:
    """The preference in the first half of the days and in the second; None if there are too few."""
    if len(days) < 4:
        return None
    middle = len(days) // 2
    first, second = (
        float(np.average([day.preference for day in part], weights=[day.impressions for day in part]))
        for part in (days[:middle], days[middle:])
    )
    return first, second


def crowds(users: Array) -> list[str]:
    """Users with extreme numbers of impressions.

    >>> crowds(np.repeat(np.arange(200), [3] * 199 + [400]))
    ['1 user made 40.1% of the impressions, up to 400 each, where 99 of 100 made 3 at most: a machine?']
    """
    counts = np.bincount(users)
    counts = counts[counts > 0]
    usual = float(np.quantile(counts, 0.99, method="lower")) if len(counts) else 0.0
    extreme = counts[(counts >= LEAST) & (counts > OFTEN * usual)]
    if not len(extreme):
        return []
    who = f"{len(extreme):,} user{'s' if len(extreme) > 1 else ''}"
    share = f"{extreme.sum() / counts.sum():.1%} of the impressions, up to {extreme.max():,} each"
    return [f"{who} made {share}, where 99 of 100 made {usual:.0f} at most: a machine?"]
