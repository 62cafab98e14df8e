"""Impressions as they were logged, and the values that a log holds."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

LATEST = 253402300800.0  # the year 10000, in seconds since 1970
MILLISECONDS = 1e11  # a greater number of seconds is beyond the year 5000: it counts milliseconds
MOST_SHOWN = 65_535  # documents of a list: as arrays know sizes by two bytes
MOST_RANKERS = 32_767  # of an impression: likewise, and -1 is nobody
CLICK = "click"  # the name of the one action that is not kept in `actions`
NOBODY = " "  # in place of the name of a ranker, which is never blank


class Action(NamedTuple):
    """Something done with a shown document that is not a click: a purchase, an item put into the basket."""

    name: str
    slot: int  # position in shown, from 0
    value: float | None = None  # not said, or not as a number
    time: float | None = None  # seconds since 1970, if known


class LostAction(NamedTuple):
    """An action without a place in its list: what rows that tell it again are known by."""

    name: str
    said: str = ""  # of its place, value and time


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
    experiment: str = ""  # whose rankers these are, where a log has several
    click_times: tuple[float, ...] = ()  # one for each click; empty: not known
    actions: tuple[Action, ...] = ()
    lost: int = 0  # clicks that were logged but have no place in shown
    lost_actions: tuple[LostAction, ...] = ()  # other actions without a place
    earlier_credit: tuple[tuple[float, tuple[float, ...]], ...] = ()  # when later rows changed it, and from what
    attributes: Mapping[str, str | float] = field(default_factory=dict)  # other columns: device, locale, latency


@dataclass(frozen=True)
class Rejected:
    """A row, event or click that could not be used."""

    line: int
    reason: str
    text: str  # of the line, at most its first 200 characters
    path: str = ""
    row: bool = True  # False: one click or action of a row or event that is otherwise used
    action: str = CLICK  # what was done, where it is not a row
    ranker: str = ""  # whose clicks are lost with it; `NOBODY`: no ranker's alone, empty: it cannot be told
    experiment: str = ""  # that it belongs to, as far as it says

    @property
    def kind(self) -> str:
        """The reason without names and numbers, so that like ones can be counted.

        >>> Rejected(3, "a click at 7, but the positions of 2 documents count from 0", "").kind
        'a click at N, but the positions of N documents count from N'
        """
        return re.sub(r"'[^']*'|\"[^\"]*\"|[-+]?\b\d[\d.]*\b", "N", self.reason)


@dataclass(frozen=True)
class Log:
    """What was read of a log, and everything that was not."""

    records: tuple[Record, ...]
    rejected: tuple[Rejected, ...] = ()
    duplicates: int = 0  # rows that told of an impression once more
    repeated_clicks: int = 0  # on a position that was clicked before
    actions: Mapping[str, int] = field(default_factory=dict)  # events that are no clicks, by name
    # By experiment and ranker: repeated clicks by who owns the slot, duplicates by whom their clicks favour.
    repeated: Mapping[tuple[str, str], int] = field(default_factory=dict)
    again: Mapping[tuple[str, str], int] = field(default_factory=dict)
    homeless: Mapping[str, int] = field(default_factory=dict)  # actions of queries that are not in the log, by name
    notes: tuple[str, ...] = ()  # what the file did not say and its rows told, in sentences
    labelled: bool = False  # events name their ranker: credit tells of clicked lists alone


def sole(scores: Mapping[str, float]) -> str:
    """The ranker with the largest score; `NOBODY` if several have it, or nobody has one.

    >>> sole({"old": 1.0, "new": 2.0}), sole({"old": 1.0, "new": 1.0})
    ('new', ' ')
    """
    most = [name for name, score in scores.items() if score == max(scores.values())]
    return most[0] if len(most) == 1 else NOBODY


class BadRow(Exception):
    """Why a row cannot be used; never reaches the user as an error."""


def text(name: str, value: Any) -> str:
    """A non-empty name or id; numbers are taken as they are written."""
    if value.__class__ is str and value.isascii() and value.strip():  # as nearly all are, of which a row has many
        return str(value)
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


def worth(value: Any) -> float | None:
    """What something done is worth; None where that is not said, or not as a number.

    >>> worth("19.99"), worth("19,99"), worth(None)
    (19.99, None, None)
    """
    try:
        return number("value", value)
    except BadRow:
        return None


def seconds(value: Any) -> float:
    """A time as seconds since 1970, from seconds, milliseconds or ISO 8601 (UTC unless it says otherwise)."""
    try:
        found = number("time", value)
        found = found / 1000 if found >= MILLISECONDS else found
    except BadRow:
        try:
            moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
            found = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (TypeError, ValueError, OverflowError):
            raise BadRow(f"time must be seconds since 1970 or ISO 8601, not {value!r}") from None
    if not 0 <= found < LATEST:
        raise BadRow(f"time must be from 1970 to 9999, not {value!r}")
    return found
