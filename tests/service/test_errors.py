"""Whatever is sent, the answer says what is wrong with it, and nobody else suffers."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from duelist.live.requests import Plan

from .helpers import ARMS, ONE, PAIR, RANKINGS, Http, serving

TELL = {"id": "1-3", "outcome": 1}
BAD: list[tuple[str, Any, int, str, str | None]] = [
    (f"{ONE}/ask", {"usr": "ann"}, 422, "invalid", "usr"),
    (f"{ONE}/ask", {"user": "x" * 1001}, 422, "invalid", "user"),
    (f"{ONE}/ask", {"key": "x" * 201}, 422, "invalid", "key"),
    (f"{ONE}/ask", {"allowed": ["none"]}, 422, "invalid", None),
    (f"{ONE}/ask", [], 422, "invalid", None),
    ("/v1/experiments/none/ask", {}, 404, "not_found", None),
    (f"{ONE}/tell", {"id": "1-3"}, 422, "invalid", None),
    (f"{ONE}/tell", {"id": "1-3", "outcome": 2}, 422, "invalid", "outcome"),
    (f"{ONE}/tell", {"id": "1-3", "winner": "none"}, 422, "invalid", "winner"),
    (f"{ONE}/tell", {"id": "x", "outcome": 1}, 422, "invalid", None),
    (f"{ONE}/tell", {"id": "1-9" + "9" * 30, "outcome": 1}, 422, "invalid", None),
    (f"{ONE}/tell", {"id": "1-999", "outcome": 1}, 404, "not_found", None),
    (f"{ONE}/tell", {"id": "7-3", "outcome": 1}, 404, "not_found", None),
    (f"{ONE}/interleave", {}, 422, "invalid", "rankings"),
    (f"{ONE}/interleave", {"rankings": {}}, 422, "invalid", None),
    (f"{ONE}/interleave", {"rankings": RANKINGS, "length": 0}, 422, "invalid", "length"),
    (f"{ONE}/interleave", {"rankings": RANKINGS, "page": 2}, 422, "invalid", "page"),
    (f"{ONE}/interleave", {"rankings": {"bm25": ["a", "a"], "ltr": ["b"]}}, 422, "invalid", None),
    (f"{ONE}/interleave", {"rankings": {"bm25": [2**70], "ltr": ["b"]}}, 422, "invalid", "rankings[...][0]"),
    (f"{ONE}/rank", {"documents": []}, 422, "invalid", None),
    ("/v1/experiments", {"name": "a b", "kind": "pair", "arms": ["x", "y"]}, 422, "invalid", "name"),
    ("/v1/experiments", {"name": "new", "kind": "pair", "arms": ["x"]}, 422, "invalid", None),
    ("/v1/experiments", {"name": "new", "kind": "what"}, 422, "invalid", "kind"),
    ("/v1/experiments", {**ARMS, "name": "new", "policy": "none"}, 422, "invalid", "policy"),
    ("/v1/experiments", {**ARMS, "name": "new", "policy": "os:path"}, 422, "invalid", "policy"),
    ("/v1/experiments", {**ARMS, "name": "new", "policy": "window:base=os:path"}, 422, "invalid", "policy"),
    (
        "/v1/experiments",
        {**ARMS, "name": "new", "policy": "window", "parameters": {"base": {"name": "os:path"}}},
        422,
        "invalid",
        "parameters",
    ),
    ("/v1/experiments", {**PAIR, "name": "new", "method": "os:path"}, 422, "invalid", "method"),
    ("/v1/experiments", {**ARMS, "name": "new", "parameters": {"alpha": 2**80}}, 422, "invalid", None),
    ("/v1/experiments", {**ARMS, "name": "new", "parameters": {"alpha": "x"}}, 422, "invalid", None),
    ("/v1/experiments", {**ARMS, "name": "new", "share": 2}, 422, "invalid", "share"),
    ("/v1/users/forget", {"user": 1.5}, 422, "invalid", "user"),
    (f"{ONE}/none", {}, 404, "not_found", None),
    ("/v1/none", {}, 404, "not_found", None),
]


def test_bad_requests_are_refused_with_their_reason_and_change_nothing() -> None:
    @serving()
    async def check(http: Http) -> None:
        await http.running()
        asked = await http.post(f"{ONE}/ask", {})
        assert asked["id"] == "1-3"
        before = (await http.get("/readyz"))["seq"]
        for path, body, status, code, field in BAD:
            answer = await http("POST", path, body)
            assert answer.body.keys() == {"error"}, (path, body, answer)
            assert answer.body["error"].keys() == {"code", "message", "field"}
            assert (answer.status, answer.code, answer.field) == (status, code, field), (path, body, answer.body)
        assert (await http.get("/readyz"))["seq"] == before

    check()


@serving()
async def test_what_is_not_json(http: Http) -> None:
    await http.running()
    kind = {"content-type": "application/json"}
    for path in (f"{ONE}/ask", "/v1/events", "/v1/experiments"):
        for body in (b"", b"{", b"\xff\xfe", b'"\\ud800"', b"[" * 100_000, b"nul"):
            answer = await http("POST", path, content=body, headers=kind)
            assert (answer.status, answer.code) in ((400, "malformed"), (422, "invalid")), (path, body[:10], answer)
    assert (await http("POST", f"{ONE}/ask", content=b"{}", headers={"content-type": "text/plain"})).status == 400


@serving(max_body=1000, max_events=3)
async def test_what_is_too_large(http: Http) -> None:
    answer = await http("POST", "/v1/events", [{"impression": "1-3", "position": 0}] * 100)
    assert (answer.status, answer.code) == (413, "too_large")
    assert (await http("POST", "/v1/events", [{"impression": "1-3", "position": 0}] * 4)).status == 413

    async def drops() -> Any:
        for _ in range(20):
            yield b" " * 100

    assert (await http("POST", "/v1/events", content=drops())).status == 413


@serving(max_experiments=1, max_open=2)
async def test_limits(http: Http) -> None:
    await http.running()
    full = await http("POST", "/v1/experiments", PAIR)
    assert (full.status, full.code, full.headers["retry-after"]) == (429, "limit", "1")
    first = await http.post(f"{ONE}/ask", {})
    await http.post(f"{ONE}/ask", {})
    assert (await http("POST", f"{ONE}/ask", {})).status == 429
    await http.post(f"{ONE}/tell", {"id": first["id"], "outcome": 1})
    assert (await http("POST", f"{ONE}/ask", {})).status == 200


@serving()
async def test_other_methods(http: Http) -> None:
    answer = await http("DELETE", "/v1/experiments")
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert {*answer.headers["allow"].split(", ")} == {"GET", "HEAD", "POST"}


def test_what_nobody_expected_is_logged_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    @serving()
    async def check(http: Http) -> None:
        def broken(*args: Any) -> Plan:
            raise ZeroDivisionError("a secret")

        await http.running()
        monkeypatch.setattr("duelist.live.verbs.Verbs.ask", broken)
        with caplog.at_level(logging.ERROR):
            answer = await http("POST", f"{ONE}/ask", {"user": "ann"})
        assert (answer.status, answer.code) == (503, "internal")
        assert "secret" not in str(answer.body)
        reference = answer.body["error"]["message"].split()[-1]
        assert [record.__dict__["reference"] for record in caplog.records] == [reference]
        assert "ann" not in caplog.text

    check()
