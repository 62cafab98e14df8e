from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable

import psycopg
import pytest

from duelist.bench.postgres import Postgres
from duelist.core.errors import BadInput, CannotStore
from duelist.storage import Draft, PostgresJournal, Snapshot, open_journal
from duelist.testing import check_journal

from .helpers import check_same_keys, start_writer

Empty = Callable[[], str]


def wait_until_busy(writers: list[subprocess.Popen[str]]) -> None:
    for writer in writers:
        assert writer.stdout
        assert writer.stdout.readline()


def kill(writers: list[subprocess.Popen[str]]) -> list[list[tuple[int, int]]]:
    """What each writer had been told was safe when it was killed."""
    for writer in writers:
        writer.kill()
    whole = [writer.communicate()[0].rpartition("\n")[0].splitlines() for writer in writers]  # a cut line is left out
    return [[(int(number), int(seq)) for number, seq in map(str.split, lines)] for lines in whole]


def check_everything_is_there_once(url: str, acknowledged: list[list[tuple[int, int]]]) -> None:
    with PostgresJournal(url) as journal:
        events = list(journal.events())
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert len({event.body for event in events}) == len(events)
    assert len(events) % 2 == 0  # whole batches
    times = [event.at for event in events]
    assert times == sorted(times)
    for name, numbers in zip("ab", acknowledged, strict=True):
        assert numbers
        for number, seq in numbers:
            assert events[seq - 1].body == f"{name} {number}".encode()
            assert events[seq].body == f"{name} {number}b".encode()


def test_postgresql_keeps_the_contract(empty: Empty) -> None:
    url = empty()
    check_journal(lambda clock: PostgresJournal(url, clock))


def test_an_address_opens_it(empty: Empty) -> None:
    url = empty()
    with open_journal(url) as journal, open_journal(url.replace("postgresql:", "postgres:")) as same:
        assert isinstance(journal, PostgresJournal)
        assert journal.salt == same.salt


@pytest.mark.parametrize("round", range(3))
def test_what_was_acknowledged_is_there_once_after_a_kill_of_writers(empty: Empty, round: int) -> None:
    url = empty()
    writers = [start_writer(url, name) for name in "ab"]
    wait_until_busy(writers)
    time.sleep(0.1 + 0.1 * round)
    check_everything_is_there_once(url, kill(writers))


def test_what_was_acknowledged_is_there_once_after_kills_of_the_server(postgres: Postgres, empty: Empty) -> None:
    url = empty()
    writers = [start_writer(url, name) for name in "ab"]
    wait_until_busy(writers)
    with PostgresJournal(url) as reader:
        for _ in range(3):
            time.sleep(0.2)
            postgres.kill()
            with pytest.raises(CannotStore, match="it cannot be read"):
                reader.head()
            postgres.start()
            assert reader.wait(reader.head().seq + 2, 20)  # the writers came back by themselves, and so did we
    check_everything_is_there_once(url, kill(writers))


def test_a_server_that_came_back_before_the_append_is_not_noticed(postgres: Postgres, empty: Empty) -> None:
    with PostgresJournal(empty()) as journal:
        for end in (postgres.kill, postgres.stop):
            journal.append([Draft(1, "told")])
            end()
            with pytest.raises(CannotStore, match="nothing was written"):
                journal.append([Draft(1, "told")])  # it is known to be away: nothing was sent
            postgres.start()
            journal.append([Draft(1, "told")])
            assert journal.head().seq % 2 == 0
            end()
            postgres.start()
        assert journal.append([Draft(1, "told")])[0].seq == 5


def test_an_append_that_the_server_never_answered_is_not_called_unwritten(empty: Empty) -> None:
    url = empty()
    with PostgresJournal(url) as journal, psycopg.connect(url) as other:
        other.execute("UPDATE duelist.head SET at = at")  # holds the row: the append waits
        timer = threading.Timer(
            0.2,
            lambda: other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            ),
        )
        timer.start()
        with pytest.raises(
            CannotStore, match="it is not known whether this was written; a key makes trying again safe"
        ):
            journal.append([Draft(1, "told", key="k")])
        timer.join()
        other.rollback()
        assert journal.append([Draft(1, "told", key="k")])[0].seq == 1


