"""How UBI events find their impressions.

An event names its query. Of the responses to that query it belongs to the one that showed its
document: the last one before the event. An event without a document goes by `position.ordinal`, of which nobody
knows whether it counts from 0 or from 1: events that have both tell, or ordinals that only one of the
two allows, where they are no strays, or the caller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from duelist.clicks.collector import Collector
from duelist.clicks.records import CLICK, Action, BadRow, LostAction, Record, seconds, text, whole, worth
from duelist.clicks.rows import RANKER, Read, first_of

CLICKS = (CLICK, "click_through")
VALUE = ("value", "price", "revenue", "amount")  # what an event may call its worth

STRAY = 0.05  # of the events with an ordinal alone: no more may tell nothing, as a log may lose no more of its clicks
BEYOND = 0.01  # of those at one end may be at the other: more are no accident, but an answer above the list, or below
DIRECT = 10  # events that name their document tell however many others do not, if they are more

Key = tuple[str, str]  # experiment and id of an impression


@dataclass(frozen=True)
class UbiRow:
    """A line and where it came from."""

    path: str
    line: int
    text: str
    fields: Mapping[str, Any]
    place: int = 0  # among those that were read with it


@dataclass
class Responses:
    """The impressions of every query."""

    found: Collector
    of_query: dict[str, dict[str, Key]] = field(default_factory=dict)  # query id -> response id -> impression
    places: dict[Key, int] = field(default_factory=dict)  # of the row that an impression was first read from

    def add(self, query_id: str, response: str, read: Read, row: UbiRow) -> None:
        """Keep one; a query's second response has an id of its own."""
        mine = self.of_query.setdefault(query_id, {})
        if mine and response not in mine:
            read = read._replace(record=replace(read.record, id=f"{query_id} {response or len(mine) + 1}"))
        self.found.add(read, row.line, row.text, row.path)
        mine[response] = key = read.record.experiment, read.record.id
        self.places.setdefault(key, row.place)

    def records(self, query_id: str) -> list[Record]:
        """Those of one query, in the order of their times."""
        keys = self.of_query.get(query_id, {}).values()
        return sorted((self.found.records[key] for key in keys), key=lambda record: record.time)


@dataclass
class Joined:
    """What was done with one impression."""

    clicks: list[tuple[float | None, int]] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    labels: list[tuple[int, str]] = field(default_factory=list)  # the ranker that an event names for its slot
    lost: int = 0
    lost_actions: list[LostAction] = field(default_factory=list)


def join(responses: Responses, events: Sequence[UbiRow], ordinals: int | None) -> None:
    """Add what happened to the impressions."""
    begin = ordinals
    if begin is None:
        begin, why = first_ordinal(ordinal_votes(responses, events))
        responses.found.note(why)
    joined = attach(responses, events, begin)
    settle(responses.found, joined, labels_of(joined))


def attach(responses: Responses, events: Sequence[UbiRow], begin: int | None) -> dict[Key, Joined]:
    """What happened to each impression; ordinals count from `begin`."""
    found, joined = responses.found, dict[Key, Joined]()
    for row in events:
        label = _label(row.fields)
        try:
            action = text("action_name", row.fields.get("action_name"))
        except BadRow as error:
            found.reject(row.line, str(error), row.text, row.path, ranker=label)
            continue
        if action not in CLICKS:
            found.actions[action] += 1
        record = _response(responses, row.fields)
        mine = joined.setdefault((record.experiment, record.id), Joined()) if record else None
        try:
            _add(mine, record, action, label, row.fields, begin)
        except BadRow as error:
            if action in CLICKS:
                said = record.experiment if record else ""
                found.reject(row.line, str(error), row.text, row.path, row=False, ranker=label, experiment=said)
                if mine is not None:
                    mine.lost += 1
            elif mine is not None:
                mine.lost_actions.append(LostAction(action))
            elif row.fields.get("query_id") not in (None, ""):
                found.homeless[action] += 1
    return joined


def labels_of(joined: Mapping[Key, Joined]) -> tuple[str, ...]:
    """The rankers that events name."""
    return tuple(sorted({label for mine in joined.values() for _, label in mine.labels}))


def settle(found: Collector, joined: Mapping[Key, Joined], rankers: tuple[str, ...]) -> None:
    """Write what happened into the records; `rankers` are those of clicks that name one."""
    for key, mine in joined.items():
        found.records[key] = _with(found, found.records[key], mine, rankers)


def _add(
    mine: Joined | None, record: Record | None, action: str, label: str, fields: Mapping[str, Any], begin: int | None
) -> None:
    query_id = text("query_id", fields.get("query_id"))
    if mine is None or record is None:
        raise BadRow(f"a click of the unknown query {query_id!r}")
    slot, moment = _slot(record.shown, fields, begin), _moment(fields.get("timestamp"))
    if action not in CLICKS:
        value = first_of(_inner(fields, "event_attributes") or {}, VALUE)
        mine.actions.append(Action(action, slot, worth(value), moment))
        return
    mine.clicks.append((moment, slot))
    if label:
        mine.labels.append((slot, label))


