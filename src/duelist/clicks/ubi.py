"""User Behavior Insights, version 1.3.0: queries and events as JSON lines.

A query says what was shown (`query_response_hit_ids`) to whom (`client_id`, which queries and
events share; `user_id` if there is none) and, in `query_attributes`, by which `rankers`, with
which `teams` and `credit`. An event says that a document was clicked. They are joined by
`query_id` and `object_id`; an event without object_id by `position.ordinal`, which counts from
1, as the schema calls it the nth position and gives 1, 3 and 24 as examples. The published
schema is stricter than its own samples, so nothing more than this is asked of a row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from duelist.clicks.collector import Collector
from duelist.clicks.files import CutShort, check_mode, numbered_lines, open_to_write
from duelist.clicks.records import BadRow, Log, Record, check_record, record_of, seconds, text, whole
from duelist.core.errors import BadInput

CLICKS = ("click", "click_through")
EVENT_FIELDS = {"action_name", "event_attributes"}
QUERY_FIELDS = {"user_query", "query_response_hit_ids"}
LOOK = 20  # lines that are looked at to tell what is in a file


@dataclass(frozen=True)
class UbiRow:
    """A line and where it came from."""

    path: str
    line: int
    text: str
    fields: Mapping[str, Any]


def is_ubi(path: str | Path) -> bool:
    """Whether the first rows have the fields of UBI."""
    try:
        return any(_kind(_fields(line)) for _, line in islice(numbered_lines(path), LOOK))
    except CutShort:
        return False


def read_ubi(queries: str | Path, events: str | Path | None = None) -> Log:
    """Impressions from a file of queries and one of events, or from one file that mixes them.

    Clicks come in the order of their timestamps. Events other than clicks are counted by name
    in `Log.actions`; a click of an unknown query or on a document that was not shown is in
    `Log.rejected`.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "ubi.jsonl"
    >>> query = {"query_id": "1", "client_id": "ann", "user_query": "jazz", "query_response_hit_ids": ["a", "b"]}
    >>> click = {"action_name": "click", "query_id": "1", "event_attributes": {"object": {"object_id": "b"}}}
    >>> _ = file.write_text(json.dumps(query) + "\\n" + json.dumps(click))
    >>> read_ubi(file).records[0].clicks
    (1,)
    """
    found = Collector()
    rows = [row for path in (queries, events) if path is not None for row in _rows(path, found)]
    asked = [row for row in rows if _kind(row.fields) == "query"]
    happened = [row for row in rows if _kind(row.fields) == "event"]
    if found.rejected and not rows:
        raise BadInput(f"{str(queries)!r} holds neither UBI queries nor events: {found.rejected[0].reason}")
    clients = {str(row.fields.get("query_id")): row.fields for row in reversed(happened)}
    for row in asked:
        try:
            found.add(*_impression(row.fields, clients))
        except BadRow as error:
            found.reject(row.line, str(error), row.text, row.path)
    _join(found, happened)
    return found.log()


def _rows(path: str | Path, found: Collector) -> Iterator[UbiRow]:
    try:
        for line, row_text in numbered_lines(path):
            fields = _fields(row_text)
            if _kind(fields):
                yield UbiRow(str(path), line, row_text, fields)
            elif row_text.strip():
                found.reject(line, "neither a UBI query nor an event", row_text, path)
    except CutShort as error:
        found.reject(error.line, error.reason, "", path)


def _fields(line: str) -> Mapping[str, Any]:
    """The fields of a row, which an export of a search engine wraps in _source; none if it is no object."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    row = row.get("_source", row) if isinstance(row, dict) else {}
    return row if isinstance(row, dict) else {}


def _kind(fields: Mapping[str, Any]) -> str:
    if EVENT_FIELDS & set(fields):
        return "event"
    return "query" if QUERY_FIELDS & set(fields) else ""


def _impression(query: Mapping[str, Any], clients: Mapping[str, Mapping[str, Any]]) -> tuple[Record, int]:
    query_id = text("query_id", query.get("query_id"))
    extra = query.get("query_attributes")
    row = {name: extra.get(name) for name in ("rankers", "teams", "credit")} if isinstance(extra, dict) else {}
    row |= {"id": query_id, "query": query.get("user_query"), "time": query.get("timestamp")}
    row |= {"user": _client(query) or _client(clients.get(query_id, {})), "shown": query.get("query_response_hit_ids")}
    return record_of(row, query_id)


