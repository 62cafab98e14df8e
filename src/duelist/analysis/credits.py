"""From the arrays of a log to what each ranker earned in each impression."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.analysis.outcomes import CLICKS, Outcome
from duelist.analysis.traffic import participants
from duelist.clicks.impressions import Array, Impressions
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats


@dataclass(frozen=True)
class Credits:
    """The credit of every usable impression, in the order of the log."""

    rankers: tuple[str, ...]
    log: Impressions  # those impressions alone
    credit: Floats  # impressions x rankers, NaN where a ranker took no part
    present: Flags  # all impressions x rankers, in the order of time, those of one ranker alone included

    @property
    def times(self) -> Floats:
        """When each impression was."""
        return self.log.times


def credits_of(log: Impressions, outcome: Outcome = CLICKS, late: Flags | None = None) -> Credits:
    """What each ranker earned in each impression that compares two or more of them; `late` events do not count.

    >>> from duelist.clicks.gather import impressions_of
    >>> from duelist.clicks.log import Log, Record
    >>> record = Record("1", "ann", "q", 0.0, ("a", "b", "c"), (0, 2), ("new", "old"), (0, 1, 0))
    >>> credits_of(impressions_of(Log((record,)))).credit.tolist()
    [[2.0, 0.0]]
    """
    usable = is_usable(log)
    used = sorted({int(setup) for setup in np.unique(log.setups[usable])})
    rankers = tuple(dict.fromkeys(name for setup in used for name in log.setup_names[setup]))
    if len(rankers) < 2:
        raise BadInput(
            f"none of the {len(log)} impressions compares two rankers: each needs two names in rankers, and teams "
            "(for each slot the ranker that owns it, -1 for none) or credit (one number a ranker)"
        )
    column = {name: place for place, name in enumerate(rankers)}
    most = max(len(names) for names in log.setup_names)
    columns = np.full((len(log.setup_names), most + 1), -1)  # of each ranker of a setup; the last is nobody's
    for setup in used:
        columns[setup, : len(log.setup_names[setup])] = [column[name] for name in log.setup_names[setup]]
    credit = earned(log, outcome, columns, len(rankers), late)
    return Credits(rankers, log.take(usable), credit[usable], participants(log, rankers))


def is_usable(log: Impressions) -> Flags:
    """Which impressions compare rankers and say who earned their clicks."""
    several = np.array([len(names) > 1 for names in log.setup_names])[log.setups]
    clicked = np.bincount(log.done.rows[log.done.names == 0], minlength=len(log)) > 0
    return np.asarray(several & (has_credit(log) | (log.firsts > NO_TEAMS) | ~clicked))


NO_TEAMS = -2  # in `firsts`: nobody knows who owns a slot


def has_credit(log: Impressions) -> Flags:
    """Which impressions come with scores."""
    return np.asarray((~np.isnan(log.given)).any(1))


def earned(log: Impressions, outcome: Outcome, columns: Array, rankers: int, late: Flags | None) -> Floats:
    """The scores of an outcome: for clicks those of the log if it has any, else what the slots of a team got."""
    done, name = log.done, outcome.action
    number = log.action_names.index(name) if name in log.action_names else -1
    chosen = (done.names == number) & (done.teams >= 0)
    if late is not None:
        chosen &= ~late
    done = done.take(chosen)
    place = columns[log.setups[done.rows], done.teams]
    kept = place >= 0
    cells = done.rows[kept].astype(np.int64) * rankers + place[kept]
    amounts = done.values[kept] if outcome.by_value else None
    credit = np.bincount(cells, amounts, minlength=len(log) * rankers).astype(np.float64).reshape(len(log), rankers)
    took_part = np.zeros((len(columns), rankers), np.bool_)
    for setup, mine in enumerate(columns):
        took_part[setup, mine[mine >= 0]] = True
    credit[~took_part[log.setups]] = math.nan
    if outcome == CLICKS and has_credit(log).any():
        rows = np.flatnonzero(has_credit(log))
        for team in range(log.given.shape[1]):
            at = columns[log.setups[rows], team]
            credit[rows[at >= 0], at[at >= 0]] = log.given[rows[at >= 0], team]
    return credit


def team_counts(log: Impressions) -> dict[str, list[int]]:
    """How often each ranker picked first, and how often its team was the largest.

    Counted once for a user and query, because their coins are the same at every refresh. An
    impression without teams, or whose largest teams are equal, says nothing.

    >>> from duelist.clicks.gather import impressions_of
    >>> from duelist.clicks.log import Log, Record
    >>> teams = [(0, 1, 0), (1, 0, 1), (0, 1, 1), (-1, 0, 1)]
    >>> rows = [Record(str(i), f"u{i}", "q", 0.0, ("a", "b", "c"), (), ("x", "y"), t) for i, t in enumerate(teams)]
    >>> team_counts(impressions_of(Log(tuple(rows))))
    {'first picks of x, y': [3, 1], 'larger team of x, y': [1, 2]}
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, names in enumerate(log.setup_names):
        if len(names) > 1:
            groups.setdefault(tuple(sorted(names)), []).append(number)
    counts: dict[str, list[int]] = {}
    for names, numbers in groups.items():
        mine = np.flatnonzero(np.isin(log.setups, numbers) & (log.firsts >= 0))
        mine = mine[_first_of_each(log.users[mine], log.queries[mine])]
        label = ", ".join(names)
        for what, column in (("first picks", log.firsts), ("larger team", log.larger)):
            row = [0] * len(names)
            for number in numbers:
                own = column[mine][(log.setups[mine] == number) & (column[mine] >= 0)]
                for team, amount in enumerate(np.bincount(own, minlength=len(names)).tolist()):
                    row[names.index(log.setup_names[number][team])] += amount
            if any(row):
                counts[f"{what} of {label}"] = row
    return counts


def _first_of_each(users: Array, queries: Array) -> Any:
    """The places of the first impression of each user and query."""
    order = np.lexsort((np.arange(len(users)), queries, users))
    new = np.ones(len(order), np.bool_)
    new[1:] = (users[order][1:] != users[order][:-1]) | (queries[order][1:] != queries[order][:-1])
    return np.sort(order[new])
