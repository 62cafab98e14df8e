"""Several processes on one journal, some of which die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import CannotStore
from duelist.live import LocalExperiments, experiments, open_experiments
from duelist.live.experiments import Experiments
from duelist.live.replay import fold_anew, replay
from duelist.live.snapshots import pack, unpack
from duelist.storage import Snapshot, SQLiteJournal
from duelist.storage.export import load_events, write_events
from duelist.storage.journal import Event

from .helpers import definition, hashes

# Asks and tells until it is killed, and says which tells were acknowledged.
WORKER = """
import sys
from duelist.live import open_experiments
with open_experiments(sys.argv[1]) as experiments:
    search = experiments["search"]
    print("ready", flush=True)
    while True:
        asked = search.ask(user="u")
        search.tell(asked.id, winner=min(asked.left, asked.right))
        print(asked.id, flush=True)
"""


def make(path: Path, policy: str = "rucb") -> str:
    url = f"sqlite:///{path}"
    with open_experiments(url) as experiments:
        experiments.define(definition(policy=policy)).start()
    return url


def test_what_was_acknowledged_is_there_once_after_a_kill(tmp_path: Path) -> None:
    url = make(tmp_path / "live.db")
    for _ in range(3):
        workers = [
            subprocess.Popen([sys.executable, "-c", WORKER, url], stdout=subprocess.PIPE, text=True) for _ in range(2)
        ]
        lines = [worker.stdout.readline() for _ in range(12) for worker in workers if worker.stdout]
        assert lines[:2] == ["ready\n", "ready\n"]
        for worker in workers:  # one goes on alone for a moment
            os.kill(worker.pid, signal.SIGKILL)
            time.sleep(0.05)
        lines += [line for worker in workers for line in worker.communicate()[0].splitlines()]
        acknowledged = [line.strip() for line in lines[2:]]
        with SQLiteJournal(tmp_path / "live.db") as journal:
            found = replay(journal)
            assert found.equal
            told = [event for event in journal.events() if event.kind == "told"]
            duels = {int.from_bytes(event.body[:8], "little") for event in told}
            assert len(duels) == len(told)
            assert {int(each.split("-")[1]) for each in acknowledged} <= duels
            assert len(acknowledged) > 20


def test_replicas_are_equal_at_equal_numbers(tmp_path: Path) -> None:
    url = make(tmp_path / "live.db", policy="rex3")
    with open_experiments(url) as one, open_experiments(url) as other:
        for number in range(60):
            mine = (one, other)[number % 2]["search"]
            asked = mine.ask(user=f"u{number}")
            assert asked.id
            (other, one)[number % 3 % 2]["search"].tell(asked.id, outcome=number % 5 / 4)
        one.catch_up()
        other.catch_up()
        assert one.fold.seq == other.fold.seq
        assert hashes(one.fold) == hashes(other.fold) == hashes(fold_anew(one.journal))


def play(living: LocalExperiments, rounds: int) -> None:
    search, luck = living["search"], np.random.default_rng(0)
    for number in range(rounds):
        page = search.interleave({"old": ["a", "b"], "new": ["b", "c"]}, user=f"u{number % 5}")
        assert page.id
        if luck.random() < 0.7:
            search.click(page.id, position=int(luck.integers(2)))


def test_a_start_from_a_snapshot_comes_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, plain = list[int](), SQLiteJournal.read

    def noting(journal: SQLiteJournal, after: int = 0, limit: int = 1) -> list[Event]:
        read.append(after)
        return plain(journal, after, limit)

    url = f"sqlite:///{tmp_path / 'live.db'}"
    with open_experiments(url) as living:
        living.define(definition("pair")).start()
        play(living, 40)
        living.save()
        play(living, 10)
        before = hashes(living.fold)
        living.group.close()
        with monkeypatch.context() as patched:
            patched.setattr(SQLiteJournal, "read", noting)
            again = Experiments(living.journal)
        assert hashes(again.fold) == before
        assert sorted(read)[1] > 50  # beside a look at the first one, only what is behind the snapshot
        assert replay(living.journal).equal
        # A snapshot of other code, or one that lies, is not used, or found out.
        index = living.journal.load_snapshot(0)
        assert index is not None
        number = unpack(index.body)["experiments"][0][0]
        kept = living.journal.load_snapshot(number)
        assert kept is not None
        lie = unpack(kept.body)
        lie["closed"][0] += 1
        seq = living.fold.seq
        living.journal.save_snapshot(Snapshot(number, seq, kept.code, pack(lie)))
        living.journal.save_snapshot(Snapshot(0, seq, index.code, index.body))
        assert not replay(living.journal).equal
        living.journal.save_snapshot(Snapshot(number, seq + 1, "other code", pack(lie)))
        living.journal.save_snapshot(Snapshot(0, seq + 1, index.code, index.body))
        assert replay(living.journal).equal


def test_a_user_is_erased_everywhere_and_the_numbers_stay(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    url = f"sqlite:///{path}"
    with open_experiments(url) as living, open_experiments(url) as other:
        living.define(definition("pair")).start()
        play(living, 40)
        living.save()
        before, trace = living["search"].status(), living.hashed("u3")
        assert trace in path.read_bytes() + Path(f"{path}-wal").read_bytes()
        other.catch_up()
        assert living.forget("u3") == 8
        assert trace not in path.read_bytes() + Path(f"{path}-wal").read_bytes()
        after = living["search"].status()
        assert after["hash"] == before["hash"]
        assert after["pairs"] == before["pairs"]
        assert other["search"].status()["hash"] == before["hash"]
        assert trace not in pack([state.record() for state in other.fold.states.values()])
        assert replay(living.journal).equal
        play(other, 10)
        living.catch_up()
        assert hashes(living.fold) == hashes(fold_anew(living.journal))


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_old_events_move_into_a_file_and_nothing_changes(tmp_path: Path, ending: str) -> None:
    if ending == "parquet":
        pytest.importorskip("polars")
    url, old = f"sqlite:///{tmp_path / 'live.db'}", tmp_path / f"old.{ending}"
    with open_experiments(url) as living:
        living.define(definition("pair")).start()
        play(living, 40)
        living.save()
        before, keep = hashes(living.fold), living.keep_from()
        assert 50 < keep <= living.fold.seq
        assert write_events(living.journal, old, keep - 1) == keep - 1
        assert living.journal.drop(keep - 1) == keep - 1
        play(living, 10)
        after = hashes(living.fold)
        assert after != before
    with open_experiments(url) as again:
        assert hashes(again.fold) == after
        whole = load_events(old, then=again.journal)
        assert hashes(fold_anew(whole)) == after
        play(again, 3)


def test_a_snapshot_of_other_code_is_adopted_on_purpose_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path / 'live.db'}"
    with open_experiments(url) as living:
        living.define(definition("pair")).start()
        play(living, 40)
        living.save()
        living.journal.drop(living.keep_from() - 1)
        before = hashes(living.fold)
    monkeypatch.setattr(experiments, "code_of", lambda definition: "another")
    with pytest.raises(CannotStore, match="was made by other code: adopt it"):
        open_experiments(url)
    with SQLiteJournal(tmp_path / "live.db") as journal:
        assert hashes(Experiments(journal, adopt=True).fold) == before
        assert journal.read(journal.head().seq - 1)[0].kind == "adopted"
    with open_experiments(url) as again:  # from now on it is its own
        assert hashes(again.fold) == before


def test_a_fold_that_fails_while_it_follows_others_is_done_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = make(tmp_path / "live.db")
    with open_experiments(url) as one, open_experiments(url) as other:
        for _ in range(5):
            one["search"].tell(one["search"].ask().id, outcome=1)
        apply, read = other.fold.apply, other.journal.read

        def half(chunk: list[Event]) -> None:
            apply(chunk[:5])
            other.fold.seq -= 5  # it stopped in the middle, and does not know how far it came
            raise CannotStore("lost on the way")

        def away(after: int = 0, limit: int = 1) -> list[Event]:
            raise CannotStore("still away")

        with monkeypatch.context() as patched:
            patched.setattr(other.fold, "apply", half)
            with pytest.raises(CannotStore, match="lost"):
                other.catch_up()
            patched.setattr(other.journal, "read", away)
            with pytest.raises(CannotStore, match="still away"):
                other.catch_up()
            assert other.names() == ["search"]  # it is there, whatever else is known of it
        assert other.journal.read == read
        other.catch_up()
        assert hashes(other.fold) == hashes(one.fold) == hashes(fold_anew(one.journal))
