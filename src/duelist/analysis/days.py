"""How an experiment went from day to day, and who made it: rates by day, and users who come too often to be people."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from duelist.analysis.credits import Credits
from duelist.analysis.effect import Effect
from duelist.clicks.impressions import Array
from duelist.core.memory import Floats

DAY = 86400.0
ENOUGH = 100  # impressions of a day whose rate says something
TIMES = 2.0  # so many times the usual rate, or its inverse, is worth a word
OFTEN = 10  # so many times as often as all but one user of a hundred
PAUSE = 28  # days without any row that are worth a word
LEAST = 50  # impressions of a user that is called extreme


class Day(NamedTuple):
    """One day of the log, of impressions that compare rankers."""

    date: str
    impressions: int
    credit: float  # of all rankers together, an impression
    preference: float  # of the first leader over the second, an impression that compares them


class Daily:
    """What rankers earned on each day, one portion after another; days are numbers since 1970."""

    def __init__(self, rankers: tuple[str, ...]) -> None:
        self.rankers, self.dated = rankers, False
        self.shown: dict[int, int] = {}
        self.credit: dict[int, float] = {}
        self.shared: dict[int, Floats] = {}  # rankers x rankers x 2: where both took part, the first's credit; number

    def add(self, earned: Credits) -> None:
        """Enter impressions."""
        self.dated |= bool(earned.times.any())
        days, begins = np.unique((earned.times // DAY).astype(np.int64), return_index=True)  # in the order of time
        for day, mine in zip(days.tolist(), np.split(earned.credit, begins[1:]), strict=False):
            took_part = ~np.isnan(mine)
            filled = np.where(took_part, mine, 0.0)
            self.shown[day] = self.shown.get(day, 0) + len(mine)
            self.credit[day] = self.credit.get(day, 0.0) + float(filled.sum())
            shared = np.stack([filled.T @ took_part, took_part.T.astype(np.float64) @ took_part], axis=2)
            self.shared[day] = self.shared.get(day, 0.0) + shared

    def effect(self, first: str, second: str) -> Effect:
        """The effect between two rankers on all days."""
        one, other = self.rankers.index(first), self.rankers.index(second)
        whole = sum(self.shared.values(), np.zeros((len(self.rankers), len(self.rankers), 2)))
        number = max(1.0, whole[one, other, 1])
        means = (float(whole[one, other, 0] / number), float(whole[other, one, 0] / number))
        return Effect(*means, int(whole[one, other, 1]))

    def days(self, first: str, second: str) -> tuple[Day, ...]:
        """The days of a log; none if it has no times."""
        if not self.dated:
            return ()
        one, other = self.rankers.index(first), self.rankers.index(second)
        found = []
        for day in sorted(self.shown):
            shared, shown = self.shared[day], self.shown[day]
            preference = float((shared[one, other, 0] - shared[other, one, 0]) / max(1.0, shared[one, other, 1]))
            date = datetime.fromtimestamp(day * DAY, UTC).strftime("%Y-%m-%d")
            found.append(Day(date, shown, self.credit[day] / shown, preference))
        return tuple(found)


def strange_days(days: tuple[Day, ...]) -> list[str]:
    """Days on which people seem to have clicked far more or less than usual."""
    told = [day for day in days if day.impressions >= ENOUGH]
    usual = float(np.median([day.credit for day in told])) if len(told) > 2 else 0.0
    strange = [day for day in told if usual and not usual / TIMES <= day.credit <= usual * TIMES]
    return [
        f"On {day.date} {day.credit:.3g} credit an impression, usually {usual:.3g}: was everything logged?"
        for day in strange[:3]
    ]


def pauses(days: tuple[Day, ...]) -> list[str]:
    """The longest time without any row, where it is a month or more: a pause, or a clock that is wrong.

    >>> pauses((Day("2026-01-01", 90, 1.0, 0.0), Day("2026-01-02", 10, 1.0, 0.0), Day("2031-01-02", 20, 1.0, 0.0)))
    ['Nothing was logged between 2026-01-02 and 2031-01-02, and 16.7% of the impressions after: do clocks agree?']
    """
    dates = [datetime.fromisoformat(day.date) for day in days]
    lengths = [(later - earlier).days for earlier, later in pairwise(dates)]
    if max(lengths, default=0) < PAUSE:
        return []
    place = lengths.index(max(lengths))
    after = sum(day.impressions for day in days[place + 1 :]) / sum(day.impressions for day in days)
    when = f"between {days[place].date} and {days[place + 1].date}"
    return [f"Nothing was logged {when}, and {after:.1%} of the impressions after: do clocks agree?"]


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


def crowds(counts: Array) -> list[str]:
    """Users with extreme numbers of impressions.

    >>> crowds(np.array([3] * 199 + [400]))
    ['1 user made 40.1% of the impressions, up to 400 each, where 99 of 100 made 3 at most: a machine?']
    """
    counts = counts[counts > 0].astype(np.int64)
    usual = float(np.quantile(counts, 0.99, method="lower")) if len(counts) else 0.0
    extreme = counts[(counts >= LEAST) & (counts > OFTEN * usual)]
    if not len(extreme):
        return []
    who = f"{len(extreme):,} user{'s' if len(extreme) > 1 else ''}"
    share = f"{extreme.sum() / counts.sum():.1%} of the impressions, up to {extreme.max():,} each"
    return [f"{who} made {share}, where 99 of 100 made {usual:.0f} at most: a machine?"]
