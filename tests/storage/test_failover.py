"""kill -9 of NATS servers and of writers: what was acknowledged is there once."""

from __future__ import annotations

import signal
import subprocess

import pytest

from duelist.bench.nats import Cluster
from duelist.core.errors import CannotStore
from duelist.storage import Draft, JetStreamJournal

from .helpers import start_writer


def read(writer: subprocess.Popen[str], lines: int) -> list[tuple[int, int]]:
    """So many more of the appends that it was told were safe; waits for them."""
    assert writer.stdout
    found = [writer.stdout.readline().split() for _ in range(lines)]
    return [(int(number), int(seq)) for number, seq in found]


def kill(writer: subprocess.Popen[str]) -> list[tuple[int, int]]:
    """What else it had been told was safe when it was killed."""
    writer.kill()
    lines = writer.communicate()[0].rpartition("\n")[0].splitlines()  # a cut line is left out
    return [(int(number), int(seq)) for number, seq in map(str.split, lines)]


def test_servers_and_writers_are_killed_and_nothing_acknowledged_is_lost(cluster: Cluster, stream: str) -> None:
    writers = {name: start_writer(stream, name, pause=0.005) for name in "ab"}
    safe = {name: read(writer, 30) for name, writer in writers.items()}
    name = stream.rpartition("/")[2]
    for _ in range(2):
        victim = cluster.leader(name)
        victim.end(signal.SIGKILL)
        for each, writer in writers.items():
            safe[each] += read(writer, 50)  # they go on, with two servers
        cluster.start()
    for each, writer in writers.items():
        safe[each] += kill(writer)
    with JetStreamJournal(stream) as one, JetStreamJournal(stream) as other:
        events = list(one.events())
        assert events == list(other.events())
        assert one.append([Draft(1, "told")])[0].seq == len(events) + 1
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert len({event.key for event in events}) == len(events)
    assert len(events) % 2 == 0  # whole batches
    assert [event.at for event in events] == sorted(event.at for event in events)
    for each, numbers in safe.items():
        for number, seq in numbers:
            assert events[seq - 1].body == f"{each} {number}".encode()
            assert events[seq].body == f"{each} {number}b".encode()


def test_one_of_three_servers_writes_nothing_and_all_goes_on_when_the_others_are_back(
    cluster: Cluster, stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duelist.storage.nats_line.PATIENCE", 2.0)
    with JetStreamJournal(stream) as journal:
        journal.append([Draft(1, "told", b"one", key="1")])
        for node in cluster.nodes[:2]:
            node.end(signal.SIGKILL)
        with pytest.raises(CannotStore, match=r"nothing was written|it is not known whether this was written"):
            journal.append([Draft(1, "told", b"two", key="2")])
        cluster.start()
        journal._line.patience = 180.0
        assert journal.append([Draft(1, "told", b"two", key="2")])[0].seq == 2
        assert [event.body for event in journal.read()] == [b"one", b"two"]
