"""From a query to a page of results: the rankers' lists go to the service, and what it answers is explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duelist.client import AsyncClient, Page
from duelist.client.requests import Request
from duelist.demo.crowd import Crowd
from duelist.demo.experiments import WEIGHTS
from duelist.demo.site.pages import Hit, Shown
from duelist.interleaving.shown import Shown as Combined
from duelist.live.events import numbers_of
from duelist.search.engine import RANKERS, Engine

Rankings = Mapping[str, Sequence[str]]


async def search(crowd: Crowd, query: str, by: str, user: str) -> Shown:
    """A page of results for somebody, by one of the experiments."""
    engine, client = crowd.world.engine, crowd.client
    if not any(engine.rankings(query).values()):
        return Shown(query, by, None, "", [])
    if by == WEIGHTS:
        return await _by_weights(engine, client, query, user)
    rankings = crowd.rankings(by, query)
    page = await client[by].interleave(rankings, user=user, query=query)
    owners = await _owners(client, by, page)
    hits = [
        Hit(engine.by_name[name], owner, _places(name, rankings))
        for name, owner in zip(page.ranking, owners, strict=True)
    ]
    return Shown(query, by, page.id, _explanation(page, owners), hits)


async def _by_weights(engine: Engine, client: AsyncClient, query: str, user: str) -> Shown:
    features = engine.features(query)
    page = await client[WEIGHTS].rank(features.items(), user=user, query=query)
    weights = (await client[WEIGHTS].status())["weights"]
    said = ", ".join(f"{ranker} {weight:.1f}" for weight, ranker in zip(weights, RANKERS, strict=True))
    hits = [Hit(engine.by_name[name], "weights", _scores(features[name])) for name in page.ranking]
    explanation = f"Each page is scored by all rankers, and the scores are weighed: {said}. Clicks move the weights."
    return Shown(query, WEIGHTS, page.id, explanation, hits)


async def _owners(client: AsyncClient, by: str, page: Page) -> list[str]:
    """Which ranker put each document there: the journal has it beside the list."""
    if page.id is None or len(page.arms) == 1:
        return [page.arms[0]] * len(page.ranking)
    _, seq = numbers_of(page.id)
    path = f"/v1/experiments/{by}/events?after={seq - 1}&limit=1"
    event: dict[str, Any] = await client.send(Request("GET", path, None, dict))
    teams = Combined(*event["body"]["shown"]).teams
    return [page.arms[team] if team >= 0 else "both" for team in teams]


def _explanation(page: Page, owners: Sequence[str]) -> str:
    if page.id is None:
        return f"The experiment takes nobody in now: this is the list of {page.arms[0]} alone."
    if len(page.arms) == 1:
        return f"The policy drew {page.arms[0]} twice, as it does with what it takes for the best: its list alone."
    counts = [f"{owners.count(arm)} of {arm}" for arm in page.arms]
    shared = owners.count("both")
    both = f"; {shared} that both put there count for neither" if shared else ""
    return (
        f"The policy drew {page.arms[0]} and {page.arms[1]}, and a coin said who may pick first in each round: "
        f"{' and '.join(counts)}{both}. A click is a point for the ranker that picked the page."
    )


def _places(name: str, rankings: Rankings) -> str:
    found = [f"{ranker} {ranking.index(name) + 1}" for ranker, ranking in rankings.items() if name in ranking]
    return "Places: " + ", ".join(found)


def _scores(scores: Sequence[float]) -> str:
    return "Scores: " + ", ".join(
        f"{ranker} {score:.2f}" for score, ranker in zip(scores, RANKERS, strict=True) if score
    )
