"""Records on their way into arrays, some hundred at once."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any
from zlib import crc32

import numpy as np

from duelist.clicks.columns import DONE, MOST_LOST, Form, Names
from duelist.clicks.impressions import CREDIT, NOWHERE, changed
from duelist.clicks.records import Record
from duelist.core.hashes import Hashes, list_hashes, pair_hashes, text_hashes

Waiting = tuple[int, Record, Form]  # the line of a record, and what its lists come to


def arrays_of(
    waiting: Sequence[Waiting], first_row: int, experiments: Names, actions: Names
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The columns of records, and of what was done with them; the first of them has a number."""
    lines, records, forms = zip(*waiting, strict=True)
    users, queries = text_hashes([record.user for record in records]), text_hashes([record.query for record in records])
    named = text_hashes([record.experiment for record in records])
    columns = {
        "lines": lines,
        "ids": pair_hashes(named, text_hashes([record.id for record in records])),
        "users": users,
        "queries": queries,
        "bodies": body_hashes(
            users, queries, list_hashes([record.shown for record in records]), [form.layout for form in forms]
        ),
        "times": [record.time for record in records],
        "setups": [form.setup for form in forms],
        "experiments": [experiments[record.experiment] for record in records],
        "sizes": [len(record.shown) for record in records],
        "firsts": [form.first for form in forms],
        "larger": [form.larger for form in forms],
        "lost": [min(MOST_LOST, record.lost) for record in records],
    }
    done = [
        each for row, (_, record, form) in enumerate(waiting, first_row) for each in _done(row, record, form, actions)
    ]
    return columns, dict(zip(DONE, zip(*done, strict=True), strict=True)) if done else {}


def _done(row: int, record: Record, form: Form, actions: Names) -> list[tuple[Any, ...]]:
    """The clicks and the other actions of a record."""
    times = record.click_times or (nan,) * len(form.slots)
    done = [(row, *click, 0, 1.0) for click in zip(form.teams, form.slots, times, strict=True)]
    for action in record.actions:
        team = record.teams[action.slot] if record.teams else -1
        time, value = (nan if said is None else said for said in (action.time, action.value))
        done.append((row, team, action.slot, time, actions[action.name], value))
    for name, said in record.lost_actions:
        done.append((row, -1, NOWHERE, nan, actions[name], crc32(said.encode(errors="replace"))))
    if record.earlier_credit:
        done += [(row, *change) for change in _changes(record)]
    return done


def first_credit(record: Record) -> tuple[float, ...]:
    """The credit before later rows changed it, NaN where there was none; empty where there never was any."""
    if not record.earlier_credit:
        return record.credit
    return record.earlier_credit[0][1] or (nan,) * len(record.rankers)


def _changes(record: Record) -> list[tuple[Any, ...]]:
    """What later rows changed the credit to: team, slot, time, name and value of each."""
    found, standing = [], first_credit(record)
    for place, (time, _) in enumerate(record.earlier_credit, 1):
        after = record.earlier_credit[place][1] if place < len(record.earlier_credit) else record.credit
        after = after or (nan,) * len(record.rankers)
        when = time if time > record.time else nan
        found += [(team, 0, when, CREDIT, after[team]) for team in changed(standing, after)]
        standing = after
    return found


def body_hashes(users: Hashes, queries: Hashes, documents: Hashes, layouts: Any) -> Hashes:
    """Hashes of all that must be equal when an impression is logged twice."""
    return pair_hashes(pair_hashes(pair_hashes(users, queries), documents), np.array(layouts, np.int64))


def owner(record: Record, slot: int) -> str:
    """The name of the ranker that owns a slot; empty for nobody."""
    team = record.teams[slot] if record.teams else -1
    return record.rankers[team] if team >= 0 else ""


def team_order(record: Record) -> tuple[int, int]:
    """The ranker that picked first, and the one with the most slots, as numbers; -1 nobody; first -2: no teams.

    >>> team_order(Record("1", "ann", "q", 0.0, ("a", "b", "c"), (), ("x", "y"), (-1, 1, 1)))
    (1, 1)
    """
    first = next((team for team in record.teams if team >= 0), -1 if record.teams or not record.shown else -2)
    sizes = [record.teams.count(team) for team in range(len(record.rankers))]
    largest = max(sizes, default=0)
    return first, sizes.index(largest) if sizes.count(largest) == 1 else -1
