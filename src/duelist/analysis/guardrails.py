"""What must not get worse, whoever wins: a limit that is surely passed withholds the verdict.

An interleaved page belongs to all its rankers, so that nobody can say whose fault an empty or a slow page is: the
limit is on the experiment.

Where hardly any page is empty, few users carry the sum, and the confidence sequence of all pages begins late. For
what is either so or not (`OWN`), until then a betting sequence of each user's first page decides, which holds from the
first user on. Both have half of the level.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np

from duelist.clicks.columns_of import NoColumn
from duelist.clicks.impressions import Array, Impressions
from duelist.core.errors import BadInput
from duelist.core.growing import Growing
from duelist.core.memory import Floats
from duelist.evidence.accounts import Accounts
from duelist.evidence.betting import BettingSequence

DIGITS = 12  # behind the point: what lies below is the arithmetic's own
OWN = ("zero-results", "abandonment")  # those that need no column


class Guardrail(NamedTuple):
    """A mean over impressions that should stay below (or above) a limit.

    >>> Guardrail.read("latency<300").limit
    300.0
    """

    column: str  # zero-results, abandonment, or a column of numbers
    below: bool
    limit: float

    @classmethod
    def read(cls, text: str) -> Guardrail:
        """From "abandonment<0.4" or "stock>0.9"."""
        parts = re.fullmatch(r"\s*(.+?)\s*([<>])\s*(\S+)\s*", text)
        try:
            if parts is None or not math.isfinite(limit := float(parts[3])):
                raise ValueError
            return cls(parts[1], parts[2] == "<", limit)
        except ValueError:
            raise BadInput(f"a guardrail is a column, < or >, and a number, as abandonment<0.4; not {text!r}") from None

    def __str__(self) -> str:
        return f"{self.column} {'<' if self.below else '>'} {self.limit:g}"


class Guarded(NamedTuple):
    """A guardrail and how it stands."""

    guardrail: Guardrail
    mean: float
    low: float  # confidence sequence, by users
    high: float
    impressions: int
    first_pages: bool = False  # whether the limits are those of each user's first page

    @property
    def broken(self) -> bool:
        """Whether the limit is surely passed."""
        return self.low > self.guardrail.limit if self.guardrail.below else self.high < self.guardrail.limit

    @property
    def holds(self) -> bool:
        """Whether it is surely kept."""
        return self.high < self.guardrail.limit if self.guardrail.below else self.low > self.guardrail.limit

    @property
    def passed(self) -> bool:
        """Whether the mean so far is beyond the limit."""
        return self.mean > self.guardrail.limit if self.guardrail.below else self.mean < self.guardrail.limit


class FirstPages:
    """Limits of a share by each user's first page: users enter once, and a page is 0 or 1."""

    def __init__(self, limit: float) -> None:
        self.limit, self.seen = limit, Growing(0, np.bool_)
        self.sequence = BettingSequence(max(abs(limit), abs(1 - limit)))

    def add(self, users: Array, values: Floats) -> None:
        """Enter pages in the order of time."""
        numbers, places = np.unique(users, return_index=True)
        known = np.zeros(len(numbers), np.bool_)
        inside = numbers < self.seen.size
        known[inside] = self.seen.values[numbers[inside]]
        self.seen.add(numbers, True)
        self.sequence.add(values[np.sort(places[~known])] - self.limit)

    def limits(self, alpha: float) -> tuple[float, float]:
        """Of the share, less the limit."""
        return self.sequence.limits(alpha)


class Guards:
    """How the guardrails stand, one portion of impressions after another; the level is shared out between them."""

    def __init__(self, guardrails: tuple[Guardrail, ...]) -> None:
        self.accounts = [(rail, Accounts(), FirstPages(rail.limit)) for rail in guardrails]

    def add(self, log: Impressions) -> None:
        """Enter impressions, which are in the order of time."""
        for rail, accounts, first in self.accounts:
            values = _values(log, rail.column)
            known = ~np.isnan(values)
            if rail.column in OWN and not accounts.begun:
                first.add(log.users, values)
            accounts.add(log.users[known].astype(np.uint64), values[known] - rail.limit)

    def guarded(self, alpha: float) -> tuple[Guarded, ...]:
        """All of them."""
        return tuple(_guarded(*entry, alpha / len(self.accounts)) for entry in self.accounts)


def _guarded(rail: Guardrail, accounts: Accounts, first: FirstPages, alpha: float) -> Guarded:
    if not accounts.impressions:
        raise NoColumn(f"no impression has anything in the column {rail.column!r}", OWN)
    limits = accounts.limits(alpha / 2 if rail.column in OWN else alpha)
    by_first = False
    if rail.column in OWN and not accounts.begun:
        low, high = first.limits(alpha / 2)
        if by_first := low <= accounts.mean <= high:  # otherwise first pages are unlike the others
            limits = low, high
    mean, low, high = (round(value + rail.limit, DIGITS) for value in (accounts.mean, *limits))
    if by_first:
        low, high = max(0.0, low), min(1.0, high)
    return Guarded(rail, mean, low, high, accounts.impressions, by_first)


def _values(log: Impressions, column: str) -> Floats:
    if column == "zero-results":
        return np.asarray(log.sizes == 0, np.float64)
    if column == "abandonment":
        return np.asarray(np.bincount(log.done.rows[log.done.names >= 0], minlength=len(log)) == 0, np.float64)
    if column not in log.attributes or log.attribute_names[column]:
        raise NoColumn(f"a guardrail needs a column of numbers, or {' or '.join(OWN)}; not {column!r}", OWN)
    return np.asarray(log.attributes[column], np.float64)
