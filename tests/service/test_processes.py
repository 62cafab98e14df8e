"""Servers in processes of their own: killed, stopped, overloaded, two on one file."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import pytest

from duelist.bench.crash import crashes, kill_postgres, kill_server
from duelist.bench.postgres import Postgres
from duelist.bench.promises import Load, check_promises, define
from duelist.storage import SQLiteJournal

from .helpers import ONE, RANKINGS, server

Empty = Callable[[], str]
HTTP = httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0))


def test_killed_under_load_three_times(tmp_path: Path) -> None:
    rounds = list(crashes(f"sqlite:///{tmp_path}/live.db", tmp_path, kill_server, rounds=3, servers=1))
    assert len(rounds) == 3
    # A told duel is two events of its own, and two of the list that follows, which four users may still wait for; and
    # two are of the experiment itself.
    assert rounds[2].events >= 4 * rounds[2].acknowledged - 2 * 4 + 2 > 100


def test_one_of_two_servers_on_one_file_is_killed_three_times(tmp_path: Path) -> None:
    rounds = list(crashes(f"sqlite:///{tmp_path}/live.db", tmp_path, kill_server, rounds=3, servers=2))
    assert [each.refused for each in rounds] == [0, 0, 0]


def test_postgresql_is_killed_three_times_and_the_servers_stay(
    postgres: Postgres, empty: Empty, tmp_path: Path
) -> None:
    rounds = list(crashes(empty(), tmp_path, partial(kill_postgres, postgres), rounds=3, servers=2))
    assert 0 < rounds[0].refused < rounds[1].refused < rounds[2].refused


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_two_servers_on_one_journal(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = tmp_path / "live.db"
    journal = f"sqlite:///{path}" if kind == "sqlite" else request.getfixturevalue("empty")()
    with server(path, journal) as one, server(path, journal) as two:
        define(one.url)
        asked = HTTP.post(two.url + f"{ONE}/ask", json={"user": "ann", "key": "k"}).json()  # two did not know it yet
        assert HTTP.post(one.url + f"{ONE}/ask", json={"user": "ann", "key": "k"}).json() == asked
        body = {"id": asked["id"], "winner": asked["left"]}
        assert HTTP.post(one.url + f"{ONE}/tell", json=body).json() == {"id": asked["id"], "told": True}
        assert HTTP.post(two.url + f"{ONE}/tell", json=body).json()["repeated"]
        page = HTTP.post(one.url + f"{ONE}/interleave", json={"rankings": RANKINGS, "length": 2}).json()
        more = {"rankings": RANKINGS, "length": 2, "of": page["id"], "page": 2}
        second = HTTP.post(two.url + f"{ONE}/interleave", json=more).json()
        assert not {*page["ranking"]} & {*second["ranking"]}
        clicks = [{"impression": page["id"], "position": 0}] * 2
        assert HTTP.post(two.url + "/v1/events", json=clicks).json()["repeated"] == 1
        with Load(one.url, users=2) as first, Load(two.url, users=2) as other:
            for load in (first, other):
                load.wait(more=20)
        assert check_promises(journal, [first, other], [one.url, two.url]) > 160  # each in its place, and no hole


def test_a_graceful_stop_answers_and_saves(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with server(path, DUELIST_LOG="debug", DUELIST_ADMIN_TOKEN="") as one:
        define(one.url)
        load = Load(one.url)
        load.wait(more=10)
        assert one.kill(signal.SIGTERM) in (0, -signal.SIGTERM)
        load.stop()
        lines = [json.loads(line) for line in one.log.read_text().splitlines()]
        assert lines[-1]["event"].startswith("Finished")
        assert any(line["event"] == "stopped" for line in lines)
        assert "user 1" not in one.log.read_text()
    with SQLiteJournal(path) as journal:
        found = journal.load_snapshot(0)
        assert found is not None
        assert found.seq == journal.head().seq
        asked = {event.seq for event in journal.events() if event.kind == "drawn"}
        assert {each.seq for each in load.asked} == asked  # nothing was written that was not answered
    check_promises(f"sqlite:///{path}", [load])


def test_overload_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with server(path, DUELIST_WAITING="3") as one:
        define(one.url)

        def ask(number: int) -> tuple[int, str | None]:
            answer = HTTP.post(one.url + f"{ONE}/ask", json={"user": str(number)})
            return answer.status_code, answer.headers.get("retry-after")

        with ThreadPoolExecutor(16) as many, SQLiteJournal(path) as journal:
            with journal._transaction():  # nobody else can write meanwhile
                futures = [many.submit(ask, number) for number in range(16)]
                while sum(future.done() for future in futures) < 13:
                    time.sleep(0.01)
            answers = [future.result() for future in futures]
        assert sorted(answers, key=str) == [(200, None)] * 3 + [(503, "1")] * 13
        assert HTTP.get(one.url + ONE).json()["counts"]["drawn"] == 3


def test_elsewhere_without_tokens_is_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "duelist.cli", "serve", "--host", "0.0.0.0", "--journal", "memory://"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: host '0.0.0.0' can be reached from elsewhere, and there are no tokens")
    assert done.stderr.count("\n") == 1


def test_a_journal_that_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "duelist.cli", "serve", "--journal", f"sqlite:///{tmp_path}/none/live.db"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: there is no folder")
    assert done.stderr.count("\n") == 1


def test_without_the_packages_it_says_what_to_install(tmp_path: Path) -> None:
    program = "import sys; sys.modules['uvicorn'] = None; sys.argv[1:] = ['serve']; import duelist.cli as c; c.main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stderr == "error: the service needs uvicorn: pip install 'duelist[service]'\n"
