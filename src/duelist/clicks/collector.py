"""Rows of a log on their way to a Log: what comes twice is united, what is bad is kept with its reason."""

from __future__ import annotations

from dataclasses import replace

from duelist.clicks.records import BadRow, Log, Record, Rejected

KEPT_TEXT = 200  # characters of a bad row that are kept


def merge(first: Record, second: Record) -> Record:
    """One impression that was logged twice: all clicks of both, and the credit of the row that has them all."""
    for name in ("user", "query", "shown", "rankers", "teams"):
        if getattr(first, name) != getattr(second, name):
            raise BadRow(f"the impression {first.id!r} was logged before with another {name}")
    clicks = tuple(dict.fromkeys(first.clicks + second.clicks))
    whole_rows = [row for row in (second, first) if len(row.clicks) == len(clicks)]
    if first.credit != second.credit and not whole_rows:
        raise BadRow(f"the impression {first.id!r} was logged before with other clicks and another credit")
    return replace(first, clicks=clicks, credit=whole_rows[0].credit if whole_rows else first.credit)


class Collector:
    """Takes rows as they are read and becomes a Log; nothing that comes in goes missing."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.rejected: list[Rejected] = []
        self.duplicates = self.repeated_clicks = 0
        self.actions: dict[str, int] = {}

    def add(self, record: Record, repeated_clicks: int = 0) -> None:
        """Keep a record, united with the one of the same id if there is one."""
        if record.id in self.records:
            record = merge(self.records[record.id], record)
            self.duplicates += 1
        self.records[record.id] = record
        self.repeated_clicks += repeated_clicks

    def reject(self, line: int, reason: str, text: str, path: object) -> None:
        text = text.strip().encode("utf-8", "replace").decode()
        self.rejected.append(Rejected(line, reason, text[:KEPT_TEXT], str(path)))

    def log(self) -> Log:
        return Log(
            tuple(self.records.values()), tuple(self.rejected), self.duplicates, self.repeated_clicks, self.actions
        )
