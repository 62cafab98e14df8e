"""A log as arrays: a few numbers an impression, so that millions of them fit into memory.

Users and queries are numbers in the order of their coming, other texts numbers of a short list of names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from duelist.clicks.records import Rejected
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
    examples: dict[str, str] = field(default_factory=dict)  # the first one of each kind
    duplicates: int = 0  # rows that told of an impression once more
    notes: list[str] = field(default_factory=list)  # what the file did not say and its rows told, in sentences
    own: dict[str, Losses] = field(default_factory=dict)  # rows and clicks of each experiment; "": it is not said

    def reject(self, bad: Rejected, number: int = 1, unit: str = "line") -> None:
        """Count one, or a number of like ones."""
        if bad.experiment not in self.own:
            self.own[bad.experiment] = Losses()
        for losses in (self, self.own[bad.experiment]):
            kinds = losses.rows if bad.row else losses.clicks
            kinds[bad.kind] += number
            losses.examples.setdefault(bad.kind, f"{unit} {bad.line}: {bad.reason}")
            if bad.row or bad.ranker:
                losses.rankers[bad.ranker] += number

    def of(self, experiment: str) -> Losses:
        """Those of one experiment: what does not say where it belongs may belong to any, and counts for each.

        >>> losses = Losses()
        >>> for name in ("home", "home", "checkout", ""):
        ...     losses.reject(Rejected(1, "no user", "", experiment=name))
        >>> losses.rows.total(), losses.of("home").rows.total(), losses.of("checkout").rows.total()
        (4, 3, 2)
        """
        found = Losses(repeated=self.repeated, duplicates=self.duplicates, notes=self.notes)
        for part in [self.own[name] for name in dict.fromkeys((experiment, "")) if name in self.own]:
            found.rows += part.rows
            found.clicks += part.clicks
            found.rankers += part.rankers
            found.examples = part.examples | found.examples
        return found


@dataclass(frozen=True)
class Done:
    """Clicks or other actions, one entry each."""

    rows: Array  # the impression
    teams: Array  # the ranker that owns the slot, as a number of its setup; -1 nobody
    slots: Array
    times: Floats  # NaN where not known
    names: Array  # of the action, as a number of `Impressions.action_names`
    values: Floats

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


def first_rows(ids: Array) -> Array:
    """Of each row the first one with its id.

    >>> first_rows(np.array([7, 5, 7])).tolist()
    [0, 1, 0]
    """
    order = np.argsort(ids, kind="stable")
    begins = np.ones(len(order), np.bool_)
    begins[1:] = ids[order][1:] != ids[order][:-1]
    first = np.empty(len(order), np.int64)
    first[order] = order[begins][np.cumsum(begins) - 1]
    return first


def united(log: Impressions, rows: Array | None = None) -> Impressions:
    """The same with rows of the same id made one: all clicks of both, and the credit of the one that has most.

    A later row that differs in more than its clicks is rejected. What only a later row tells, without a time, is of
    that row's time, so that it is late where the row is. `rows` are the rows' places in the whole log.
    """
    first = first_rows(log.ids)
    later = first != np.arange(len(first))
    if not later.any():
        return _forgetful(log)
    other = later & (log.bodies != log.bodies[first])
    for experiment, places in _by_experiment(log, other):
        reason = "the impression was logged before with another user, query or list"
        row = 1 + int(places[0] if rows is None else rows[places[0]])
        log.losses.reject(Rejected(row, reason, "", experiment=experiment), len(places), "row")
    log.losses.duplicates += int((later & ~other).sum())
    done = log.done.take(~other[log.done.rows])
    done = _once(replace(done, rows=first[done.rows]), _told_times(log.times, first, done))
    done = replace(done, times=_filled(done, log.times))
    return _forgetful(replace(log, done=done, given=_given(log, first, other)).take(~later))


def _by_experiment(log: Impressions, chosen: Flags) -> list[tuple[str, Array]]:
    """The places of chosen rows by their experiments, in the order of their coming."""
    places = np.flatnonzero(chosen)
    numbers = dict.fromkeys(log.experiments[places].tolist())
    return [(log.experiment_names[number], places[log.experiments[places] == number]) for number in numbers]


def _forgetful(log: Impressions) -> Impressions:
    """The same without what was needed only to find rows of the same impression."""
    nothing = np.zeros(len(log), np.int8)
    return replace(log, ids=nothing, bodies=nothing)


def _told_times(times: Floats, first: Array, done: Done) -> Floats:
    """When each click and action was, by the row that tells it: NaN for a row that is not later than the first."""
    later = times[done.rows] > times[first[done.rows]]
    return np.where(np.isnan(done.times) & later, times[done.rows], done.times)


def _once(done: Done, times: Floats) -> Done:
    """Each click and each action of an impression once, the earliest first, at the `times` that their rows tell.

    Of the same click a time of its own counts before that of a row, and no time at all (the row that was there first)
    before that of a later row.
    """
    own = np.where(np.isnan(done.times), np.where(np.isnan(times), 1, 2), 0)
    done = replace(done, times=times)
    order = np.lexsort((done.times, own, done.slots, done.names, done.rows))
    new = np.ones(len(order), np.bool_)
    for column in (done.rows, done.names, done.slots):
        new[1:] &= column[order][1:] == column[order][:-1]
    same = new.copy()
    same[:1] = False
    actions = done.names[order] > 0  # an action may happen twice, but not at the same time for the same value
    for column in (done.times, done.values):
        same[1:] &= ~actions[1:] | (column[order][1:] == column[order][:-1])
    kept = np.sort(order[~same])
    return done.take(kept)


def _filled(done: Done, times: Floats) -> Floats:
    """The times of what was done; a click that the first row knew without one has its time, where others have one."""
    clicks, known = done.names == 0, ~np.isnan(done.times)
    partly = np.zeros(len(times), np.bool_)
    partly[done.rows[clicks & known]] = True
    return np.where(clicks & ~known & partly[done.rows], times[done.rows], done.times)


def _given(log: Impressions, first: Array, other: Flags) -> Floats:
    """The credit of the row with the most clicks, the last of several."""
    given = log.given.copy()
    if given.shape[1] == 0:
        return given
    clicks = np.bincount(log.done.rows[log.done.names == 0], minlength=len(log))
    rows = np.flatnonzero(~other)
    best = rows[np.lexsort((rows, clicks[rows]))]  # the best of each comes last and stays
    given[first[best]] = log.given[best]
    return given
