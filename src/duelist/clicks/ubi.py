"""User Behavior Insights, version 1.3.0: queries and events as JSON lines, or as other files hold them (ubi_files.py).

A query says what was shown (`query_response_hit_ids`) to whom (`client_id`, which queries and
events share; `user_id` if there is none) and, in `query_attributes`, by which `rankers`, with
which `teams`, `credit` and `experiment`; other attributes are kept. A search engine keeps attributes as text, so that a
list may be its items with commas or spaces between, or a JSON list. One query may have several
responses, told apart by `query_response_id`: each is an impression. How events find theirs is in
ubi_events.py. Lines of the bulk format ({"index": ...}) are passed over. The published schema is stricter than its own
samples, so nothing more than this is asked of a row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from duelist.clicks.collector import Collector
from duelist.clicks.files import CutShort, check_mode, open_to_write
from duelist.clicks.records import CLICK, Action, BadRow, Log, Record, text
from duelist.clicks.rows import Read, check_record, experiment_of, record_of
from duelist.clicks.ubi_events import Responses, UbiRow, join
from duelist.clicks.ubi_files import ubi_lines
from duelist.core.errors import BadInput

EVENT_FIELDS = {"action_name", "event_attributes"}
QUERY_FIELDS = {"user_query", "query_response_hit_ids"}
BULK = {"index", "create", "update", "delete"}  # the header lines of a bulk request
ATTRIBUTES = ("rankers", "teams", "credit", "experiment")
LOOK = 20  # lines that are looked at to tell what is in a file


def is_ubi(path: str | Path) -> bool:
    """Whether the first rows have the fields of UBI."""
    try:
        return any(kind_of(fields_of(line)) in ("query", "event") for _, line in islice(ubi_lines(path), LOOK))
    except CutShort:
        return False


def read_ubi(queries: str | Path, events: str | Path | None = None, ordinals: int | None = None) -> Log:
    """Impressions from a file of queries and one of events, or from one file that mixes them.

    Clicks come in the order of their timestamps. Events other than clicks are counted by name
    in `Log.actions`, and kept with the impression that showed their document; a click of an unknown query or on
    a document that was not shown is in `Log.rejected`. `ordinals` says whether `position.ordinal` counts
    from 0 or 1, for clicks without a document where no other click shows it.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "ubi.jsonl"
    >>> query = {"query_id": "1", "client_id": "ann", "user_query": "jazz", "query_response_hit_ids": ["a", "b"]}
    >>> click = {"action_name": "click", "query_id": "1", "event_attributes": {"object": {"object_id": "b"}}}
    >>> _ = file.write_text(json.dumps(query) + "\\n" + json.dumps(click))
    >>> read_ubi(file).records[0].clicks
    (1,)
    """
    check_ordinals(ordinals)
    found = Collector()
    rows = [row for path in (queries, events) if path is not None for row in _rows(path, found)]
    if found.rejected and not rows:
        raise BadInput(f"{str(queries)!r} holds neither UBI queries nor events: {found.rejected[0].reason}")
    join(*responses_of(rows, found), ordinals)
    return found.log()


def check_ordinals(ordinals: int | None) -> None:
    """An error if positions are said to count from anything but 0 or 1."""
    if ordinals not in (None, 0, 1):
        raise BadInput(f"ordinals count from 0 or 1, not {ordinals!r}")


def responses_of(rows: Sequence[UbiRow], found: Collector) -> tuple[Responses, list[UbiRow]]:
    """The impressions of queries, which are kept in `found`, and the events among the rows."""
    asked = [row for row in rows if kind_of(row.fields) == "query"]
    happened = [row for row in rows if kind_of(row.fields) == "event"]
    clients = {str(row.fields.get("query_id")): row.fields for row in reversed(happened)}
    responses = Responses(found)
    for row in asked:
        try:
            query_id = text("query_id", row.fields.get("query_id"))
            read, response = _impression(row.fields, clients, query_id), row.fields.get("query_response_id")
            responses.add(query_id, "" if response is None else str(response), read, row)
        except BadRow as error:
            given = row.fields.get("query_attributes")
            said = experiment_of(given) if isinstance(given, dict) else ""
            found.reject(row.line, str(error), row.text, row.path, experiment=said)
    found.unite()
    return responses, happened


def _rows(path: str | Path, found: Collector) -> Iterator[UbiRow]:
    try:
        for line, row_text in ubi_lines(path):
            if row := row_of_line(row_text, line, path, found):
                yield row
    except CutShort as error:
        found.reject(error.line, error.reason, "", path)


def row_of_line(written: str, line: int, path: str | Path, found: Collector, place: int = 0) -> UbiRow | None:
    """A query or an event; None for another line, which is rejected if it has something to say."""
    fields = fields_of(written)
    if (kind := kind_of(fields)) in ("query", "event"):
        return UbiRow(str(path), line, written, fields, place)
    if written.strip() and kind != "bulk":
        found.reject(line, "neither a UBI query nor an event", written, path)
    return None


def fields_of(line: str) -> Mapping[str, Any]:
    """The fields of a row, which an export of a search engine wraps in _source; none if it is no object."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    row = row.get("_source", row) if isinstance(row, dict) else {}
    return row if isinstance(row, dict) else {}


