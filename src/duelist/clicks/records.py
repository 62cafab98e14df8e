"""Impressions as they were logged, and how one row of a log becomes one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from duelist.core.errors import BadInput

LATEST = 253402300800.0  # the year 10000, in seconds since 1970
MILLISECONDS = 1e11  # a greater number of seconds is beyond the year 5000: it counts milliseconds


@dataclass(frozen=True)
class Record:
    """An impression as it was logged: what was shown to whom, and what was clicked."""

    id: str  # of the impression
    user: str
    query: str
    time: float  # seconds since 1970, UTC; 0 if the log has no times
    shown: tuple[str, ...]  # document ids
    clicks: tuple[int, ...]  # positions in shown, from 0, each once, in the order they came where known
    rankers: tuple[str, ...] = ()  # names of the interleaved rankers, if any
    teams: tuple[int, ...] = ()  # for each slot the index of the ranker that owns it, -1 neutral; empty: no teams
    credit: tuple[float, ...] = ()  # one score per ranker; empty: teams decide (clicks per team)


@dataclass(frozen=True)
class Rejected:
    """A row, event or click that could not be used."""

    line: int
    reason: str
    text: str  # of the line, at most its first 200 characters
    path: str = ""


@dataclass(frozen=True)
class Log:
    """What was read of a log, and everything that was not."""

    records: tuple[Record, ...]
    rejected: tuple[Rejected, ...] = ()
    duplicates: int = 0  # rows that told of an impression once more
    repeated_clicks: int = 0  # on a position that was clicked before
    actions: Mapping[str, int] = field(default_factory=dict)  # events that are no clicks, by name


class BadRow(Exception):
    """Why a row cannot be used; never reaches the user as an error."""


def text(name: str, value: Any) -> str:
    """A non-empty name or id; numbers are taken as they are written."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise BadRow(f"no {name}" if value in (None, "") else f"{name} must be text, not {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadRow(f"{name} is not UTF-8: {value!r}") from None
    return value


def whole(name: str, value: Any) -> int:
    try:
        found = int(value)
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None or isinstance(value, bool) or not (isinstance(value, str) or found == value):
        raise BadRow(f"{name} must be a whole number, not {value!r}")
    return found


def number(name: str, value: Any) -> float:
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise BadRow(f"{name} must be a number, not {value!r}")
    return found


def seconds(value: Any) -> float:
    """A time as seconds since 1970, from seconds, milliseconds or ISO 8601 (UTC unless it says otherwise)."""
    try:
        found = number("time", value)
        found = found / 1000 if found >= MILLISECONDS else found
    except BadRow:
        try:
            moment = datetime.fromisoformat(value)
            found = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (TypeError, ValueError, OverflowError):
            raise BadRow(f"time must be seconds since 1970 or ISO 8601, not {value!r}") from None
    if not 0 <= found < LATEST:
        raise BadRow(f"time must be from 1970 to 9999, not {value!r}")
    return found


def items(row: Mapping[str, Any], column: str, each: str, read: Callable[[str, Any], Any]) -> tuple[Any, ...]:
    """The items of a list, `each` of them called so; nothing is an empty list."""
    value = row.get(column)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadRow(f"{column} must be a list, not {value!r}")
    return tuple(read(each, item) for item in value)


def record_of(row: Mapping[str, Any], otherwise: str) -> tuple[Record, int]:
    """The impression of a row and how many clicks it repeats; `otherwise` is the id of a row without one."""
    clicks = items(row, "clicks", "click", whole)
    query = row.get("query")
    record = Record(
        id=otherwise if row.get("id") in (None, "") else text("id", row["id"]),
        user=text("user", row.get("user")),
        query="" if query in (None, "") else text("query", query),
        time=0.0 if row.get("time") is None else seconds(row["time"]),
        shown=_shown(row),
        clicks=tuple(dict.fromkeys(clicks)),
        rankers=items(row, "rankers", "ranker", text),
        teams=items(row, "teams", "team", whole),
        credit=items(row, "credit", "credit", number),
    )
    if reason := fault(record):
        raise BadRow(reason)
    return record, len(clicks) - len(record.clicks)


def _shown(row: Mapping[str, Any]) -> tuple[str, ...]:
    if row.get("shown") is None:
        raise BadRow("no shown list")
    return items(row, "shown", "document", text)


def fault(record: Record) -> str:
    """What contradicts itself in a record; empty if nothing does."""
    size, rankers = len(record.shown), len(record.rankers)
    if twice := _twice(record.shown):
        return f"document {twice!r} is shown twice"
    for click in record.clicks:
        if not 0 <= click < size:
            return f"a click at {click}, but the positions of {size} documents count from 0"
    if twice := _twice(record.rankers):
        return f"ranker {twice!r} is named twice"
    if record.teams and len(record.teams) != size:
        return f"{len(record.teams)} teams for {size} documents"
    for team in record.teams:
        if not -1 <= team < rankers:
            return f"team {team}, but there are {rankers} rankers, counted from 0 (-1: neutral)"
    if record.credit and len(record.credit) != rankers:
        return f"{len(record.credit)} credits for {rankers} rankers"
    return ""


def _twice(names: tuple[str, ...]) -> str | None:
    if len(set(names)) == len(names):
        return None
    return next(name for name in names if names.count(name) > 1)


def check_record(record: Record) -> Record:
    """The record as a reader would read it again; an error if that is another."""
    row = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(record).items()}
    try:
        again, repeated = record_of(row, "")
    except BadRow as error:
        raise BadInput(f"record {record.id!r} cannot be written: {error}") from None
    if repeated or again != record:
        raise BadInput(f"record {record.id!r} cannot be written: it would be read again as {again}")
    return again
