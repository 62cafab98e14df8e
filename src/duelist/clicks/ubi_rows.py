"""Queries of UBI with their clicks as JSON lines of a log, where nothing is unusual about them.

One response, and events that name their documents and have times: such a query becomes a line without being
looked at closely, and whoever reads the line decides whether it is good. Everything else is left to those who read rows
one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import nan
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from duelist.clicks.impressions import NOWHERE
from duelist.clicks.records import LATEST, BadRow, seconds
from duelist.clicks.row_text import NAMES, UNUSUAL
from duelist.clicks.rows import KNOWN, RANKER, shown_of
from duelist.clicks.ubi import as_list
from duelist.clicks.ubi_buckets import NOBODY, NOTHING, Lines, key_of, key_of_line
from duelist.clicks.ubi_events import CLICKS, VALUE

REMEMBERED = 50_000  # attributes of queries
OWN_MEANING = KNOWN.union(NAMES, UNUSUAL) - {"rankers", "teams", "experiment"}  # as names of attributes
LINE = b'{"id":%b,"user":%b,"query":%b,"time":%b,"shown":%b%b%b'

# A label of a ranker is unusual: anything but null there is no row of this type.
_labels: list[Any] = [
    (f"label_{place}", None, msgspec.field(default=None, name=name)) for place, name in enumerate(RANKER)
]
_Object = msgspec.defstruct("_Object", [("object_id", msgspec.Raw, NOTHING), *_labels], gc=False)
_worth: list[Any] = [(name, float | None, None) for name in VALUE]
_Attributes = msgspec.defstruct("_Attributes", [("object", _Object | None, None), *_worth, *_labels], gc=False)


class _Row(msgspec.Struct, gc=False):
    query_id: msgspec.Raw = NOTHING
    timestamp: str | float | None = None
    action_name: str | msgspec.UnsetType = msgspec.UNSET
    event_attributes: _Attributes | msgspec.UnsetType | None = msgspec.UNSET  # type: ignore[valid-type]
    client_id: msgspec.Raw = NOTHING
    user_id: msgspec.Raw = NOTHING
    user_query: msgspec.Raw = NOTHING
    query_response_hit_ids: msgspec.Raw = NOTHING
    query_attributes: msgspec.Raw = NOTHING
    source: msgspec.Raw = msgspec.field(default=NOTHING, name="_source")


_decode = msgspec.json.Decoder(_Row).decode


def moment_of(timestamp: Any) -> float:
    """Seconds since 1970, as `seconds` finds them; dates in half the time.

    >>> moment_of("2023-11-14T22:13:20Z"), moment_of(1700000000000), moment_of("1700000000")
    (1700000000.0, 1700000000.0, 1700000000.0)
    """
    if timestamp.__class__ is str and timestamp[4:5] == "-":  # no number is written so
        try:
            moment = datetime.fromisoformat(timestamp)
            if moment.tzinfo and 0 <= (found := moment.timestamp()) < LATEST:
                return found
        except ValueError:
            pass
    return seconds(timestamp)


class Happened(NamedTuple):
    """An event that is no click."""

    name: str
    document: bytes  # as JSON
    value: float  # NaN where not said
    time: float


class UsualQueries:
    """What is usual in the lines of a bucket, by the keys of queries."""

    def __init__(self, lines: Lines, attributes: Sequence[str], remembered: dict[bytes, bytes | None]):
        self.names, self.remembered = tuple(attributes), remembered
        self.queries: dict[bytes, tuple[int, _Row]] = {}  # with the place of their lines
        self.clicks: dict[bytes, list[tuple[float, bytes]]] = {}
        self.actions: dict[bytes, list[Happened]] = {}
        self.unusual: set[bytes] = set()
        self.keys = list(map(self._take, range(len(lines.texts)), lines.texts))
        self.unusual.update(key for key in (*self.clicks, *self.actions) if key not in self.queries)

    def _take(self, place: int, text: bytes) -> bytes:
        """Look at a line; the key of its query."""
        try:
            row = _decode(text)
            if row.source:
                row = _decode(row.source)
            key = bytes(row.query_id)
            if key[:1] != b'"' or b"\\" in key:
                named = key[:1] == b'"' or key.removeprefix(b"-").isdigit()
                key = key_of(key)
                self.unusual.update([] if named else [key])  # a list is no name, nor is a number with a point
            if row.action_name is not msgspec.UNSET or row.event_attributes is not msgspec.UNSET:
                self._event(key, row)
            elif key in self.queries or key == NOBODY or not (row.user_query or row.query_response_hit_ids):
                self.unusual.add(key)
            else:
                self.queries[key] = place, row
        except (msgspec.MsgspecError, BadRow, ValueError, RecursionError):
            key = key_of_line(text)
            self.unusual.add(key)
        return key

    def _event(self, key: bytes, row: _Row) -> None:
        """Keep an event that names its document and has a time; BadRow if it does not."""
        attributes: Any = row.event_attributes
        if not attributes or not attributes.object or not row.query_id:
            raise BadRow("unusual")
        document, action = bytes(attributes.object.object_id), row.action_name
        if document[:1] != b'"' or not isinstance(action, str) or not action.strip():
            raise BadRow("unusual")
        moment = moment_of(row.timestamp)
        if action in CLICKS:
            self.clicks.setdefault(key, []).append((moment, document))
        else:
            value = next((getattr(attributes, n) for n in VALUE if getattr(attributes, n) is not None), nan)
            self.actions.setdefault(key, []).append(Happened(action, document, value, moment))

    def slots(self, key: bytes) -> list[tuple[int, Happened]]:
        """What else happened to the documents of a query, with their slots: `NOWHERE` for what was not shown."""
        if key not in self.actions:
            return []
        shown, _ = shown_of({"shown": msgspec.json.decode(self.queries[key][1].query_response_hit_ids)})
        named = [(msgspec.json.decode(action.document), action) for action in self.actions[key]]
        return [  # of an action without a place only the name is kept
            (shown.index(document), action) if document in shown else (NOWHERE, action._replace(value=nan, time=nan))
            for document, action in named
        ]

    def line(self, key: bytes) -> bytes:
        """A query as a line; an empty one if it is unusual."""
        if key in self.unusual:
            return b"\n"
        row = self.queries[key][1]
        user, extra = bytes(row.client_id), self._extra(bytes(row.query_attributes))
        if user in (b"", b"null", b'""'):
            user = bytes(row.user_id)
        try:
            time = b"0" if row.timestamp is None else repr(moment_of(row.timestamp)).encode()
        except BadRow:
            extra = None
        if extra is None or len(key) == 2 or not user or not row.query_response_hit_ids:
            self.unusual.add(key)
            return b"\n"
        query, shown, clicks = row.user_query or b"null", row.query_response_hit_ids, self.clicks.get(key)
        done = _clicked(clicks) if clicks else b"}\n"
        return LINE % (key, user, query, time, shown, extra, done)

    def _extra(self, attributes: bytes) -> bytes | None:
        """Columns that are in the attributes of a query; None if they are unusual."""
        if attributes not in self.remembered:
            if len(self.remembered) >= REMEMBERED:
                self.remembered.clear()
            self.remembered[attributes] = _columns(attributes, self.names)
        return self.remembered[attributes]


def _clicked(clicks: list[tuple[float, bytes]]) -> bytes:
    """Clicks as the end of a JSON line, the earliest first.

    >>> _clicked([(9.5, b'"b"'), (7.0, b'"a"')])
    b',"clicks":["a","b"],"click_times":[7.0, 9.5]}\\n'
    """
    if len(clicks) > 1:
        clicks.sort(key=itemgetter(0))
    moments, documents = zip(*clicks, strict=True)
    times = repr(list(moments)).encode()
    return b"".join((b',"clicks":[', b",".join(documents), b'],"click_times":', times, b"}\n"))


def _columns(attributes: bytes, names: Sequence[str]) -> bytes | None:
    """The columns of a query's attributes as a part of a JSON line; None if there is something unusual about them.

    >>> _columns(b'{"rankers": "old,new", "device": "phone", "locale": "de"}', ["device"])
    b',"rankers":["old","new"],"device":"phone"'
    """
    try:
        given = msgspec.json.decode(attributes) if attributes else {}
        if not isinstance(given, dict):
            return b""
        if OWN_MEANING & given.keys():
            return None
        row = {name: as_list(given[name]) for name in ("rankers", "teams") if name in given}
        row |= {name: given[name] for name in ("experiment", *names) if name in given}
        if any(isinstance(row[name], dict | list | bool) for name in ("experiment", *names) if name in row):
            return None
        return b"".join(b",%b:%b" % (msgspec.json.encode(name), msgspec.json.encode(row[name])) for name in row)
    except (msgspec.MsgspecError, BadRow, RecursionError):
        return None
