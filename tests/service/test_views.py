"""What pages ask the service for."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from duelist.service import stream
from duelist.service.view_schemas import Course, Explained, Insight, Lines

from .helpers import ARMS, ONE, PAIR, WEIGHTS, Http, server, serving


def fields(schema: Any) -> set[str]:
    return {*schema.__struct_fields__}


@serving()
async def test_numbers_to_look_at(http: Http) -> None:
    for definition in (ARMS, PAIR, WEIGHTS):
        path = await http.running(definition)
        assert (await http.get(f"{path}/insight")).keys() == fields(Insight)
        assert (await http.get(f"{path}/history")).keys() == fields(Course)
    for number in range(20):
        asked = await http.post(f"{ONE}/ask", {"user": f"u{number}"})
        await http.post(f"{ONE}/tell", {"id": asked["id"], "winner": asked["left"]})
    seen, course = await http.get(f"{ONE}/insight"), await http.get(f"{ONE}/history")
    assert (seen["shown"], seen["health"]["counts"]["told"], course["lessons"][-1]) == (20, 20, 20)
    assert sum(seen["arms"][place]["traffic"] for place in range(3)) == pytest.approx(20)
    assert seen["versions"][0]["changes"][1].items() >= {"what": "running", "by": "local"}.items()
    lines = await http.get(f"{ONE}/impressions")
    assert lines.keys() == fields(Lines)
    assert lines["impressions"][0]["id"] == asked["id"]
    told = await http.get(f"{ONE}/explain?id={asked['id']}")
    assert told.keys() == fields(Explained)
    assert (await http("GET", f"{ONE}/explain?id=1-999")).status == 404
    assert (await http("GET", f"{ONE}/explain")).field == "id"
    assert (await http("GET", "/v1/experiments/none/insight")).status == 404


@serving()
async def test_a_definition_is_checked_and_not_defined(http: Http) -> None:
    async def check(**more: Any) -> Any:
        return await http.post("/v1/definitions/check", {"definition": ARMS | more})

    good = await check()
    assert (good["error"], good["known"], good["definition"]["default"]) == (None, False, "bm25")
    for more in ({"length": 0}, {"length": "x"}, {"method": "balanced"}, {"policy": "os:system"}, {"arms": ["a"]}):
        real = await http("POST", "/v1/experiments", ARMS | more)
        assert (await check(**more))["error"] == real.body["error"]
    assert (await http.get("/v1/experiments"))["experiments"] == []
    await http.post("/v1/experiments", ARMS)
    assert (await check())["known"] is True


@serving()
async def test_the_names_that_a_definition_may_use(http: Http) -> None:
    found = await http.get("/v1/choices")
    assert {"rucb", "auto"} <= {each["name"] for each in found["policies"]}
    assert {"pdgd"} <= {each["name"] for each in found["learners"]}
    assert {"team-draft"} <= {each["name"] for each in found["methods"]}
    assert all(each["about"] for each in found["policies"])


def lines_of(answer: httpx.Response) -> Any:
    """What comes as data."""
    for line in answer.iter_lines():
        if line.startswith("data: "):
            yield json.loads(line[6:])["changed"]


def test_changes_are_told_and_streams_end_with_the_server(tmp_path: Path) -> None:
    with (
        server(tmp_path / "live.db", DUELIST_STOP_SECONDS="600") as one,
        httpx.Client(base_url=one.url, timeout=30) as http,
    ):
        for definition in (PAIR, PAIR | {"name": "other"}):
            http.post("/v1/experiments", json=definition).raise_for_status()
        with http.stream("GET", "/v1/stream") as answer:
            assert answer.headers["content-type"] == "text/event-stream"
            lines = lines_of(answer)
            http.post("/v1/experiments/pair/start").raise_for_status()
            assert next(lines) == ["pair"]
            http.post("/v1/experiments/other/start").raise_for_status()
            assert next(lines) == ["other"]
            assert one.kill(signal.SIGTERM) in (0, -signal.SIGTERM)  # long before requests under way are given up
            assert list(lines) == []


@serving()
async def test_there_are_not_too_many_streams(http: Http) -> None:
    http.service.streams = stream.MOST
    assert (await http("GET", "/v1/stream")).status == 503


@serving()
async def test_a_listener_that_ends_is_forgotten(http: Http) -> None:
    lines = stream.changes(http.service)
    assert await anext(lines) == b": here\n\n"
    assert http.service.streams == 1
    await lines.aclose()
    assert http.service.streams == 0
