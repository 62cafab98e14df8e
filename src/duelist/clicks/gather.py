"""Rows on their way into arrays, without a record in between where a row is of the usual form.

What the lists of a row come to (which ranker owns a clicked slot) is the same for all rows that are alike, and is
remembered by what was written. The rules are those of `record_of`, which is asked once for each form and for every row
that is not usual.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from math import nan
from typing import Any

import numpy as np

from duelist.clicks.columns import (
    DONE,
    MOST_LOST,
    ROW,
    ROWS,
    Attribute,
    Batch,
    Column,
    Form,
    Kind,
    Names,
    settled,
)
from duelist.clicks.found_rows import DOCS, EMPTY_LINE, IDS, KINDS, PLAIN, QUERIES, SIZE, USERS, USUAL, FoundRows
from duelist.clicks.given import Given, are_complete
from duelist.clicks.impressions import NOWHERE, Array, Done, Impressions, Losses, united
from duelist.clicks.kinds import Firsts, Kinds
from duelist.clicks.portions import ordered
from duelist.clicks.record_arrays import Waiting, arrays_of, body_hashes, first_credit, owner, team_order
from duelist.clicks.records import CLICK, MILLISECONDS, BadRow, Log, Record, Rejected, number, seconds, text
from duelist.clicks.rows import Read, record_of
from duelist.core.hashes import EMPTY, Hashes, HashNumbers, list_hashes, pair_hashes, text_hashes

REMEMBERED = 200_000  # forms


class Gatherer:
    """Takes rows and becomes Impressions. `read` makes a list of what was written; `attributes` are kept."""

    def __init__(self, read: Callable[[Any], Any] = list, typed: bool = True, attributes: Sequence[str] = ()) -> None:
        self.read, self.typed, self.names = read, typed, tuple(attributes)
        self.setups, self.layouts, self.experiments, self.actions = Names(), Names(), Names(), Names()
        self.actions[CLICK] = 0
        self.forms: dict[Any, Form] = {}
        self.owned: dict[Any, tuple[int, int, int, int]] = {}  # by rankers and teams
        self.rankers: list[tuple[str, ...]] = []  # by the number of their setup
        self.losses = Losses()
        self.cut_off = self.rows = 0  # rows that were cut off, and others
        self.columns = {name: Column(name) for name in ROW}
        self.done = {name: Column(name) for name in DONE}
        self.waiting: list[Waiting] = []
        self.given = Given()
        self.attributes = {name: Attribute() for name in self.names}
        self.users, self.queries = HashNumbers(), HashNumbers()
        self.kinds, self.named = Kinds(), Firsts[int]()  # of rows, and of actions: numbers in `actions`

    def take(self, batch: Batch, path: object = "") -> list[int]:
        """Take the rows that are of the usual form; the places in the batch of those that are not."""
        forms: list[Form | None] | None = self._all_usual(batch)
        if forms is None:
            texts = (batch.user, batch.query, batch.experiment)
            lists = (batch.rankers, batch.teams, batch.clicks, batch.credit, batch.click_times)
            forms = list(map(self._usual, *texts, batch.time, batch.shown, *lists))
        for place, name in enumerate(batch.id):
            if name and str(name).isspace():
                forms[place] = None
        unusual = [place for place, form in enumerate(forms) if form is None] if None in forms else []
        if unusual:
            batch = batch.without(set(unusual))
        self._store(batch, [form for form in forms if form is not None], path)
        return unusual

    def _all_usual(self, batch: Batch) -> list[Form | None] | None:
        """The forms of a batch in which every row is usual and of a form met before, looked at as columns.

        None: the rows must be looked at one by one. This is what most batches of a large log are.
        """
        for column in (batch.user, batch.query, batch.experiment):
            if set(map(type, column)) != {str}:
                return None
        if set(map(type, batch.time)) != {float} or any(batch.credit) or any(batch.click_times):
            return None
        if set(map(type, batch.shown)) != {list} or not 0 <= min(batch.time) <= max(batch.time) < MILLISECONDS:
            return None
        sizes = list(map(len, batch.shown))
        try:
            if not all(map(str.strip, batch.user)) or not all(map(str.strip, chain.from_iterable(batch.shown))):
                return None
            if not all(map(str.strip, filter(None, chain(batch.query, batch.experiment)))):
                return None
            if list(map(len, map(set, batch.shown))) != sizes:
                return None
            forms = list(map(self.forms.get, zip(sizes, batch.rankers, batch.teams, batch.clicks, strict=True)))
        except TypeError:  # a document that is no text, or a list that holds lists
            return None
        for place, form in enumerate(forms) if None in forms else ():
            if form is None:
                row = (batch.shown[place], batch.rankers[place], batch.teams[place], batch.clicks[place])
                forms[place] = self._new_form(*row)
        return forms

    def _new_form(self, shown: list[str], rankers: Any, teams: Any, clicks: Any) -> Form | None:
        try:
            return self._form(shown, rankers, teams, clicks)
        except (TypeError, ValueError, BadRow):
            return None

    def _usual(
        self,
        user: Any,
        query: Any,
        experiment: Any,
        time: Any,
        shown: Any,
        rankers: Any,
        teams: Any,
        clicks: Any,
        credit: Any,
        moments: Any,
    ) -> Form | None:
        """The form of a usual row; None if it must be read the long way."""
        if not (user.__class__ is query.__class__ is experiment.__class__ is str and user.strip()):
            return None
        if (query and not query.strip()) or (experiment and not experiment.strip()):
            return None
        try:
            if shown.__class__ is not list or len(set(shown)) != len(shown) or not all(map(str.strip, shown)):
                return None
            form = self.forms.get((len(shown), rankers, teams, clicks)) or self._form(shown, rankers, teams, clicks)
            if form is None or not (time.__class__ is float and 0 <= time < MILLISECONDS):
                seconds(time)
            if form and credit and len(self._numbers(credit)) != len(self.rankers[form.setup]):
                return None
            if form and moments and len(list(map(seconds, self.read(moments)))) != len(form.slots):
                return None
        except (TypeError, ValueError, BadRow):
            return None
        return form

    def _numbers(self, credit: Any) -> tuple[float, ...]:
        return tuple(number("credit", amount) for amount in self.read(credit))

    def _form(self, shown: list[str], rankers: Any, teams: Any, clicks: Any) -> Form | None:
        """The form of lists that were not met before, or that name documents."""
        key: Any = (len(shown), rankers, teams, clicks)
        listed = self.read(clicks) if clicks else []
        if any(item.__class__ is str and (self.typed or not item.isdecimal()) for item in listed):
            listed = [shown.index(item) if item in shown else None for item in listed]
            key = (len(shown), rankers, teams, (None, *listed))
        if any(item is None or isinstance(item, dict) for item in listed):
            return None
        if key not in self.forms:
            row = {"shown": [str(place) for place in range(len(shown))], "clicks": listed, "user": "anybody"}
            row |= {name: self.read(text) for name, text in (("rankers", rankers), ("teams", teams)) if text}
            if len(self.forms) >= REMEMBERED:
                self.forms.clear()
            self.forms[key] = self._form_of(record_of(row, "", self.typed))
        return self.forms[key]

    def _form_of(self, read: Read) -> Form:
        record = read.record
        teams = tuple(record.teams[click] if record.teams else -1 for click in record.clicks)
        owners = tuple(owner(record, slot) for slot in read.repeated)
        return Form(*self._owned(record), record.clicks, teams, read.lost, owners)

    def _owned(self, record: Record) -> tuple[int, int, int, int]:
        """The setup and the layout of a record, and the `team_order`: what follows from who owns its slots."""
        key = record.rankers, record.teams, bool(record.shown)
        found = self.owned.get(key)
        if found is None:
            setup = self.setups[record.rankers]
            if setup == len(self.rankers):
                self.rankers.append(record.rankers)
            layout = self.layouts[key[:2]] if len(self.layouts) < REMEMBERED else hash(record.teams)
            found = setup, layout, *team_order(record)
            if len(self.owned) >= REMEMBERED:
                self.owned.clear()
            self.owned[key] = found
        return found

    def _store(self, batch: Batch, forms: Sequence[Form], path: object) -> None:
        """Make arrays of usual rows."""
        if not forms:
            return
        self._settle()
        setups, layouts, firsts, larger, slots, teams, lost, repeated = zip(*forms, strict=True)
        users, queries = text_hashes(batch.user), text_hashes(batch.query)
        ids = pair_hashes(text_hashes(batch.experiment), text_hashes([name or "" for name in batch.id]))
        named = np.array(list(map(bool, batch.id)), np.bool_)
        bodies = body_hashes(users, queries, list_hashes(batch.shown), layouts)
        experiments = {name: self.experiments[name] for name in dict.fromkeys(batch.experiment)}
        self._append(
            self.columns,
            lines=batch.lines,
            ids=np.where(named, ids, np.array(batch.lines, np.uint64)),
            users=users,
            queries=queries,
            bodies=bodies,
            times=[time if time.__class__ is float and time < MILLISECONDS else seconds(time) for time in batch.time],
            setups=setups,
            experiments=list(map(experiments.__getitem__, batch.experiment)),
            sizes=list(map(len, batch.shown)),
            firsts=firsts,
            larger=larger,
            lost=[min(MOST_LOST, len(clicks)) for clicks in lost],
        )
        number_of_clicks = list(map(len, slots))
        clicks = sum(number_of_clicks)
        self._append(
            self.done,
            rows=np.repeat(np.arange(self.rows, self.rows + len(forms)), number_of_clicks),
            teams=list(chain.from_iterable(teams)),
            slots=list(chain.from_iterable(slots)),
            times=self._click_times(batch, number_of_clicks),
            names=np.zeros(clicks),
            values=np.ones(clicks),
        )
        if any(batch.credit):
            self.given.add_lists(self.rows, [self._numbers(credit) if credit else () for credit in batch.credit])
        for name, column in zip(self.names, batch.attributes, strict=True):
            self.attributes[name].values.extend(column)
        self.rows += len(forms)
        found = zip(batch.lines, forms, batch.experiment, strict=True)
        for line, form, experiment in found if any(lost) or any(repeated) else ():
            self._count(form, line, path, experiment)

    def _click_times(self, batch: Batch, sizes: Sequence[int]) -> list[float]:
        if not any(batch.click_times):
            return [nan] * sum(sizes)
        known = [list(map(seconds, self.read(moments))) if moments else [] for moments in batch.click_times]
        return [time for times, size in zip(known, sizes, strict=True) for time in times or [nan] * size]

    def _append(self, kept: dict[str, Column], **columns: Any) -> None:
        for name, column in columns.items():
            kept[name].add(column)

    def take_rows(self, found: FoundRows, lines: int | Array) -> list[int]:
        """Take the lines of a block that were read; the places of those that were not. `lines` are their numbers.

        One number is that of the first line, which the others follow.
        """
        plain = np.flatnonzero(found.rows[:, USUAL] == PLAIN)
        kinds = self.kinds.of(found.hashes[plain, KINDS], lambda place: self._kind(found, int(plain[place])))
        setups = self.kinds.common(kinds)[:, 0]
        known = (setups >= 0) & are_complete(found.credits[plain], setups, self.rankers)
        left = found.rows[:, USUAL] != EMPTY_LINE
        left[plain[known]] = False
        if known.any():
            self._store_rows(found, plain[known], kinds[known], lines)
        return np.flatnonzero(left).tolist()

    def _kind(self, found: FoundRows, place: int) -> Kind | None:
        """What a row that was read has in common with others; None if such rows are bad."""
        try:
            row = found.row(place)
            row = {name: row[name] for name in ("rankers", "teams", "experiment", "shown") if row.get(name) is not None}
            record = record_of(row | {"user": "anybody"}, "", self.typed).record
        except BadRow:
            return None
        form = self._form_of(Read(record))
        return Kind(*form[:4], self.experiments[record.experiment], record.teams)

    def _store_rows(self, found: FoundRows, places: Array, kinds: Array, lines: int | Array) -> None:
        self._settle()
        numbers = places + lines if isinstance(lines, int) else lines[places]
        common = self.kinds.common(kinds)
        rows, hashes = found.rows[places], found.hashes[places]
        self._append(
            self.columns,
            lines=numbers,
            ids=np.where(hashes[:, IDS] != 0, hashes[:, IDS], numbers.astype(np.uint64)),
            users=hashes[:, USERS],
            queries=hashes[:, QUERIES],
            bodies=body_hashes(hashes[:, USERS], hashes[:, QUERIES], hashes[:, DOCS], common[:, 1]),
            times=found.times[places],
            setups=common[:, 0],
            experiments=common[:, 4],
            sizes=rows[:, SIZE],
            firsts=common[:, 2],
            larger=common[:, 3],
            lost=np.zeros(len(places)),
        )
        number, at = found.acts_of(places)
        of_act = np.repeat(np.arange(len(places)), number)
        slots = found.acts.slots[at]
        self._append(
            self.done,
            rows=self.rows + of_act,
            teams=self.kinds.owners(kinds[of_act], slots),
            slots=slots,
            times=found.acts.moments[at],
            names=self._action_names(found, found.acts.names[at], places[of_act]),
            values=found.acts.values[at],
        )
        given = np.flatnonzero(~np.isnan(found.credits[places, 0]))
        self.given.add(self.rows + given, found.credits[places[given]])
        for column, name in enumerate(self.names):
            self.attributes[name].values.extend(found.value(place, column) for place in places.tolist())
        self.rows += len(places)

    def take_actions(self, found: FoundRows, actions: Sequence[tuple[int, int, int, str, float, float]]) -> None:
        """Add to rows that were taken: the row, its place in the block, the slot, name, value and time of each."""
        if actions:
            rows, places, slots, names, values, times = zip(*actions, strict=True)
            kinds, at = self.kinds.numbers.of(found.hashes[list(places), KINDS]), np.array(slots)
            teams = np.where(at == NOWHERE, -1, self.kinds.owners(kinds, np.where(at == NOWHERE, 0, at)))
            numbers = [self.actions[name] for name in names]
            self._append(self.done, rows=rows, teams=teams, slots=slots, times=times, names=numbers, values=values)

    def _action_names(self, found: FoundRows, hashes: Hashes, places: Array) -> Array:
        """The numbers of actions by hashes of their names, and the places of their rows; 0 for a click."""
        names, acted = np.zeros(len(hashes), np.int64), np.flatnonzero(hashes != EMPTY)

        def number(act: int) -> int:
            written = [text("action", item["name"]) for item in found.row(int(places[acted[act]]))["actions"]]
            return self.actions[written[text_hashes(written).tolist().index(hashes[acted[act]])]]

        numbers = self.named.of(hashes[acted], number)
        names[acted] = np.array(self.named.made, np.int64)[numbers]
        return names

    def add(self, read: Read, line: int = 0, path: object = "") -> None:
        """Take any row that was read as a record."""
        record, form = read.record, self._form_of(read)
        self.waiting.append((line, record, form))
        for name in self.names:
            value = record.attributes.get(name if self.typed else name.lower())  # as a table's header
            self.attributes[name].values.append(value)
        self.rows += 1
        self._count(form, line, path, record.experiment)
        if len(self.waiting) >= ROWS:
            self._settle()

    def _settle(self) -> None:
        """Make arrays of the records that wait."""
        if self.waiting:
            columns, done = arrays_of(self.waiting, self.rows - len(self.waiting), self.experiments, self.actions)
            self._append(self.columns, **columns)
            self._append(self.done, **done)
            given = [first_credit(record) for _, record, _ in self.waiting]
            self.given.add_lists(self.rows - len(self.waiting), given)
            self.waiting = []

    def _count(self, form: Form, line: int, path: object, experiment: str) -> None:
        for action, reason, _ in form.lost:
            self.losses.reject(Rejected(line, reason, "", str(path), row=False, action=action, experiment=experiment))
        for ranker in form.repeated:
            self.losses.repeat(experiment, ranker)

    def cut(self) -> Impressions:
        """What was taken since the last cut, to be joined with the others: ids are hashes, attributes two numbers."""
        self._settle()
        columns = {name: self.columns[name].array() for name in ROW}
        order = np.argsort(columns.pop("lines"), kind="stable")
        done = Done(**{name: self.done[name].array() for name in DONE})
        given = self.given.cut(self.rows)
        for name, numbers in (("users", self.users), ("queries", self.queries)):
            found = np.empty(self.rows, np.int32)
            found[order] = numbers.of(columns[name][order])
            columns[name] = found
        attributes = {name: attribute.cut(order) for name, attribute in self.attributes.items()}
        self.cut_off, self.rows = self.cut_off + self.rows, 0
        log = Impressions(
            **columns,
            given=given,
            attributes=attributes,
            done=done,
            setup_names=tuple(self.setups),
            experiment_names=tuple(self.experiments),
            action_names=tuple(self.actions),
            attribute_names={name: attribute.names for name, attribute in self.attributes.items()},
            losses=self.losses,
        )
        return log if (order[1:] > order[:-1]).all() else ordered(log, order)

    def impressions(self) -> Impressions:
        """All that was taken, each impression once."""
        log = self.cut()
        return united(replace(log, attributes=settled(log.attributes, log.attribute_names)))


def impressions_of(log: Log, attributes: Sequence[str] = ()) -> Impressions:
    """The arrays of a log that was read as records.

    >>> from duelist.clicks.records import Record
    >>> record = Record("1", "ann", "q", 0.0, ("a", "b", "c"), (0, 2), ("new", "old"), (0, 1, 0))
    >>> impressions_of(Log((record,))).done.teams.tolist()
    [0, 0]
    """
    found = Gatherer(attributes=attributes)
    for record in log.records:
        found.add(Read(record))
    for bad in log.rejected:
        found.losses.reject(bad)
    found.losses.count(log.repeated, log.again, log.homeless)
    found.losses.notes, found.losses.labelled = list(log.notes), log.labelled
    return found.impressions()
