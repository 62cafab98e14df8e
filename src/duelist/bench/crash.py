"""kill -9 under load, again and again: servers, one of several servers on one journal, PostgreSQL, servers of NATS.

After every round all that was acknowledged must be there once, what the servers say must be the replay of the journal,
and requests must be acknowledged again without anybody's help. What is not so ends the run with an error.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from duelist.bench.nats import Cluster, running_cluster
from duelist.bench.postgres import Postgres, running_postgres
from duelist.bench.promises import Broken, Load, check_promises, define
from duelist.bench.servers import Server, serving
from duelist.core.errors import BadInput
from duelist.core.progress import progress_bar
from duelist.present.tables import Table

JOURNALS = ("sqlite", "postgres", "nats")
AWAY = 0.2  # seconds for which PostgreSQL is gone
ENVIRONMENT = {"DUELIST_COMPILE_APART": "false", "DUELIST_SNAPSHOT_EVENTS": "500"}

Crash = Callable[[int, Sequence[Server], Sequence[Load]], float]  # by the number of the round: seconds until it is back


class Round(NamedTuple):
    """What one kill came to."""

    acknowledged: int  # tells, since the beginning
    refused: int  # answers that were 503, since the beginning
    events: int  # in the journal
    back: (
        float  # seconds to the next acknowledged requests, from the new start of what was killed; of NATS from its end
    )


def bench_crash(rounds: int = 50, journal: str = "sqlite", seed: int = 1) -> list[dict[str, Any]]:
    """A row for everything that is killed."""
    if rounds < 1 or journal not in JOURNALS:
        raise BadInput(f"rounds must be at least 1 and journal one of {JOURNALS}, not {rounds!r}, {journal!r}")
    with TemporaryDirectory() as name, progress_bar("kills", 2 * rounds) as advance:
        rows = []
        for victim, found in _rounds(journal, Path(name), rounds, seed):
            row = []
            for each in found:
                row.append(each)
                advance(1)
            rows.append({"journal": journal, "killed": victim, **_summary(row)})
    return rows


def _rounds(journal: str, folder: Path, rounds: int, seed: int) -> Iterator[tuple[str, Iterator[Round]]]:
    if journal == "sqlite":
        for servers, victim in ((1, "the server"), (2, "one of two servers")):
            yield victim, crashes(f"sqlite:///{folder}/{servers}.db", folder, kill_server, rounds, servers, seed)
        return
    if journal == "nats":
        with running_cluster() as cluster:
            yield "one of three servers", crashes(cluster.url("crash"), folder, kill_server, rounds, 3, seed)
            kill = partial(kill_node, cluster, "again")
            yield "one of three of NATS", crashes(cluster.url("again"), folder, kill, rounds, 3, seed)
        return
    with running_postgres() as postgres:
        url = postgres.new_database("crash")
        yield "one of two servers", crashes(url, folder, kill_server, rounds, 2, seed)
        url = postgres.new_database("crash_again")
        yield "PostgreSQL", crashes(url, folder, partial(kill_postgres, postgres), rounds, 2, seed)


def crashes(journal: str, folder: Path, crash: Crash, rounds: int, servers: int, seed: int = 1) -> Iterator[Round]:
    """Some servers under load on one journal, and what every round of killing came to."""
    luck = np.random.default_rng(seed)
    with ExitStack() as stack:
        logs = [folder / f"server {number}.log" for number in range(servers)]
        made = [stack.enter_context(serving(journal, log, **ENVIRONMENT)) for log in logs]
        urls = [server.url for server in made]
        define(urls[0])
        loads = [stack.enter_context(Load(url, users=max(1, 4 // servers))) for url in urls]
        for number in range(rounds):
            for load in loads:
                load.wait(more=5)
            time.sleep(luck.random() * 0.3)
            back = crash(number, made, loads)
            with ExitStack() as held:
                for load in loads:
                    held.enter_context(load.held())
                acknowledged = sum(len(load.told) for load in loads)  # before the journal is read: requests go on
                events = check_promises(journal, loads, urls)
            yield Round(acknowledged, sum(load.refused for load in loads), events, back)


def kill_server(number: int, servers: Sequence[Server], loads: Sequence[Load]) -> float:
    """One server is killed, the others go on, and it is started again; its users come back by themselves."""
    victim = number % len(servers)
    servers[victim].kill()
    for load in loads:
        if load is not loads[victim]:
            load.wait(more=5)
    servers[victim].begin()
    return loads[victim].wait(more=5)


def kill_postgres(postgres: Postgres, number: int, servers: Sequence[Server], loads: Sequence[Load]) -> float:
    """PostgreSQL is killed with all that it started; the servers stay, and find it again."""
    refused = sum(load.refused for load in loads)
    postgres.kill()
    time.sleep(AWAY)
    postgres.start()
    began = time.monotonic()
    for load in loads:
        load.wait(more=5)
    back = time.monotonic() - began
    if not all(server.runs for server in servers):
        raise Broken("a server ended with PostgreSQL")
    if sum(load.refused for load in loads) == refused:
        raise Broken("nobody was refused while PostgreSQL was away")
    return back


def kill_node(cluster: Cluster, journal: str, number: int, servers: Sequence[Server], loads: Sequence[Load]) -> float:
    """A server of NATS is killed, every other time the leader; all go on with two, and then it is started again."""
    victim = cluster.nodes[number % len(cluster.nodes)] if number % 2 else cluster.leader(journal)
    began = time.monotonic()
    victim.end(signal.SIGKILL)
    for load in loads:
        load.wait(more=5)
    back = time.monotonic() - began
    cluster.start()
    if not all(server.runs for server in servers):
        raise Broken("a server ended with one of NATS")
    return back


def _summary(rounds: Sequence[Round]) -> dict[str, Any]:
    back = [each.back for each in rounds]
    return {"rounds": len(rounds), **rounds[-1]._asdict(), "back": median(back), "longest": max(back)}


def crash_table(rows: Sequence[dict[str, Any]]) -> Table:
    """A line for everything that is killed."""
    lines = [
        [
            row["journal"],
            row["killed"],
            str(row["rounds"]),
            f"{row['acknowledged']:,}",
            f"{row['refused']:,}",
            f"{row['events']:,}",
            f"{row['back']:.2f}",
            f"{row['longest']:.2f}",
        ]
        for row in rows
    ]
    heads = ["journal", "killed", "rounds", "tells", "refused", "events", "back after s", "longest"]
    return Table(heads, lines, title="All that was acknowledged is there once; state is the replay")
