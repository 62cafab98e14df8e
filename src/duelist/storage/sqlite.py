"""A journal in one SQLite file, which several processes of one machine may share.

Write-ahead log, synchronous FULL: a commit is on the disk before `append` returns. Every process has one
connection that writes and checkpoints, and one that only reads. SQLite before 3.51.3 may, very rarely, damage a
log that two processes checkpoint at the same moment.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput, CannotStore
from duelist.storage.journal import (
    CHUNK,
    Clock,
    Draft,
    Event,
    Journal,
    Place,
    Said,
    Snapshot,
    can_have,
    check_drafts,
    countable,
    machine_clock,
    wait_for,
    whole_snapshot,
)

SCHEMA = 1  # of the file; a later version of duelist opens it, an earlier one does not
APPLICATION = 0x6475656C  # "duel": tells our files from other databases
PATIENCE = 10.0  # seconds to wait for another process that writes
PAUSE = 0.001  # between two looks whether it is done; SQLite's own grow to 0.1 s, and miss the gaps of a busy writer
TABLES = """
CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, experiment INTEGER NOT NULL, kind TEXT NOT NULL,
                     body BLOB NOT NULL, user BLOB, key TEXT);
CREATE UNIQUE INDEX keys ON events (experiment, key) WHERE key IS NOT NULL;
CREATE INDEX users ON events (user) WHERE user IS NOT NULL;
CREATE TABLE snapshots (experiment INTEGER PRIMARY KEY, seq INTEGER NOT NULL, code TEXT NOT NULL, hash TEXT NOT NULL,
                        body BLOB NOT NULL);
