"""How long `analyze` takes for a large log, and how much memory: a made-up log, read back."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from duelist.analysis import analyze_all
from duelist.bench.log_shapes import SHAPES
from duelist.bench.made_logs import SHAPED, WRITERS
from duelist.clicks.portions import Portions
from duelist.clicks.scan import spool_log
from duelist.core.errors import BadInput
from duelist.live.list_rows import spool_journal
from duelist.present.tables import Table
from duelist.storage.sqlite import SQLiteJournal

FORMATS = ("jsonl", "csv", "parquet", "journal", "ubi.jsonl")


def _spool(path: Path) -> Portions:
    if path.suffix != ".journal":
        return spool_log(path)
    with SQLiteJournal(path) as journal:
        return spool_journal(journal)


def bench_logs(
    number: int = 1_000_000, formats: Sequence[str] = FORMATS, shapes: Sequence[str] = ("plain",)
) -> list[dict[str, Any]]:
    """A row for each format and shape: seconds of one core's time, and the most memory so far in gigabytes.

    Reading is a part of the seconds, and given a row.

    >>> rows = bench_logs(2000, ["jsonl"], ["dates"])
    >>> rows[0]["impressions"], rows[0]["shape"], rows[0]["seconds"] > 0
    (2000, 'dates', True)
    """
    if number < 1000:
        raise BadInput(f"impressions must be at least 1,000, not {number!r}")
    if unknown := [name for name in formats if name not in FORMATS]:
        raise BadInput(f"formats are {', '.join(FORMATS)}, not {unknown[0]!r}")
    if unknown := [name for name in shapes if name not in SHAPES]:
        raise BadInput(f"shapes are {', '.join(SHAPES)}, not {unknown[0]!r}")
    return [_measured(name, shape, number) for name in formats for shape in (shapes if name in SHAPED else ["plain"])]


def _measured(name: str, shape: str, number: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"log.{name}"
        if name in SHAPED:
            SHAPED[name](path, number, SHAPES[shape])
        else:
            WRITERS[name](path, number)
        begun = time.process_time()
        log = _spool(path)
        reading, size = time.process_time() - begun, path.stat().st_size / 1e9
        (analysis,) = analyze_all(log)
        text, seconds = str(analysis), time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    row = {"format": name, "shape": shape, "impressions": number, "size": size, "seconds": seconds, "memory": memory}
    row |= {"reading": reading * 1e6 / number, "verdict": text.splitlines()[2]}
    return row | {"counted": analysis.impressions + analysis.waiting}


def logs_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a format and shape."""
    lines = [
        [
            row["format"],
            row["shape"],
            f"{row['impressions']:,}",
            f"{row['size']:.2f}",
            f"{row['seconds']:.1f}",
            f"{row['reading']:.1f}",
            f"{row['memory']:.2f}",
        ]
        for row in rows
    ]
    title = "analyze, on one core; memory is the most so far"
    return Table(
        ["format", "rows", "impressions", "GB", "seconds", "reading, us a row", "memory, GB"], lines, title=title
    )
