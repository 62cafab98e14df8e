"""Users who never give up and remember what was acknowledged, and the journal that must have all of it, once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple, Self

from duelist.client.requests import httpx
from duelist.core.errors import DuelistError
from duelist.live.events import body_of
from duelist.live.replay import fold_anew, replay
from duelist.live.snapshots import state_hash
from duelist.storage.journal import Event, Journal, open_journal

DEFINITION: dict[str, Any] = {"name": "search", "kind": "arms", "arms": ["bm25", "ltr", "vector"], "policy": "rucb"}
ONE = "/v1/experiments/search"
RANKINGS = {"bm25": ["a", "b", "c", "d"], "ltr": ["c", "a", "e", "b"], "vector": ["e", "d", "a", "f"]}
PAUSE = 0.02  # seconds before a request is tried again
PATIENCE = 180.0  # seconds for something to be acknowledged: a cluster may need half a minute for a new leader
NUMBERS = count(1)  # of users


class Broken(DuelistError):
    """The service did not do what it promises."""


class Acknowledged(NamedTuple):
    """An answer: the place of the event it is about, the key of the request, and how often it was sent."""

    seq: int
    key: str
    tries: int


class Load:
    """Asks, tells, shows and clicks until it is stopped, with a rest (seconds) after each round. What fails is sent
    again with the same key."""

    def __init__(self, url: str, users: int = 4, rest: float = 0.0) -> None:
        self.rest = rest
        self.asked: list[Acknowledged] = []
        self.told: list[Acknowledged] = []
        self.shown: list[Acknowledged] = []
        self.clicked: list[Acknowledged] = []
        self.refused = 0
        self._failed: list[Exception] = []
        self._over, self._going = threading.Event(), threading.Event()
        self._going.set()
        names = [f"user {next(NUMBERS)}" for _ in range(users)]
        self._threads = [threading.Thread(target=self._run, args=(name, url), daemon=True) for name in names]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *reason: Any) -> None:
        self._over.set()
        self._going.set()
        if kind is None:
            self.stop()

    def stop(self) -> None:
        """Let everybody go; raise Broken if somebody was answered what nobody expected."""
        self._over.set()
        self._going.set()
        for thread in self._threads:
            thread.join(PATIENCE)
        self._check()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody begins anything in the block; what is under way goes on."""
        self._going.clear()
        try:
            yield
        finally:
            self._going.set()

    def wait(self, more: int) -> float:
        """Wait until so many more tells were acknowledged; how many seconds that took."""
        begin, wanted = time.monotonic(), len(self.told) + more
        while len(self.told) < wanted:
            self._check()
            if time.monotonic() > begin + PATIENCE:
                raise Broken(f"nothing was acknowledged within {PATIENCE:g} seconds")
            time.sleep(0.005)
        return time.monotonic() - begin

    def _check(self) -> None:
        if self._failed:
            raise Broken(f"an answer that nobody expected: {self._failed[0]}") from self._failed[0]

    def _run(self, user: str, url: str) -> None:
        try:
            with httpx().Client(base_url=url, timeout=PATIENCE) as http:
                for number in count():
                    self._going.wait()
                    self._round(http, user, f"{user} {number}")
                    time.sleep(self.rest)
        except _Over:
            return
        except Exception as error:  # whoever waits for us says so
            self._failed.append(error)

    def _round(self, http: Any, user: str, key: str) -> None:
        asked, tries = self._post(http, f"{ONE}/ask", {"user": user, "key": f"{key} ask"})
        self.asked.append(_acknowledged(asked, f"{key} ask", tries))
        tell = {"id": asked["id"], "winner": min(asked["left"], asked["right"])}
        told, tries = self._post(http, f"{ONE}/tell", tell)
        if told["told"]:
            self.told.append(_acknowledged(asked, "", tries))
        show = {"user": user, "rankings": RANKINGS, "key": f"{key} list"}
        page, tries = self._post(http, f"{ONE}/interleave", show)
        self.shown.append(_acknowledged(page, f"{key} list", tries))
        tally, tries = self._post(http, "/v1/events", {"impression": page["id"], "position": 0})
        if tally["accepted"] + tally["repeated"] + tally["late"] != 1:
            raise Broken(f"a click on a list that was shown became {tally}")
        self.clicked.append(_acknowledged(page, "", tries))

    def _post(self, http: Any, path: str, body: Any) -> tuple[Any, int]:
        """The answer, and how often it was asked for."""
        for tries in count(1):
            if self._over.is_set():
                break
            try:
                answer = http.post(path, json=body)
            except httpx().TransportError:
                answer = None
            if answer is not None and answer.status_code == 200:
                return answer.json(), tries
            if answer is not None and answer.status_code != 503:
                raise Broken(f"{path} {answer.status_code} {answer.text}")
            self.refused += answer is not None
            time.sleep(PAUSE)
        raise _Over


