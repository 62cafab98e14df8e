"""A journal of each kind to measure: what it needs is started, and gone afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from duelist.bench import nats
from duelist.bench.load import cpu_seconds
from duelist.core.errors import BadInput, MissingExtra

KINDS = ("sqlite", "postgres", "nats")


class Store(NamedTuple):
    """An empty journal, and who works for it beside the service."""

    url: str
    processes: Callable[[], list[int]]

    def cpu(self) -> float:
        """Seconds of all those processes so far."""
        found = 0.0
        for process in self.processes():
            with suppress(OSError):  # it has just ended
                found += cpu_seconds(process)
        return found


def check_kinds(kinds: Sequence[str] | None) -> list[str]:
    """The kinds that are wanted; by default all that can be started here.

    >>> check_kinds(["sqlite"])
    ['sqlite']
    """
    if kinds is None:
        return [kind for kind in KINDS if _can_start(kind)]
    for kind in kinds:
        if kind not in KINDS:
            raise BadInput(f"a journal to measure is one of {', '.join(KINDS)}, not {kind!r}")
    return list(kinds)


@contextmanager
def running_store(kind: str, folder: Path) -> Iterator[Store]:
    """A store of one kind."""
    if kind == "sqlite":
        yield Store(f"sqlite:///{folder}/bench.db", list)
    elif kind == "postgres":
        from duelist.bench.postgres import running_postgres

        with running_postgres(fsync=True) as postgres:
            yield Store(postgres.new_database("bench"), postgres.family)
    else:
        with nats.running_cluster() as cluster:
            yield Store(cluster.url("bench"), cluster.processes)


def _can_start(kind: str) -> bool:
    try:
        if kind == "postgres":
            from duelist.bench.postgres import programs

            return programs() is not None
        if kind == "nats":
            from duelist.storage import JetStreamJournal  # noqa: F401

            nats.program()
    except MissingExtra:
        return False
    return True
