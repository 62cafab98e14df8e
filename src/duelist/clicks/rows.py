"""One row of a log as an impression, in any of the forms that people and engines write.

A bad click or action is left out, counted in `Record.lost` or `lost_actions`, and named; the row stays.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from duelist.clicks.records import (
    CLICK,
    MOST_RANKERS,
    MOST_SHOWN,
    Action,
    BadRow,
    LostAction,
    Record,
    number,
    seconds,
    sole,
    text,
    whole,
    worth,
)
from duelist.core.errors import BadInput

DOCUMENT = ("id", "document", "doc", "object_id")  # what a shown document that is an object may call its id
RANKER = ("ranker", "team", "[interleaving]", "interleaving", "model", "configuration")  # and its ranker
NEUTRAL = ("", "-1", "neutral", "none", "both")  # names of the team that is nobody's
KNOWN = frozenset(("id", "user", "query", "time", "shown", "clicks", "clicked", "rankers", "teams", "credit"))
KNOWN |= {"experiment", "click_times", "actions", "lost"}
LISTED = ("shown", "ranker", "clicks", "clicked", "click_times", "actions", "teams")  # not of a lone click

SAID = ("document", "object_id", "position", "value", "time")  # of an action, beside its name
NO_COLUMNS = ("attributes", "earlier_credit", "lost_actions")  # columns and rows of their own, actions without a place


class Lost(NamedTuple):
    """A click or another action that has no place in its list."""

    action: str
    reason: str
    said: str = ""  # `LostAction.said`


class Read(NamedTuple):
    """A row that was read: the impression, the slots that are clicked once more, and what is lost of it."""

    record: Record
    repeated: tuple[int, ...] = ()
    lost: tuple[Lost, ...] = ()


def record_of(row: Mapping[str, Any], otherwise: str, typed: bool = True) -> Read:
    """The impression of a row; `otherwise` is the id of a row without one.

    `typed`: numbers and text are told apart, as JSON does. In a table a whole number is a position or a team's.

    >>> labelled = [{"id": "d3", "ranker": "old"}, {"id": "d1", "ranker": "new"}]
    >>> record_of({"user": "ann", "shown": labelled, "clicked": ["d1"]}, "1").record.teams
    (1, 0)
    """
    if row.get("shown") is None and row.get("ranker") is not None:
        return Read(_lone_click(row, otherwise))
    shown, labels = shown_of(row)
    rankers = items(row, "rankers", "ranker", text)
    given = items(row, "teams", "team", _as_is) or labels
    rankers = rankers or _named(given)
    found = _Clicks(row, shown, typed)
    query = row.get("query")
    record = Record(
        id=otherwise if row.get("id") in (None, "") else text("id", row["id"]),
        user=text("user", row.get("user")),
        query="" if query in (None, "") else text("query", query),
        time=0.0 if row.get("time") is None else seconds(row["time"]),
        shown=shown,
        clicks=tuple(found.times),
        rankers=rankers,
        teams=tuple(_team(item, rankers, typed) for item in given),
        credit=items(row, "credit", "credit", number),
        experiment="" if row.get("experiment") in (None, "") else text("experiment", row["experiment"]),
        click_times=found.click_times(),
        actions=tuple(found.actions),
        lost=sum(lost.action == CLICK for lost in found.lost) + whole("lost", row.get("lost") or 0),
        lost_actions=tuple(LostAction(lost.action, lost.said) for lost in found.lost if lost.action != CLICK),
        attributes={name: value for name, value in row.items() if name not in KNOWN and _is_plain(value)},
    )
    if reason := fault(record):
        raise BadRow(reason)
    return Read(record, tuple(found.repeated), tuple(found.lost))


def _lone_click(row: Mapping[str, Any], otherwise: str) -> Record:
    """A row that is a click and the name of its ranker: nothing shown, and a credit of 1."""
    named = {name: value for name, value in row.items() if name not in LISTED}
    bare = record_of({**named, "shown": [], "rankers": [text("ranker", row["ranker"])], "credit": [1.0]}, otherwise)
    return bare.record


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != ""


def _as_is(name: str, value: Any) -> Any:
    return value


def items(row: Mapping[str, Any], column: str, each: str, read: Callable[[str, Any], Any]) -> tuple[Any, ...]:
    """The items of a list, `each` of them called so; nothing is an empty list."""
    value = row.get(column)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadRow(f"{column} must be a list, not {value!r}")
    return tuple(value) if read is _as_is else tuple([read(each, item) for item in value])


def shown_of(row: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """The documents, and the ranker of each where they are objects that name one."""
    if row.get("shown") is None:
        raise BadRow("no shown list")
    listed = items(row, "shown", "document", _as_is)
    if not [item for item in listed if isinstance(item, dict)]:
        return tuple([text("document", item) for item in listed]), ()
    objects = [item if isinstance(item, dict) else {"id": item} for item in listed]
    labels = tuple(first_of(item, RANKER) for item in objects)
    labelled = any(label is not None for label in labels)
    return tuple(text("document", first_of(item, DOCUMENT)) for item in objects), labels if labelled else ()


def first_of(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The value of the first name that has one."""
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _named(teams: Sequence[Any]) -> tuple[str, ...]:
    """The rankers of a row that only says whose each document is."""
    names = {team for team in teams if isinstance(team, str) and team.lower() not in NEUTRAL}
    return () if any(_is_whole(name) for name in names) else tuple(sorted(names))