def _with(found: Collector, record: Record, mine: Joined, rankers: tuple[str, ...]) -> Record:
    """The record with what was done."""
    if all(moment is not None for moment, _ in mine.clicks):
        mine.clicks.sort(key=lambda click: click[0] or 0.0)
    first: dict[int, float | None] = {}
    for moment, slot in mine.clicks:
        if slot in first:
            found.repeat(record, [slot])
        first.setdefault(slot, moment)
    times = tuple(moment for moment in first.values() if moment is not None)
    record = replace(record, clicks=tuple(first), click_times=times if len(times) == len(first) else ())
    record = replace(record, actions=tuple(mine.actions), lost=mine.lost, lost_actions=tuple(mine.lost_actions))
    if record.teams or record.credit or not mine.labels:
        return record
    found.labelled, names = True, record.rankers or rankers
    earned = Counter(label for _, label in dict.fromkeys(mine.labels))
    return replace(record, rankers=names, credit=tuple(float(earned[name]) for name in names))


def _moment(timestamp: Any) -> float | None:
    try:
        return seconds(timestamp)
    except BadRow:
        return None


def _response(responses: Responses, fields: Mapping[str, Any]) -> Record | None:
    """The response that an event belongs to."""
    query_id = str(fields.get("query_id"))
    named = responses.of_query.get(query_id, {}).get(str(fields.get("query_response_id")))
    if named:
        return responses.found.records[named]
    records, moment, document = responses.records(query_id), _moment(fields.get("timestamp")), document_of(fields)
    showed = [record for record in records if document is not None and str(document) in record.shown] or records
    before = [record for record in showed if moment is None or record.time <= moment]
    return before[-1] if before else showed[0] if showed else None


def _slot(shown: tuple[str, ...], fields: Mapping[str, Any], begin: int | None) -> int:
    document = document_of(fields)
    if document is not None:
        name = text("object_id", document)
        if name not in shown:
            raise BadRow(f"a click on the document {name!r}, which was not shown")
        return shown.index(name)
    ordinal = _ordinal(fields)
    if ordinal is None:
        raise BadRow("a click without object_id and position.ordinal")
    place = whole("ordinal", ordinal)
    if begin is None:
        raise BadRow(
            "a click at an ordinal, of which nothing tells whether it counts from 0 or 1: say --ordinals 0 or 1"
        )
    if not begin <= place < begin + len(shown):
        raise BadRow(f"a click at the ordinal {place}, but those of {len(shown)} documents count from {begin}")
    return place - begin


class Votes(NamedTuple):
    """What events tell of where ordinals begin."""

    both: Counter[int]  # how often at 0 and at 1, by events that also name their document
    ends: Counter[int]  # by those that do not, at an end of the list: only one of the two allows them
    alone: int  # events that have an ordinal and no document

    def and_of(self, other: Votes) -> Votes:
        """Those of more events."""
        return Votes(self.both + other.both, self.ends + other.ends, self.alone + other.alone)


def ordinal_votes(responses: Responses, events: Iterable[UbiRow]) -> Votes:
    """How often ordinals begin at 0 and at 1."""
    both, ends, alone = Counter[int](), Counter[int](), 0
    for row in events:
        record, document, ordinal = _response(responses, row.fields), document_of(row.fields), _ordinal(row.fields)
        if record is None or ordinal is None or not str(ordinal).isdecimal():
            continue
        place = int(ordinal)
        if str(document) in record.shown:
            both[place - record.shown.index(str(document))] += 1
        elif document is None:
            alone += 1
            if place in (0, len(record.shown)):
                ends[0 if place == 0 else 1] += 1
    return Votes(both, ends, alone)


def first_ordinal(votes: Votes) -> tuple[int | None, str]:
    """Whether ordinals count from 0 or 1, by events that also name their document, else by those at an end; and why.

    None where nothing tells, where events contradict each other in more than one case of ten (those at both ends of the
    list: of a hundred, for one end is not the list's own and nobody knows which), and where those that tell are so few
    that both 0 and 1 fit nearly all: a stray event must not turn the verdict round.

    >>> first_ordinal(Votes(Counter(), Counter({1: 30}), 400))
    (1, 'Ordinals of clicks count from 1, as 30 of 400 without a document tell; if not, say --ordinals 0.')
    >>> first_ordinal(Votes(Counter(), Counter({0: 1}), 400))
    (None, '')
    """
    stray = STRAY * votes.alone
    by_document = votes.both[0] + votes.both[1] > min(stray, DIRECT)
    told, of = (votes.both, votes.both.total()) if by_document else (votes.ends, votes.alone)
    better = 0 if told[0] > told[1] else 1
    most = told[better] / 9 if by_document else BEYOND * told[better]
    if told[1 - better] >= most or not (by_document or told[better] > stray):
        return None, ""
    if not votes.alone:  # it makes no difference
        return better, ""
    tell = f"{told[better]:,} of {of:,} {'with' if by_document else 'without'} a document tell"
    return better, f"Ordinals of clicks count from {better}, as {tell}; if not, say --ordinals {1 - better}."


def document_of(fields: Mapping[str, Any]) -> Any:
    """The document that an event names, if it does."""
    return _inner(fields, "event_attributes", "object", "object_id")


def _ordinal(fields: Mapping[str, Any]) -> Any:
    ordinal = _inner(fields, "event_attributes", "position", "ordinal")
    return ordinal.get("index") if isinstance(ordinal, dict) else ordinal  # as it was before version 1.3


def _label(fields: Mapping[str, Any]) -> str:
    """The ranker that an event names, in its attributes or those of its object."""
    for place in (_inner(fields, "event_attributes", "object"), _inner(fields, "event_attributes")):
        label = first_of(place, RANKER) if isinstance(place, dict) else None
        if isinstance(label, str) and label:
            return label
    return ""


def _inner(fields: Any, *path: str) -> Any:
    for name in path:
        fields = fields.get(name) if isinstance(fields, dict) else None
    return fields
