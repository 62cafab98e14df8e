"""What tests of every part share."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duelist.core.errors import MissingExtra

if TYPE_CHECKING:
    from duelist.bench.postgres import Postgres

REPOSITORY = Path(__file__).parents[1]
# Whole contracts, simulations that have to be long, and everything that starts other processes or trains rankers.
SLOW = (
    "test_contract",
    "test_compile",
    "test_examples",
    "test_specs",
    "test_figures",
    "tests/bench",
    "tests/cli",
    "tests/offline",
    "tests/online/continuous",
    "tests/reproductions",
    "tests/service/test_processes",
    "tests/service/test_openapi",
    "tests/service/test_disk",
    "tests/service/test_fuzz",
    "tests/testing",
    "tests/dueling/policies",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make quick` leaves out."""
    for item in items:
        if any(part in item.nodeid for part in SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def data() -> Callable[[str], Path]:
    """Finds a file of the shared data, which is not committed; without it the test is skipped."""
    folder = Path(os.environ.get("DUELIST_DATA", REPOSITORY.parent / "shared" / "data"))

    def find(name: str) -> Path:
        if not (folder / name).is_file():
            pytest.skip(f"needs {folder / name}; DUELIST_DATA names the folder")
        return folder / name

    return find


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One PostgreSQL server for all tests; without its programs they are skipped."""
    try:
        from duelist.bench.postgres import running_postgres

        with running_postgres() as server:
            yield server
    except MissingExtra as error:
        pytest.skip(str(error))
    except PermissionError as error:
        pytest.skip(f"PostgreSQL does not run as root, and this root may not become somebody else: {error}")


NUMBERS = itertools.count()


@pytest.fixture
def empty(postgres: Postgres) -> Callable[[], str]:
    """Makes empty databases; each gives its address."""
    return lambda: postgres.new_database(f"journal{next(NUMBERS)}")
