"""The same comparison among some of the impressions: of one device, one locale, frequent queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.analysis.credits import Credits
from duelist.analysis.traffic import in_time
from duelist.clicks.impressions import Array, Impressions
from duelist.core.errors import BadInput
from duelist.evidence.accounts import Accounts

QUERIES = "queries"  # the segments that need no column: head and tail
VALUES = 12  # of a column, the most frequent ones
HEAD = 0.5  # of impressions are of head queries


class Segment(NamedTuple):
    """One ranker over another among some impressions, at a level that all segments share."""

    name: str
    users: int
    impressions: int
    preference: float
    low: float
    high: float
    winner: str | None


def segments_of(
    earned: Credits, columns: Sequence[str], first: str, second: str, units: Array, alpha: float
) -> tuple[Segment, ...]:
    """The two leaders in every segment of some columns; the level is shared out between the segments (Bonferroni)."""
    parts = [part for name in columns for part in parts_of(earned.log, name)]
    pair = earned.credit[:, earned.rankers.index(first)] - earned.credit[:, earned.rankers.index(second)]
    found = []
    for name, chosen in parts:
        rows = np.flatnonzero(chosen & ~np.isnan(pair))
        rows = rows[in_time(earned.times[rows])]
        accounts = Accounts()
        accounts.add(units[rows].astype(np.uint64), pair[rows])
        low, high = accounts.limits(alpha / len(parts))
        winner = first if low > 0 else second if high < 0 else None
        found.append(Segment(name, accounts.users, accounts.impressions, accounts.mean, low, high, winner))
    return tuple(found)


def parts_of(log: Impressions, column: str) -> list[tuple[str, Array]]:
    """The segments of a column: its most frequent values; of a number, its half below the median and that above."""
    if column == QUERIES:
        return _head_and_tail(log)
    if column not in log.attributes:
        raise BadInput(
            f"there is no column {column!r}; others are {', '.join(log.attributes) or 'none'}, and {QUERIES}"
        )
    values, names = log.attributes[column], log.attribute_names[column]
    if names:
        most = np.argsort(-np.bincount(values[values >= 0], minlength=len(names)), kind="stable")[:VALUES]
        return [(f"{column} {names[number]}", values == number) for number in most.tolist()]
    distinct = np.unique(values[~np.isnan(values)])
    if not len(distinct):
        raise BadInput(f"no impression has anything in the column {column!r}")
    if len(distinct) <= VALUES:
        return [(f"{column} {value:g}", values == value) for value in distinct.tolist()]
    middle = float(np.nanmedian(values))
    return [(f"{column} up to {middle:g}", values <= middle), (f"{column} above {middle:g}", values > middle)]


def _head_and_tail(log: Impressions) -> list[tuple[str, Array]]:
    """The queries that are asked most, which make half of the impressions, and the others."""
    asked = np.bincount(log.queries)
    order = np.argsort(-asked, kind="stable")
    before = np.cumsum(asked[order]) - asked[order]
    head = np.zeros(len(asked), np.bool_)
    head[order[before < HEAD * len(log)]] = True
    mine = head[log.queries]
    return [("head queries", mine), ("tail queries", ~mine)]
