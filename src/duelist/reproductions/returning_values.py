"""Users and queries that come back and buy: values under a cap, without a difference and with one.

Each has a taste of its own, of mean 0: one of taste 0.5 buys from the first ranker half as often again, and from the
second half as often. So a unit's second purchase follows from its first, and is no fair game given the past.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelist.analysis.comparison import Comparison
from duelist.analysis.pairs import Counting, Pair
from duelist.analysis.traffic import Traffic
from duelist.core.intervals import Interval
from duelist.core.memory import Floats, Ints
from duelist.evidence.accounts import Accounts
from duelist.evidence.deltas import freeze
from duelist.evidence.watch import looks_at, watch
from duelist.reproductions.returning import DAYS, Crowd, visit
from duelist.reproductions.samples import mean_of, ratio_of

DAY = 1.0  # the window that was usual, in the unit of visits
EFFECT = 0.4  # so much more often people buy from the first ranker, where it is better


class Shop(NamedTuple):
    """What is bought: few buy for much from the first ranker, many for little from the second, of the same mean."""

    cap: float
    large: float  # share of impressions in which the first sells
    many: float  # and the second
    tail: float = 0.0  # prices of the first are Pareto with this exponent, cut at the cap; 0: all are the cap

    def prices(self, luck: np.random.Generator, number: int) -> Floats:
        """Of the first ranker."""
        if not self.tail:
            return np.full(number, self.cap)
        return np.minimum(1 + luck.pareto(self.tail, number), self.cap)

    @property
    def price(self) -> float:
        """The mean of `prices`.

        >>> shop = Shop(20, 0.05, 0.25, tail=1.5)
        >>> round(shop.price, 2), round(float(shop.prices(np.random.default_rng(0), 1_000_000).mean()), 2)
        (2.55, 2.55)
        """
        return 1 + (1 - self.cap ** (1 - self.tail)) / (self.tail - 1) if self.tail else self.cap


class Values(NamedTuple):
    """Impressions in the order of time."""

    units: Ints
    times: Floats  # days
    preferences: Floats
    cap: float | None


def come(luck: np.random.Generator, crowd: Crowd | int) -> tuple[Ints, Floats]:
    """Who comes when: users of a crowd, or so many queries, of which all are asked from the first day to the last.

    >>> units, times = come(np.random.default_rng(0), 1000)
    >>> len(units), freeze(units, times, times, DAY).late  # after the first 24 hours of their query
    (46485, 43880)
    """
    if isinstance(crowd, Crowd):
        visits = visit(luck, crowd)
        return visits.users, visits.times
    number = luck.geometric(0.3, crowd) * 3 * (1 + luck.pareto(1.2, crowd))
    units = np.repeat(np.arange(crowd), np.minimum(number, 2000).astype(np.int64))
    return luck.permutation(units), np.sort(luck.random(len(units)) * DAYS)


def buy(luck: np.random.Generator, crowd: Crowd | int, taste: float, shop: Shop, effect: float = 0.0) -> Values:
    """One experiment."""
    units, times = come(luck, crowd)
    tastes = np.clip(luck.normal(0, taste, int(units.max()) + 1), -1, 1)[units]
    little = shop.large * shop.price / shop.many
    first = luck.random(len(units)) < shop.large * (1 + tastes) * (1 + effect)
    second = luck.random(len(units)) < shop.many * (1 - tastes)
    preferences = np.where(first, shop.prices(luck, len(units)), 0.0) - np.where(second, little, 0.0)
    return Values(units, times, preferences, shop.cap)


def ever_named(values: Values, window: float | None = None) -> bool:
    """Whether the comparison of a report names a winner at any of its looks.

    >>> many = Values(np.arange(300), np.arange(300) * 0.01, np.full(300, 2.0), 2.0)
    >>> ever_named(many), ever_named(many, DAY), [ever_named(many._replace(cap=cap)) for cap in (500.0, None)]
    (True, True, [False, False])
    """
    pair = Pair(Counting(window, ended=True, cap=values.cap, valued=True))
    pair.add(values.units, values.times, values.preferences)
    found = pair.within(Comparison("a", "b", Accounts(), 0.05, Traffic(0, 0, 0, 0)), math.inf, False)
    return found.needs_cap is None and bool(((found.band.low > 0) | (found.band.high < 0)).any())


def as_if_strangers(values: Values) -> bool:
    """Whether one wins who bets on every impression as if it were another user's."""
    deltas = values.preferences[None]
    return bool(watch(deltas, looks_at(deltas.size), bound=values.cap)["betting sequence"].any())


def information(values: Values) -> tuple[float, float]:
    """z squared of units' totals, and of their means in the first 24 hours."""
    accounts = Accounts()
    accounts.add(values.units, values.preferences)
    windows = freeze(values.units, values.times, values.preferences, DAY, DAYS).deltas
    totals, means = (each.sum() ** 2 / (each**2).sum() for each in (accounts.per_user()[0], windows))
    return float(totals), float(means)


def false_winners(crowd: Crowd | int, taste: float, shop: Shop, experiments: int) -> tuple[Interval, Interval]:
    """The share of experiments without a difference in which totals name a winner, and bets as if on strangers."""
    luck = np.random.default_rng(6)
    drawn = (buy(luck, crowd, taste, shop) for _ in range(experiments))
    named = np.array([(ever_named(values), as_if_strangers(values)) for values in drawn])
    return mean_of(named[:, 0]), mean_of(named[:, 1])


def differences_found(
    crowd: Crowd | int, taste: float, shop: Shop, experiments: int
) -> tuple[Interval, Interval, Interval]:
    """How often totals find a difference, how often windows, and the information of the one over the other."""
    luck = np.random.default_rng(7)
    drawn = [buy(luck, crowd, taste, shop, EFFECT) for _ in range(experiments)]
    named = np.array([(ever_named(values), ever_named(values, DAY)) for values in drawn])
    kept = np.array([information(values) for values in drawn])
    return mean_of(named[:, 0]), mean_of(named[:, 1]), ratio_of(kept[:, 0], kept[:, 1], paired=True)
