"""A log as arrays: a few numbers an impression, so that millions of them fit into memory.

Users and queries are numbers in the order of their coming, other texts numbers of a short list of names.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from duelist.clicks.records import CLICK, MOST_SHOWN, NOBODY, Rejected, sole
from duelist.core.memory import Flags, Floats

Array = npt.NDArray[Any]


@dataclass
class Losses:
    """What of a log could not be used, counted."""

    rows: Counter[str] = field(default_factory=Counter)  # rejected rows by kind of reason
    clicks: Counter[str] = field(default_factory=Counter)  # clicks without a place, by kind of reason
    rankers: Counter[str] = field(
        default_factory=Counter
    )  # rejected rows and clicks of no list, by the ranker that they favour
    repeated: Counter[str] = field(default_factory=Counter)  # clicks on a slot clicked before, by ranker
    examples: dict[str, str] = field(default_factory=dict)  # the first one of each kind, and of each other action
    again: Counter[str] = field(default_factory=Counter)  # rows that tell once more, by the ranker that clicks favour
    homeless: Counter[str] = field(default_factory=Counter)  # actions of queries that are not there, by name
    notes: list[str] = field(default_factory=list)  # what the file did not say and its rows told, in sentences
    labelled: bool = False  # credit is what events say of their ranker: it tells of clicked lists alone
    own: dict[str, Losses] = field(default_factory=dict)  # those of each experiment; "": it is not said

    @property
    def duplicates(self) -> int:
        """Rows that told of an impression once more."""
        return self.again.total()

    def reject(self, bad: Rejected, number: int = 1, unit: str = "line") -> None:
        """Count one, or a number of like ones; actions without a place are counted with their impressions."""
        for losses in self._counting(bad.experiment):
            counted = bad.row or bad.action == CLICK
            losses.examples.setdefault(bad.kind if counted else bad.action, f"{unit} {bad.line}: {bad.reason}")
            if counted:
                kinds = losses.rows if bad.row else losses.clicks
                kinds[bad.kind] += number
            if bad.row or bad.ranker:
                losses.rankers[bad.ranker] += number

    def repeat(self, experiment: str, ranker: str, number: int = 1) -> None:
        """Count clicks on slots that were clicked before."""
        for losses in self._counting(experiment):
            losses.repeated[ranker] += number

    def retell(self, experiment: str, ranker: str, number: int = 1) -> None:
        """Count rows that told of an impression once more."""
        for losses in self._counting(experiment):
            losses.again[ranker] += number

    def count(
        self,
        repeated: Mapping[tuple[str, str], int],
        again: Mapping[tuple[str, str], int],
        homeless: Mapping[str, int],
    ) -> None:
        """Count what was counted elsewhere, by experiment and ranker."""
        for (experiment, ranker), number in repeated.items():
            self.repeat(experiment, ranker, number)
        for (experiment, ranker), number in again.items():
            self.retell(experiment, ranker, number)
        self.homeless.update(homeless)

    def _counting(self, experiment: str) -> tuple[Losses, Losses]:
        if experiment not in self.own:
            self.own[experiment] = Losses()
        return self, self.own[experiment]

    def of(self, experiment: str) -> Losses:
        """Those of one experiment: what does not say where it belongs may belong to any, and counts for each.

        >>> losses = Losses()
        >>> for name in ("home", "home", "checkout", ""):
        ...     losses.reject(Rejected(1, "no user", "", experiment=name))
        >>> losses.rows.total(), losses.of("home").rows.total(), losses.of("checkout").rows.total()
        (4, 3, 2)
        """
        found = Losses(homeless=self.homeless, notes=self.notes, labelled=self.labelled)
        for part in [self.own[name] for name in dict.fromkeys((experiment, "")) if name in self.own]:
            for name in ("rows", "clicks", "rankers", "repeated", "again"):
                getattr(found, name).update(getattr(part, name))
            found.examples = part.examples | found.examples
        return found


NO_TEAMS = -2  # in `firsts`: nobody knows who owns a slot
NOWHERE = MOST_SHOWN  # in place of a slot: no list has so many that it would be one
CREDIT = -1  # in place of an action: a later row changed the credit of a ranker to a value, NaN for none


@dataclass(frozen=True)
class Done:
    """Clicks or other actions, one entry each."""

    rows: Array  # the impression
    teams: Array  # the ranker that owns the slot, as a number of its setup; -1 nobody
    slots: Array  # `NOWHERE`: an action that has no place in its list
    times: Floats  # NaN where not known
    names: Array  # of the action, as a number of `Impressions.action_names`; `CREDIT` for what a later row tells
    values: Floats  # NaN where not said; 1 for a click; `NOWHERE`: a hash of what was said, while rows are united

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, chosen: Any) -> Done:
        """Some of them."""
        return Done(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Impressions:
    """A log as arrays, one entry an impression, in the order of the log."""

    ids: Array  # hashes while rows are united, then nothing
    users: Array  # numbers in the order of their coming
    queries: Array  # likewise
    bodies: Array  # likewise: hashes of all that must be equal when an impression is logged twice
    times: Floats
    setups: Array  # numbers of `setup_names`
    experiments: Array  # numbers of `experiment_names`
    sizes: Array  # documents shown
    firsts: Array  # the ranker that picked first, as a number of the setup; -1 nobody, -2 there are no teams
    larger: Array  # the ranker with the most slots; -1 nobody or not known
    lost: Array  # clicks without a place
    given: Floats  # impressions x the most rankers: credit of the log; NaN where it has none
    attributes: Mapping[str, Array]  # the columns asked for, as text numbers of `attribute_names` or as floats
    done: Done
    setup_names: tuple[tuple[str, ...], ...]
    experiment_names: tuple[str, ...]
    action_names: tuple[str, ...]  # the first is the click
    attribute_names: Mapping[str, tuple[str, ...]]
    losses: Losses

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def head(self) -> Impressions:
        """What has the names and the losses of all portions."""
        return self

    def portions(self) -> Iterator[Impressions]:
        """All of it at once: a log that is larger than memory comes in many."""
        yield self

    def take(self, chosen: Flags) -> Impressions:
        """Those that a mask chooses, with what was done with them."""
        if chosen.all():
            return self
        new_row = np.cumsum(chosen) - 1
        done = self.done.take(chosen[self.done.rows])
        return replace(
            self,
            **{name: getattr(self, name)[chosen] for name in PER_IMPRESSION},
            attributes={name: column[chosen] for name, column in self.attributes.items()},
            done=replace(done, rows=new_row[done.rows].astype(np.int32)),
        )


# The arrays with one entry an impression.
PER_IMPRESSION = (
    *("ids", "users", "queries", "bodies", "times", "setups", "experiments", "sizes"),
    *("firsts", "larger", "lost", "given"),
)


def turns(*columns: Array, order: Sequence[Array] = ()) -> Array:
    """Of each entry the number of those before it that are equal in all columns, in an order (or that of the entries).

    >>> turns(np.array([7, 5, 7]), order=[np.array([2, 0, 1])]).tolist()
    [1, 0, 0]
    """
    by = np.lexsort((*order, *columns))
    begins = np.zeros(len(by), np.bool_)
    begins[:1] = True
    for column in columns:
        begins[1:] |= column[by][1:] != column[by][:-1]
    places, found = np.arange(len(by)), np.empty(len(by), np.int64)
    found[by] = places - np.maximum.accumulate(np.where(begins, places, 0))
    return found


def first_rows(ids: Array, times: Floats) -> Array:
    """Of each row the earliest one with its id: of several at a time that comes first. No time (0) is the latest.

    >>> first_rows(np.array([7, 5, 7, 7]), np.array([0.0, 3.0, 2.0, 2.0])).tolist()
    [2, 1, 2, 2]
    """
    order = _by_time(times)
    order = order[np.argsort(ids[order], kind="stable")]
    begins = np.ones(len(order), np.bool_)
    begins[1:] = ids[order][1:] != ids[order][:-1]
    first = np.empty(len(order), np.int64)
    first[order] = order[begins][np.cumsum(begins) - 1]
    return first


def _by_time(times: Floats) -> Array:
    """The places of rows in the order of time, those without one last."""
    return np.argsort(np.where(times > 0, times, np.inf), kind="stable")


def united(log: Impressions, rows: Array | None = None) -> Impressions:
    """The same with rows of the same id made one: all clicks of both, and the credit of the one that has most.

    The earliest row is the impression, wherever it is in the log, and a later one that differs in more than its clicks
    is rejected. What only a later row tells, without a time, is of that row's time, so that it is late where the row
    is: credit too. `rows` are the rows' places in the whole log.
    """
    first = first_rows(log.ids, log.times)
    later = first != np.arange(len(first))
    if not later.any():
        return forgetful(log)
    other = later & (log.bodies != log.bodies[first])
    for (experiment, ranker), places in _by_owner(log, other).items():
        reason = "the impression was logged before with another user, query or list"
        row = 1 + int(places[0] if rows is None else rows[places[0]])
        log.losses.reject(Rejected(row, reason, "", ranker=ranker, experiment=experiment), len(places), "row")
    done = log.done.take(~other[log.done.rows])
    done = _once(done, first, _told_times(log.times, first, done))
    done = replace(done, times=_filled(done, log.times))
    lost = log.lost.copy()
    np.maximum.at(lost, first[~other], log.lost[~other])  # the same clicks without a place, told again
    again = first[later & ~other]
    for row, ranker in zip(again.tolist(), _favourites(log, done, again), strict=True):
        log.losses.retell(log.experiment_names[log.experiments[row]], ranker)
    return forgetful(replace(log, lost=lost, done=_with_credit(done, log, first, other)).take(~later))


def _favourites(log: Impressions, done: Done, rows: Array) -> Iterator[str]:
    """The ranker whose slots have the most clicks in each of some rows; empty where that is nobody alone."""
    width = max(1, *map(len, log.setup_names)) + 1  # the last is nobody's
    clicks = done.take(done.names == 0)
    cells = clicks.rows.astype(np.int64) * width + np.where(clicks.teams < 0, width - 1, clicks.teams)
    counts = np.bincount(cells, minlength=len(log) * width).reshape(len(log), width)[rows, : width - 1]
    most = counts.max(1)
    alone = (most > 0) & ((counts == most[:, None]).sum(1) == 1)
    for row, team, known in zip(rows.tolist(), counts.argmax(1).tolist(), alone.tolist(), strict=True):
        yield log.setup_names[log.setups[row]][team] if known else ""


def _by_owner(log: Impressions, chosen: Flags) -> dict[tuple[str, str], list[int]]:
    """The places of chosen rows by experiment and by the ranker that they favour, in the order of their coming."""
    found: dict[tuple[str, str], list[int]] = {}
    places = np.flatnonzero(chosen)
    for place, ranker in zip(places.tolist(), _owners(log, places), strict=True):
        found.setdefault((log.experiment_names[log.experiments[place]], ranker), []).append(place)
    return found


def _owners(log: Impressions, rows: Array) -> Iterator[str]:
    """The ranker that each of some rows favours, by its credit or else by its clicks, as `favoured` tells it."""
    clicked = np.zeros(len(log), np.bool_)
    clicked[log.done.rows[log.done.names == 0]] = True
    untold = np.where(clicked, log.firsts == -2, log.lost > 0)
    for row, ranker in zip(rows.tolist(), _favourites(log, log.done, rows), strict=True):
        rankers = log.setup_names[log.setups[row]]
        credit = log.given[row, : len(rankers)]
        if len(credit) > 1 and not np.isnan(credit).any():
            yield sole(dict(zip(rankers, credit.tolist(), strict=True)))
        else:
            yield ranker or ("" if untold[row] else NOBODY)


def forgetful(log: Impressions) -> Impressions:
    """The same without what was needed only to find rows of the same impression."""
    nothing = np.zeros(len(log), np.int8)
    values = np.where(log.done.slots == NOWHERE, np.nan, log.done.values)
    return replace(log, ids=nothing, bodies=nothing, done=replace(log.done, values=values))


def _told_times(times: Floats, first: Array, done: Done) -> Floats:
    """When each click and action was, by the row that tells it: NaN for a row that is not later than the first.

    An action without a place has none, so that it is lost and not late.
    """
    later = (times[done.rows] > times[first[done.rows]]) & (done.slots != NOWHERE)
    return np.where(np.isnan(done.times) & later, times[done.rows], done.times)


def _once(done: Done, first: Array, times: Floats) -> Done:
    """Each click and each action of an impression once, at the `times` that their rows tell.

    Of the same click a time of its own counts before that of a row, and no time at all (the row that was there first)
    before that of a later row. An action may happen twice: the second of a row is the second like it of another row.
    """
    own = np.where(np.isnan(done.times), np.where(np.isnan(times), 1, 2), 0)
    actions = done.names > 0
    # No time is equal to none, and so is no value.
    when, worth = (np.where(np.isnan(said), -np.inf, said) for said in (done.times, done.values))
    what = (done.names, done.slots, np.where(actions, worth, 0), np.where(actions, when, 0))
    turn = np.where(actions, turns(done.rows, *what), 0)
    again = turns(first[done.rows], *what, turn, order=(times, own)) > 0
    return replace(done, rows=first[done.rows], times=times).take(~again)


def _filled(done: Done, times: Floats) -> Floats:
    """The times of what was done; a click that the first row knew without one has its time, where others have one."""
    clicks, known = done.names == 0, ~np.isnan(done.times)
    partly = np.zeros(len(times), np.bool_)
    partly[done.rows[clicks & known]] = True
    return np.where(clicks & ~known & partly[done.rows], times[done.rows], done.times)


def changed(before: Sequence[float], after: Sequence[float]) -> list[int]:
    """The places of numbers that are not the same; NaN is.

    >>> changed((1.0, math.nan, math.nan), (1.0, math.nan, 0.0))
    [2]
    """
    pairs = enumerate(zip(before, after, strict=True))
    return [place for place, (old, new) in pairs if old != new and not (math.isnan(old) and math.isnan(new))]


def _with_credit(done: Done, log: Impressions, first: Array, other: Flags) -> Done:
    """With what later rows changed credit to: those with at least as many clicks as the rows before.

    A change is of the time of the earliest row that tells it, and of none if that is not after the first row's.
    """
    clicks = np.bincount(log.done.rows[log.done.names == 0], minlength=len(log))
    differs = ((log.given != log.given[first]) & ~(np.isnan(log.given) & np.isnan(log.given[first]))).any(1)
    asked = np.isin(first, first[differs & ~other]) & (first != np.arange(len(first))) & ~other
    history: dict[int, list[tuple[float, list[float]]]] = {}  # of each impression: from when on which credit
    most: dict[int, int] = {}
    order = _by_time(log.times)
    for row in order[asked[order]].tolist():
        place = int(first[row])
        known = history.setdefault(place, [(log.times[place], log.given[place].tolist())])
        if clicks[row] < most.get(place, clicks[place]):
            continue
        most[place] = clicks[row]
        time, credit = max(log.times[row], log.times[place]), log.given[row].tolist()
        if changed(known[-1][1], credit):
            known.append((time, credit))
        elif len(known) > 1:
            known[-1] = (min(time, known[-1][0]), credit)
    found = [
        (place, team, 0, time if time > log.times[place] else math.nan, CREDIT, after[team])
        for place, known in history.items()
        for (_, before), (time, after) in pairwise(known)
        for team in changed(before, after)
    ]
    if not found:
        return done
    columns = zip(Done.__dataclass_fields__, zip(*found, strict=True), strict=True)
    more = {name: np.array(column, getattr(done, name).dtype) for name, column in columns}
    return Done(**{name: np.concatenate([getattr(done, name), column]) for name, column in more.items()})
