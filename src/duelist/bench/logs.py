"""How long `analyze` takes for a large log, and how much memory: a made-up log, read back."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from duelist.analysis import analyze_all
from duelist.bench.made_logs import WRITERS
from duelist.clicks.portions import Portions
from duelist.clicks.scan import spool_log
from duelist.core.errors import BadInput
from duelist.live.list_rows import spool_journal
from duelist.present.tables import Table
from duelist.storage.sqlite import SQLiteJournal

FORMATS = tuple(WRITERS)


def _spool(path: Path) -> Portions:
    if path.suffix != ".journal":
        return spool_log(path)
    with SQLiteJournal(path) as journal:
        return spool_journal(journal)


def bench_logs(number: int = 1_000_000, formats: Sequence[str] = FORMATS) -> list[dict[str, Any]]:
    """A row for each format: seconds of one core's time, and the most memory so far in gigabytes.

    >>> rows = bench_logs(2000, ["jsonl"])
    >>> rows[0]["impressions"], rows[0]["seconds"] > 0
    (2000, True)
    """
    if number < 1000:
        raise BadInput(f"impressions must be at least 1,000, not {number!r}")
    if unknown := [name for name in formats if name not in FORMATS]:
        raise BadInput(f"formats are {', '.join(FORMATS)}, not {unknown[0]!r}")
    rows = []
    for name in formats:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"log.{name}"
            WRITERS[name](path, number)
            begun = time.process_time()
            (analysis,) = analyze_all(_spool(path))
            text = str(analysis)
            seconds, size = time.process_time() - begun, path.stat().st_size / 1e9
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
        rows.append({"format": name, "impressions": number, "size": size, "seconds": seconds, "memory": memory})
        rows[-1] |= {"verdict": text.splitlines()[2], "counted": analysis.impressions + analysis.waiting}
    return rows


def logs_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a format."""
    lines = [
        [
            row["format"],
            f"{row['impressions']:,}",
            f"{row['size']:.2f}",
            f"{row['seconds']:.1f}",
            f"{row['memory']:.2f}",
        ]
        for row in rows
    ]
    title = "analyze, on one core; memory is the most so far"
    return Table(["format", "impressions", "GB", "seconds", "memory, GB"], lines, title=title)
