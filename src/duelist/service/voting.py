"""Votes of people: what they are asked, as they see it, and the leaderboard that their votes come to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from duelist.core.errors import UnknownName
from duelist.dueling.counts import PairCounts
from duelist.live.contents import Content, Contents, as_content, hosts_of, prompts_of
from duelist.live.events import numbers_of
from duelist.live.kinds.arms import Arms
from duelist.live.requests import Question
from duelist.ranking import duel_log, leaderboard
from duelist.service.endpoints import Call
from duelist.service.errors import Refused
from duelist.service.markdown import Node, markdown_nodes
from duelist.service.schemas import Key, User
from duelist.service.service import Service
from duelist.service.site import POLICY, page_file

PRIOR = 1.0  # imagined ties of each arm: those who win always have a strength too, and ranks do not depend on it


class WantQuestion(Struct, forbid_unknown_fields=True):
    """Somebody wants to vote."""

    user: User
    key: Key


class ContentShown(Struct, omit_defaults=True):
    """A content, ready to be shown: elements and text, or an image, or a link with its text."""

    nodes: list[Node | str] = []
    image: str = ""
    link: str = ""
    text: str = ""


class QuestionShown(Struct):
    """What to show; without an id nothing is asked, and `why` says why."""

    state: str
    id: str | None
    why: str  # "", paused, stopped, outside (does not take part), done (has judged all there is)
    prompt: ContentShown | None
    left: ContentShown | None
    right: ContentShown | None
    votes: int  # so far, of everybody
    certain: bool


class BoardRow(Struct):
    """An arm on the board; numbers that are not known yet are null."""

    arm: str
    votes: int
    wins: float
    strength: float | None
    low: float | None
    high: float | None
    rank: int | None
    rank_low: int
    rank_high: int


class Board(Struct):
    """The leaderboard of votes so far."""

    votes: int
    certain: bool
    best: str | None  # once it is certain
    target: str
    promise: str
    standings: list[BoardRow]


class AllContents(Struct):
    """Contents as they were defined."""

    contents: Contents


async def question(service: Service, call: Call) -> QuestionShown:
    given: WantQuestion = call.given
    asked: Question = await service.carry_out(
        lambda: service.verbs_to_draw(call.name).question(given.user, given.key)  # type: ignore[arg-type]
    )
    with service.experiments.lock:
        current = service.experiments.state(call.name)
        state = current if asked.id is None else service.experiments.fold.states[numbers_of(asked.id)[0]]
        assert isinstance(state, Arms)
        why = "" if asked.id is not None else state.phase
        if why == "running":
            outside = service.experiments.verbs(call.name).fixed(given.user) is not None  # type: ignore[arg-type]
            why = "outside" if outside else "done"
        votes, certain = state.counts()["told"], state.answered()
    prompt, left, right = (None, None, None) if asked.id is None else _views(state, asked)
    return QuestionShown(current.phase, asked.id, why, prompt, left, right, votes, certain)


def _views(state: Arms, asked: Question) -> tuple[ContentShown | None, ContentShown, ContentShown]:
    prompt = prompts_of(_contents(state))[asked.prompt]
    left, right = (_view(as_content(prompt.answers[arm])) for arm in asked[1:3])
    return _view(as_content(prompt.prompt)) if prompt.prompt else None, left, right


def _contents(state: Any) -> Contents:
    contents = state.definition.contents
    if not contents:
        raise Refused(409, "conflict", f"experiment {state.definition.name!r} has no contents to vote on")
    return contents  # type: ignore[no-any-return]


def _view(content: Content) -> ContentShown:
    if content.markdown:
        return ContentShown(list(markdown_nodes(content.markdown)))
    return ContentShown([], content.image, content.link, content.text)


async def contents(service: Service, call: Call) -> AllContents:
    await service.catch_up()
    return AllContents(_contents(service.experiments.state(call.name)))


async def board(service: Service, call: Call) -> Board:
    await service.catch_up()
    with service.experiments.lock:
        state = service.experiments.state(call.name)
        _contents(state)
        assert isinstance(state, Arms)
        wins, certain, best = state.evidence.wins.copy(), state.answered(), state.winner()
        target = state.definition.target or "best"
        made = Board(state.counts()["told"], certain, best if certain else None, target, "", [])
    arms, alpha = state.definition.arms, state.definition.stop.alpha
    made.promise, made.standings = await service.aside(lambda: standings_of(arms, wins, alpha))
    return made


def standings_of(arms: tuple[str, ...], wins: Any, alpha: float) -> tuple[str, list[BoardRow]]:
    """What a table of wins says of each arm, the strongest first, and what its limits promise.

    >>> standings_of(("a", "b"), np.array([[0, 3.0], [12, 0]]), 0.05)[1][0].arm
    'b'
    """
    pairs = [(i, j) for i in range(len(arms)) for j in range(i) if wins[i, j] + wins[j, i]]
    counts = PairCounts([[i, j, wins[i, j], wins[j, i]] for i, j in pairs])
    rows = list(counts.duels_again())
    unplaced = [BoardRow(arm, 0, 0.0, None, None, None, None, 1, len(arms)) for arm in arms]
    if not rows:
        return "", unplaced
    log = duel_log(dict(zip(("left", "right", "outcome"), zip(*rows, strict=True), strict=True)))
    found = leaderboard(log, "always-valid", 1 - alpha, prior=PRIOR)
    standings = [
        BoardRow(
            arms[each.arm],
            each.duels,
            each.wins,
            _finite(each.strength),
            _finite(each.low),
            _finite(each.high),
            each.rank,
            each.rank_low,
            each.rank_high + len(arms) - len(log.arms),  # those that nobody has seen may be better or worse
        )
        for each in found.standings
    ]
    known = {each.arm for each in standings}
    standings += [each for each in unplaced if each.arm not in known]
    return f"{found.promise[0].upper()}{found.promise[1:]}.", standings


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def vote_routes(service: Service, files: Mapping[str, Path]) -> list[BaseRoute]:
    """The page to vote on, and images of the user's own by their names."""

    async def page(request: Request) -> Response:
        try:
            found = service.experiments.state(request.path_params["name"]).definition.contents
        except UnknownName:  # the page itself says so
            found = None
        return page_file(request, "vote.html", page_policy(found or {}))

    async def image(request: Request) -> Response:
        path = files.get(request.path_params["file"])
        if path is None or not path.is_file():
            return Response("there is no such file\n", 404, media_type="text/plain")
        # One that is opened by itself, such as a drawing with a script in it, may do nothing.
        headers = {"Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff"}
        return FileResponse(path, headers=headers)

    return [Route("/vote/{name}", page, methods=["GET"]), Route("/files/{file}", image, methods=["GET"])]


def page_policy(contents: Contents) -> str:
    """What a browser may do on a page with these contents: load images from their hosts, and from no others.

    >>> page_policy({"a": Content(image="https://e.x/a.png")}).split("; ")[3]
    "img-src 'self' data: https://e.x"
    """
    return POLICY.replace("img-src 'self' data:", " ".join(["img-src 'self' data:", *hosts_of(contents)]))
