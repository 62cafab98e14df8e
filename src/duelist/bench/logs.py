"""How long `analyze` takes for a large log, and how much memory: a made-up log of team drafts, read back.

Ten documents a list, about 0.85 clicks, five impressions a user, over four weeks.
"""

from __future__ import annotations

import json
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from duelist.analysis import analyze_all
from duelist.clicks.portions import Portions
from duelist.clicks.scan import spool_log
from duelist.core.errors import BadInput
from duelist.interleaving.shown import Shown
from duelist.live.events import CLICKED, DEFINED, SHOWN, Clicked, Defined, Listed, draft
from duelist.live.list_rows import spool_journal
from duelist.present.tables import Table
from duelist.storage.journal import Draft
from duelist.storage.sqlite import SQLiteJournal

FORMATS = ("jsonl", "csv", "parquet", "journal")
AT_ONCE = 100_000  # impressions made at once
TEAMS = [[0, 1, 1, 0, 0, 1, 1, 0, 0, 1], [1, 0, 0, 1, 1, 0, 0, 1, 1, 0]]
WEEKS = 28 * 86400.0
START = 1.7e9
HELD = 100  # lists that a journal has before their clicks


def impressions(number: int, seed: int = 1) -> Iterator[list[dict[str, Any]]]:
    """Rows of a log without a difference, so many at once as fit."""
    luck = np.random.default_rng(seed)
    for begin in range(0, number, AT_ONCE):
        size = min(AT_ONCE, number - begin)
        users, queries = luck.integers(0, max(1, number // 5), size), (luck.pareto(1.0, size) * 20).astype(np.int64)
        counts, teams, firsts = luck.choice(4, size, p=[0.4, 0.38, 0.15, 0.07]), luck.random(size), luck.random(size)
        rows = []
        for i, (user, query, count, team, first) in enumerate(
            zip(users.tolist(), queries.tolist(), counts.tolist(), teams.tolist(), firsts.tolist(), strict=True), begin
        ):
            row = {"id": f"i{i}", "user": f"user-{user}", "query": f"query {query}", "time": START + i * WEEKS / number}
            row["shown"] = [f"doc{int(first * 5000) + slot}" for slot in range(10)]
            row |= {
                "clicks": sorted({int(team * 10007 * (k + 1)) % 10 for k in range(count)}),
                "rankers": ["bm25", "ltr"],
            }
            rows.append(row | {"teams": TEAMS[team < 0.5]})
        yield rows


def write_journal(path: Path, number: int) -> None:
    """Write the rows as lists and clicks of a live experiment; clicks come after the next hundred lists."""
    rules = {"name": "bench", "kind": "pair", "arms": ["bm25", "ltr"]}
    with SQLiteJournal(path, Clock(number)) as journal:
        seq = journal.append([draft(0, DEFINED, Defined(rules, 1))])[0].seq
        for rows in impressions(number):
            for begin in range(0, len(rows), HELD):
                some = rows[begin : begin + HELD]
                drafts = [_listed(row) for row in some]
                drafts += [
                    draft(1, CLICKED, Clicked(seq + place, slot))
                    for place, row in enumerate(some, 1)
                    for slot in row["clicks"]
                ]
                seq = journal.append(drafts)[-1].seq


class Clock:
    """The time of each append of so many lists."""

    def __init__(self, number: int) -> None:
        self.now, self.step = START * 1e6, WEEKS * 1e6 * HELD / number

    def __call__(self) -> int:
        self.now += self.step
        return round(self.now)


def _listed(row: dict[str, Any]) -> Draft:
    shown = Shown(tuple(row["shown"]), 2, "team-draft", tuple(row["teams"]))
    user = blake2b(row["user"].encode(), digest_size=16).digest()
    return draft(1, SHOWN, Listed(0, 1, 0, (0, 1), shown, None, row["query"]), user)


def write_log(path: Path, number: int) -> None:
    """Write the rows as JSON lines, a table, Parquet or a journal, by the ending of the path."""
    if path.suffix == ".journal":
        write_journal(path, number)
        return
    if path.suffix == ".parquet":
        from pyarrow import Table as Columns
        from pyarrow import parquet

        writer = None
        for rows in impressions(number):
            columns = Columns.from_pylist(rows)
            writer = writer or parquet.ParquetWriter(path, columns.schema)
            writer.write_table(columns)
        if writer:
            writer.close()
        return
    with path.open("w", encoding="utf-8") as file:
        for begun, rows in enumerate(impressions(number)):
            if path.suffix == ".csv":
                file.write("" if begun else ",".join(rows[0]) + "\n")
                file.writelines(",".join(_cell(value) for value in row.values()) + "\n" for row in rows)
            else:
                file.writelines(json.dumps(row) + "\n" for row in rows)


def _cell(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


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
            write_log(path, number)
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
