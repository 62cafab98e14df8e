"""Rows of a log on their way to a Log: what comes twice is united, what is bad is kept with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

from duelist.clicks.records import CLICK, Action, BadRow, Log, Record, Rejected
from duelist.clicks.rows import Read, favoured, row_of

KEPT_TEXT = 200  # characters of a bad row that are kept


class Told(NamedTuple):
    """A row, and where it is in which file."""

    record: Record
    line: int
    text: str
    path: object


def merge(first: Record, second: Record) -> Record:
    """One impression that was logged twice: all clicks of both, and the credit of the row that has them all.

    Actions are those of the first: `united_actions` looks at all rows.
    """
    for name in ("user", "query", "shown", "rankers", "teams"):
        if getattr(first, name) != getattr(second, name):
            raise BadRow(f"the impression {first.id!r} was logged before with another {name}")
    clicks, times = united_clicks(first, second)
    whole_rows = [row for row in (second, first) if len(row.clicks) == len(clicks)]
    if first.credit != second.credit and not whole_rows:
        raise BadRow(f"the impression {first.id!r} was logged before with other clicks and another credit")
    return replace(
        first,
        clicks=clicks,
        click_times=times,
        credit=second.credit if second in whole_rows else first.credit,
        earlier_credit=_earlier(first, second) if second in whole_rows else first.earlier_credit,
        lost=max(first.lost, second.lost),  # the same bad click, told again
        lost_actions=tuple((Counter(first.lost_actions) | Counter(second.lost_actions)).elements()),
    )


def united_clicks(first: Record, second: Record) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The clicks of two rows, and when the first of each position was, if that is known of any.

    A click without a time that only the later row tells has that row's time, so that it is late where the row is.
    """
    clicks = tuple(dict.fromkeys(first.clicks + second.clicks))
    times: dict[int, float] = {}
    for row in (first, second):
        for click, time in zip(row.clicks, row.click_times, strict=False):
            times[click] = min(time, times.get(click, time))
    if second.time > first.time:
        times = {click: second.time for click in clicks if click not in first.clicks} | times
    return clicks, tuple(times.get(click, first.time) for click in clicks) if times else ()


def _earlier(first: Record, second: Record) -> tuple[tuple[float, tuple[float, ...]], ...]:
    """What the credit was before the second row, and when it changed: at the time of the first row that tells it."""
    earlier, time = first.earlier_credit, max(first.time, second.time)
    if second.credit != first.credit:
        return (*earlier, (time, first.credit))
    return (*earlier[:-1], (min(time, earlier[-1][0]), earlier[-1][1])) if earlier else ()


def united_actions(rows: Sequence[Record]) -> tuple[Action, ...]:
    """The actions of rows of one impression, the earliest row first.

    The second of a row is the second like it of a row before. One that only a later row tells, without a time, has that
    row's time.
    """
    found, known = list(rows[0].actions), Counter(rows[0].actions)
    for row in rows[1:]:
        more = Counter(row.actions) - known
        known += more
        for action, number in more.items():
            untold = action.time is None and row.time > rows[0].time
            found += [action._replace(time=row.time) if untold else action] * number
    return tuple(found)


def favourite(record: Record) -> str:
    """The ranker whose slots have the most clicks; empty if that is nobody alone."""
    counts = Counter(record.teams[click] for click in record.clicks if record.teams and record.teams[click] >= 0)
    most = [team for team, number in counts.items() if number == max(counts.values())]
    return record.rankers[most[0]] if len(most) == 1 else ""


class Collector:
    """Takes rows as they are read and becomes a Log; nothing that comes in goes missing."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, str], Record] = {}  # by experiment and id
        self.told: dict[tuple[str, str], list[Told]] = {}  # the rows of each that are not united yet
        self.rejected: list[Rejected] = []
        self.again: Counter[tuple[str, str]] = Counter()  # how often each was told once more
        self.actions: Counter[str] = Counter()
        self.repeated: Counter[tuple[str, str]] = Counter()  # by experiment and ranker
        self.homeless: Counter[str] = Counter()  # actions of queries that are not there
        self.notes: list[str] = []
        self.labelled = False  # whether events name their ranker, where nothing else does

    def add(self, read: Read, line: int = 0, text: str = "", path: object = "") -> None:
        """Keep what was read; rows of the same id wait for `unite`."""
        record, key = read.record, (read.record.experiment, read.record.id)
        self.records.setdefault(key, record)
        self.told.setdefault(key, []).append(Told(record, line, text.strip()[:KEPT_TEXT], path))
        self.repeat(record, read.repeated)
        for action, reason, _ in read.lost:
            self.reject(line, reason, text, path, row=False, experiment=record.experiment, action=action)

    def unite(self) -> None:
        """Make rows of the same id one. The earliest is the impression; those that contradict it are rejected."""
        for key, told in self.told.items():
            rows = sorted(told, key=lambda row: row.record.time or inf)  # no time is the latest
            one, used = rows[0].record, [rows[0].record]
            for record, line, text, path in rows[1:]:
                try:
                    one = merge(one, record)
                    used.append(record)
                except BadRow as error:
                    ranker = favoured(row_of(record))
                    self.reject(line, str(error), text, path, ranker=ranker, experiment=record.experiment)
            if len(rows) > 1:
                self.records[key] = replace(one, actions=united_actions(used))
                self.again[key] += len(used) - 1
        self.told = {}

    def repeat(self, record: Record, slots: Iterable[int]) -> None:
        """Count clicks on slots that were clicked before."""
        for slot in slots:
            team = record.teams[slot] if record.teams else -1
            self.repeated[record.experiment, record.rankers[team] if team >= 0 else ""] += 1

    def reject(
        self,
        line: int,
        reason: str,
        text: str,
        path: object,
        row: bool = True,
        ranker: str = "",
        experiment: str = "",
        action: str = CLICK,
    ) -> None:
        text = text.strip().encode("utf-8", "replace").decode()
        self.rejected.append(Rejected(line, reason, text[:KEPT_TEXT], str(path), row, action, ranker, experiment))

    def note(self, sentence: str) -> None:
        """Keep what was found out, if anything was."""
        self.notes += [sentence] if sentence else []

    def told_again(self) -> Counter[tuple[str, str]]:
        """Rows that told of an impression once more, by experiment and the ranker that its clicks favour."""
        found: Counter[tuple[str, str]] = Counter()
        for key, number in self.again.items():
            found[key[0], favourite(self.records[key])] += number
        return found

    def log(self) -> Log:
        self.unite()
        return Log(
            tuple(self.records.values()),
            tuple(self.rejected),
            self.again.total(),
            self.repeated.total(),
            dict(self.actions),
            dict(self.repeated),
            dict(self.told_again()),
            dict(self.homeless),
            tuple(self.notes),
            self.labelled,
        )