CREATE TABLE meta (salt BLOB NOT NULL);
"""
COLUMNS = "seq, at, experiment, kind, body, coalesce(user, x''), coalesce(key, '')"


class SQLiteJournal(Journal):
    """Events in a file, made when it is not there.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with SQLiteJournal(f"{folder}/duelist.db") as journal:
    ...         _ = journal.append([Draft(1, "told", b"left")])
    ...     with SQLiteJournal(f"{folder}/duelist.db") as journal:
    ...         journal.get(1).body
    b'left'
    """

    def __init__(self, path: str | Path, clock: Clock = machine_clock) -> None:
        self.path, self._clock = Path(path), clock
        if not self.path.parent.is_dir():
            raise BadInput(f"there is no folder {str(self.path.parent)!r} for the journal {self.path.name!r}")
        self._writing, self._reading = threading.Lock(), threading.Lock()
        self._changed = threading.Condition()
        with self._storing():
            self._writer = self._connect()
            try:
                self._prepare()
            except BaseException:
                self._writer.close()
                raise
            self._reader = self._connect()
            self._reader.execute("PRAGMA query_only=ON")

    def append(self, drafts: Sequence[Draft]) -> list[Place]:
        checked = check_drafts(drafts)
        with self._writing, self._storing(), self._transaction() as database:
            seq, last = self._last(database)
            at, places, rows = max(self._clock(), last), [], []
            fresh: dict[tuple[int, str], Place] = {}  # keys of this batch
            for draft in checked:
                known = None
                if draft.key:
                    name = draft.experiment, draft.key
                    known = fresh.get(name) or _find(database, *name)
                if known is not None:
                    places.append(Place(known.seq, known.at, repeated=True))
                    continue
                seq += 1
                rows.append(_row(seq, at, draft))
                places.append(Place(seq, at))
                if draft.key:
                    fresh[name] = places[-1]
            database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        with self._changed:
            self._changed.notify_all()
        return places

    def read(self, after: int = 0, limit: int = CHUNK) -> list[Event]:
        return self._events("seq > ? ORDER BY seq LIMIT ?", countable(after), countable(limit))

    def said(self, kind: str, after: int, until: int) -> list[Said]:
        what = (
            "SELECT seq, at, experiment, body, coalesce(user, x'') FROM events WHERE seq > ? AND seq <= ? AND kind = ?"
        )
        with self._reading, self._storing():
            return self._reader.execute(f"{what} ORDER BY seq", (countable(after), countable(until), kind)).fetchall()

    def get(self, seq: int) -> Event | None:
        return next(iter(self._events("seq = ?", countable(seq))), None)

    def find(self, experiment: int, key: str) -> Event | None:
        if not can_have(experiment, key):
            return None
        return next(iter(self._events("experiment = ? AND key = ?", experiment, key)), None)

    def head(self) -> Place:
        with self._reading, self._storing():
            return Place(*self._last(self._reader))

    def wait(self, after: int, timeout: float) -> bool:
        return wait_for(self.head, self._changed, after, timeout)

    def save_snapshot(self, snapshot: Snapshot) -> bool:
        experiment, seq, code, body = snapshot
        with self._writing, self._storing(), self._transaction() as database:
            done = database.execute(
                "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?) ON CONFLICT (experiment) DO UPDATE SET "
                "seq = excluded.seq, code = excluded.code, hash = excluded.hash, body = excluded.body "
                "WHERE excluded.seq > snapshots.seq",
                (experiment, seq, code, snapshot.hash, body),
            )
        return done.rowcount > 0

    def load_snapshot(self, experiment: int) -> Snapshot | None:
        with self._reading, self._storing():
            row = self._reader.execute(
                "SELECT experiment, seq, code, body, hash FROM snapshots WHERE experiment = ?", (experiment,)
            ).fetchone()
        return whole_snapshot(row, str(self.path)) if row else None

    def rename_user(self, old: bytes, new: bytes) -> int:
        """As promised, and no copy of the old hash stays in the file or in its log."""
        with self._writing, self._storing():
            with self._transaction() as database:
                done = database.execute("UPDATE events SET user = ? WHERE user = ?", (new or None, old))
                if done.rowcount:
                    database.execute("REINDEX users")  # pages that were split keep old entries in their gaps
            if self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                raise CannotStore(
                    f"{done.rowcount} events were renamed, but others read the journal {str(self.path)!r} and its log "
                    "still has the old hash; call again"
                )
        return done.rowcount

    def drop(self, until: int) -> int:
        with self._writing, self._storing(), self._transaction() as database:
            last = min(until, self._last(database)[0] - 1)
            return database.execute("DELETE FROM events WHERE seq <= ?", (last,)).rowcount

    def integrity(self) -> str:
        """What SQLite says of its file: ok, or what is damaged."""
        with self._reading:
            try:
                return "; ".join(row[0] for row in self._reader.execute("PRAGMA integrity_check(5)").fetchall())
            except sqlite3.DatabaseError as error:
                return str(error)

    def close(self) -> None:
        with self._writing, self._reading:
            self._reader.close()
            self._writer.close()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            database.execute("PRAGMA synchronous=FULL")
            database.execute("PRAGMA secure_delete=ON")  # what is written over is gone
        except BaseException:
            database.close()
            raise
        return database

    def _prepare(self) -> None:
        """Make the tables of a new file; refuse what is no journal of ours.

        One that is there is only read: a process that opens it need not wait for its turn among those that write.
        """
        if self._is_new():
            with self._transaction() as database:
                if self._is_new():  # and nobody made them meanwhile
                    for statement in TABLES.split(";"):
                        database.execute(statement)
                    database.execute("INSERT INTO meta VALUES (?)", (secrets.token_bytes(16),))
                    database.execute(f"PRAGMA application_id={APPLICATION}")
                    database.execute(f"PRAGMA user_version={SCHEMA}")
        if self._number("application_id") != APPLICATION:
            raise BadInput(f"{str(self.path)!r} is a database, but no journal of duelist")
        if (schema := self._number("user_version")) > SCHEMA:
            raise BadInput(f"{str(self.path)!r} was written by a later version (schema {schema}, here {SCHEMA})")
        self.salt = self._writer.execute("SELECT salt FROM meta").fetchone()[0]
        self._log_ahead()

    def _is_new(self) -> bool:
        return not self._writer.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]

    def _number(self, name: str) -> int:
        """One that the file's header has."""
        return int(self._writer.execute(f"PRAGMA {name}").fetchone()[0])

    def _log_ahead(self) -> None:
        """Turn the write-ahead log on, which the file remembers."""
        self._patiently("PRAGMA journal_mode=WAL")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and nobody else writes meanwhile."""
        self._patiently("BEGIN IMMEDIATE")
        try:
            yield self._writer
            self._writer.execute("COMMIT")
        except BaseException:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            raise

    def _patiently(self, statement: str) -> None:
        """Execute it when no other process writes; SQLite itself looks too seldom whether that is so, or not at all."""
        deadline = time.monotonic() + PATIENCE
        self._writer.execute("PRAGMA busy_timeout=0")
        try:
            while True:
                try:
                    self._writer.execute(statement)
                    return
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) or time.monotonic() > deadline:
                        raise
                    time.sleep(PAUSE)
        finally:
            self._writer.execute(f"PRAGMA busy_timeout={1000 * PATIENCE:.0f}")

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if "not a database" in str(error):
                raise BadInput(f"{str(self.path)!r} is not a journal: {error}") from None
            raise CannotStore(f"the journal {str(self.path)!r} failed, nothing was written: {error}") from error

    def _events(self, where: str, *values: Any) -> list[Event]:
        with self._reading, self._storing():
            rows = self._reader.execute(f"SELECT {COLUMNS} FROM events WHERE {where}", values).fetchall()
        return list(map(Event._make, rows))

    @staticmethod
    def _last(database: sqlite3.Connection) -> tuple[int, int]:
        row = database.execute("SELECT seq, at FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        return row or (0, 0)


def _row(seq: int, at: int, draft: Draft) -> tuple[Any, ...]:
    return seq, at, draft.experiment, draft.kind, draft.body, draft.user or None, draft.key or None


def _find(database: sqlite3.Connection, experiment: int, key: str) -> Place | None:
    row = database.execute("SELECT seq, at FROM events WHERE experiment = ? AND key = ?", (experiment, key)).fetchone()
    return Place(*row) if row else None