def test_many_that_start_at_once_make_one_journal(empty: Empty) -> None:
    for _ in range(3):
        url, salts = empty(), list[bytes]()

        def start(url: str = url, salts: list[bytes] = salts) -> None:
            with PostgresJournal(url) as journal:
                salts.append(journal.salt)

        threads = [threading.Thread(target=start) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(salts) == 8
        assert len(set(salts)) == 1


def test_many_that_append_the_same_keys_write_each_once(empty: Empty) -> None:
    check_same_keys(empty(), writers=6)


def test_a_batch_of_known_and_new_drafts_has_the_places_of_both(empty: Empty) -> None:
    with PostgresJournal(empty()) as journal:
        old = journal.append([Draft(1, "told", key="a"), Draft(1, "told"), Draft(1, "told", key="b")])
        keys = ["x", "b", "", "x", "a", "y"]
        places = journal.append([Draft(1, "told", key.encode(), key=key) for key in keys])
        assert [(place.seq, place.repeated) for place in places] == [
            (4, False),
            (3, True),
            (5, False),
            (4, True),
            (1, True),
            (6, False),
        ]
        assert places[4].at == old[0].at
        assert [event.body for event in journal.read(3)] == [b"x", b"", b"y"]


def test_a_commit_is_on_the_disk_even_where_the_server_would_not_wait(empty: Empty) -> None:
    url = empty()
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("ALTER ROLE duelist SET synchronous_commit = off")
        try:
            with PostgresJournal(url) as journal:
                assert journal._writer.ask("SELECT current_setting('synchronous_commit')") == [("on",)]
        finally:
            other.execute("ALTER ROLE duelist RESET synchronous_commit")


def test_what_is_no_journal_is_refused(empty: Empty) -> None:
    other, newer = empty(), empty()
    PostgresJournal(newer).close()
    with psycopg.connect(other) as first, psycopg.connect(newer) as second:
        first.execute("CREATE SCHEMA duelist")
        first.execute("CREATE TABLE duelist.events (mine int)")
        second.execute("UPDATE duelist.meta SET schema = 99")
    for url, complaint in ((other, "but no journal in it"), (newer, r"a later version \(schema 99")):
        with pytest.raises(BadInput, match=complaint):
            PostgresJournal(url)


def test_a_damaged_snapshot_is_never_loaded(empty: Empty) -> None:
    url = empty()
    with PostgresJournal(url) as journal, psycopg.connect(url, autocommit=True) as other:
        journal.save_snapshot(Snapshot(1, 5, "code", b"state"))
        other.execute(r"UPDATE duelist.snapshots SET body = '\x00'")
        with pytest.raises(CannotStore, match=r"experiment 1 .* is damaged"):
            journal.load_snapshot(1)


def test_a_server_that_cannot_be_written_to_is_an_error(empty: Empty) -> None:
    url = empty()
    with PostgresJournal(url) as journal:
        journal._writer.ask("SET default_transaction_read_only = on")
        with pytest.raises(CannotStore, match="nothing was written: cannot execute SELECT in a read-only"):
            journal.append([Draft(1, "told")])
        assert journal.head().seq == 0
    with pytest.raises(CannotStore, match="is closed"):
        journal.append([Draft(1, "told")])


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:geheim@/none?host=/nowhere",
        "postgresql://ann:geheim@localhost:port/db",
        "postgresql://ann:ge%zzgeheim@localhost/db",
        "postgresql://[ann:geheim@/db",
        "postgresql://ann@/none?host=/nowhere&password=geheim",
        "mysql://ann:geheim@host/db",
    ],
)
def test_no_error_has_the_password(url: str) -> None:
    with pytest.raises((CannotStore, BadInput)) as caught:
        open_journal(url)
    chain: BaseException | None = caught.value
    while chain:
        assert "geheim" not in str(chain)
        chain = chain.__cause__


def test_without_its_package_the_extra_is_named() -> None:
    program = (
        "import sys; sys.modules['psycopg'] = None; "
        "from duelist.storage import open_journal; open_journal('postgresql:///x')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "MissingExtra: a journal on PostgreSQL needs psycopg: pip install 'duelist[postgres]'" in done.stderr
