"""Votes over HTTP."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duelist.live.told import told_duels
from duelist.ranking import leaderboard
from duelist.service.auth import Token, hash_token
from duelist.service.markdown import Node, markdown_nodes
from duelist.service.openapi import openapi

from .helpers import ARMS, Http, serving

NAMES = ["red", "green", "blue"]
CONTENTS: dict[str, Any] = {
    "red": "just <b>text</b>",
    "green": {"markdown": "# Big\n\n**bold** [on](https://e.x)"},
    "blue": {"image": "https://pictures.example:8443/blue.png", "text": "a blue one"},
}
VOTES = {"name": "colours", "kind": "arms", "arms": NAMES, "policy": "rmed1", "contents": CONTENTS}
SEEN = {
    "red": {"text": "just <b>text</b>"},
    "green": {
        "nodes": [
            {"tag": "h3", "children": ["Big"]},
            {
                "tag": "p",
                "children": [
                    {"tag": "strong", "children": ["bold"]},
                    " ",
                    {"tag": "a", "children": ["on"], "href": "https://e.x"},
                ],
            },
        ]
    },
    "blue": {"image": "https://pictures.example:8443/blue.png", "text": "a blue one"},
}
ONE = "/v1/experiments/colours"


async def vote(http: Http, user: str, number: int, order: list[str] = NAMES) -> Any:
    """Ask and answer: whoever comes first in `order` is better."""
    asked = await http.post(f"{ONE}/question", {"user": user, "key": f"{user} {number}"})
    if asked["id"] is not None:
        left, right = (next(name for name in order if SEEN[name] == asked[side]) for side in ("left", "right"))
        outcome = float(order.index(left) < order.index(right))
        await http.post(f"{ONE}/tell", {"id": asked["id"], "outcome": outcome})
    return asked


@serving()
async def test_a_question_has_contents_and_no_names(http: Http) -> None:
    await http.running(VOTES)
    asked = await http.post(f"{ONE}/question", {"user": "ann", "key": "1"})
    assert asked == await http.post(f"{ONE}/question", {"user": "ann", "key": "1"})
    assert (asked["state"], asked["why"], asked["prompt"], asked["votes"], asked["certain"]) == (
        *("running", "", None, 0),
        False,
    )
    assert asked["left"] != asked["right"]
    assert asked["left"] in SEEN.values()
    assert asked["right"] in SEEN.values()
    assert not any(f'"{name}"' in str(asked) for name in NAMES)


@serving()
async def test_votes_come_to_a_board_that_is_certain(http: Http) -> None:
    await http.running({**VOTES, "stop": {"rule": "evidence"}})
    assert [each["rank"] for each in (await http.get(f"{ONE}/board"))["standings"]] == [None] * 3
    number = 0
    while (await vote(http, f"u{number}", 0))["id"] is not None:
        number += 1
    assert number < 60
    last = await vote(http, "late", 0)
    assert (last["state"], last["why"], last["certain"], last["left"], last["votes"]) == (
        *("stopped", "stopped", True),
        None,
        number,
    )
    board = await http.get(f"{ONE}/board")
    assert (board["votes"], board["certain"], board["best"], board["target"]) == (number, True, "red", "best")
    assert (board["standings"][0]["arm"], board["standings"][0]["rank_high"]) == ("red", 1)
    same = leaderboard(told_duels(http.service.experiments.journal), kind="always-valid", prior=1)
    assert [each["arm"] for each in board["standings"]] == [each.arm for each in same.standings]
    for ours, theirs in zip(board["standings"], same.standings, strict=True):
        assert ours["strength"] == pytest.approx(theirs.strength)
        assert ours["low"] == (pytest.approx(theirs.low) if np.isfinite(theirs.low) else None)
        assert (ours["rank_low"], ours["rank_high"]) == (theirs.rank_low, theirs.rank_high)


@serving()
async def test_a_voter_is_done_while_others_go_on(http: Http) -> None:
    await http.running(VOTES)
    asked = [await vote(http, "ann", number) for number in range(4)]
    assert [each["why"] for each in asked] == ["", "", "", "done"]
    assert (await vote(http, "bob", 0))["why"] == ""
    await http.post(f"{ONE}/pause")
    assert (await vote(http, "bob", 1))["why"] == "paused"
    await http.post(f"{ONE}/start")
    await http.post(f"{ONE}/stop")
    assert (await vote(http, "bob", 1))["why"] == "stopped"
    assert (await http.get(ONE))["counts"]["told"] == 4


@serving()
async def test_who_does_not_take_part_is_told_so(http: Http) -> None:
    await http.running({**VOTES, "share": 0.0})
    assert (await vote(http, "ann", 0))["why"] == "outside"


@serving()
async def test_prompts_are_the_same_for_both(http: Http) -> None:
    contents = [
        {"prompt": {"markdown": f"*{n}*"}, "answers": {name: f"{name} {n}" for name in NAMES}} for n in range(9)
    ]
    await http.running({**VOTES, "contents": contents})
    for number in range(20):
        asked = await http.post(f"{ONE}/question", {"user": "ann", "key": f"{number}"})
        place = asked["prompt"]["nodes"][0]["children"][0]["children"][0]
        assert {asked[side]["text"].split()[1] for side in ("left", "right")} == {place}
    events = await http.get(f"{ONE}/events")
    assert '"prompt":' in events
    assert '"swapped":true' in events


@serving()
async def test_what_cannot_be_voted_on_is_said(http: Http) -> None:
    wanted = {"user": "ann", "key": "1"}
    await http.running(ARMS)
    assert (await http("POST", "/v1/experiments/nothing/question", wanted)).status == 404
    answer = await http("POST", f"/v1/experiments/{ARMS['name']}/question", wanted)
    assert (answer.status, "no contents to vote on" in str(answer.body)) == (422, True)
    assert (await http("GET", f"/v1/experiments/{ARMS['name']}/board")).status == 409
    await http.post("/v1/experiments", VOTES)
    assert (await http("POST", f"{ONE}/question", wanted)).status == 409
    assert (await http("POST", f"{ONE}/question", {"user": "ann"})).field == "key"
    bad = {**VOTES, "name": "other", "contents": {**CONTENTS, "red": {"image": "x"}}}
    answer = await http("POST", "/v1/experiments", bad)
    assert (answer.status, answer.field) == (422, "contents")
    assert (await http.get(f"{ONE}/contents"))["contents"] == CONTENTS
    assert "contents" not in (await http.get(ONE))["definition"]


@serving()
async def test_only_the_page_of_images_may_load_them(http: Http) -> None:
    await http.running(VOTES)
    await http.running({**VOTES, "name": "texts", "contents": dict.fromkeys(NAMES, "x")})
    policy = (await http("GET", "/vote/colours")).headers["content-security-policy"]
    assert "img-src 'self' data: https://pictures.example:8443;" in policy
    for path in ("/vote/texts", "/vote/nothing", "/"):
        assert "img-src 'self' data:;" in (await http("GET", path)).headers["content-security-policy"]


SECRETS = tuple(Token(role, role, hash_token(role)) for role in ("read", "write"))


@serving(tokens=SECRETS)
async def test_voting_needs_a_token_that_writes(http: Http) -> None:
    asked = f"{ONE}/question", {"user": "ann", "key": "1"}
    assert (await http("GET", "/vote/colours")).status == 200
    assert (await http("POST", *asked)).status == 401
    assert (await http("POST", *asked, headers={"Authorization": "Bearer read"})).status == 403
    assert (await http("POST", *asked, headers={"Authorization": "Bearer write"})).status == 404


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](java\nscript:alert(1))",
    "<javascript:alert(1)>",
    "[a](data:text/html,<script>alert(1)</script>)",
    "![a](data:image/svg+xml;base64,PHN2Zz4=)",
    "![a](javascript:alert(1))",
    "[a][b]\n\n[b]: vbscript:alert(1)",
    "[a](//evil.example)",
    "[a](file:///etc/passwd)",
    '[a](https://e.x "onclick=alert(1)")',
    "```html onload=x\n<script>\n```",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_makes_no_markup_and_no_other_links(text: str) -> None:
    def walk(nodes: Any) -> Any:
        for node in nodes:
            if isinstance(node, Node):
                yield node
                yield from walk(node.children)

    found = list(walk(markdown_nodes(text)))
    assert {node.tag for node in found} <= {"p", "a", "pre", "code"}
    assert all(node.href in ("", "https://e.x") for node in found)


def depth_of(node: Node | str) -> int:
    return 0 if isinstance(node, str) else 1 + max(map(depth_of, node.children), default=0)


@pytest.mark.parametrize(
    ("text", "depth"), [(">" * 5_000, 20), ("- " * 5_000, 1), ("[" * 5_000, 1), ("*a _b " * 1_000, 1)]
)
def test_markdown_that_nests_for_ever_does_not(text: str, depth: int) -> None:
    """The reader goes twenty levels down; what opens and never closes is text, all of it."""
    (found,) = markdown_nodes(text)
    assert depth_of(found) == depth
    if text[0] in "[*":
        assert found.children == [text.strip()]  # type: ignore[union-attr]


def test_the_document_names_every_schema_once() -> None:
    assert [name for name in openapi()["components"]["schemas"] if "." in name] == []
