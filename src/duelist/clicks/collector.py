"""Rows of a log on their way to a Log: what comes twice is united, what is bad is kept with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from duelist.clicks.records import Action, BadRow, Log, Record, Rejected
from duelist.clicks.rows import Read

KEPT_TEXT = 200  # characters of a bad row that are kept


def merge(first: Record, second: Record) -> Record:
    """One impression that was logged twice: all clicks of both, and the credit of the row that has them all."""
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
        credit=whole_rows[0].credit if whole_rows else first.credit,
        actions=tuple(dict.fromkeys(first.actions + _later(first, second))),
        lost=max(first.lost, second.lost),  # the same bad click, told again
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


def _later(first: Record, second: Record) -> tuple[Action, ...]:
    """The actions of the second row; those that only it tells, without a time, have that row's time."""
    if second.time <= first.time:
        return second.actions
    return tuple(
        a if a in first.actions or a.time is not None else a._replace(time=second.time) for a in second.actions
    )


class Collector:
    """Takes rows as they are read and becomes a Log; nothing that comes in goes missing."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, str], Record] = {}  # by experiment and id
        self.rejected: list[Rejected] = []
        self.duplicates = self.repeated_clicks = 0
        self.actions: Counter[str] = Counter()
        self.repeated: Counter[str] = Counter()
        self.notes: list[str] = []

    def add(self, read: Read, line: int = 0, text: str = "", path: object = "") -> None:
        """Keep what was read, united with the record of the same id if there is one."""
        record, key = read.record, (read.record.experiment, read.record.id)
        if key in self.records:
            record = merge(self.records[key], record)
            self.duplicates += 1
        self.records[key] = record
        self.repeat(record, read.repeated)
        for reason in read.lost:
            self.reject(line, reason, text, path, row=False, experiment=record.experiment)

    def repeat(self, record: Record, slots: Iterable[int]) -> None:
        """Count clicks on slots that were clicked before."""
        for slot in slots:
            self.repeated_clicks += 1
            team = record.teams[slot] if record.teams else -1
            self.repeated[record.rankers[team] if team >= 0 else ""] += 1

    def reject(
        self,
        line: int,
        reason: str,
        text: str,
        path: object,
        row: bool = True,
        ranker: str = "",
        experiment: str = "",
    ) -> None:
        text = text.strip().encode("utf-8", "replace").decode()
        self.rejected.append(Rejected(line, reason, text[:KEPT_TEXT], str(path), row, ranker, experiment))

    def note(self, sentence: str) -> None:
        """Keep what was found out, if anything was."""
        self.notes += [sentence] if sentence else []

    def log(self) -> Log:
        return Log(
            tuple(self.records.values()),
            tuple(self.rejected),
            self.duplicates,
            self.repeated_clicks,
            dict(self.actions),
            dict(self.repeated),
            tuple(self.notes),
        )
