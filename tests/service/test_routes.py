"""Every route of the contract: names of fields and status codes."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from duelist.live.definition import Definition
from duelist.live.replay import fold_anew
from duelist.live.snapshots import state_hash
from duelist.service.rehearsal import compile_apart, rehearse

from .helpers import ARMS, ONE, PAIR, RANKINGS, WEIGHTS, Http, serving


@serving()
async def test_an_experiment_from_its_definition_to_its_end(http: Http) -> None:
    made = await http("POST", "/v1/experiments", ARMS)
    assert (made.status, made.body) == (201, {"name": "search", "version": 1, "state": "draft"})
    again = await http("POST", "/v1/experiments", ARMS)
    assert (again.status, again.body) == (200, made.body)
    other = await http("POST", "/v1/experiments", ARMS | {"arms": ["bm25", "ltr"]})
    assert (other.status, other.code) == (409, "conflict")
    assert (await http("POST", f"{ONE}/ask", {})).status == 409  # a draft
    assert (await http.post(f"{ONE}/start"))["state"] == "running"
    assert (await http.post(f"{ONE}/start"))["state"] == "running"
    assert (await http.post(f"{ONE}/pause"))["state"] == "paused"
    assert await http.post(f"{ONE}/ask", {}) == {"id": None, "left": "bm25", "right": "bm25"}
    assert await http.post(f"{ONE}/stop") == {"name": "search", "version": 1, "state": "stopped"}
    assert (await http("POST", f"{ONE}/start")).status == 409
    best = (await http.get(ONE))["best"]
    assert await http.post(f"{ONE}/ask", {}) == {"id": None, "left": best, "right": best}


@serving()
async def test_asks_and_tells(http: Http) -> None:
    await http.running()
    asked = await http.post(f"{ONE}/ask", {"user": "ann", "key": "k1", "allowed": ["bm25", "ltr"]})
    assert asked.keys() == {"id", "left", "right"}
    assert {asked["left"], asked["right"]} <= {"bm25", "ltr"}
    assert await http.post(f"{ONE}/ask", {"user": "ann", "key": "k1"}) == asked
    assert await http.post(f"{ONE}/tell", {"id": asked["id"], "winner": asked["left"]}) == {
        "id": asked["id"],
        "told": True,
    }
    repeated = {"id": asked["id"], "told": True, "repeated": True}
    assert await http.post(f"{ONE}/tell", {"id": asked["id"], "outcome": 0.25}) == repeated
    found = await http.get(ONE)
    assert (found["counts"]["drawn"], found["counts"]["told"], found["counts"]["told_again"]) == (1, 1, 1)
    wanted = {"name", "kind", "version", "state", "best", "certain", "arms", "pairs", "evidence", "health", "counts"}
    assert wanted | {"lag", "seq", "hash"} <= found.keys()
    assert {"name", "shown", "wins"} <= found["arms"][0].keys()
    folded = fold_anew(http.service.experiments.journal)
    assert found["hash"] == state_hash(folded.current("search"))  # type: ignore[arg-type]


@serving()
async def test_lists_of_rankers_page_by_page_and_their_clicks(http: Http) -> None:
    await http.running()
    asked = await http.post(f"{ONE}/ask", {"user": "ann"})
    wanted = {"user": "ann", "query": "q", "of": asked["id"], "rankings": RANKINGS, "length": 2}
    page = await http.post(f"{ONE}/interleave", wanted)
    assert page.keys() == {"id", "ranking", "page", "arms"}
    assert (len(page["ranking"]), page["page"]) == (2, 1)
    assert {*page["arms"]} == {asked["left"], asked["right"]}
    second = await http.post(f"{ONE}/interleave", wanted | {"of": page["id"], "page": 2})
    assert second["page"] == 2
    assert not {*page["ranking"]} & {*second["ranking"]}
    event = {"impression": page["id"], "document": page["ranking"][0]}
    whole = {"accepted": 1, "repeated": 0, "late": 0, "unknown": 0}
    assert (await http.post("/v1/events", event)).items() >= whole.items()
    assert (await http.post("/v1/events", [event]))["repeated"] == 1
    many = {
        "events": [event | {"impression": second["id"], "document": second["ranking"][1]}, event | {"document": "z"}]
    }
    assert (await http.post("/v1/events", many)).items() >= {"accepted": 1, "unknown": 1}.items()
    counts = (await http.get(ONE))["counts"]
    assert (counts["clicks"], counts["counted"], counts["repeated"], counts["unknown"]) == (4, 2, 1, 1)


@serving()
async def test_a_learner_ranks(http: Http) -> None:
    path = await http.running(WEIGHTS)
    documents = [{"id": f"d{n}", "features": [n, 1, -n]} for n in range(5)]
    page = await http.post(f"{path}/rank", {"user": "ann", "query": "q", "documents": documents, "length": 3})
    assert page.keys() == {"id", "ranking"}
    assert len(page["ranking"]) == 3
    assert (await http.post("/v1/events", {"impression": page["id"], "position": 1}))["accepted"] == 1
    bad = await http("POST", f"{path}/rank", {"documents": [{"id": "d", "features": [1]}]})
    assert bad.status == 422


@serving()
async def test_versions(http: Http) -> None:
    await http.running()
    fresh = {**ARMS, "arms": ["bm25", "ltr", "dense"]}
    del fresh["name"]
    made = await http("POST", f"{ONE}/versions", {**fresh, "warm": True})
    assert (made.status, made.body) == (201, {"name": "search", "version": 2, "state": "draft"})
    again = await http("POST", f"{ONE}/versions", {**fresh, "warm": True})
    assert (again.status, again.body["version"]) == (200, 2)
    assert (await http("POST", f"{ONE}/versions", {**fresh, "name": "other"})).field == "name"
    assert (await http("POST", "/v1/experiments/none/versions", fresh)).status == 404
    changes = [json.loads(line) for line in (await http.get(f"{ONE}/events")).splitlines()]
    assert [line["kind"] for line in changes] == ["defined", "state", "defined"]
    assert {line["body"]["by"] for line in changes} == {"local"}


@serving()
async def test_all_experiments(http: Http) -> None:
    for definition in (ARMS, PAIR, WEIGHTS):
        await http.post("/v1/experiments", definition)
    found = (await http.get("/v1/experiments"))["experiments"]
    assert [each["name"] for each in found] == ["search", "pair", "weights"]
    wanted = {"name", "kind", "version", "state", "best", "certain", "events", "healthy"}
    wanted |= {"chance", "way", "shown", "at"}
    assert all(each.keys() == wanted for each in found)


@serving()
async def test_events_as_lines(http: Http) -> None:
    await http.running()
    await http.running(PAIR)
    for user in ("ann", "bob", "ann"):
        asked = await http.post(f"{ONE}/ask", {"user": user})
        await http.post(f"{ONE}/tell", {"id": asked["id"], "outcome": 1})
    await http.post(f"{ONE}/interleave", {"rankings": RANKINGS})
    answer = await http("GET", f"{ONE}/events?after=4&limit=3")
    assert answer.headers["content-type"] == "application/jsonl"
    lines = [json.loads(line) for line in answer.body.splitlines()]
    assert [line["kind"] for line in lines] == ["drawn", "told", "drawn"]
    assert all(line.keys() == {"seq", "at", "kind", "version", "user", "body"} for line in lines)
    assert lines[1]["body"] == {"of": lines[0]["seq"], "outcome": 1.0}
    everything = [json.loads(line) for line in (await http.get(f"{ONE}/events")).splitlines()]
    assert len({line["user"] for line in everything if line["kind"] == "drawn"}) == 2
    assert everything[-1]["body"]["shown"]
    assert (await http("GET", f"{ONE}/events?limit=0")).field == "limit"
    assert (await http("GET", f"{ONE}/events?after=x")).field == "after"


@serving()
async def test_a_user_is_forgotten(http: Http) -> None:
    await http.running()
    for _ in range(3):
        await http.post(f"{ONE}/ask", {"user": "ann"})
    before = (await http.get(ONE))["hash"]
    old = http.service.experiments.hashed("ann").hex()
    assert old in await http.get(f"{ONE}/events")
    assert await http.post("/v1/users/forget", {"user": "ann"}) == {"forgotten": 3}
    assert old not in await http.get(f"{ONE}/events")
    assert (await http.get(ONE))["hash"] == before


@serving()
async def test_the_service_itself(http: Http) -> None:
    await http.running()
    await http.post(f"{ONE}/ask", {})
    assert (await http.get("/healthz"))["status"] == "ok"
    assert (await http.get("/readyz"))["seq"] == 3
    document = await http.get("/openapi.json")
    assert document["openapi"] == "3.1.0"
    assert {"/v1/events", "/v1/experiments/{name}/ask", "/v1/users/forget", "/metrics"} <= document["paths"].keys()
    page = await http.get("/metrics")
    for line in (
        'duelist_requests_total{route="POST /v1/experiments/{name}/ask",status="200"} 1.0',
        'duelist_request_seconds_count{route="POST /v1/experiments/{name}/ask"} 1.0',
        'duelist_open_impressions{experiment="search"} 1.0',
        'duelist_lag_duels{experiment="search"} 0.0',
        "duelist_journal_head 3.0",
        "duelist_unhealthy_experiments 0.0",
    ):
        assert line in page


UBI: list[tuple[dict[str, Any], str]] = [
    ({"event_attributes": {"object": {"object_id": "a", "object_id_field": "sku"}}}, "accepted"),
    ({"event_attributes": {"position": {"ordinal": 1, "xy": {"x": 1, "y": 2}}}}, "accepted"),
    ({"event_attributes": {"object": {"object_id": "7"}}}, "accepted"),  # UBI's ids are text
    ({"event_attributes": {"object": {"object_id": "z"}}}, "unknown"),
    ({"event_attributes": {"position": {"ordinal": 99}}}, "unknown"),
    ({"event_attributes": {"position": {"ordinal": 1}}, "query_id": "of another system"}, "unknown"),
    ({"event_attributes": {"position": {"ordinal": 1}}, "action_name": "impression"}, "ignored"),
    ({"event_attributes": {}}, "rejected"),
    ({}, "rejected"),
    ({"event_attributes": {"position": {"ordinal": "one"}}}, "rejected"),
]


@pytest.mark.parametrize(("event", "verdict"), UBI)
def test_events_of_ubi(event: dict[str, Any], verdict: str) -> None:
    @serving()
    async def check(http: Http) -> None:
        path = await http.running(PAIR)
        page = await http.post(f"{path}/interleave", {"rankings": {"old": ["a", 7], "new": [7, "a"]}, "user": "ann"})
        whole = {"application": "shop", "action_name": "click", "query_id": page["id"], "client_id": "ann"}
        tally = await http.post("/v1/events", {**whole, "timestamp": "2026-01-01T00:00:00Z", **event})
        assert {name: count for name, count in tally.items() if count and name != "reason"} == {verdict: 1}

    check()


@serving()
async def test_a_query_id_of_ubi_may_be_the_key_of_the_caller(http: Http) -> None:
    pair, search, weights = [await http.running(each) for each in (PAIR, ARMS, WEIGHTS)]
    lists = {"rankings": {"old": ["a", "b"], "new": ["b", "a"]}}
    page = await http.post(f"{pair}/interleave", {**lists, "key": "q-1"})
    await http.post(f"{search}/interleave", {"rankings": RANKINGS, "key": "7-9"})  # looks like an id, and is none
    documents = [{"id": "x", "features": [0, 1, 2]}, {"id": "y", "features": [1, 0, 2]}]
    await http.post(f"{weights}/rank", {"documents": documents, "key": "r"})
    await http.post(f"{search}/ask", {"key": "an ask"})
    event = {"action_name": "click", "event_attributes": {"position": {"ordinal": 1}}}
    keys = ["q-1", "7-9", "r", "an ask", "none", "q-1"]
    tally = await http.post("/v1/events", [{**event, "query_id": key} for key in keys])
    assert (tally["accepted"], tally["unknown"], tally["repeated"]) == (3, 2, 1)
    counts = [(await http.get(path))["counts"]["counted"] for path in (pair, search, weights)]
    assert counts == [1, 1, 1]
    same = await http.post("/v1/events", [{**event, "query_id": page["id"]}, {"impression": "q-1", "position": 0}])
    assert (same["repeated"], same["rejected"]) == (1, 1)  # by its id as well; our own events have the id


@serving()
async def test_bad_events_of_a_batch_are_counted_and_the_others_kept(http: Http) -> None:
    path = await http.running(PAIR | {"credit": {"click": 1, "buy": 2}})
    page = await http.post(f"{path}/interleave", {"rankings": {"old": ["a", "b"], "new": ["b", "c"]}})
    good = {"impression": page["id"], "position": 0}
    batch = [
        good,
        {"impression": page["id"]},  # nothing was clicked
        {"impression": "nonsense", "position": 0},
        {"impression": f"1-{10**30}", "position": 0},
        {"impression": "99-1", "position": 0},
        "text",
        good | {"value": 1e300},
        good | {"action": "buy", "value": 3.5, "at": "2026-01-01T00:00:00+01:00"},
        good | {"position": 10**25},
        good,
    ]
    tally = await http.post("/v1/events", batch)
    reason = tally.pop("reason")
    assert tally == {"accepted": 2, "repeated": 1, "late": 0, "unknown": 1, "rejected": 6, "ignored": 0}
    assert "expected `object`" in reason.lower()


def test_defining_one_experiment_does_not_stall_another(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    async def apart(definition: Definition) -> None:
        compiled.append(definition.name)
        await asyncio.sleep(0.3)

    def slowly(definition: Definition) -> None:
        time.sleep(0.3)
        rehearse(definition)

    monkeypatch.setattr("duelist.service.service.compile_apart", apart)
    monkeypatch.setattr("duelist.service.service.rehearse", slowly)

    @serving(compile_apart=True)
    async def check(http: Http) -> None:
        await http.running()
        defining = asyncio.create_task(http("POST", "/v1/experiments", {**PAIR, "name": "fresh"}))
        waits = []
        while not defining.done():
            began = time.monotonic()
            await http.post(f"{ONE}/ask", {})
            waits.append(time.monotonic() - began)
        assert (await defining).status == 201
        assert sum(waits) > 0.55
        assert max(waits) < 0.25
        await http.post("/v1/experiments", {**ARMS, "name": "known"})
        assert compiled == ["search", "fresh"]  # what was compiled before is not compiled again

    check()


def test_compiling_apart_does_no_harm_where_it_fails() -> None:
    assert not asyncio.run(compile_apart(Definition(name="none", kind="pair", arms=("x",))))
    assert asyncio.run(compile_apart(Definition(name="some", kind="pair", arms=("x", "y"), default="x")))
