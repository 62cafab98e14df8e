"""Three servers of one experiment on a NATS cluster, as on three machines: killed, and restarted one by one."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any, Self

import httpx

from duelist.bench.crash import kill_node, kill_server
from duelist.bench.nats import Cluster
from duelist.bench.promises import ONE, Load, check_promises, define
from duelist.bench.servers import Server
from duelist.client import Client
from duelist.storage import open_journal

from .helpers import server

PATIENCE = 180.0
REST = 0.1  # seconds between the rounds of a user: what is waited for is other processes


class Clients:
    """Ask and tell until they are stopped, by whichever server answers; note what failed."""

    def __init__(self, urls: Sequence[str], many: int = 3) -> None:
        self.urls, self.done, self.failed = urls, dict[str, bool](), list[BaseException]()
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(many)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *reason: Any) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def wait(self, more: int) -> None:
        wanted, until = len(self.done) + more, time.monotonic() + PATIENCE
        while len(self.done) < wanted and not self.failed:
            assert time.monotonic() < until, "nothing goes on"
            time.sleep(0.01)

    def _run(self, who: int) -> None:
        try:
            with Client(self.urls, timeout=60) as client:
                for number in count():
                    if self._over.is_set():
                        return
                    asked = client["search"].ask(user=f"user {who}", key=f"{who} {number}")
                    assert asked.id
                    self.done[asked.id] = client["search"].tell(asked.id, winner=asked.left).told
                    time.sleep(REST)
        except BaseException as error:
            self.failed.append(error)


def status(url: str) -> Any:
    return httpx.get(url + ONE, timeout=60).json()


def kill_one_of_each(cluster: Cluster, journal: str, hosts: Sequence[Server]) -> None:
    """What was acknowledged must be there once, and what every server says must be the fold of the journal."""
    urls = [host.url for host in hosts]
    with ExitStack() as stack:
        loads = [stack.enter_context(Load(url, users=1, rest=REST)) for url in urls]
        for load in loads:
            load.wait(more=5)
        kill_server(0, hosts, loads)
        check_promises(journal, loads, urls)
        kill_node(cluster, journal.rpartition("/")[2], 0, hosts, loads)  # the one that leads
        assert check_promises(journal, loads, urls) > 4 * 3 * 5
        for load in loads:
            load.stop()


def restart_one_by_one(hosts: Sequence[Server]) -> Clients:
    with Clients([host.url for host in hosts]) as clients:
        for host in hosts:
            clients.wait(more=9)
            assert host.kill(signal.SIGTERM) in (0, -signal.SIGTERM)
            clients.wait(more=9)
            host.begin()
            host.port()  # it is there again
        clients.wait(more=9)
    return clients


def test_three_hosts_are_killed_and_restarted_under_load(cluster: Cluster, stream: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        hosts = [stack.enter_context(server(tmp_path / f"{number}.db", stream)) for number in range(3)]
        urls = [host.url for host in hosts]
        define(urls[0])
        kill_one_of_each(cluster, stream, hosts)
        clients = restart_one_by_one(hosts)
        assert clients.failed == []  # no request, of any client
        assert all(clients.done.values())
        with open_journal(stream) as journal:
            last = journal.head().seq
            drawn = {event.seq for event in journal.events() if event.kind == "drawn"}
        assert {int(each.partition("-")[2]) for each in clients.done} <= drawn
        until = time.monotonic() + PATIENCE
        while min(status(url)["seq"] for url in urls) < last:
            assert time.monotonic() < until
            time.sleep(0.05)
        found = [status(url) for url in urls]
    assert len({(each["seq"], each["hash"]) for each in found}) == 1  # replicas are equal to the bit
