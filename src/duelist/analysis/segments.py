"""The same comparison among some of the impressions: of one device, one locale, frequent queries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from duelist.analysis.comparison import Comparison
from duelist.analysis.credits import Credits
from duelist.analysis.pairs import Counting, Pair
from duelist.clicks.columns_of import NoColumn
from duelist.clicks.impressions import Array, Impressions
from duelist.core.growing import Growing
from duelist.core.memory import Flags
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


Earnings = Callable[[], Iterator[tuple[Credits, Array]]]  # portions of credit, and the unit of each impression


def segments_of(
    earnings: Earnings,
    columns: Sequence[str],
    leading: Comparison,
    counting: Counting,
    alpha: float,
) -> tuple[Segment, ...]:
    """The two leaders in every segment of some columns; the level is shared out between the segments (Bonferroni).

    Users count for as long as the log lasts, unless there are both a window and a cap: then as in the whole log.
    """
    turned = leading.towards_leader()
    first, second = turned.first, turned.second
    places = [place for column in columns for place in _places(earnings, column)]
    if counting.cap is None:
        counting = counting._replace(window=None)
    pairs, end = [Pair(counting) for _ in places], -math.inf
    for earned, units in earnings() if places else ():
        preference = earned.credit[:, earned.rankers.index(first)] - earned.credit[:, earned.rankers.index(second)]
        known = ~np.isnan(preference)
        end = max(end, float(earned.times.max(initial=-math.inf)))
        for (_, holds), pair in zip(places, pairs, strict=True):
            chosen = holds(earned.log) & known
            pair.add(units[chosen], earned.times[chosen], preference[chosen])
    end = math.inf if leading.provisional or counting.ended else end
    found = []
    for (name, _), pair in zip(places, pairs, strict=True):
        empty = replace(turned, accounts=Accounts(), alpha=alpha / len(places), betting=None, capped=None)
        mine = pair.within(empty, end, leading.provisional and (counting.waits or counting.window is not None))
        found.append(Segment(name, mine.users, pair.impressions, mine.preference, *mine.limits, mine.winner))
    return tuple(found)


# What a segment is called, and which impressions are in it.
Place = tuple[str, Callable[[Impressions], Flags]]


def _places(earnings: Earnings, column: str) -> list[Place]:
    """The segments of a column: its most frequent values; of a number, its half below the median and that above."""
    if column == QUERIES:
        return _head_and_tail(earnings)
    head = next(earnings())[0].log
    if column not in head.attributes:
        raise NoColumn(f"there is no column {column!r}", [QUERIES]).among(head.attributes)
    values, names = np.concatenate([e.log.attributes[column] for e, _ in earnings()]), head.attribute_names[column]
    if names:
        most = np.argsort(-np.bincount(values[values >= 0], minlength=len(names)), kind="stable")[:VALUES]
        return [(f"{column} {names[number]}", _is(column, number)) for number in most.tolist()]
    distinct = np.unique(values[~np.isnan(values)])
    if not len(distinct):
        raise NoColumn(f"no impression has anything in the column {column!r}", [QUERIES])
    if len(distinct) <= VALUES:
        return [(f"{column} {value:g}", _is(column, value)) for value in distinct.tolist()]
    middle = float(np.nanmedian(values))
    return [
        (f"{column} up to {middle:g}", lambda log: np.asarray(log.attributes[column] <= middle)),
        (f"{column} above {middle:g}", lambda log: np.asarray(log.attributes[column] > middle)),
    ]


def _is(column: str, value: float) -> Callable[[Impressions], Flags]:
    return lambda log: np.asarray(log.attributes[column] == value)


def _head_and_tail(earnings: Earnings) -> list[Place]:
    """The queries that are asked most, which make half of the impressions, and the others."""
    counts = Growing()
    for earned, _ in earnings():
        counts.add(earned.log.queries, 1.0)
    asked = counts.values
    order = np.argsort(-asked, kind="stable")
    before = np.cumsum(asked[order]) - asked[order]
    head = np.zeros(len(asked), np.bool_)
    head[order[before < HEAD * asked.sum()]] = True
    return [
        ("head queries", lambda log: np.asarray(head[log.queries])),
        ("tail queries", lambda log: np.asarray(~head[log.queries])),
    ]
