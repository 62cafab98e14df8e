"""Whatever comes as events, the answer is never a 500, every event is counted, and a good one among them is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duelist.service.settings import Settings

from .helpers import PAIR, Answer, Http, served

JSON = {"content-type": "application/json"}
COUNTS = ("accepted", "repeated", "late", "unknown", "rejected", "ignored")
SEEDED = settings(
    derandomize=True, max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
anything = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
ids = st.sampled_from(["1-3", "1-1", "0-0", "9-9", "mine", "1-" + "9" * 18]) | st.text() | anything
documents = st.sampled_from(["a", "b", "c", 7]) | anything
places = st.integers(-2, 5) | st.integers() | anything
times = st.sampled_from([0, 2**62, "2026-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59"]) | anything


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional=fields)


actions = st.sampled_from(["click", "buy", "impression"]) | anything
ours = some(impression=ids, document=documents, position=places, action=actions, value=anything, at=times)
attributes = some(object=some(object_id=documents) | anything, position=some(ordinal=places) | anything)
ubi = some(
    query_id=ids, action_name=actions, timestamp=times, event_attributes=attributes | anything, client_id=anything
)
batches = st.lists(ours | ubi | anything, max_size=6)


@pytest.fixture
def post() -> Iterator[Callable[[str, bytes], Answer]]:
    """Sends a body to a service with one experiment that runs."""
    with asyncio.Runner() as runner, opened(runner) as http:
        yield lambda path, body: runner.run(http("POST", path, content=body, headers=JSON))


@contextmanager
def opened(runner: asyncio.Runner) -> Iterator[Http]:
    context = served(Settings(journal="memory://", compile_apart=False))
    http = runner.run(context.__aenter__())
    try:
        runner.run(http.running(PAIR))
        yield http
    finally:
        runner.run(context.__aexit__(None, None, None))


def test_random_events_are_all_counted_and_good_ones_kept(post: Callable[[str, bytes], Answer]) -> None:
    @SEEDED
    @given(batches, st.integers(0, 6))
    def check(batch: list[Any], place: int) -> None:
        ask = {"rankings": {"old": ["a", "b", 7], "new": [7, "b", "c"]}}
        page = post("/v1/experiments/pair/interleave", json.dumps(ask).encode()).body
        whole = [*batch[:place], {"impression": page["id"], "position": 0}, *batch[place:]]
        answer = post("/v1/events", json.dumps(whole).encode())
        assert answer.status == 200, answer
        assert sum(answer.body[name] for name in COUNTS) == len(whole), answer
        assert answer.body["accepted"] >= 1
        again = post("/v1/events", json.dumps([{"impression": page["id"], "position": 0}]).encode()).body
        assert again["repeated"] == 1, again  # so the first one was kept

    check()


def test_random_bytes_are_refused_or_counted(post: Callable[[str, bytes], Answer]) -> None:
    @SEEDED
    @given(st.binary(max_size=60) | anything.map(lambda value: json.dumps(value).encode()), st.integers(0, 80))
    def check(body: bytes, cut: int) -> None:
        for sent in (body, body[:cut], b"[" + body + b"]", b'{"events":' + body + b"}"):
            answer = post("/v1/events", sent)
            assert answer.status in (200, 400, 422), (sent, answer)
            if answer.status != 200:
                assert answer.code in ("malformed", "invalid")

    check()