def _is_whole(value: str) -> bool:
    return value.removeprefix("-").isdecimal()


def _team(value: Any, rankers: tuple[str, ...], typed: bool) -> int:
    """A team as a number: given so, or as the name of its ranker."""
    if value is None:
        return -1
    if isinstance(value, str) and (typed or not _is_whole(value)):
        if value in rankers:
            return rankers.index(value)
        if value.lower() in NEUTRAL:
            return -1
        if not _is_whole(value):
            raise BadRow(f"team {value!r}, which is none of the rankers {', '.join(rankers) or '(none)'}")
    return whole("team", value)


class _Clicks:
    """The clicks and actions of a row, each put in its place or lost."""

    def __init__(self, row: Mapping[str, Any], shown: tuple[str, ...], typed: bool) -> None:
        self.shown, self.typed = shown, typed
        self.times: dict[int, float | None] = {}
        self.repeated: list[int] = []
        self.lost: list[Lost] = []
        self.actions: list[Action] = []
        given = [(item, False) for item in items(row, "clicks", "click", _as_is)]
        given += [(item, True) for item in items(row, "clicked", "clicked document", _as_is)]
        times = items(row, "click_times", "time of a click", _as_is)
        if times and len(times) != len(given):
            raise BadRow(f"{len(times)} times for {len(given)} clicks")
        for place, (item, named) in enumerate(given):
            self._take(item, named, times[place] if times else None)
        for item in items(row, "actions", "action", _as_is):
            self._take(item if isinstance(item, dict) else {"name": item}, False, None)

    def _take(self, item: Any, named: bool, time: Any) -> None:
        fields = item if isinstance(item, dict) else {}
        name = CLICK
        try:
            name = text("action", fields.get("name", CLICK))
            slot = self._slot(name, item, fields, named)
            moment = fields.get("time", time)
            moment = None if moment is None else seconds(moment)
            if name != CLICK:
                self.actions.append(Action(name, slot, worth(fields.get("value")), moment))
            elif slot in self.times:
                self.repeated.append(slot)
            else:
                self.times[slot] = moment
        except BadRow as error:
            self.lost.append(Lost(name, str(error), _said(fields)))

    def _slot(self, name: str, item: Any, fields: Mapping[str, Any], named: bool) -> int:
        if fields:
            document = first_of(fields, ("document", "object_id"))
            item, named = (fields.get("position"), False) if document is None else (document, True)
        if named or (isinstance(item, str) and (self.typed or not _is_whole(item))):
            return place_of(item, self.shown, name)
        slot = whole("click" if name == CLICK else f"the position of {name!r}", item)
        if not 0 <= slot < len(self.shown):
            many = f"the positions of {len(self.shown)} documents count from 0"
            raise BadRow(f"{called(name)} at {slot}, but {many}")
        return slot

    def click_times(self) -> tuple[float, ...]:
        known = tuple(time for time in self.times.values() if time is not None)
        return known if len(known) == len(self.times) else ()


def _said(fields: Mapping[str, Any]) -> str:
    """What an action that is lost says, so that two bad places are two; `row_of` has written it as it is."""
    told = {name: fields[name] for name in SAID if fields.get(name) is not None}
    return str(fields.get("said") or (json.dumps(told, default=str) if told else ""))


def place_of(document: Any, shown: Sequence[str], action: str = CLICK) -> int:
    """Where a document was shown, with which something was done."""
    name = text("document", document)
    if name not in shown:
        raise BadRow(f"{called(action)} on the document {name!r}, which was not shown")
    return shown.index(name)


