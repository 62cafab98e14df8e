from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from .server import Server, programs


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server for all tests; without its programs they are skipped."""
    home = programs()
    if home is None:
        pytest.skip("needs a PostgreSQL server: initdb is neither in /usr/lib/postgresql/*/bin nor on PATH")
    with TemporaryDirectory(prefix="duelist-") as folder:  # short: the name of a socket may have 107 signs
        try:
            server = Server(home, Path(folder))
        except PermissionError as error:
            pytest.skip(f"PostgreSQL does not run as root, and this root may not become somebody else: {error}")
        server.start()
        try:
            yield server
        finally:
            server.stop()


NUMBERS = itertools.count()


@pytest.fixture
def empty(server: Server) -> Callable[[], str]:
    """Makes empty databases; each gives its address."""
    return lambda: server.new_database(f"journal{next(NUMBERS)}")
