"""Events of people, one or many in a request, ours or UBI's, as one plan.

An event that cannot be read is counted and the others are kept. The lists that were clicked last are remembered,
so that a click seldom reads the journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import astuple

from duelist.core.errors import BadInput
from duelist.live import events
from duelist.live.events import Clicked, Listed, body_of, numbers_of
from duelist.live.experiments import Experiments
from duelist.live.requests import Plan
from duelist.live.state import Verdicts
from duelist.service.errors import Refused
from duelist.service.schemas import Event, Tally
from duelist.storage.journal import Draft, Place
from duelist.storage.journal import Event as Stored

REMEMBERED = 10_000  # lists
MANY = msgspec.json.Decoder(list[Event])
ONE = msgspec.json.Decoder(Event)
APART = msgspec.json.Decoder(list[msgspec.Raw])
WRAPPED = msgspec.json.Decoder(dict[str, msgspec.Raw])
UBI_CLICKS = ("click", "click_through")
NOTHING = -1, 0  # no experiment, and no place in the journal


class Click(NamedTuple):
    """An event in one form, wherever it came from."""

    impression: str
    document: str | int | None
    position: int | None
    action: str
    value: float
    at: int
    ubi: bool = False


class List(NamedTuple):
    """What was shown; no documents where nothing was."""

    experiment: int
    seq: int
    ranking: tuple[Any, ...]


def read_events(body: bytes, limit: int) -> tuple[list[Event], Tally]:
    """The events of a request, and a tally that has counted those which cannot be read.

    >>> found, tally = read_events(b'[{"impression": "1-2", "position": 0}, {"impression": 7}]', limit=10)
    >>> len(found), tally.rejected, tally.reason
    (1, 1, 'Expected `str | null`, got `int` - at `$.impression`')
    """
    text = body.lstrip()
    if not text.startswith(b"["):
        text = _unwrapped(text)
    tally = Tally()
    try:
        found = MANY.decode(text)
    except (msgspec.ValidationError, RecursionError):
        found = _one_by_one(text, tally)
    if len(found) + tally.rejected > limit:
        raise Refused(413, "too_large", f"at most {limit} events may come in one request", "events")
    return found, tally


def _unwrapped(text: bytes) -> bytes:
    """Many, from one or from {"events": [...]}."""
    given = WRAPPED.decode(text)
    return bytes(given["events"]) if given.keys() == {"events"} else b"[" + text + b"]"


def _one_by_one(text: bytes, tally: Tally) -> list[Event]:
    found = []
    for raw in APART.decode(text):
        try:
            found.append(ONE.decode(raw))
        except (msgspec.ValidationError, RecursionError) as error:
            reject(tally, error)
    return found


def reject(tally: Tally, error: Exception) -> None:
    """Count an event that makes no sense."""
    tally.rejected += 1
    tally.reason = tally.reason or str(error)


def click_of(event: Event) -> Click:
    """An event in one form; BadInput for what makes no sense."""
    impression, document, position, action, value, at, *_ = astuple(event)
    if impression is None:
        return _ubi(event)
    if (document is None) == (position is None):
        raise BadInput("an event needs either document or position")
    return Click(impression, document, position, action, value, 0 if at is None else _micros(at))


def _ubi(event: Event) -> Click:
    if event.query_id is None or event.action_name is None:
        raise BadInput("an event needs impression, or query_id and action_name (UBI)")
    about = event.event_attributes
    document = about.object.object_id if about and about.object else None
    ordinal = about.position.ordinal if about and about.position else None
    if document is None and ordinal is None:
        raise BadInput("an event of UBI needs object_id or ordinal")
    position = ordinal - 1 if document is None and ordinal is not None else None
    try:
        at = 0 if event.timestamp is None else _micros(event.timestamp)
    except BadInput:  # nothing is decided by it
        at = 0
    action = "click" if event.action_name in UBI_CLICKS else event.action_name
    return Click(event.query_id, document, position, action, 1.0, at, True)


def _micros(time: int | float | str) -> int:
    if not isinstance(time, str):
        return int(time) if 0 <= time < 2**62 else 0
    try:
        moment = datetime.fromisoformat(time)
        return max(0, round(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1e6))
    except (ValueError, OverflowError):
        raise BadInput(f"at must be microseconds since 1970 or ISO 8601, not {time!r}") from None


class Clicks:
    """Makes plans of events."""

    def __init__(self, experiments: Experiments) -> None:
        self.experiments = experiments
        self._lists: dict[tuple[str, bool], List] = {}  # by id, and whether UBI says so; the oldest first

    def plan(self, given: Sequence[Event], tally: Tally) -> Plan:
        """Events to append; the answer is the tally."""
        drafts: list[Draft] = []
        states = self.experiments.fold.states
        for event in given:
            try:
                click = click_of(event)
                shown = self._lists.get((click.impression, click.ubi)) or self._look_up(click)
                if shown.experiment not in states:
                    tally.unknown += 1
                elif click.ubi and click.action not in states[shown.experiment].definition.credit:
                    tally.ignored += 1
                else:
                    drafts.append(_draft(shown, click))
            except BadInput as error:
                reject(tally, error)

        def answer(places: list[Place], verdicts: Verdicts) -> Tally:
            lost = [verdicts[place.seq] for place in places if place.seq in verdicts] if verdicts else []
            tally.accepted += len(places) - len(lost)
            for verdict in lost:
                setattr(tally, verdict, getattr(tally, verdict) + 1)
            return tally

        return Plan(drafts, answer)

    def _look_up(self, click: Click) -> List:
        """The list behind an id, or of UBI behind the caller's own key, from the journal."""
        number, seq = NOTHING
        try:
            number, seq = numbers_of(click.impression)
        except BadInput:
            if not click.ubi:
                raise
        event = _list(self.experiments.journal.get(seq), number)
        if event is None and click.ubi:
            event = self._keyed(click.impression)
        if event is None:
            return List(number, seq, ())
        body = body_of(event)
        ranking = body.shown.ranking[body.begin :] if isinstance(body, Listed) else body.documents
        found = self._lists[click.impression, click.ubi] = List(event.experiment, event.seq, ranking)
        if len(self._lists) > REMEMBERED:
            del self._lists[next(iter(self._lists))]
        return found

    def _keyed(self, key: str) -> Stored | None:
        """What was shown with this key. UBI does not say in which experiment: the latest that knows it."""
        find = self.experiments.journal.find
        found = (_list(find(number, key), number) for number in reversed(self.experiments.fold.states))
        return next(filter(None, found), None)


def _list(event: Stored | None, experiment: int) -> Stored | None:
    """The event, if it shows a list of this experiment."""
    if event is None or event.kind not in (events.SHOWN, events.RANKED) or event.experiment != experiment:
        return None
    return event


def _draft(shown: List, click: Click) -> Draft:
    seq, ranking, position = shown.seq, shown.ranking, click.position
    if position is None:
        position = _find(ranking, click)
    if 0 <= position < len(ranking):
        body = Clicked(seq, position, ranking[position], click.action, click.value, click.at)
    else:
        body = Clicked(seq, -1, None, click.action, click.value, click.at)
    return Draft(shown.experiment, events.CLICKED, events.ENCODER.encode(body))


def _find(ranking: tuple[Any, ...], click: Click) -> int:
    if click.document in ranking:
        return ranking.index(click.document)
    if click.ubi:  # whose ids are text
        texts = [str(document) for document in ranking]
        return texts.index(str(click.document)) if str(click.document) in texts else -1
    return -1
