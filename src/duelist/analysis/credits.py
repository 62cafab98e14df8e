"""From the arrays of a log to what each ranker earned in each impression."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from duelist.analysis.outcomes import CLICKS, Outcome
from duelist.analysis.traffic import participants
from duelist.clicks.impressions import CREDIT, NO_TEAMS, NOWHERE, Array, Impressions
from duelist.clicks.portions import Portions
from duelist.clicks.records import CLICK
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats


@dataclass(frozen=True)
class Credits:
    """The credit of every usable impression, in the order of the log."""

    rankers: tuple[str, ...]
    log: Impressions  # those impressions alone
    credit: Floats  # impressions x rankers, NaN where a ranker took no part
    present: Flags  # all impressions x rankers, in the order of time, those of one ranker alone included
    beyond_clicks: bool = False  # some scores of the log are more than clicks can be worth: nobody knows their bound

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
    return Crediting.read(log).credits(log, outcome, late)


@dataclass(frozen=True)
class Crediting:
    """Which rankers a log compares, and whose slots are whose in every setup."""

    rankers: tuple[str, ...]
    columns: Array  # setups x teams: the column of each ranker; -1 nobody's, as the last always is

    @classmethod
    def read(cls, log: Portions) -> Crediting:
        """Of all portions of a log."""
        used: set[int] = set()
        number = 0
        for portion in log.portions():
            used |= set(np.unique(portion.setups[is_usable(portion)]).tolist())
            number += len(portion)
        setups = log.head.setup_names
        rankers = tuple(dict.fromkeys(name for setup in sorted(used) for name in setups[setup]))
        if len(rankers) < 2:
            raise BadInput(
                f"none of the {number} impressions compares two rankers: each needs two names in rankers, and teams "
                "(for each slot the ranker that owns it, -1 for none) or credit (one number a ranker)"
            )
        columns = np.full((len(setups), max(map(len, setups)) + 1), -1)
        for setup in used:
            columns[setup, : len(setups[setup])] = [rankers.index(name) for name in setups[setup]]
        return cls(rankers, columns)

    def credits(self, log: Impressions, outcome: Outcome = CLICKS, late: Flags | None = None) -> Credits:
        """Of one portion."""
        usable = is_usable(log, outcome)
        credit = earned(log, outcome, self.columns, len(self.rankers), late)
        beyond = outcome == CLICKS and bool((exceeds_clicks(log) & usable).any())
        return Credits(self.rankers, log.take(usable), credit[usable], participants(log, self.rankers), beyond)

    def touched(self, log: Impressions, outcome: Outcome, late: Flags) -> Flags:
        """Where something was done in time with what a ranker shows: its slots, those of nobody, or nobody knows."""
        done = log.done.take((log.done.names == number_of(log, outcome)) & (log.done.slots != NOWHERE) & ~late)
        found = np.zeros((len(log), len(self.rankers)), np.bool_)
        found[done.rows[(done.teams < 0) | (has_credit(log)[done.rows] & (outcome == CLICKS))]] = True
        place = self.columns[log.setups[done.rows], done.teams]
        found[done.rows[place >= 0], place[place >= 0]] = True
        return found


def is_usable(log: Impressions, outcome: Outcome = CLICKS) -> Flags:
    """Which impressions compare rankers and say who earned what an outcome counts, if anything."""
    several = np.array([len(names) > 1 for names in log.setup_names])[log.setups]
    acted = np.bincount(log.done.rows[log.done.names == number_of(log, outcome)], minlength=len(log)) > 0
    return np.asarray(several & (tells(log, outcome) | ~acted))


def tells(log: Impressions, outcome: Outcome) -> Flags:
    """Which impressions say whose the actions of an outcome are: credit says so of clicks as they are alone."""
    teams = np.asarray(log.firsts > NO_TEAMS)
    return teams | has_credit(log) if outcome == CLICKS else teams


def number_of(log: Impressions, outcome: Outcome) -> int:
    """The number of its action; one that no action has if nobody did it."""
    names = log.action_names
    return names.index(outcome.action) if outcome.action in names else len(names)


def has_credit(log: Impressions) -> Flags:
    """Which impressions come with scores."""
    return np.asarray((~np.isnan(told_credit(log))).any(1))


def told_credit(log: Impressions, late: Flags | None = None) -> Floats:
    """The scores of a log with what later rows changed, but for what is late: impressions x rankers, NaN for none."""
    changes = log.done.names == CREDIT
    if late is not None:
        changes &= ~late
    if not changes.any():
        return log.given
    given, done = log.given.copy(), log.done.take(changes)
    given[done.rows, done.teams] = done.values  # in their order: the last one stays
    return given


def exceeds_clicks(log: Impressions) -> Flags:
    """Which impressions come with scores of more than the slots of the list for each click, as money may be."""
    clicks = np.bincount(log.done.rows[log.done.names == 0], minlength=len(log)) + log.lost
    most = np.where(log.sizes, clicks * log.sizes, 1)  # a row that shows nothing is itself a click
    return np.asarray((np.abs(told_credit(log)) > most[:, None]).any(1))


def counted(log: Impressions, outcome: Outcome, late: Flags | None) -> Flags:
    """Which of what was done counts for an outcome: its action, on somebody's slot, in time."""
    chosen = (log.done.names == number_of(log, outcome)) & (log.done.teams >= 0)
    return once_a_slot(log, outcome, chosen if late is None else chosen & ~late)


def once_a_slot(log: Impressions, outcome: Outcome, chosen: Flags, late: Flags | None = None) -> Flags:
    """Of what is chosen one a slot, in time if any is; all where values are added up, or there is no slot.

    A hundred plays of one record are one user's whim, or an event that was sent again, and their number has no bound.
    """
    if outcome.by_value or outcome.action == CLICK:  # clicks come once
        return np.asarray(chosen)
    places = np.flatnonzero(chosen & (log.done.slots != NOWHERE))
    slots = log.done.rows[places].astype(np.int64) * (NOWHERE + 1) + log.done.slots[places]
    if late is not None:
        order = np.argsort(late[places], kind="stable")
        places, slots = places[order], slots[order]
    kept: Flags = np.asarray(chosen & (log.done.slots == NOWHERE))
    kept[places[np.unique(slots, return_index=True)[1]]] = True
    return kept


def earned(log: Impressions, outcome: Outcome, columns: Array, rankers: int, late: Flags | None) -> Floats:
    """The scores of an outcome: for clicks those of the log if it has any, else what the slots of a team got."""
    done = log.done.take(counted(log, outcome, late))
    place = columns[log.setups[done.rows], done.teams]
    kept = place >= 0
    cells = done.rows[kept].astype(np.int64) * rankers + place[kept]
    amounts = np.nan_to_num(done.values[kept]) if outcome.by_value else None  # what says no value counts nothing
    if outcome.examination:
        weights = outcome.weights()
        amounts = weights[np.minimum(done.slots[kept], len(weights) - 1)]
    credit = np.bincount(cells, amounts, minlength=len(log) * rankers).astype(np.float64).reshape(len(log), rankers)
    took_part = np.zeros((len(columns), rankers), np.bool_)
    for setup, mine in enumerate(columns):
        took_part[setup, mine[mine >= 0]] = True
    credit[~took_part[log.setups]] = math.nan
    told = told_credit(log, late) if outcome == CLICKS else np.zeros((len(log), 0))
    rows = np.flatnonzero((~np.isnan(told)).any(1))
    for team in range(told.shape[1]):
        at = columns[log.setups[rows], team]
        credit[rows[at >= 0], at[at >= 0]] = told[rows[at >= 0], team]
    return credit