def _client(fields: Mapping[str, Any]) -> Any:
    return fields.get("client_id") or fields.get("user_id")


def _join(found: Collector, events: Iterable[UbiRow]) -> None:
    """Add the clicks to their impressions."""
    clicks: dict[str, list[tuple[float | None, int]]] = {}
    for row in events:
        try:
            action = text("action_name", row.fields.get("action_name"))
            if action in CLICKS:
                query_id = text("query_id", row.fields.get("query_id"))
                click = _moment(row.fields.get("timestamp")), _position(found, query_id, row.fields)
                clicks.setdefault(query_id, []).append(click)
            else:
                found.actions[action] = found.actions.get(action, 0) + 1
        except BadRow as error:
            found.reject(row.line, str(error), row.text, row.path)
    for query_id, several in clicks.items():
        if all(moment is not None for moment, _ in several):
            several.sort(key=lambda click: click[0] or 0.0)
        positions = tuple(dict.fromkeys(position for _, position in several))
        found.records[query_id] = replace(found.records[query_id], clicks=positions)
        found.repeated_clicks += len(several) - len(positions)


def _moment(timestamp: Any) -> float | None:
    """The time only orders the clicks of an impression: without it, they stay in the order of the file."""
    try:
        return seconds(timestamp)
    except BadRow:
        return None


def _position(found: Collector, query_id: str, event: Mapping[str, Any]) -> int:
    if query_id not in found.records:
        raise BadRow(f"a click of the unknown query {query_id!r}")
    shown = found.records[query_id].shown
    document = _inner(event, "event_attributes", "object", "object_id")
    if document is not None:
        if text("object_id", document) not in shown:
            raise BadRow(f"a click on the document {document!r}, which was not shown")
        return shown.index(text("object_id", document))
    ordinal = _inner(event, "event_attributes", "position", "ordinal")
    ordinal = ordinal.get("index") if isinstance(ordinal, dict) else ordinal  # as it was before version 1.3
    if ordinal is None:
        raise BadRow("a click without object_id and position.ordinal")
    if not 1 <= whole("ordinal", ordinal) <= len(shown):
        raise BadRow(f"a click at the ordinal {ordinal}, but those of {len(shown)} documents count from 1")
    return whole("ordinal", ordinal) - 1


def _inner(fields: Any, *path: str) -> Any:
    for name in path:
        fields = fields.get(name) if isinstance(fields, dict) else None
    return fields


def write_ubi(records: Iterable[Record], queries: str | Path, events: str | Path, mode: str = "new") -> None:
    """Write records as UBI queries and click events; `read_ubi` reads the same again. `mode` is that of `write_log`.

    Times are kept to the microsecond, and a click has the time of its impression.
    """
    checked = [check_record(record) for record in records]
    for path in (queries, events):
        check_mode(path, mode)
    with open_to_write(queries, mode) as query_file, open_to_write(events, mode) as event_file:
        for record in checked:
            query_file.write(json.dumps(_query_row(record)) + "\n")
            for click in record.clicks:
                event_file.write(json.dumps(_event_row(record, click)) + "\n")


def _shared(record: Record) -> dict[str, Any]:
    moment = datetime.fromtimestamp(record.time, UTC).isoformat()
    return {"query_id": record.id, "client_id": record.user, "user_query": record.query, "timestamp": moment}


def _query_row(record: Record) -> dict[str, Any]:
    extra = {name: getattr(record, name) for name in ("rankers", "teams", "credit") if getattr(record, name)}
    attributes = {"query_attributes": extra} if extra else {}
    return _shared(record) | {"query_response_hit_ids": record.shown} | attributes


def _event_row(record: Record, click: int) -> dict[str, Any]:
    place = {"object": {"object_id": record.shown[click]}, "position": {"ordinal": click + 1}}
    return {"action_name": "click"} | _shared(record) | {"event_attributes": place}
