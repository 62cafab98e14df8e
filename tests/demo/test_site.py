"""The search site: results, clicks that reach the service, controls, and text that never becomes markup."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from duelist.client import AsyncClient
from duelist.demo.crowd import Crowd
from duelist.demo.experiments import ARMS, WEIGHTS
from duelist.demo.inside import Inside, living
from duelist.demo.pace import Pace
from duelist.demo.run import SETTINGS, Demo, begin
from duelist.demo.serving import Beside
from duelist.demo.site.app import Site
from duelist.demo.site.html import join, tag
from duelist.demo.site.pages import CHOICES, ROOT
from duelist.demo.world import World
from duelist.search.engine import RANKERS
from duelist.service.app import App
from duelist.service.settings import Settings

from .helpers import HOSTILE

EVIL = '"><script>alert(9)</script><img src=x onerror=alert(8)>'
CONTENT = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"


class Seen(HTMLParser):
    """The elements of a page, its links and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def links(self, path: str) -> list[str]:
        found = [attributes.get("href") or "" for name, attributes in self.elements if name == "a"]
        return [href for href in found if href.startswith(path)]

    def owners(self) -> list[str]:
        classes = [attributes.get("class") or "" for name, attributes in self.elements if name == "li"]
        return [name.removeprefix("by-") for name in classes if name.startswith("by-")]


class Here:
    """A site with its service, in this process."""

    def __init__(self, http: httpx.AsyncClient, demo: Demo) -> None:
        self.http, self.demo = http, demo

    async def see(self, path: str, status: int = 200) -> Seen:
        answer = await self.http.get(path)
        assert answer.status_code == status, answer.text
        assert answer.headers["content-security-policy"] == CONTENT
        return Seen(answer.text)

    async def counts(self, name: str = ARMS) -> dict[str, int]:
        return dict((await self.demo.crowd.client[name].status())["counts"])


@asynccontextmanager
async def site(world: World) -> AsyncIterator[Here]:
    app = App(Settings(journal="memory://", **SETTINGS))
    async with living(app), AsyncClient("http://here", timeout=60, transport=Inside(app)) as client:
        await begin(client, grace=60.0)
        demo = Demo.of(Crowd(world, client, "overviews", pace=Pace(20.0)))
        transport = Inside(Beside(app, ROOT, Site(demo).app()))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as http:
            yield Here(http, demo)


@pytest.fixture
def on_site(small: World) -> Callable[[Callable[[Here], Awaitable[None]]], None]:
    def run(test: Callable[[Here], Awaitable[None]]) -> None:
        async def whole() -> None:
            async with site(small) as here:
                await test(here)

        asyncio.run(whole())

    return run


def test_results_are_those_of_two_rankers_and_a_click_reaches_the_service(on_site: Any, small: World) -> None:
    async def test(here: Here) -> None:
        page = await here.see(f"{ROOT}?q=json+decoder")
        links = page.links(f"{ROOT}/open")
        assert len(links) == len(page.owners()) == 10
        assert set(page.owners()) <= {*RANKERS, "both"}
        assert page.text.count("Places: ") == len(links)
        assert "Why this list?" in page.text
        assert (await here.counts())["shown"] == 1
        answer = await here.http.get(links[3])
        assert answer.status_code == 303
        assert (await here.counts())["counted"] == 1
        shown = await here.see(answer.headers["location"])
        assert small.engine.by_name[links[3].partition("document=")[2].partition("&")[0]].text[:40] in shown.text
        assert (await here.http.get(links[3])).status_code == 303
        assert (await here.counts())["repeated"] == 1

    on_site(test)


def test_owners_are_those_of_the_journal(on_site: Any, small: World) -> None:
    async def test(here: Here) -> None:
        rankings = small.engine.rankings("event loop")
        for _ in range(12):
            page = await here.see(f"{ROOT}?q=event+loop")
            names = [link.partition("document=")[2].partition("&")[0] for link in page.links(f"{ROOT}/open")]
            owners = page.owners()
            arms = {*owners} - {"both"}
            assert len(arms) <= 2
            for place, (name, owner) in enumerate(zip(names, owners, strict=True)):
                if owner != "both" and len(arms) == 2:  # the best of its ranker that was not there yet
                    assert name == next(each for each in rankings[owner] if each not in names[:place])

    on_site(test)


def test_one_may_be_ranked_by_weights(on_site: Any) -> None:
    async def test(here: Here) -> None:
        page = await here.see(f"{ROOT}?q=event+loop&by={WEIGHTS}")
        assert {*page.owners()} == {"weights"}
        assert "Clicks move the weights" in page.text
        await here.http.get(page.links(f"{ROOT}/open")[0])
        assert (await here.counts(WEIGHTS))["counted"] == 1

    on_site(test)


