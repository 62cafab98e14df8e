from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from duelist.core.errors import BadInput, CannotStore
from duelist.storage import Draft, Snapshot, SQLiteJournal

# Appends batches of two and says which of them were acknowledged, until it is killed. What a slow disk refuses was not
# written, and is tried again: were it there nevertheless, the draft without a key would be there twice.
WRITER = """
import sys
from duelist.core.errors import CannotStore
from duelist.storage import Draft, SQLiteJournal
journal, name, number = SQLiteJournal(sys.argv[1]), sys.argv[2], 0
while True:
    body = f"{name} {number}".encode()
    try:
        places = journal.append([Draft(1, "told", body, key=body.decode()), Draft(1, "told", body + b"b")])
    except CannotStore:
        continue
    print(number, places[0].seq, flush=True)
    number += 1
"""


def start_writer(path: Path, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(path), name], stdout=subprocess.PIPE, text=True)


def kill_when_busy(writers: list[subprocess.Popen[str]], seconds: float) -> list[list[tuple[int, int]]]:
    """What each writer had been told was safe when it was killed, all at once."""
    first = [writer.stdout.readline() if writer.stdout else "" for writer in writers]  # all have begun
    time.sleep(seconds)
    for writer in writers:
        os.kill(writer.pid, signal.SIGKILL)
    said = [line + writer.communicate()[0] for line, writer in zip(first, writers, strict=True)]
    whole = [text.rpartition("\n")[0].splitlines() for text in said]  # the last line may have been cut
    return [[(int(number), int(seq)) for number, seq in map(str.split, lines)] for lines in whole]


@pytest.mark.parametrize("round", range(3))
def test_what_was_acknowledged_is_there_once_after_a_kill(tmp_path: Path, round: int) -> None:
    path = tmp_path / "journal.db"
    acknowledged = kill_when_busy([start_writer(path, "a"), start_writer(path, "b")], 0.2 + 0.1 * round)
    with SQLiteJournal(path) as journal:
        events = list(journal.events())
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert len(events) % 2 == 0  # whole batches
    bodies = [event.body for event in events]
    assert len(set(bodies)) == len(bodies)
    for name, numbers in zip("ab", acknowledged, strict=True):
        assert numbers
        for number, seq in numbers:
            assert events[seq - 1].body == f"{name} {number}".encode()
            assert events[seq].body == f"{name} {number}b".encode()


def test_two_processes_that_start_at_once_share_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    program = (
        "import sys; from duelist.storage import *; j = SQLiteJournal(sys.argv[1]); "
        "[j.append([Draft(1, 'told')]) for _ in range(50)]; print(j.salt.hex())"
    )
    starts = [
        subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    salts = {start.communicate()[0] for start in starts}
    assert [start.returncode for start in starts] == [0, 0, 0]
    assert len(salts) == 1
    with SQLiteJournal(path) as journal:
        assert journal.head().seq == 150


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text, other, newer = (tmp_path / name for name in ("text", "other.db", "newer.db"))
    text.write_text("a letter, and no journal; long enough that it must be read as a page" * 100)
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE mine (a)")
    SQLiteJournal(newer).close()
    with closing(sqlite3.connect(newer)) as database:
        database.execute("PRAGMA user_version=99")
    for path, complaint in ((text, "is not a journal"), (other, "no journal of duelist"), (newer, "a later version")):
        before = path.read_bytes()
        with pytest.raises(BadInput, match=complaint):
            SQLiteJournal(path)
        assert path.read_bytes() == before
    with pytest.raises(BadInput, match="there is no folder"):
        SQLiteJournal(tmp_path / "nowhere" / "journal.db")


def test_a_full_disk_is_an_error_and_nothing_is_acknowledged(tmp_path: Path) -> None:
    with SQLiteJournal(tmp_path / "journal.db") as journal:
        journal.append([Draft(1, "told", b"safe")])
        pages = journal._writer.execute("PRAGMA page_count").fetchone()[0]
        journal._writer.execute(f"PRAGMA max_page_count={pages + 2}")  # as if the disk had room for two more
        with pytest.raises(CannotStore, match=r"nothing was written: .*full"):
            journal.append([Draft(1, "told", b"x" * 100_000), Draft(1, "told")])
        assert journal.head().seq == 1
        assert journal.append([Draft(1, "told", b"small")])[0].seq == 2  # and it goes on


def test_a_disk_that_cannot_be_written_to_is_an_error(tmp_path: Path) -> None:
    with SQLiteJournal(tmp_path / "journal.db") as journal:
        journal._writer.execute("PRAGMA query_only=ON")
        with pytest.raises(CannotStore, match="readonly"):
            journal.append([Draft(1, "told")])
        assert journal.head().seq == 0


def test_a_damaged_snapshot_is_never_loaded(tmp_path: Path) -> None:
    with SQLiteJournal(tmp_path / "journal.db") as journal:
        journal.save_snapshot(Snapshot(1, 5, "code", b"state"))
        journal._writer.execute("UPDATE snapshots SET body = x'00'")
        with pytest.raises(CannotStore, match=r"experiment 1 .* is damaged"):
            journal.load_snapshot(1)


def copies(path: Path, users: list[bytes]) -> int:
    """How often they are in the file and in its log."""
    data = b"".join(Path(f"{path}{end}").read_bytes() for end in ("", "-wal"))
    return sum(data.count(user) for user in users)


def test_a_renamed_user_is_nowhere_in_the_file(tmp_path: Path) -> None:
    path, rng = tmp_path / "journal.db", random.Random(1)
    users = [rng.randbytes(8) for _ in range(500)]
    with SQLiteJournal(path) as journal:
        for _ in range(40):  # so many that pages of the index are split, which leaves copies
            journal.append([Draft(1, "told", rng.randbytes(40), rng.choice(users)) for _ in range(250)])
        old = users[:40]
        assert copies(path, old) > 40
        assert sum(journal.rename_user(user, rng.randbytes(8)) for user in old) > 40
        assert copies(path, old) == 0
        assert copies(path, users[40:]) > 460


def test_a_reader_that_holds_the_log_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.storage.sqlite.PATIENCE", 0.05)
    path = tmp_path / "journal.db"
    with SQLiteJournal(path) as journal, closing(sqlite3.connect(path, isolation_level=None)) as other:
        journal.append([Draft(1, "told", user=b"ann is here")])
        other.execute("BEGIN")
        other.execute("SELECT * FROM events").fetchall()
        with pytest.raises(CannotStore, match="1 events were renamed, but others read"):
            journal.rename_user(b"ann is here", b"who is here")
        other.execute("COMMIT")
        assert journal.rename_user(b"ann is here", b"who is here") == 0
        assert copies(path, [b"ann is here"]) == 0


def test_a_journal_opens_while_another_process_writes(tmp_path: Path) -> None:
    with closing(SQLiteJournal(tmp_path / "a.journal")) as first:
        other = sqlite3.connect(tmp_path / "a.journal", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with closing(SQLiteJournal(tmp_path / "a.journal")) as second:  # it need not wait
            assert second.salt == first.salt
        other.close()
