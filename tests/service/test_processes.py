"""Servers in processes of their own: killed, stopped, overloaded, two on one file."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from duelist.live.events import body_of
from duelist.live.replay import fold_anew, replay
from duelist.live.snapshots import state_hash
from duelist.storage import SQLiteJournal

from .helpers import ARMS, ONE, RANKINGS, server

HTTP = httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0))


def define(url: str) -> None:
    assert HTTP.post(f"{url}/v1/experiments", json=ARMS).status_code in (200, 201)
    assert HTTP.post(f"{url}{ONE}/start").status_code == 200


class Load:
    """Asks, tells, shows and clicks until the server is gone; remembers what was acknowledged."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[str] = []
        self.told: list[str] = []
        self.clicked: list[str] = []
        self.refused = 0
        self.threads = [threading.Thread(target=self._run, args=(n,)) for n in range(4)]
        for thread in self.threads:
            thread.start()

    def _run(self, number: int) -> None:
        with httpx.Client(base_url=self.url, timeout=10) as http:
            try:
                while True:
                    self._round(http, f"user {number}")
            except httpx.TransportError:
                return

    def _round(self, http: httpx.Client, user: str) -> None:
        asked = self._post(http, f"{ONE}/ask", {"user": user})
        if asked is None:
            return
        self.asked.append(asked["id"])
        if self._post(http, f"{ONE}/tell", {"id": asked["id"], "winner": min(asked["left"], asked["right"])}):
            self.told.append(asked["id"])
        page = self._post(http, f"{ONE}/interleave", {"user": user, "rankings": RANKINGS})
        if page and self._post(http, "/v1/events", {"impression": page["id"], "position": 0}):
            self.clicked.append(page["id"])

    def _post(self, http: httpx.Client, path: str, body: Any) -> Any:
        answer = http.post(path, json=body)
        if answer.status_code == 503:
            self.refused += 1
            return None
        assert answer.status_code == 200, answer.text
        return answer.json()

    def until(self, told: int) -> None:
        """Wait until so many tells were acknowledged."""
        deadline = time.monotonic() + 30
        while len(self.told) < told:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def join(self) -> None:
        for thread in self.threads:
            thread.join(30)


def numbers(ids: list[str]) -> list[int]:
    return sorted(int(each.split("-")[1]) for each in ids)


def check_acknowledged(path: Path, loads: list[Load]) -> None:
    """Everything acknowledged is there once, and the state is the fold of the journal."""
    with SQLiteJournal(path) as journal:
        assert replay(journal).equal
        events = list(journal.events())
    asked = [event.seq for event in events if event.kind == "drawn"]
    told = Counter(int.from_bytes(event.body[:8], "little") for event in events if event.kind == "told")
    clicked = Counter(body_of(event).of for event in events if event.kind == "clicked")
    for load in loads:
        assert {*numbers(load.asked)} <= {*asked}
        assert {told[number] for number in numbers(load.told)} == {1}
        assert {clicked[number] for number in numbers(load.clicked)} <= {1}


def test_killed_under_load_three_times(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    loads = []
    for _ in range(3):
        with server(path) as one:
            define(one.url)
            loads.append(Load(one.url))
            loads[-1].until(told=20)
            one.kill()
            loads[-1].join()
        check_acknowledged(path, loads)
    with server(path, DUELIST_SNAPSHOT_EVENTS="100") as again:
        found = HTTP.get(again.url + ONE).json()
        assert found["counts"]["told"] >= sum(len(load.told) for load in loads)
        with SQLiteJournal(path) as journal:
            assert found["hash"] == state_hash(fold_anew(journal).current("search"))  # type: ignore[arg-type]
            assert found["seq"] == journal.head().seq


def test_two_servers_on_one_file(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with server(path) as one, server(path) as two:
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
        loads = [Load(one.url), Load(two.url)]
        for load in loads:
            load.until(told=10)
        one.kill()
        loads[0].join()
        loads[1].until(told=len(loads[1].told) + 10)
        assert HTTP.get(two.url + ONE).json()["seq"] >= max(numbers(loads[0].told))
        two.kill()
        loads[1].join()
    check_acknowledged(path, loads)


def test_a_graceful_stop_answers_and_saves(tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with server(path, DUELIST_LOG="debug", DUELIST_ADMIN_TOKEN="") as one:
        define(one.url)
        load = Load(one.url)
        load.until(told=10)
        assert one.kill(signal.SIGTERM) in (0, -signal.SIGTERM)
        load.join()
        lines = [json.loads(line) for line in one.log.read_text().splitlines()]
        assert lines[-1]["event"].startswith("Finished")
        assert any(line["event"] == "stopped" for line in lines)
        assert "user 1" not in one.log.read_text()
    with SQLiteJournal(path) as journal:
        found = journal.load_snapshot(0)
        assert found is not None
        assert found.seq == journal.head().seq
        asked = {event.seq for event in journal.events() if event.kind == "drawn"}
        assert {*numbers(load.asked)} == asked  # nothing was written that was not answered
    check_acknowledged(path, [load])


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
