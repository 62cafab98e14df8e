"""What must not get worse, whoever wins: a limit that is surely passed withholds the verdict.

An interleaved page belongs to all its rankers, so that nobody can say whose fault an empty or a slow page is: the
limit is on the experiment.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from duelist.clicks.impressions import Impressions
from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence.accounts import Accounts

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
            if parts is None:
                raise ValueError
            return cls(parts[1], parts[2] == "<", float(parts[3]))
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

    @property
    def broken(self) -> bool:
        """Whether the limit is surely passed."""
        return self.low > self.guardrail.limit if self.guardrail.below else self.high < self.guardrail.limit


class Guards:
    """How the guardrails stand, one portion of impressions after another; the level is shared out between them."""

    def __init__(self, guardrails: tuple[Guardrail, ...]) -> None:
        self.accounts = [(rail, Accounts()) for rail in guardrails]

    def add(self, log: Impressions) -> None:
        """Enter impressions, which are in the order of time."""
        for rail, accounts in self.accounts:
            values = _values(log, rail.column)
            known = ~np.isnan(values)
            accounts.add(log.users[known].astype(np.uint64), values[known] - rail.limit)

    def guarded(self, alpha: float) -> tuple[Guarded, ...]:
        """All of them."""
        found = []
        for rail, accounts in self.accounts:
            around = (accounts.mean, *accounts.limits(alpha / len(self.accounts)))
            mean, low, high = (round(value + rail.limit, DIGITS) for value in around)
            found.append(Guarded(rail, mean, low, high, accounts.impressions))
        return tuple(found)


def _values(log: Impressions, column: str) -> Floats:
    if column == "zero-results":
        return np.asarray(log.sizes == 0, np.float64)
    if column == "abandonment":
        return np.asarray(np.bincount(log.done.rows, minlength=len(log)) == 0, np.float64)
    if column not in log.attributes or log.attribute_names[column]:
        raise BadInput(f"a guardrail needs a column of numbers, or {' or '.join(OWN)}; not {column!r}")
    return np.asarray(log.attributes[column], np.float64)
