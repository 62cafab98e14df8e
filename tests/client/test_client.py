"""The clients against a service in a thread, behind a transport that can be told to fail."""

from __future__ import annotations

import asyncio
import inspect
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from duelist.client import AsyncClient, AsyncExperiment, Client, RemoteExperiment
from duelist.core.errors import AlreadyDefined, BadInput, CannotStore, NotAllowed, UnknownName, Unreachable
from duelist.live.local import Experiment
from duelist.service.auth import Token, hash_token

Threaded = Callable[..., AbstractContextManager[str]]
ARMS = {"name": "search", "kind": "arms", "arms": ["bm25", "ltr", "vector"], "policy": "rucb"}
WEIGHTS = {"name": "weights", "kind": "weights", "features": 2}
RANKINGS = {"bm25": ["a", "b", "c", "d"], "ltr": ["c", "a", "e", "b"], "vector": ["e", "d", "a", "f"]}


@pytest.fixture(scope="module")
def url(threaded: Threaded) -> Iterator[str]:
    tokens = (Token("ops", "admin", hash_token("secret")), Token("web", "write", hash_token("weak")))
    with threaded(tokens=tokens) as address:
        yield address


class Lossy(httpx.BaseTransport):
    """Delivers requests, and loses the first answers."""

    def __init__(self, lost: int) -> None:
        self.inner, self.lost, self.sent = httpx.HTTPTransport(), lost, 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        answer = self.inner.handle_request(request)
        if self.sent <= self.lost:
            answer.close()
            raise httpx.ReadError("lost on its way")
        return answer

    def close(self) -> None:
        self.inner.close()


def test_the_verbs_of_a_client(url: str) -> None:
    with Client(url, "secret") as client:
        search = client.define(ARMS)
        search.start()
        asked = search.ask(user="ann", allowed=["bm25", "ltr"])
        assert {asked.left, asked.right} <= {"bm25", "ltr"}
        assert not asked.fallback
        assert search.tell(asked.id, winner=asked.left).told
        assert search.tell(asked.id, winner=asked.left).repeated
        page = search.interleave(RANKINGS, user="ann", length=2)
        second = search.interleave(RANKINGS, of=page.id, page=2, length=2)
        assert not {*page.ranking} & {*second.ranking}
        assert search.click(page.id, document=page.ranking[0]) == "accepted"
        assert search.click(page.id, document=page.ranking[0]) == "repeated"
        assert search.click(page.id, document="z") == "unknown"
        assert search.click(None, document="z") == "unknown"
        assert not search.tell(None, outcome=1).told
        tally = client.events([{"impression": second.id, "position": 0}, {"impression": second.id}])
        assert (tally.accepted, tally.rejected) == (1, 1)
        weights = client.define(WEIGHTS)
        weights.start()
        assert weights.rank([("a", [1, 2]), ("b", [2, 1])], length=1).ranking[0] in ("a", "b")
        assert search.status()["counts"]["told"] == 1
        assert [each["name"] for each in client.experiments()] == ["search", "weights"]
        search.new_version({**ARMS, "arms": ["bm25", "ltr"]})
        assert search.status()["version"] == 2
        assert client.forget("ann") == 3  # an ask and two pages
        search.start()
        search.pause()
        search.stop()
        assert search.ask().id is None


def test_votes_go_through_the_client(url: str) -> None:
    contents = {"blue": "A blue page", "green": {"markdown": "A **green** page"}}
    votes = {"name": "votes", "kind": "arms", "arms": ["blue", "green"], "policy": "rucb", "contents": contents}
    with Client(url, "secret") as client:
        experiment = client.define(votes)
        experiment.start()
        asked = experiment.question(user="ann")
        assert asked.left is not None
        assert asked.right is not None
        assert {"A blue page"} == {side["text"] for side in (asked.left, asked.right) if "text" in side}
        assert experiment.tell(asked.id, outcome=1).told
        again = experiment.question(user="ann")
        assert (again.id, again.why, again.votes) == (None, "done", 1)
        assert experiment.question().id is not None  # somebody else
    with Client("http://127.0.0.1:1", fallback=True) as away:
        assert away["votes"].question(user="ann") == (None, None, None, None, "away", 0, False, True)


def test_errors_are_those_of_the_library(url: str) -> None:
    with Client(url, "secret") as client:
        client.define({**ARMS, "name": "errors"})
        with pytest.raises(AlreadyDefined, match="draft"):
            client["errors"].ask()
        with pytest.raises(AlreadyDefined):
            client.define({**ARMS, "name": "errors", "arms": ["bm25", "ltr"]})
        with pytest.raises(UnknownName, match="none"):
            client["none"].status()
        with pytest.raises(BadInput, match="policy"):
            client.define({**ARMS, "name": "new", "policy": "none"})
        with pytest.raises(BadInput, match="needs either"):
            client["errors"].click("1-1")
    with Client(url) as nobody, pytest.raises(NotAllowed, match="Bearer"):
        nobody.experiments()
    with Client(url, "weak", fallback=True) as weak, pytest.raises(NotAllowed, match="admin"):
        weak["errors"].start()


