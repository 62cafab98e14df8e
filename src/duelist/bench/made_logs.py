"""Logs of team drafts without a difference, made up in every format; texts that come again are made once.

Ten documents a list, about 0.85 clicks, five impressions a user, over four weeks.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelist.clicks.impressions import Array
from duelist.interleaving.shown import Shown
from duelist.live.events import CLICKED, DEFINED, SHOWN, Clicked, Defined, Listed, draft
from duelist.storage.sqlite import SQLiteJournal

AT_ONCE = 100_000  # impressions made at once
LENGTH = 10
LISTS = 5000  # different ones
RANKERS = ["bm25", "ltr"]
TEAMS = [[0, 1, 1, 0, 0, 1, 1, 0, 0, 1], [1, 0, 0, 1, 1, 0, 0, 1, 1, 0]]
WEEKS = 28 * 86400.0
START = 1.7e9
LOOKED = 20.0  # seconds before a click
HELD = 100  # lists that a journal has before their clicks
MICROSECONDS = 1_000_000


class Drawn(NamedTuple):
    """Some impressions, a number each."""

    number: Array
    user: Array
    query: Array
    time: Array
    first: Array  # document of the list
    clicks: Array  # a bit for each slot
    teams: Array

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """One after another."""
        return zip(*(column.tolist() for column in self), strict=True)


def draw(number: int, seed: int = 1) -> Iterator[Drawn]:
    """So many impressions, a portion at a time.

    >>> next(draw(1000)).clicks[:4].tolist()
    [512, 4, 32, 8]
    """
    luck = np.random.default_rng(seed)
    for begin in range(0, number, AT_ONCE):
        size = min(AT_ONCE, number - begin)
        users, queries = luck.integers(0, max(1, number // 5), size), (luck.pareto(1.0, size) * 20).astype(np.int64)
        counts, place, firsts = luck.choice(4, size, p=[0.4, 0.38, 0.15, 0.07]), luck.random(size), luck.random(size)
        clicks = np.zeros(size, np.int64)
        for click in range(3):
            slots = (place * 10007 * (click + 1)).astype(np.int64) % LENGTH
            clicks |= np.where(click < counts, 1 << slots, 0)
        numbers = np.arange(begin, begin + size)
        times = START + numbers * WEEKS / number
        yield Drawn(numbers, users, queries, times, (firsts * LISTS).astype(np.int64), clicks, (place < 0.5) * 1)


@cache
def documents(first: int) -> tuple[str, ...]:
    """The list that begins with a document."""
    return tuple(f"doc{first + slot}" for slot in range(LENGTH))


@cache
def slots_of(clicks: int) -> tuple[int, ...]:
    """The slots whose bits are set."""
    return tuple(slot for slot in range(LENGTH) if clicks >> slot & 1)


def json_lines(drawn: Drawn) -> Iterator[str]:
    """An object a line."""
    shown = cache(lambda first: json.dumps(documents(first)))
    clicked = cache(lambda clicks: json.dumps(slots_of(clicks)))
    ends = [f'"rankers": {json.dumps(RANKERS)}, "teams": {json.dumps(teams)}}}' for teams in TEAMS]
    for number, user, query, time, first, clicks, teams in drawn.rows():
        yield (
            f'{{"id": "i{number}", "user": "user-{user}", "query": "query {query}", "time": {time}, '
            f'"shown": {shown(first)}, "clicks": {clicked(clicks)}, {ends[teams]}\n'
        )


def table_lines(drawn: Drawn) -> Iterator[str]:
    """A row a line, without the header."""
    shown = cache(lambda first: " ".join(documents(first)))
    clicked = cache(lambda clicks: " ".join(map(str, slots_of(clicks))))
    ends = [",".join((" ".join(RANKERS), " ".join(map(str, teams)))) for teams in TEAMS]
    for number, user, query, time, first, clicks, teams in drawn.rows():
        yield f"i{number},user-{user},query {query},{time},{shown(first)},{clicked(clicks)},{ends[teams]}\n"


def ubi_lines(drawn: Drawn) -> Iterator[str]:
    """A query a line, and its clicks behind it."""
    shown = cache(lambda first: json.dumps(documents(first)))
    ends = [json.dumps({"rankers": RANKERS, "teams": teams}) for teams in TEAMS]
    for number, user, query, time, first, clicks, teams in drawn.rows():
        yield (
            f'{{"query_id": "i{number}", "client_id": "user-{user}", "user_query": "query {query}", '
            f'"timestamp": "{_date(time)}", "query_response_hit_ids": {shown(first)}, '
            f'"query_attributes": {ends[teams]}}}\n'
        )
        for slot in slots_of(clicks):
            place = f'"object": {{"object_id": "doc{first + slot}"}}, "position": {{"ordinal": {slot + 1}}}'
            yield (
                f'{{"action_name": "click", "query_id": "i{number}", "client_id": "user-{user}", '
                f'"timestamp": "{_date(time + LOOKED + slot)}", "event_attributes": {{{place}}}}}\n'
            )


def _date(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat()


HEADER = "id,user,query,time,shown,clicks,rankers,teams\n"


def write_lines(path: Path, number: int) -> None:
    """JSON lines, a table, or UBI queries and events, by the name of the file."""
    lines = {"log.csv": table_lines, "log.ubi.jsonl": ubi_lines}.get(path.name, json_lines)
    with path.open("w", encoding="utf-8") as file:
        file.write(HEADER if lines is table_lines else "")
        for drawn in draw(number):
            file.writelines(lines(drawn))


def write_parquet(path: Path, number: int) -> None:
    """Columns."""
    from pyarrow import Table, parquet

    writer = None
    for drawn in draw(number):
        columns = Table.from_pylist([json.loads(line) for line in json_lines(drawn)])
        writer = writer or parquet.ParquetWriter(path, columns.schema)
        writer.write_table(columns)
    if writer:
        writer.close()


def write_journal(path: Path, number: int) -> None:
    """Lists and clicks of a live experiment; clicks come after the next hundred lists.

    Rows of the journal's own table, without waiting for the disk and with its index made last: one after another they
    would take hours.
    """
    rules = {"name": "bench", "kind": "pair", "arms": RANKERS}
    with SQLiteJournal(path, lambda: round(START * MICROSECONDS)) as journal:
        (defined,) = journal.append([draft(0, DEFINED, Defined(rules, 1))])
    with closing(sqlite3.connect(path)) as file:
        file.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF")
        (index,) = file.execute("SELECT sql FROM sqlite_master WHERE name = 'users'").fetchone()
        file.execute("DROP INDEX users")
        seq = defined.seq
        for drawn in draw(number):
            rows = list(_events(drawn, seq, defined.seq))
            file.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, NULL)", rows)
            file.commit()
            seq = rows[-1][0]
        file.execute(index)
        file.commit()


def _events(drawn: Drawn, seq: int, experiment: int) -> Iterator[tuple[Any, ...]]:
    """The rows of a journal's table behind a number."""
    shown = cache(lambda first, teams: Shown(documents(first), 2, "team-draft", tuple(TEAMS[teams])))
    waiting: list[tuple[int, int]] = []
    for number, user, query, time, first, clicks, teams in drawn.rows():
        seq, at = seq + 1, round(time * MICROSECONDS)
        body = draft(experiment, SHOWN, Listed(0, 1, 0, (0, 1), shown(first, teams), None, f"query {query}")).body
        yield seq, at, experiment, SHOWN, body, user.to_bytes(16, "big")
        waiting += [(seq, slot) for slot in slots_of(clicks)]
        if (number + 1) % HELD == 0 or number == drawn.number[-1]:
            for of, slot in waiting:
                seq += 1
                yield seq, at, experiment, CLICKED, draft(experiment, CLICKED, Clicked(of, slot)).body, None
            waiting = []


WRITERS = {  # by the ending of a file
    "jsonl": write_lines,
    "csv": write_lines,
    "parquet": write_parquet,
    "journal": write_journal,
    "ubi.jsonl": write_lines,
}
