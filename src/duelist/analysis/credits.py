"""From the records of a click log to the arrays that evidence works on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from duelist.analysis.traffic import participants
from duelist.clicks.log import Record
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats


@dataclass(frozen=True)
class Credits:
    """The credit of every usable impression, in the order of the log."""

    rankers: tuple[str, ...]
    records: tuple[Record, ...]
    times: Floats
    credit: Floats  # impressions x rankers, NaN where a ranker took no part
    present: Flags  # all impressions x rankers, in the order of time, those of one ranker alone included


def credits_of(records: Sequence[Record]) -> Credits:
    """What each ranker earned in each impression that compares two or more of them.

    >>> record = Record("1", "ann", "q", 0.0, ("a", "b", "c"), (0, 2), ("new", "old"), (0, 1, 0))
    >>> credits_of([record]).credit.tolist()
    [[2.0, 0.0]]
    """
    usable = [record for record in records if is_usable(record)]
    rankers = tuple(dict.fromkeys(name for record in usable for name in record.rankers))
    if len(rankers) < 2:
        raise BadInput(
            f"none of the {len(records)} impressions compares two rankers: each needs two names in rankers, and teams "
            "(for each slot the ranker that owns it, -1 for none) or credit (one number a ranker)"
        )
    column = {name: place for place, name in enumerate(rankers)}
    credit = np.full((len(usable), len(rankers)), math.nan)
    for row, record in zip(credit, usable, strict=True):
        for name, own in zip(record.rankers, earned(record), strict=True):
            row[column[name]] = own
    times = np.array([record.time for record in usable])
    return Credits(rankers, tuple(usable), times, credit, participants(records, rankers))


def is_usable(record: Record) -> bool:
    """Whether a record says who earned its clicks."""
    return len(record.rankers) > 1 and bool(record.credit or record.teams or not record.clicks)


def earned(record: Record) -> Sequence[float]:
    """One number for each ranker of a record: its credit, or the clicks on its team."""
    if record.credit:
        return record.credit
    clicks = [0.0] * len(record.rankers)
    for click in record.clicks:
        if record.teams[click] >= 0:
            clicks[record.teams[click]] += 1
    return clicks


def team_counts(records: Sequence[Record]) -> dict[str, list[int]]:
    """How often each ranker picked first, and how often its team was the largest.

    Counted once for a user and query, because their coins are the same at every refresh. An
    impression without teams, or whose largest teams are equal, says nothing.

    >>> teams = [(0, 1, 0), (1, 0, 1), (0, 1, 1), (-1, 0, 1)]
    >>> team_counts([Record("1", f"u{i}", "q", 0.0, ("a", "b", "c"), (), ("x", "y"), t) for i, t in enumerate(teams)])
    {'first picks of x, y': [3, 1], 'larger team of x, y': [1, 2]}
    """
    counts: dict[str, dict[str, int]] = {}
    seen = set()
    for record in records:
        names = tuple(sorted(record.rankers))
        if not any(team >= 0 for team in record.teams) or (record.user, record.query, names) in seen:
            continue
        seen.add((record.user, record.query, names))
        label = ", ".join(names)
        first, larger = (counts.setdefault(f"{what} of {label}", dict.fromkeys(names, 0)) for what in CHECKED)
        first[record.rankers[next(team for team in record.teams if team >= 0)]] += 1
        sizes = [record.teams.count(team) for team in range(len(record.rankers))]
        if sizes.count(max(sizes)) == 1:
            larger[record.rankers[sizes.index(max(sizes))]] += 1
    return {name: list(row.values()) for name, row in counts.items() if any(row.values())}


CHECKED = ("first picks", "larger team")