def kind_of(fields: Mapping[str, Any]) -> str:
    """What a row is: a query, an event, a header of the bulk format (bulk), or nothing of these (empty)."""
    if EVENT_FIELDS & set(fields):
        return "event"
    if QUERY_FIELDS & set(fields):
        return "query"
    return "bulk" if len(fields) == 1 and BULK & set(fields) else ""


def _impression(query: Mapping[str, Any], clients: Mapping[str, Mapping[str, Any]], query_id: str) -> Read:
    given = query.get("query_attributes")
    extra = dict(given) if isinstance(given, dict) else {}
    row = extra | {name: as_list(extra[name]) for name in ("rankers", "teams", "credit") if name in extra}
    row |= {"id": query_id, "query": query.get("user_query"), "time": query.get("timestamp"), "clicks": None}
    row |= {"user": _client(query, clients.get(query_id, {})), "shown": query.get("query_response_hit_ids")}
    return record_of(row, query_id)


def as_list(value: Any) -> Any:
    """A list that an engine may have kept as text.

    >>> as_list("old, new"), as_list("0 1 -1"), as_list('["old", "new"]')
    (['old', 'new'], ['0', '1', '-1'], ['old', 'new'])
    """
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError as error:
            raise BadRow(f"not a JSON list: {error}") from None
    return [item.strip() for item in value.split(",")] if "," in value else value.split()


def _client(*rows: Mapping[str, Any]) -> Any:
    """Who it was, as the first row that says so has it; 0 is somebody."""
    names = ("client_id", "user_id")
    return next((row[name] for row in rows for name in names if row.get(name) not in (None, "")), None)


def write_ubi(records: Iterable[Record], queries: str | Path, events: str | Path, mode: str = "new") -> None:
    """Write records as UBI queries and click events; `read_ubi` reads the same again. `mode` is that of `write_log`.

    Times are kept to the microsecond; a click whose time is not known has that of its impression. A record's
    actions are events as well; lost clicks are not written.
    """
    checked = [check_record(record) for record in records]
    for path in (queries, events):
        check_mode(path, mode)
    with open_to_write(queries, mode) as query_file, open_to_write(events, mode) as event_file:
        for record in checked:
            query_file.write(json.dumps(_query_row(record)) + "\n")
            for row in _event_rows(record):
                event_file.write(json.dumps(row) + "\n")


def _shared(record: Record, time: float | None = None) -> dict[str, Any]:
    moment = datetime.fromtimestamp(record.time if time is None else time, UTC).isoformat()
    return {"query_id": record.id, "client_id": record.user, "user_query": record.query, "timestamp": moment}


def _query_row(record: Record) -> dict[str, Any]:
    extra = {name: getattr(record, name) for name in ATTRIBUTES if getattr(record, name)} | dict(record.attributes)
    attributes = {"query_attributes": extra} if extra else {}
    return _shared(record) | {"query_response_hit_ids": record.shown} | attributes


def _event_rows(record: Record) -> Iterator[dict[str, Any]]:
    times = record.click_times or (None,) * len(record.clicks)
    done = [Action(CLICK, click, None, time) for click, time in zip(record.clicks, times, strict=True)]
    for action in (*done, *record.actions):
        place: dict[str, Any] = {"object": {"object_id": record.shown[action.slot]}}
        place |= {"position": {"ordinal": action.slot + 1}} | ({} if action.value is None else {"value": action.value})
        yield {"action_name": action.name} | _shared(record, action.time) | {"event_attributes": place}