def test_a_person_is_known_again_and_a_paused_experiment_shows_one_list(on_site: Any) -> None:
    async def test(here: Here) -> None:
        answer = await here.http.get(f"{ROOT}?q=json")
        assert "httponly" in answer.headers["set-cookie"].lower()
        await here.see(f"{ROOT}?q=json")
        assert (await here.counts())["open"] == 1  # the second list closed the first
        await here.demo.crowd.client[ARMS].pause()
        page = await here.see(f"{ROOT}?q=json")
        assert "takes nobody in now" in page.text
        assert page.links(f"{ROOT}/page?")

    on_site(test)


def test_text_never_becomes_markup(on_site: Any) -> None:
    async def test(here: Here) -> None:
        pages = [
            f"{ROOT}?q={quote(EVIL)}",
            f"{ROOT}?q=hostile",
            f"{ROOT}?q=hostile&by={quote(EVIL)}",
            f"{ROOT}/page?name={quote(HOSTILE.name)}&q={quote(EVIL)}",
            f"{ROOT}?q={quote('zzz ' + EVIL)}",
            f"{ROOT}?q={quote(EVIL * 100)}",
        ]
        for path in pages:
            page = await here.see(path)
            scripts = [attributes for name, attributes in page.elements if name == "script"]
            assert scripts == [{"src": "/search/script.js", "defer": None}], path
            assert not {"img", "iframe", "style", "object"} & {name for name, _ in page.elements}
            for _, attributes in page.elements:
                assert not [name for name in attributes if name.startswith("on") or name == "style"]
                assert (attributes.get("href") or "/").startswith("/")
        assert HOSTILE.text in (await here.see(pages[3])).text
        drawn = [(await here.see(pages[1])).text for _ in range(10)]  # rankers are drawn; two may have it low
        assert any(HOSTILE.name in text for text in drawn)

    on_site(test)


def test_nothing_to_search_and_nothing_found_are_pages_too(on_site: Any) -> None:
    async def test(here: Here) -> None:
        assert "For instance" in (await here.see(ROOT)).text
        assert "Nothing was found" in (await here.see(f"{ROOT}?q=qqqqqqq")).text
        assert (await here.counts())["shown"] == 0
        assert "no such page" in (await here.see(f"{ROOT}/page?name=nothing", 404)).text
        assert "no such page" in (await here.see(f"{ROOT}/elsewhere", 404)).text
        await here.see(f"{ROOT}/open?list=1-1&document=nothing", 404)

    on_site(test)


def test_a_list_that_is_not_there_does_no_harm(on_site: Any) -> None:
    async def test(here: Here) -> None:
        for bad in ("", "9-9", quote(EVIL), "x" * 1000):
            answer = await here.http.get(f"{ROOT}/open?list={bad}&document=json.decoder")
            assert answer.status_code in (303, 503)
        assert (await here.counts())["counted"] == 0

    on_site(test)


def test_controls(on_site: Any, small: World) -> None:
    async def test(here: Here) -> None:
        async def press(what: str, **headers: str) -> httpx.Response:
            form = {"content-type": "application/x-www-form-urlencoded", **headers}
            return await here.http.post(
                f"{ROOT}/control", content=f"do={what}&back={quote(ROOT + '?q=a')}", headers=form
            )

        crowd = here.demo.crowd
        answer = await press("faster")
        assert (answer.status_code, answer.headers["location"], crowd.pace.rate) == (303, f"{ROOT}?q=a", 50.0)
        assert (await press("slower", accept="application/json")).json()["speed"] == "20"
        assert (await press("pause", accept="application/json")).json()["paused"] is True
        assert "Go on" in (await here.see(ROOT)).text
        state = (await press("taste", accept="application/json")).json()
        assert (crowd.need.taste, state["right"]) == ("names", RANKERS[small.need("names").truth.best])
        assert (await press("explode")).status_code == 422
        assert (await press("taste", **{"sec-fetch-site": "cross-site"})).status_code == 403
        assert (await press("taste" + "x" * 20_000)).status_code == 413
        assert crowd.changes == 1
        away = await here.http.post(f"{ROOT}/control", content=f"do=pause&back={quote('//evil.example')}")
        assert away.headers["location"] == ROOT

    on_site(test)


def test_style_and_script_are_served_and_have_every_ranker(on_site: Any) -> None:
    async def test(here: Here) -> None:
        style = await here.http.get(f"{ROOT}/style.css")
        assert style.headers["content-type"].startswith("text/css")
        assert all(f".by-{owner} " in style.text for owner in (*RANKERS, "both", "weights"))
        script = await here.http.get(f"{ROOT}/script.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert (files("duelist.demo.site") / "script.js").read_text() == script.text

    on_site(test)


def test_the_service_is_beside_it(on_site: Any) -> None:
    async def test(here: Here) -> None:
        assert (await here.http.get("/healthz")).json()["status"] == "ok"
        assert {each["name"] for each in (await here.http.get("/v1/experiments")).json()["experiments"]} == {*CHOICES}
        assert (await here.http.get("/searching")).status_code == 404

    on_site(test)


def test_tags_escape_everything_that_is_not_markup() -> None:
    assert tag("p", EVIL).count("<") == 2
    assert tag("a", "x", href=EVIL).count('"') == 2
    assert join(tag("b", "&"), "&") == "<b>&amp;</b>&amp;"