def test_a_lost_answer_is_asked_for_again_and_counted_once(url: str) -> None:
    with Client(url, "secret") as client:
        lossy = client.define({**ARMS, "name": "lossy"})
        lossy.start()
        transport = Lossy(lost=2)
        with Client(url, "secret", transport=transport) as unlucky:
            asked = unlucky["lossy"].ask(user="ann")
            assert transport.sent == 3
            transport.sent = 0
            assert unlucky["lossy"].tell(asked.id, outcome=1).repeated
            transport.sent = 0
            page = unlucky["lossy"].interleave(RANKINGS)
        counts = lossy.status()["counts"]
        assert (counts["drawn"], counts["told"], counts["shown"]) == (1, 1, 1)
        assert page.id is not None
        with Client(url, "secret", transport=Lossy(lost=3)) as never, pytest.raises(Unreachable, match="lost on its"):
            never["lossy"].ask()


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def away() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_with_several_addresses_whoever_is_there_answers(url: str) -> None:
    with Client(url, "secret") as client:
        several = client.define({**ARMS, "name": "several"})
        several.start()
    for _ in range(3):  # whichever of them it begins with
        with Client([away(), url, away()], "secret") as client:
            assert [client["several"].ask().fallback for _ in range(3)] == [False] * 3
            assert client._addresses.here == url

    async def check() -> None:
        async with AsyncClient([away(), url + "/"], "secret") as client:
            assert (await client["several"].ask()).id

    asyncio.run(check())
    with pytest.raises(BadInput, match="needs the address"):
        Client([])


@pytest.mark.parametrize("how", ["silent", "away"])
def test_without_its_service_a_client_answers_in_time_and_says_so(silent: str, how: str) -> None:
    began = time.monotonic()
    with Client(silent if how == "silent" else away(), timeout=0.3, fallback="ltr") as client:
        search = client["search"]
        page = search.interleave(RANKINGS, length=2, page=2)
        assert (page.fallback, page.id, page.ranking, page.arms) == (True, None, ("e", "b"), ("ltr",))
        assert search.ask() == (None, "ltr", "ltr", True)
        assert search.rank([("x", [1.0]), ("y", [2.0])]).ranking == ("x", "y")
        assert search.tell("1-2", outcome=1) == ("1-2", False, False, True)
        assert search.click("1-2", position=0) == "away"
        assert client.events([{}]).fallback
        with pytest.raises(Unreachable):
            search.status()
    assert time.monotonic() - began < 7 * 0.6


def test_a_fallback_without_a_name_is_the_first_ranking() -> None:
    with Client(away(), timeout=0.2, fallback=True) as client:
        assert client["search"].interleave(RANKINGS).ranking == ("a", "b", "c", "d")
        assert client["search"].ask(allowed=["vector"]).left == "vector"
        with pytest.raises(Unreachable):  # there is nothing to show
            client["search"].ask()


def test_a_service_that_is_too_busy_is_asked_again() -> None:
    answers = [httpx.Response(503, json={"error": {"code": "overloaded", "message": "later", "field": None}})] * 2
    answers.append(httpx.Response(200, json={"id": "1-2", "left": "a", "right": "b"}))
    sent: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.content)
        return answers[len(sent) - 1]

    with Client("http://x", transport=httpx.MockTransport(answer)) as client:
        assert client["search"].ask().id == "1-2"
    assert len(sent) == 3
    assert len({*sent}) == 1  # with the same key
    broken = httpx.MockTransport(lambda request: httpx.Response(502, text="bad gateway"))
    with Client("http://x", transport=broken, timeout=0.3) as client, pytest.raises(CannotStore, match="502"):
        client["search"].ask()


def test_the_asynchronous_client(url: str) -> None:
    async def check() -> None:
        async with AsyncClient(url, "secret") as client:
            search = await client.define({**ARMS, "name": "loop"})
            await search.start()
            asked = await asyncio.gather(*(search.ask(user=str(n)) for n in range(20)))
            assert len({each.id for each in asked}) == 20
            told = await asyncio.gather(*(search.tell(each.id, outcome=1) for each in asked))
            assert [each.told for each in told] == [True] * 20
            page = await search.interleave(RANKINGS)
            assert await search.click(page.id, position=0) == "accepted"
            assert (await search.status())["counts"]["told"] == 20
        async with AsyncClient(away(), timeout=0.2, fallback=True) as nobody:
            assert (await nobody["loop"].interleave(RANKINGS)).fallback

    asyncio.run(check())


@pytest.mark.parametrize("other", [RemoteExperiment, AsyncExperiment])
def test_all_have_the_same_verbs(other: Any) -> None:
    def verbs(kind: Any) -> dict[str, list[str]]:
        return {
            name: [each for each in inspect.signature(made).parameters if each != "by"]  # the token says who it is
            for name, made in vars(kind).items()
            if not name.startswith("_")
        }

    assert verbs(other) == verbs(Experiment)
