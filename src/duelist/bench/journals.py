"""What it costs to append: CPU time of our process for an event, in batches, by the kind of journal.

Time spent by a disk or a server is not counted: it is that of another machine tomorrow. Events have 60 bytes, a user
and a key. Kinds take turns in one run, so that a busy moment hits them all: compare rows.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from typing import Any

from duelist.core.errors import BadInput
from duelist.present.tables import Table
from duelist.storage import Draft, Journal, MemoryJournal, SQLiteJournal, open_journal

BATCHES = (1, 30, 200)
ROUNDS = 5  # of which the best counts
APPENDS = 40  # batches a round


def bench_journals(
    postgres: str | None = None, nats: str | None = None, appends: int = APPENDS
) -> list[dict[str, Any]]:
    """A row for each kind and size of batch: microseconds an event, beside memory's. `postgres`, `nats`: empty ones."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        journals: dict[str, Journal] = {"memory": MemoryJournal(), "sqlite": SQLiteJournal(f"{folder}/journal.db")}
        for name, url in (("postgresql", postgres), ("jetstream", nats)):
            if url:
                journals[name] = open_journal(url)
        for journal in journals.values():
            stack.enter_context(journal)
        if any(journal.head().seq for journal in journals.values()):
            raise BadInput("the bench writes to the journal it is given, and this one has events: give an empty one")
        return [row for size in BATCHES for row in _measure(journals, size, appends)]


def _measure(journals: dict[str, Journal], size: int, appends: int) -> list[dict[str, Any]]:
    best = dict.fromkeys(journals, float("inf"))
    for turn in range(-1, ROUNDS):  # the first one warms up, and does not count
        batches = [[_draft(f"{size} {turn} {a} {n}") for n in range(size)] for a in range(appends)]
        for name, journal in journals.items():
            start = time.process_time()
            for batch in batches:
                journal.append(batch)
            if turn >= 0:
                best[name] = min(best[name], (time.process_time() - start) * 1e6 / (appends * size))
    return [
        {"journal": name, "batch": size, "microseconds": best[name], "times_memory": best[name] / best["memory"]}
        for name in journals
    ]


def _draft(key: str) -> Draft:
    return Draft(1, "told", b"x" * 60, b"somebody", key)


def journals_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line for each kind and size of batch."""
    lines = [
        [row["journal"], f"{row['batch']}", f"{row['microseconds']:.1f}", f"{row['times_memory']:.1f}"] for row in rows
    ]
    there = {row["journal"] for row in rows}
    options = {"postgresql": "an empty database by --postgres", "jetstream": "an empty journal by --nats"}
    left = [what for name, what in options.items() if name not in there]
    notes = [f"Left out: name {' and '.join(left)}."] if left else []
    return Table(["journal", "batch", "CPU us an event", "times memory"], lines, notes, "Appending 60-byte events")