def called(action: str) -> str:
    """One of an action, in words.

    >>> called("click"), called("purchase")
    ('a click', "the action 'purchase'")
    """
    return "a click" if action == CLICK else f"the action {action!r}"


def fault(record: Record) -> str:
    """What contradicts itself in a record; empty if nothing does."""
    size, rankers = len(record.shown), len(record.rankers)
    for name, many, most in (("documents", size, MOST_SHOWN), ("rankers", rankers, MOST_RANKERS)):
        if many > most:
            return f"{many} {name}, but an impression has at most {most}"
    if twice := _twice(record.shown):
        return f"document {twice!r} is shown twice"
    if twice := _twice(record.rankers):
        return f"ranker {twice!r} is named twice"
    if record.teams and len(record.teams) != size:
        return f"{len(record.teams)} teams for {size} documents"
    for team in record.teams:
        if not -1 <= team < rankers:
            return f"team {team}, but there are {rankers} rankers, counted from 0 (-1: neutral)"
    if record.credit and len(record.credit) != rankers:
        return f"{len(record.credit)} credits for {rankers} rankers"
    return "" if record.lost >= 0 else f"{record.lost} clicks cannot be lost"


def _twice(names: tuple[str, ...]) -> str | None:
    if len(set(names)) == len(names):
        return None
    return next(name for name in names if names.count(name) > 1)


def favoured(row: Mapping[str, Any], typed: bool = True) -> str:
    """The ranker that earned the most of a row that cannot be used, by its credit or else by its clicks.

    `NOBODY` if that is no ranker alone, empty if the row does not tell.
    """
    try:
        if row.get("shown") is None and row.get("ranker") is not None:
            return text("ranker", row["ranker"])
        shown, labels = _read_or(((), ()), lambda: shown_of(row))
        given = _read_or((), lambda: items(row, "teams", "team", _as_is)) or labels
        rankers = _read_or((), lambda: items(row, "rankers", "ranker", text)) or _named(given)
        credit = _read_or((), lambda: items(row, "credit", "credit", number))
        if len(credit) == len(rankers) > 1:
            return sole(dict(zip(rankers, credit, strict=True)))
        found = _Clicks({name: row.get(name) for name in ("clicks", "clicked")}, shown or ("",) * len(given), typed)
        teams = [_team(given[slot], rankers, typed) for slot in found.times if slot < len(given)]
    except BadRow:
        return ""
    own = Counter(rankers[team] for team in teams if 0 <= team < len(rankers))
    told = own or -1 in teams or not (found.times or found.lost or row.get("lost"))
    return sole(own) if told else ""


def _read_or(otherwise: Any, read: Callable[[], Any]) -> Any:
    """What is read, or something else where it cannot be."""
    try:
        return read()
    except BadRow:
        return otherwise


def experiment_of(row: Mapping[str, Any]) -> str:
    """The experiment of a row that cannot be used; empty if it does not say one."""
    try:
        return text("experiment", row.get("experiment"))
    except BadRow:
        return ""


def row_of(record: Record) -> dict[str, Any]:
    """The row that is read as this record again."""
    own = {name: value for name, value in vars(record).items() if name not in NO_COLUMNS}
    row = dict(record.attributes) | {n: list(value) if isinstance(value, tuple) else value for n, value in own.items()}
    placed: list[Any] = [
        {"name": a.name, "position": a.slot}
        | ({} if a.value is None else {"value": a.value})
        | ({} if a.time is None else {"time": a.time})
        for a in record.actions
    ]
    lost = [{"name": name, "position": None} | ({"said": said} if said else {}) for name, said in record.lost_actions]
    row["actions"] = placed + lost
    return row


def told_rows(record: Record) -> list[Record]:
    """The record as the rows that it is read from: a later one for each change of its credit."""
    times = [record.time, *(time for time, _ in record.earlier_credit)]
    told = zip(times, [*(credit for _, credit in record.earlier_credit), record.credit], strict=True)
    return [replace(record, time=time, credit=credit, earlier_credit=()) for time, credit in told]


def check_record(record: Record) -> Record:
    """The record as a reader would read it again from one row; an error if that is another."""
    try:
        again, repeated, lost = record_of(row_of(record), "")
    except BadRow as error:
        raise BadInput(f"record {record.id!r} cannot be written: {error}") from None
    if clicks := [each.reason for each in lost if each.action == CLICK]:
        raise BadInput(f"record {record.id!r} cannot be written: {clicks[0]}")
    if repeated or again != replace(record, earlier_credit=()):
        raise BadInput(f"record {record.id!r} cannot be written: it would be read again as {again}")
    return again
