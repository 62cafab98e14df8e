"""A journal on a NATS cluster: the contract, erasing, dropping, and what goes wrong while nobody dies."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from duelist.bench.nats import Cluster, Node
from duelist.core.errors import BadInput, CannotStore, MissingExtra, UnknownName
from duelist.live import open_experiments
from duelist.live.replay import replay
from duelist.storage import Draft, Group, JetStreamJournal, Snapshot, open_journal
from duelist.storage.nats_line import read_address
from duelist.testing import check_journal

from .helpers import check_same_keys


def lines() -> int:
    """Threads of connections to NATS."""
    return sum(thread.name == "nats" for thread in threading.enumerate())


def test_jetstream_keeps_the_contract(stream: str) -> None:
    check_journal(lambda clock: JetStreamJournal(stream, clock))


def test_an_address_opens_it_and_close_leaves_no_thread(stream: str) -> None:
    with open_journal(stream) as journal, open_journal(stream) as same:
        assert isinstance(journal, JetStreamJournal)
        assert journal.salt == same.salt
        assert lines() == 2
    assert lines() == 0
    with pytest.raises(CannotStore, match="is closed"):
        journal.append([Draft(1, "told")])
    journal.close()


@pytest.mark.parametrize(
    "url", ["nats://", "nats:///x", "nats://one/a.b", "nats://one/x?replicas=2", "nats://one/x?copies=3"]
)
def test_an_address_of_nothing_is_named(url: str) -> None:
    with pytest.raises(BadInput, match=r"should be nats://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME"):
        open_journal(url)


def test_a_password_is_in_no_message() -> None:
    address = read_address("nats://ann:geh%40im@one:1,two/clicks?replicas=1")
    assert (address.user, address.password, address.replicas) == ("ann", "geh@im", 1)
    assert address.public == "nats://one:1,two:4222/clicks"


def test_two_journals_of_one_cluster_are_two(cluster: Cluster, stream: str) -> None:
    with JetStreamJournal(stream) as one, JetStreamJournal(stream + "b") as other:
        one.append([Draft(1, "told", key="k")])
        assert other.head().seq == 0
        assert other.find(1, "k") is None
        assert other.salt != one.salt


def test_many_that_append_the_same_keys_write_each_once(stream: str) -> None:
    check_same_keys(stream, writers=4)


def test_more_messages_than_are_read_one_by_one(stream: str) -> None:
    with JetStreamJournal(stream) as journal:
        with Group(journal) as group:
            for number in range(1_100):
                group.append([Draft(1, "told", b"%d" % number)])
        journal.rename_user(b"nobody", b"else")
    with JetStreamJournal(stream) as journal:
        journal._recent.clear()
        assert [event.body for event in journal.events()] == [b"%d" % number for number in range(1_100)]


def test_a_snapshot_of_many_pieces_and_one_that_is_replaced(stream: str) -> None:
    bodies = [bytes([number]) * 1_500_000 for number in range(2)]
    with JetStreamJournal(stream) as one, JetStreamJournal(stream) as other:
        assert one.save_snapshot(Snapshot(4, 7, "code", bodies[0]))
        assert other.load_snapshot(4) == Snapshot(4, 7, "code", bodies[0])
        assert other.save_snapshot(Snapshot(4, 9, "code", bodies[1]))
        assert not one.save_snapshot(Snapshot(4, 8, "code", bodies[0]))
        assert one.load_snapshot(4) == Snapshot(4, 9, "code", bodies[1])
        assert len(one._beside.stream.subjects("duelist.*.beside.piece.>")) == 2  # those of the last one


def test_too_much_at_once_is_refused_and_a_group_sends_less(stream: str) -> None:
    with JetStreamJournal(stream) as journal:
        large = [Draft(1, "told", bytes(400_000), key=str(number)) for number in range(4)]
        with pytest.raises(BadInput, match=r"1,600,\d\d\d bytes at once .* raise max_payload"):
            journal.append(large)
        assert journal.head().seq == 0
        ready = threading.Event()

        def hold(*_: object) -> None:
            assert ready.wait(60)

        with Group(journal, then=hold) as group:
            first = group.submit([Draft(1, "told")])
            futures = [group.submit([draft]) for draft in large]  # these wait, and go into one commit
            ready.set()
            assert first.result(60)[0].seq == 1
            assert [future.result(60)[0].seq for future in futures] == [2, 3, 4, 5]


# Erasing.


def files(cluster: Cluster) -> Iterator[tuple[str, bytes]]:
    for node in cluster.nodes:
        for path in (node.folder / "data").rglob("*"):
            with suppress(OSError):  # a folder, or gone meanwhile
                yield str(path.relative_to(Path(node.folder))), path.read_bytes()


def copies(cluster: Cluster, what: bytes) -> int:
    """In the files of all servers that keep messages; the logs by which they agree are left out."""
    return sum(body.count(what) for path, body in files(cluster) if "_js_" not in path)


def test_a_user_is_erased_everywhere_and_stays_so(cluster: Cluster, stream: str) -> None:
    ann, bob, nobody = b"ann is here!", b"bob is here!", b"who is this?"
    with JetStreamJournal(stream) as journal, JetStreamJournal(stream) as other:
        for number in range(6):
            journal.append([Draft(1, "told", b"%d" % number, user) for user in (ann, bob)])
        journal.append([Draft(1, "told", user=bob)])
        journal.save_snapshot(Snapshot(1, 5, "code", b"with " + ann))
        journal.save_snapshot(Snapshot(1, 6, "code", b"without"))
        before = other.read()
        assert journal.rename_user(ann, nobody) == 6
        assert journal.rename_user(ann, nobody) == 0
        other.head()  # notices
        for each in (journal, other):
            assert [event.user for event in each.read()] == [nobody, bob] * 6 + [bob]
            assert [event._replace(user=b"") for event in each.read()] == [e._replace(user=b"") for e in before]
        assert journal.append([Draft(1, "told", user=ann)])[0].seq == 14  # whoever comes back is somebody new
        assert journal.rename_user(bob, b"b") == 7  # in copies of messages that were erased before
        assert journal.rename_user(ann, nobody) == 1
        assert journal.read(13, 1)[0].user == nobody
    with JetStreamJournal(stream) as again:
        assert {event.user for event in again.read()} == {nobody, b"b"}
        assert again.append([Draft(1, "told")])[0].seq == 15
    until = time.monotonic() + 60  # two of the servers may come a little later
    while copies(cluster, nobody) < 3 * 6 or copies(cluster, ann) or copies(cluster, bob):
        assert time.monotonic() < until, (copies(cluster, ann), copies(cluster, bob))


def test_two_that_erase_at_once_lose_nothing(stream: str) -> None:
    users = [f"user number {number}".encode() for number in range(4)]
    with JetStreamJournal(stream) as journal:
        for _ in range(5):
            journal.append([Draft(1, "told", user=user) for user in users])

    def erase(user: bytes) -> None:
        with JetStreamJournal(stream) as journal:
            assert journal.rename_user(user, user[::-1]) == 5

    threads = [threading.Thread(target=erase, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with JetStreamJournal(stream) as journal:
        assert [event.user for event in journal.read()] == [user[::-1] for user in users] * 5


def test_a_user_of_an_experiment_is_forgotten_and_the_state_stays(stream: str) -> None:
    with open_experiments(stream) as one, open_experiments(stream) as two:
        search = one.define({"name": "search", "kind": "arms", "arms": ["a", "b", "c"], "policy": "rucb"})
        search.start()
        for number in range(12):
            asked = search.ask(user=("ann", "bob")[number % 2])
            search.tell(asked.id, winner=asked.left)
        before, ann = search.status()["hash"], one.hashed("ann")
        two.catch_up()
        assert two.forget("ann") == 6
        assert search.status()["hash"] == two["search"].status()["hash"] == before
        assert replay(one.journal).equal
        for each in (one, two):
            assert ann not in {event.user for event in each.journal.events()}
    with pytest.raises(UnknownName), open_experiments(stream) as again:
        again["other"]


# Dropping.


def test_a_process_that_opens_a_journal_whose_beginning_was_dropped_counts_as_the_others(stream: str) -> None:
    with JetStreamJournal(stream) as journal:
        for number in range(10):
            journal.append([Draft(1, "told", key=f"a{number}"), Draft(1, "told", key=f"b{number}")])
        journal.append([Draft(1, "told", key="a0"), Draft(1, "told", b"21", key="c")])  # the first one is known
        assert journal.drop(9) == 9  # half of a message
        with JetStreamJournal(stream) as late:
            assert late.first() == 10
            assert late.read() == journal.read()
            assert [event.seq for event in late.read()] == list(range(10, 22))
            assert late.get(21) == journal.find(1, "c")
            assert late.append([Draft(1, "told", key="a0"), Draft(1, "told", key="b9")]) == [
                (22, late.head().at, False),
                (20, late.get(20).at, True),  # type: ignore[union-attr]
            ]
            assert journal.find(1, "a0") == late.get(22)
            assert late.rename_user(b"x", b"y") == 0


def test_what_was_dropped_before_it_was_read_is_skipped(stream: str) -> None:
    with JetStreamJournal(stream) as slow, JetStreamJournal(stream) as journal:
        for number in range(6):
            journal.append([Draft(1, "told", b"%d" % number)])
        journal.drop(4)
        assert [event.seq for event in slow.read()] == [5, 6]
        assert slow.append([Draft(1, "told")])[0].seq == 7


# What goes wrong.


def test_a_message_that_is_missing_is_an_error(stream: str) -> None:
    with JetStreamJournal(stream) as journal:
        journal.append([Draft(1, "told")])
        journal.append([Draft(1, "told")])
        journal._stream.erase(1)
    with JetStreamJournal(stream) as journal:
        with pytest.raises(CannotStore, match=r"message 1 of the journal .* is missing"):
            journal.head()
        with pytest.raises(CannotStore, match=r"it is not known where this was written; .* message 1 of"):
            journal.append([Draft(1, "told")])


def test_a_stream_of_somebody_else_is_refused(cluster: Cluster, stream: str) -> None:
    with JetStreamJournal(stream) as journal:
        name = journal._stream.name
        journal._stream.name, journal._stream.subject = "duelist-theirs", "theirs"
        journal._stream.have()
        journal._stream.name = name
    with pytest.raises(BadInput, match=r"has a stream 'duelist-theirs' of \['theirs'\], which is no journal"):
        JetStreamJournal(cluster.url("theirs"))


def test_more_copies_than_servers_are_refused(cluster: Cluster) -> None:
    with pytest.raises(BadInput, match=r"cannot keep 5 copies: .*; \?replicas=1 at the end"):
        JetStreamJournal(cluster.url("five") + "?replicas=5")


def start_alone(folder: Path) -> Node:
    """One server without others, which wants a password."""
    for number in range(5):  # a port that was free may be taken meanwhile
        node = Node(number, folder)
        node.configure([])
        settings = json.loads((node.folder / "settings.json").read_text())
        del settings["cluster"]
        settings["authorization"] = {"user": "ann", "password": "geh@im"}
        (node.folder / "settings.json").write_text(json.dumps(settings))
        node.begin()
        while node.process is not None and node.process.poll() is None:
            if node.ready:
                return node
            time.sleep(0.05)
    raise AssertionError("no server could be started")


def test_one_server_alone_with_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        node = start_alone(tmp_path)
    except MissingExtra as error:
        pytest.skip(str(error))
    try:
        here = f"127.0.0.1:{node.port}/x"
        with JetStreamJournal(f"nats://ann:geh%40im@{here}?replicas=1") as journal:
            assert journal.append([Draft(1, "told")])[0].seq == 1
        with pytest.raises(BadInput, match=r"cannot keep 3 copies: .*; \?replicas=1 at the end"):
            JetStreamJournal(f"nats://ann:geh%40im@{here}y")
        monkeypatch.setattr("duelist.storage.nats_line.PATIENCE", 2.0)
        with pytest.raises(CannotStore, match=r"cannot be reached: .*Authorization Violation") as refused:
            JetStreamJournal(f"nats://ann:guess@{here}")
        assert "guess" not in str(refused.value)
    finally:
        node.end(signal.SIGKILL)


def test_a_journal_of_a_later_version_is_refused(stream: str) -> None:
    with JetStreamJournal(stream) as journal:
        journal._beside._update("meta", lambda known: b"\x92\x63\xc4\x10" + bytes(16))
    with pytest.raises(BadInput, match=r"a later version \(schema 99, here 1\)"):
        JetStreamJournal(stream)


async def stubborn(*given: object, **named: object) -> None:
    """A client that connects, and misses the first two times that it is told to stop, as `wait_for` may make it."""
    for _ in range(3):
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


def test_a_client_that_misses_being_cancelled_is_cancelled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.storage.nats_line.PATIENCE", 0.1)
    monkeypatch.setattr("duelist.storage.nats_line.Client.connect", stubborn)
    monkeypatch.setattr("duelist.storage.nats_line.Client.close", stubborn)
    monkeypatch.setattr("duelist.storage.nats_line.GOODBYE", 0.1)
    with pytest.raises(CannotStore, match="cannot be reached"):
        JetStreamJournal("nats://127.0.0.1:1/x")
    assert lines() == 0


def test_nobody_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from duelist.bench.servers import free_port

    monkeypatch.setattr("duelist.storage.nats_line.PATIENCE", 0.5)
    with pytest.raises(CannotStore, match=r"nats://127.0.0.1:\d+/x cannot be reached"):
        JetStreamJournal(f"nats://ann:secret@127.0.0.1:{free_port()}/x")
    assert lines() == 0
