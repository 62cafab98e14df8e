"""A journal in a PostgreSQL database, which many processes of many machines may share.

One row, `head`, has the last number. A batch is one statement that advances it and inserts: writers wait for each
other at that row, so numbers follow the order of the commits, without holes. (A sequence would hand out numbers that
become visible out of order or never, and a reader that follows them loses events.) Every process has one connection
that writes, and one that only reads; both are opened again when they were lost.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from itertools import count
from typing import Any

from duelist.core.errors import BadInput, CannotStore
from duelist.storage.journal import (
    CHUNK,
    Clock,
    Draft,
    Event,
    Journal,
    Place,
    Snapshot,
    can_have,
    check_drafts,
    countable,
    machine_clock,
    wait_for,
    whole_snapshot,
)
from duelist.storage.line import KeyTaken, Line

SCHEMA = 1  # of the tables; a later version of duelist opens them, an earlier one does not
LOCK = 0x6475656C  # "duel": two that make the tables at once wait for each other
TABLES = """
CREATE TABLE duelist.events (seq bigint PRIMARY KEY, at bigint NOT NULL, experiment bigint NOT NULL,
    kind text NOT NULL, body bytea NOT NULL, "user" bytea, key text);
CREATE UNIQUE INDEX keys ON duelist.events (experiment, key) WHERE key IS NOT NULL;
CREATE INDEX users ON duelist.events ("user") WHERE "user" IS NOT NULL;
CREATE TABLE duelist.snapshots (experiment bigint PRIMARY KEY, seq bigint NOT NULL, code text NOT NULL,
    hash text NOT NULL, body bytea NOT NULL);
CREATE TABLE duelist.head (seq bigint NOT NULL, at bigint NOT NULL);
INSERT INTO duelist.head VALUES (0, 0);
CREATE TABLE duelist.meta (schema integer NOT NULL, salt bytea NOT NULL)"""
COLUMNS = """seq, at, experiment, kind, body, coalesce("user", ''), coalesce(key, '')"""
# What is known is looked up before the row is ours: where a key came meanwhile, we look again.
APPEND = """
WITH drafts AS MATERIALIZED (
    SELECT draft.*, known.seq, known.at
    FROM unnest(%b::bigint[], %b::text[], %b::bytea[], %b::bytea[], %b::text[])
        WITH ORDINALITY AS draft (experiment, kind, body, "user", key, number)
    LEFT JOIN LATERAL (SELECT seq, at FROM events
        WHERE events.experiment = draft.experiment AND events.key = draft.key LIMIT 1) AS known ON true
), fresh AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY number) AS place FROM drafts WHERE seq IS NULL
), moved AS (
    UPDATE head SET seq = seq + (SELECT count(*) FROM fresh), at = greatest(at, %b)
    WHERE EXISTS (SELECT FROM fresh) RETURNING seq - (SELECT count(*) FROM fresh) AS seq, at
), written AS (
    INSERT INTO events SELECT moved.seq + place, moved.at, experiment, kind, body, "user", key FROM fresh, moved
)
SELECT 0, seq, at FROM moved UNION ALL SELECT number, seq, at FROM drafts WHERE seq IS NOT NULL"""
SAVE = """
INSERT INTO snapshots VALUES (%b, %b, %b, %b, %b) ON CONFLICT (experiment) DO UPDATE SET
    seq = excluded.seq, code = excluded.code, hash = excluded.hash, body = excluded.body
