"""Logs of team drafts without a difference, made up in every format; texts that come again are made once.

Ten documents a list, about 0.85 clicks, five impressions a user, over four weeks.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelist.bench.log_shapes import (
    LENGTH,
    LOOKED,
    RANKERS,
    TEAMS,
    Shape,
    acts_as,
    cell,
    clicks_as,
    date,
    documents,
    shown_as,
    sides_as,
    slots_of,
    word,
)
from duelist.clicks.impressions import Array
from duelist.interleaving.shown import Shown
from duelist.live.events import CLICKED, DEFINED, SHOWN, Clicked, Defined, Listed, draft
from duelist.storage.sqlite import SQLiteJournal

AT_ONCE = 100_000  # impressions made at once
LISTS = 5000  # different ones
PLAIN = Shape()
WEEKS = 28 * 86400.0
START = 1.7e9
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


def json_lines(drawn: Drawn, shape: Shape = PLAIN) -> Iterator[str]:
    """An object a line."""
    shown = cache(lambda first, teams: json.dumps(shown_as(shape, first, teams)))
    clicked = cache(lambda first, clicks: json.dumps(clicks_as(shape, first, clicks)))
    ends = cache(lambda teams, clicks: _fields(sides_as(shape, teams, clicks)))
    begin = json.dumps(word(shape))[1:-1]
    for number, user, query, time, first, clicks, teams in drawn.rows():
        moment = f'"{date(time)}"' if shape.dates else time
        acts = acts_as(shape, first, clicks, time) if shape.actions else []
        yield (
            f'{{"id": "i{number}", "user": "user-{user}", "query": "{begin} {query}", "time": {moment}, '
            f'"shown": {shown(first, teams if shape.labels else 0)}, '
            f'"clicks": {clicked(first if shape.ids else 0, clicks)}{ends(teams, clicks if shape.credit else 0)}'
            f"{_fields({'actions': acts}) if acts else ''}}}\n"
        )


def _fields(values: dict[str, Any]) -> str:
    """Further fields of an object."""
    return "".join(f', "{name}": {json.dumps(value)}' for name, value in values.items())


def table_lines(drawn: Drawn, shape: Shape = PLAIN) -> Iterator[str]:
    """A row a line, without the header."""
    shown = cache(lambda first, teams: cell(shown_as(shape, first, teams)))
    clicked = cache(lambda first, clicks: cell(clicks_as(shape, first, clicks)))
    ends = cache(lambda *sides: "".join(f",{cell(items)}" for items in sides_as(shape, *sides).values()))
    for number, user, query, time, first, clicks, teams in drawn.rows():
        moment, listed = date(time) if shape.dates else time, shown(first, teams if shape.labels else 0)
        acts = f",{cell(acts_as(shape, first, clicks, time))}" if shape.actions else ""
        chosen, sides = clicked(first if shape.ids else 0, clicks), ends(teams, clicks if shape.credit else 0)
        yield f"i{number},user-{user},{word(shape)} {query},{moment},{listed},{chosen}{sides}{acts}\n"


def header(shape: Shape) -> str:
    """The first line of a table.

    >>> header(PLAIN)
    'id,user,query,time,shown,clicks,rankers,teams\\n'
    """
    names = ["id", "user", "query", "time", "shown", "clicks", *sides_as(shape, 0), *["actions"] * shape.actions]
    return ",".join(names) + "\n"


def ubi_lines(drawn: Drawn) -> Iterator[str]:
    """A query a line, and its clicks behind it."""
    shown = cache(lambda first: json.dumps(documents(first)))
    ends = [json.dumps({"rankers": RANKERS, "teams": teams}) for teams in TEAMS]
    for number, user, query, time, first, clicks, teams in drawn.rows():
        yield (
            f'{{"query_id": "i{number}", "client_id": "user-{user}", "user_query": "query {query}", '
            f'"timestamp": "{date(time)}", "query_response_hit_ids": {shown(first)}, '
            f'"query_attributes": {ends[teams]}}}\n'
        )
        for slot in slots_of(clicks):
            place = f'"object": {{"object_id": "doc{first + slot}"}}, "position": {{"ordinal": {slot + 1}}}'
            yield (
                f'{{"action_name": "click", "query_id": "i{number}", "client_id": "user-{user}", '
                f'"timestamp": "{date(time + LOOKED + slot)}", "event_attributes": {{{place}}}}}\n'
            )


def write_lines(path: Path, number: int, shape: Shape = PLAIN) -> None:
    """JSON lines or a table, by the name of the file."""
    lines = table_lines if path.suffix == ".csv" else json_lines
    with path.open("w", encoding="utf-8") as file:
        file.write(header(shape) if lines is table_lines else "")
        for drawn in draw(number):
            file.writelines(lines(drawn, shape))


def write_ubi(path: Path, number: int) -> None:
    """UBI queries and events."""
    with path.open("w", encoding="utf-8") as file:
        for drawn in draw(number):
            file.writelines(ubi_lines(drawn))


def write_parquet(path: Path, number: int, shape: Shape = PLAIN) -> None:
    """Columns."""
    from pyarrow import Table, parquet

    writer = None
    for drawn in draw(number):
        rows = [json.loads(line) for line in json_lines(drawn, shape)]
        columns = Table.from_pylist([{"actions": [], **row} for row in rows] if shape.actions else rows)
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


SHAPED: dict[str, Callable[[Path, int, Shape], None]] = {  # by the ending of a file
    "jsonl": write_lines,
    "csv": write_lines,
    "parquet": write_parquet,
}
WRITERS: dict[str, Callable[[Path, int], None]] = {  # of logs that have one shape
    "journal": write_journal,
    "ubi.jsonl": write_ubi,
}