class _Over(Exception):
    """The load was stopped."""


def _acknowledged(answer: Any, key: str, tries: int) -> Acknowledged:
    return Acknowledged(int(answer["id"].partition("-")[2]), key, tries)


def define(url: str) -> None:
    """Have the experiment, and let it run."""
    with httpx().Client(base_url=url, timeout=PATIENCE) as http:
        for path, body in (("/v1/experiments", DEFINITION), (f"{ONE}/start", None)):
            answer = http.post(path, json=body)
            if answer.status_code not in (200, 201):
                raise Broken(f"{path} {answer.status_code} {answer.text}")


def check_promises(journal: str, loads: Sequence[Load], urls: Sequence[str] = ()) -> int:
    """All that was acknowledged is there once, numbers have no hole, state is the replay; how many events there are.

    Loads and servers may go on meanwhile.
    """
    before = [[list(each) for each in (load.asked, load.shown, load.told, load.clicked)] for load in loads]
    with open_journal(journal) as opened:
        events = list(opened.events())
        if [event.seq for event in events] != list(range(1, len(events) + 1)):
            raise Broken("the numbers of the journal have a hole")
        keys = Counter(event.key for event in events)
        told = Counter(body_of(event)[0] for event in events if event.kind == "told")
        clicked = Counter(body_of(event).of for event in events if event.kind == "clicked")
        for asks, lists, tells, clicks in before:
            _check_there([*asks, *lists], events, keys)
            _check_once("told", tells, told)
            _check_once("clicked", clicks, clicked)
        if not replay(opened).equal:
            raise Broken("a start from the snapshot comes to another state than the replay")
        _check_states(urls, opened)
    return len(events)


def _check_there(acknowledged: Sequence[Acknowledged], events: Sequence[Event], keys: Counter[str]) -> None:
    for seq, key, _ in acknowledged:
        if seq > len(events) or events[seq - 1].key != key or keys[key] != 1:
            raise Broken(f"the request {key!r} was acknowledged as event {seq}, and is there {keys[key]} times")


def _check_once(kind: str, acknowledged: Sequence[Acknowledged], found: Counter[int]) -> None:
    """A request that was sent again may have been written again; the state has it once."""
    for seq, _, tries in acknowledged:
        if not 1 <= found[seq] <= tries:
            raise Broken(f"event {seq} was {kind}, by {tries} requests, and the journal has that {found[seq]} times")


def _check_states(urls: Sequence[str], journal: Journal) -> None:
    """What servers say is what their journal folds to, and every duel counts once."""
    said = [_status(url) for url in urls]
    folded = {seq: fold_anew(journal, seq).current("search") for seq in {status["seq"] for status in said}}
    for url, status in zip(urls, said, strict=True):
        seq, state = status["seq"], folded[status["seq"]]
        if state is None or state_hash(state) != status["hash"]:
            raise Broken(f"{url} has another state than the replay up to event {seq}")
        told = {body_of(event)[0] for event in journal.events() if event.kind == "told" and event.seq <= seq}
        if status["counts"]["told"] != len(told):
            raise Broken(f"{len(told)} duels were told, and {status['counts']['told']} are counted by {url}")


def _status(url: str) -> Any:
    answer = httpx().get(url + ONE, timeout=PATIENCE)
    if answer.status_code != 200:
        raise Broken(f"{ONE} {answer.status_code} {answer.text}")
    return answer.json()