WHERE excluded.seq > snapshots.seq RETURNING 1"""


class PostgresJournal(Journal):
    """Events in the schema `duelist` of a database, made when it is not there.

    An append that fails says what became of it: "nothing was written", or, when the server was lost on the way,
    "it is not known whether the events were written". A key makes trying again safe in both cases.
    """

    def __init__(self, url: str, clock: Clock = machine_clock) -> None:
        self._clock, self._changed = clock, threading.Condition()
        self._writer, self._reader = Line(url), Line(url)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        checked = check_drafts(drafts)
        firsts, order = _without_repeats(checked)
        if not checked:
            return []
        columns = [list(column) for column in zip(*firsts, strict=True)]
        columns[3:] = ([value or None for value in column] for column in columns[3:])
        while True:
            try:
                rows = self._writer.change(APPEND, *columns, self._clock())
                break
            except KeyTaken:  # since we looked: now it is seen
                continue
        with self._changed:
            self._changed.notify_all()
        return _in_order(_places(len(firsts), rows), order)

    def read(self, after: int = 0, limit: int = CHUNK) -> list[Event]:
        return self._events("seq > %b ORDER BY seq LIMIT %b", countable(after), countable(limit))

    def get(self, seq: int) -> Event | None:
        return next(iter(self._events("seq = %b", countable(seq))), None)

    def find(self, experiment: int, key: str) -> Event | None:
        if not can_have(experiment, key):
            return None
        return next(iter(self._events("experiment = %b AND key = %b", experiment, key)), None)

    def head(self) -> Place:
        return Place(*self._reader.ask("SELECT seq, at FROM head")[0])

    def wait(self, after: int, timeout: float) -> bool:
        return wait_for(self.head, self._changed, after, timeout)

    def save_snapshot(self, snapshot: Snapshot) -> bool:
        experiment, seq, code, body = snapshot
        return bool(self._writer.change(SAVE, experiment, seq, code, snapshot.hash, body))

    def load_snapshot(self, experiment: int) -> Snapshot | None:
        rows = self._reader.ask(
            "SELECT experiment, seq, code, body, hash FROM snapshots WHERE experiment = %b", experiment
        )
        return whole_snapshot(rows[0], self._reader.name) if rows else None

    def rename_user(self, old: bytes, new: bytes) -> int:
        rows = self._writer.change(
            'WITH renamed AS (UPDATE events SET "user" = %b WHERE "user" = %b RETURNING 1) '
            "SELECT count(*) FROM renamed",
            new or None,
            old,
        )
        return int(rows[0][0])

    def drop(self, until: int) -> int:
        rows = self._writer.change(
            "WITH gone AS (DELETE FROM events WHERE seq <= %b AND seq < (SELECT seq FROM head) RETURNING 1) "
            "SELECT count(*) FROM gone",
            until,
        )
        return int(rows[0][0])

    def close(self) -> None:
        self._writer.close()
        self._reader.close()

    def _events(self, where: str, *values: Any) -> list[Event]:
        return [Event(*row) for row in self._reader.ask(f"SELECT {COLUMNS} FROM events WHERE {where}", *values)]

    def _prepare(self) -> None:
        """Make the tables of a new journal; refuse what is none of ours."""
        events = self._there("events")  # before meta: another process may make both between our questions
        if not self._there("meta"):
            if events:
                raise BadInput(f"{self._writer.name} has a schema duelist, but no journal in it")
            self._make()
        ((schema, self.salt),) = self._reader.ask("SELECT schema, salt FROM meta")
        if schema > SCHEMA:
            raise BadInput(f"{self._writer.name} was written by a later version (schema {schema}, here {SCHEMA})")

    def _there(self, table: str) -> bool:
        return bool(self._reader.ask("SELECT 1 WHERE to_regclass(%b) IS NOT NULL", f"duelist.{table}"))

    def _make(self) -> None:
        statements = [statement for statement in TABLES.split(";") if statement]
        if not self._reader.ask("SELECT 1 WHERE to_regnamespace('duelist') IS NOT NULL"):
            statements.insert(0, "CREATE SCHEMA IF NOT EXISTS duelist")  # who may not make it may be given one
        meta = ("INSERT INTO duelist.meta VALUES (%b, %b)", (SCHEMA, secrets.token_bytes(16)))
        lock = ("SELECT pg_advisory_xact_lock(%b)", (LOCK,))
        try:
            self._writer.together([lock, *((statement, ()) for statement in statements), meta])
        except CannotStore:
            if not self._there("meta"):  # nobody else made them while we waited
                raise


def _without_repeats(drafts: Sequence[Draft]) -> tuple[list[Draft], list[int]]:
    """The drafts without those whose key came before in the same batch, and where each of all is among them."""
    firsts: list[Draft] = []
    order, seen = [], dict[tuple[int, str], int]()
    for draft in drafts:
        place = seen.setdefault((draft.experiment, draft.key), len(firsts)) if draft.key else len(firsts)
        if place == len(firsts):
            firsts.append(draft)
        order.append(place)
    return firsts, order


def _places(size: int, rows: Sequence[tuple[Any, ...]]) -> list[Place]:
    """Where the drafts stand, from what APPEND returns: row 0 is what was last before; the others were known."""
    known = {number: Place(seq, at, repeated=True) for number, seq, at in rows}
    last = known.pop(0, Place(0, 0))
    fresh = count(last.seq + 1)
    return [known.get(number) or Place(next(fresh), last.at) for number in range(1, size + 1)]


def _in_order(places: list[Place], order: Sequence[int]) -> list[Place]:
    """The places of all drafts; the second of one key is a repeated one."""
    if len(order) == len(places):
        return places
    found, seen = [], set[int]()
    for index in order:
        place = places[index]
        found.append(place._replace(repeated=True) if index in seen else place)
        seen.add(index)
    return found
