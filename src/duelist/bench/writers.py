"""How much a journal takes: processes that append without a pause, alone and several at once; and what opening costs.

Events have 60 bytes, a user, and every other one a key, as those of a service have. Seconds are of this machine and
what else it does; CPU carries over.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from duelist.bench.stores import KINDS, Store, check_kinds, running_store
from duelist.core.errors import BadInput
from duelist.core.progress import progress_bar
from duelist.present.tables import Table
from duelist.storage import open_journal

WRITERS, BATCHES = (1, 3), (30, 200)

# Appends for some seconds once it is told to, and says: events, CPU seconds, and the times of the appends that half and
# nearly all were faster than.
WRITER = """
import sys, time
from duelist.storage import Draft, open_journal
url, name, size, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
with open_journal(url) as journal:
    print("ready", flush=True)
    sys.stdin.readline()
    begin, cpu, waits = time.monotonic(), time.process_time(), []
    while time.monotonic() < begin + seconds:
        keys = [f"{name} {len(waits)} {place}" if place % 2 else "" for place in range(size)]
        drafts = [Draft(1, "told", b"x" * 60, b"somebody", key) for key in keys]
        sent = time.monotonic()
        journal.append(drafts)
        waits.append(time.monotonic() - sent)
    waits.sort()
    middle, last = waits[len(waits) // 2], waits[int(0.99 * len(waits))]
    print(size * len(waits), time.process_time() - cpu, middle, last, flush=True)
    sys.stdin.readline()  # whoever works for it at the other end is to be measured first
"""


def bench_writers(seconds: float = 4.0, journals: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """A row for each journal, number of writers and size of batch."""
    if seconds <= 0:
        raise BadInput(f"seconds must be more than 0, not {seconds!r}")
    cells = [(kind, writers, size) for kind in check_kinds(journals) for writers in WRITERS for size in BATCHES]
    rows = []
    with progress_bar("writers", len(cells)) as advance:
        for kind, writers, size in cells:
            with TemporaryDirectory() as folder, running_store(kind, Path(folder)) as store:
                found = _write(store, writers, size, seconds)
                rows.append({"journal": kind, "writers": writers, "batch": size, **found})
            advance(1)
    return rows


def _write(store: Store, writers: int, size: int, seconds: float) -> dict[str, Any]:
    """What came of one load, and what opening the journal costs behind it."""
    command = [sys.executable, "-c", WRITER, store.url]
    started = [
        subprocess.Popen(
            [*command, str(n), str(size), str(seconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for n in range(writers)
    ]
    for each in started:
        assert each.stdout
        each.stdout.readline()
    before = store.cpu()
    for each in started:
        assert each.stdin
        each.stdin.write("go\n")
        each.stdin.flush()
    said = [[float(value) for value in (each.stdout or sys.stdin).readline().split()] for each in started]
    spent = store.cpu() - before
    for each in started:
        each.communicate()
    events, cpu = sum(row[0] for row in said), sum(row[1] for row in said)
    begin = time.process_time()
    with open_journal(store.url) as journal:
        journal.head()
    return {
        "events_a_second": events / seconds,
        "p50_ms": 1e3 * max(row[2] for row in said),
        "p99_ms": 1e3 * max(row[3] for row in said),
        "cpu_us": 1e6 * cpu / events,
        "store_cpu_us": 1e6 * spent / events,
        "open_cpu_us": 1e6 * (time.process_time() - begin) / events,
    }


def writers_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a row."""
    lines = [
        [
            row["journal"],
            str(row["writers"]),
            str(row["batch"]),
            f"{row['events_a_second']:,.0f}",
            f"{row['p50_ms']:.1f}",
            f"{row['p99_ms']:.1f}",
            f"{row['cpu_us']:.1f}",
            f"{row['store_cpu_us']:.1f}",
            f"{row['open_cpu_us']:.2f}",
        ]
        for row in rows
    ]
    heads = ["journal", "writers", "batch", "events/s", "p50 ms", "p99 ms", "CPU us", "store's", "to open"]
    left = [kind for kind in KINDS if all(row["journal"] != kind for row in rows)]
    notes = [f"Left out: {', '.join(left)}."] if left else []
    return Table(heads, lines, notes, "Writers without a pause; CPU microseconds an event")
