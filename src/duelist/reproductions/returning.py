"""Users who come back: simulated visits, watched by their totals."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelist.core.memory import Floats, Ints
from duelist.evidence.accounts import Accounts, limits_of
from duelist.evidence.deltas import freeze
from duelist.evidence.table import LOG_E, USERS
from duelist.evidence.watch import EVERY, first_alarms

DAYS = 28.0
CLICKED = 0.6  # share of impressions with a preference


class Crowd(NamedTuple):
    """Who comes, how often, and how firm tastes are."""

    users: int = 1000
    taste: float = 0.5  # spread of users' own preferences, which have mean 0 without a difference
    heavy: bool = True  # some come a hundred times as often as others
    regular: bool = False  # everybody comes from the first day to the last


class Visits(NamedTuple):
    """Impressions in the order of time."""

    users: Ints
    times: Floats  # days
    preferences: Floats


def visit(luck: np.random.Generator, crowd: Crowd, effect: float = 0.0) -> Visits:
    """One experiment: geometric numbers of visits, two days apart or less, and a taste that a user keeps.

    >>> visits = visit(np.random.default_rng(0), Crowd(users=100))
    >>> len(visits.users), int(np.bincount(visits.users).max())
    (817, 99)
    """
    number = luck.geometric(0.3, crowd.users)
    if crowd.heavy:
        number = np.minimum((number * (1 + luck.pareto(1.5, crowd.users))).astype(np.int64), 400)
    if crowd.regular:
        number = np.full(crowd.users, 14)
    users = np.repeat(np.arange(crowd.users), number)
    begins = np.repeat(np.cumsum(number) - number, number)
    apart = np.minimum(2.0, DAYS / 2 / number)
    gaps = (luck.exponential(1.0, len(users)) * apart[users]).cumsum()
    arrival = luck.random(crowd.users) * (2.0 if crowd.regular else 0.8 * DAYS)
    times = arrival[users] + gaps - gaps[begins]
    order = np.argsort(times, kind="stable")
    order = order[times[order] < DAYS]
    users, times = users[order], times[order]
    taste = np.clip(luck.normal(effect, crowd.taste, crowd.users), -1, 1)
    sign = np.where(luck.random(len(users)) < (1 + taste[users]) / 2, 1.0, -1.0)
    return Visits(users, times, np.where(luck.random(len(users)) < CLICKED, sign, 0.0))


def first_winner(visits: Visits, alpha: float = 0.05) -> tuple[int, int]:
    """After how many users a watcher of limits, and one of the e-value, first names a winner; 0: never."""
    accounts, seen = Accounts(), list[Floats]()
    for look in range(0, len(visits.users), EVERY):
        accounts.add(visits.users[look : look + EVERY], visits.preferences[look : look + EVERY])
        seen.append(accounts.sums.copy())
    sums = np.array(seen).T
    low, high = limits_of(sums, alpha)
    alarms = np.array([(low > 0) | (high < 0), sums[LOG_E] >= -math.log(alpha)])
    limits, e_value = first_alarms(alarms, sums[USERS].astype(np.int64)).tolist()
    return limits, e_value


def information(visits: Visits) -> dict[str, float]:
    """z squared of users' sums, of their weighed totals, and of their means in a window after the first visit."""
    accounts = Accounts()
    accounts.add(visits.users, visits.preferences)
    sums = np.bincount(visits.users, visits.preferences)
    found: dict[str, Floats] = {"sums": sums.astype(np.float64), "totals": accounts.per_user()[0]}
    for name, days in (("24 hours", 1.0), ("168 hours", 7.0)):
        found[name] = freeze(visits.users, visits.times, visits.preferences, days, DAYS).deltas
    return {name: float(values.sum() ** 2 / (values**2).sum()) for name, values in found.items()}
