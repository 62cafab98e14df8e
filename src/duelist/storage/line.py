"""A line to a PostgreSQL server, which is opened again when it was lost.

A statement is a transaction of its own, so nobody waits for a process that was stopped halfway. When the line breaks
while a change is under way, the server may have made it or not: that is said, and left to the caller.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from duelist.core.errors import BadInput, CannotStore, MissingExtra

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.errors import UniqueViolation
    from psycopg.pq import TransactionStatus
except ImportError:
    raise MissingExtra("a journal on PostgreSQL needs psycopg: pip install 'duelist[postgres]'") from None

PATIENCE = 10  # seconds to wait for a server that does not answer, or for another process that writes
SETTINGS = {
    "application_name": "duelist",
    "connect_timeout": PATIENCE,
    "keepalives_idle": PATIENCE,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": PATIENCE * 1000,
}
# A server may be told not to wait for its disk, and compiles (jit) what is run sooner than compiled.
SESSION = f"""
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local');
SET jit = off; SET lock_timeout = '{PATIENCE}s'; SET search_path = duelist"""

Rows = list[tuple[Any, ...]]


class KeyTaken(Exception):
    """Somebody else was first to write this key; nothing was written."""


class Line:
    """One connection, for one thread at a time; the others wait."""

    def __init__(self, url: str) -> None:
        self._parts = _read(url)
        self.name = _name(self._parts)
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Any] | None = None
        self._closed = False

    def ask(self, statement: str, *values: Any) -> Rows:
        """The rows of a query. It changes nothing, so it is asked once more when the line was lost meanwhile."""
        with self._lock, self._errors("it cannot be read"):
            connection = self._connected()
            try:
                return _run(connection, statement, values)
            except psycopg.OperationalError:
                if not connection.closed:
                    raise  # the server is there, and refuses
            return _run(self._connected(), statement, values)

    def change(self, statement: str, *values: Any) -> Rows:
        """The rows of a statement that writes, when they are safe. A key that is there already is KeyTaken."""
        with self._lock, self._errors("nothing was written"):
            connection = self._connected()
            try:
                return _run(connection, statement, values)
            except psycopg.OperationalError as error:
                if not connection.closed:
                    raise  # the server is there, and took it back
                raise CannotStore(
                    f"the journal {self.name} was lost on the way, it is not known whether this was written; "
                    f"a key makes trying again safe: {self._plain(error)}"
                ) from None

    def together(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """Several statements in one transaction."""
        with self._lock, self._errors("nothing was written"):
            connection = self._connected()
            with connection.transaction():
                for statement, values in statements:
                    _run(connection, statement, values)

    def close(self) -> None:
        """Hang up for good."""
        with self._lock:
            self._closed = True
            if self._connection:
                self._connection.close()

    def _connected(self) -> psycopg.Connection[Any]:
        """The connection, anew where the server has hung up: nothing was sent yet, so nothing is lost."""
        if self._closed:
            raise CannotStore(f"the journal {self.name} is closed")
        if self._connection is None or not self._alive(self._connection):
            if self._connection:
                self._connection.close()
            self._connection = None
            self._connection = self._open()
        return self._connection

    def _open(self) -> psycopg.Connection[Any]:
        opened = psycopg.connect(**self._parts, autocommit=True)
        try:
            opened.execute(SESSION.encode())
        except BaseException:
            opened.close()
            raise
        return opened

    @staticmethod
    def _alive(connection: psycopg.Connection[Any]) -> bool:
        """Whether the server is still there as far as is known here: no question is sent."""
        if connection.closed:
            return False
        try:
            for _ in range(2):  # its last words, then that it hung up
                connection.pgconn.consume_input()
        except psycopg.OperationalError:
            return False
        return connection.info.transaction_status == TransactionStatus.IDLE

    @contextmanager
    def _errors(self, then: str) -> Iterator[None]:
        """Errors of psycopg as ours, in one line and without the password."""
        try:
            yield
        except UniqueViolation:
            raise KeyTaken from None
        except psycopg.DataError as error:
            raise BadInput(f"PostgreSQL cannot keep this: {self._plain(error)}") from None
        except psycopg.Error as error:
            raise CannotStore(f"the journal {self.name} failed, {then}: {self._plain(error)}") from None

    def _plain(self, error: Exception) -> str:
        text, secret = " ".join(str(error).split()), str(self._parts.get("password") or "")
        return text.replace(secret, "***") if secret else text


def _run(connection: psycopg.Connection[Any], statement: str, values: Sequence[Any]) -> Rows:
    with connection.cursor(binary=True) as cursor:
        cursor.execute(statement.encode(), values or None, prepare=bool(values))
        return cursor.fetchall() if cursor.description else []


def _read(url: str) -> dict[str, Any]:
    """The parts of an address; what libpq says of a bad one would quote its password."""
    try:
        return SETTINGS | conninfo_to_dict(url)
    except psycopg.Error:
        raise BadInput(
            "the address of this journal cannot be read; it should be postgresql://USER:PASSWORD@HOST:PORT/DATABASE, "
            "with %-codes for signs such as @ and / in a name or password"
        ) from None


def _name(parts: dict[str, Any]) -> str:
    """An address for people: who and the password are left out."""
    host, port = parts.get("host") or "localhost", parts.get("port")
    return f"postgresql://{host}{f':{port}' if port else ''}/{parts.get('dbname') or ''}"
