"""The page to vote on, in a real browser."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from duelist.service.auth import Token, hash_token

Visit = Callable[..., Page]
Threaded = Callable[..., AbstractContextManager[str]]
PHONE = {"viewport": {"width": 390, "height": 800}}
WISH = ["best", "second", "third"]  # in this order, in what people vote
PICTURES = os.environ.get("DUELIST_PICTURES")


class Votes:
    """A running service, and experiments in it."""

    def __init__(self, url: str) -> None:
        self.url, self.number = url, 0
        self.http = httpx.Client(base_url=url, timeout=60)

    def post(self, path: str, json: Any = None) -> Any:
        answer = self.http.post(f"/v1/experiments{path}", json=json)
        answer.raise_for_status()
        return answer.json()

    def new(self, contents: Any = None, **more: Any) -> str:
        """An experiment that runs; its name."""
        self.number += 1
        name = f"votes-{self.number}"
        contents = contents or {arm: f"the {arm} one" for arm in WISH}
        answers = contents if isinstance(contents, dict) else contents[0]["answers"]
        arms = {"arms": list(answers), "contents": contents}
        self.post("", {"name": name, "kind": "arms", "policy": "rmed1", **arms, **more})
        self.post(f"/{name}/start")
        return name

    def page(self, name: str) -> str:
        return f"{self.url}/vote/{name}"

    def told(self, name: str) -> int:
        return int(self.status(name)["counts"]["told"])

    def status(self, name: str) -> Any:
        return self.http.get(f"/v1/experiments/{name}").json()

    def wins(self, name: str) -> dict[str, float]:
        return {arm["name"]: arm["wins"] for arm in self.status(name)["arms"]}

    def decide(self, name: str) -> None:
        """Many others vote, all for the same order."""
        for user in range(100):
            asked = self.post(f"/{name}/ask", {"user": f"u{user}"})
            if asked["id"] is None:
                return
            winner = min(asked["left"], asked["right"], key=WISH.index)
            self.post(f"/{name}/tell", {"id": asked["id"], "winner": winner})


@pytest.fixture(scope="module")
def votes(threaded: Threaded) -> Iterator[Votes]:
    with threaded() as url:
        made = Votes(url)
        with made.http:
            yield made


def better(page: Page, order: list[str] = WISH) -> str:
    """The side on which what people like stands."""
    places = {side: next(n for n, arm in enumerate(order) if arm in text(page, side)) for side in ("left", "right")}
    return min(places, key=lambda side: places[side])


def text(page: Page, side: str) -> str:
    return page.locator(f"section[aria-labelledby={side}-head] .shown").inner_text()


def ready(page: Page) -> Page:
    expect(page.locator("#content")).not_to_have_attribute("aria-busy", "true")
    return page


def yours(page: Page, number: int) -> None:
    said = re.compile(rf"^{number} of \d+ votes are yours$") if number else "No votes yet"
    expect(page.locator("#progress")).to_have_text(said)
    ready(page)


def picture(page: Page, name: str) -> None:
    """For the documentation, where somebody asks for it."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png")


def accessible(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_voting_by_keys_on_a_phone(votes: Votes, visit: Visit) -> None:
    name = votes.new()
    page = ready(visit(votes.page(name), **PHONE))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    accessible(page)
    for number in range(3):
        page.keyboard.press({"left": "ArrowLeft", "right": "ArrowRight"}[better(page)])
        yours(page, number + 1)
    expect(page.get_by_role("heading", name="You have judged all there is")).to_be_visible()
    assert votes.wins(name) == {"best": 2, "second": 1, "third": 0}
    expect(page.locator("#verdict")).to_have_text("It is not certain yet who is best.")
    accessible(page)


def test_the_mouse_ties_and_skips(votes: Votes, visit: Visit) -> None:
    name = votes.new()
    page = ready(visit(votes.page(name), color_scheme="dark"))
    accessible(page)
    before = text(page, "left"), text(page, "right")
    number = page.locator("#content").get_attribute("data-question") or ""
    page.keyboard.press("s")  # tells nothing
    expect(page.locator("#content")).not_to_have_attribute("data-question", number)
    assert {text(page, "left"), text(page, "right")} != {*before}
    yours(page, 0)
    assert votes.told(name) == 0
    page.get_by_role("button", name="Equally good").click()
    yours(page, 1)
    assert sorted(votes.wins(name).values()) == [0, 0.5, 0.5]
    page.get_by_role("button", name=f"{better(page).capitalize()} is better").click()
    yours(page, 2)
    assert votes.told(name) == 2
    assert votes.status(name)["counts"]["drawn"] == 3


def test_keys_for_a_tie(votes: Votes, visit: Visit) -> None:
    name = votes.new()
    page = ready(visit(votes.page(name)))
    for number, key in enumerate(("t", "T", "ArrowDown"), 1):
        page.keyboard.press(key)
        yours(page, number)
    assert votes.wins(name) == dict.fromkeys(WISH, 1.0)


def test_double_clicks_and_reloads_count_once(votes: Votes, visit: Visit) -> None:
    name = votes.new()
    page = ready(visit(votes.page(name)))
    before = text(page, "left"), text(page, "right")
    page.reload()
    assert (text(ready(page), "left"), text(page, "right")) == before
    page.get_by_role("button", name="Left is better").dblclick()
    yours(page, 1)
    page.locator("#left").dispatch_event("click", {"detail": 2})  # a second click that finds the next question there
    expect(page.locator("#left")).to_be_enabled()
    page.reload()
    yours(page, 1)
    assert votes.told(name) == 1
    assert votes.status(name)["counts"]["told_again"] == 0
    assert votes.status(name)["counts"]["drawn"] == 2


def test_an_answer_survives_a_service_that_is_away_and_a_reload(votes: Votes, visit: Visit) -> None:
    visit.expected = ("net::ERR_FAILED", "Failed to load resource")  # type: ignore[attr-defined]
    name = votes.new()
    page = ready(visit(votes.page(name)))
    page.route("**/tell", lambda route: route.abort())
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("The service does not answer. Nothing is lost")).to_be_visible()
    assert votes.told(name) == 0
    page.reload()
    expect(page.get_by_text("The service does not answer. Nothing is lost")).to_be_visible()
    page.unroute("**/tell")
    yours(page, 1)
    expect(page.get_by_text("The service does not answer")).to_be_hidden()
    assert votes.told(name) == 1


def test_two_tabs_of_one_voter_vote_once(votes: Votes, visit: Visit) -> None:
    name = votes.new()
    page = ready(visit(votes.page(name)))
    other = page.context.new_page()
    other.goto(votes.page(name))
    assert text(ready(other), "left") == text(page, "left")
    page.keyboard.press("ArrowLeft")
    yours(page, 1)
    other.keyboard.press("ArrowRight")  # the same question, another answer: the first one counts
    yours(other, 1)
    assert text(other, "left") == text(page, "left")
    assert votes.told(name) == 1
    assert votes.status(name)["counts"]["told_again"] == 1


def test_two_voters_until_it_is_certain(votes: Votes, visit: Visit) -> None:
    name = votes.new(stop={"rule": "evidence"})
    ann, bob = (ready(visit(votes.page(name), viewport={"width": 1000, "height": 480})) for _ in range(2))
    for page in (ann, bob):
        page.keyboard.press("ArrowLeft" if better(page) == "left" else "ArrowRight")
        yours(page, 1)
    assert votes.told(name) == 2
    votes.decide(name)
    ann.keyboard.press("ArrowLeft" if better(ann) == "left" else "ArrowRight")
    expect(ann.get_by_role("heading", name="The vote is over")).to_be_visible()
    expect(ann.locator("#verdict")).to_have_text("It is certain: best is the best one.")
    rows = ann.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("best")
    accessible(ann)
    picture(ann, "vote-board")


def test_paused_drafts_unknown_ones_and_those_without_contents(votes: Votes, visit: Visit) -> None:
    visit.expected = ("Failed to load resource",)  # type: ignore[attr-defined]
    name = votes.new()
    votes.post(f"/{name}/pause")
    page = ready(visit(votes.page(name)))
    expect(page.get_by_role("heading", name="The vote is paused")).to_be_visible()
    votes.post(f"/{name}/start")
    page.get_by_role("button", name="Look again").click()
    expect(page.get_by_role("button", name="Left is better")).to_be_visible()
    expect(visit(votes.page("nobody")).get_by_role("alert")).to_contain_text("there is no experiment 'nobody'")
    votes.post("", {"name": "bare", "kind": "arms", "arms": ["a", "b"], "policy": "rmed1"})
    expect(visit(votes.page("bare")).get_by_role("alert")).to_contain_text("'bare' is a draft; start it first")
    votes.post("/bare/start")
    expect(visit(votes.page("bare")).get_by_role("alert")).to_contain_text("has no contents to vote on")


HOSTILE = """<script>document.title = "hacked"</script> <img src=x onerror="document.title = 'hacked'">

[click](javascript:document.title='hacked') [data](data:text/html,<script>alert(1)</script>)
![svg](data:image/svg+xml,<svg onload=alert(1)>) <svg onload="document.title='hacked'"></svg>
</div></section><h1>closed</h1> [fine](https://example.org/)"""


def test_hostile_contents_stay_text(votes: Votes, visit: Visit) -> None:
    name = votes.new({"<i>a</i>": HOSTILE, "<i>b</i>": {"markdown": HOSTILE}})
    page = ready(visit(votes.page(name)))
    assert page.locator("main script, main img, main svg, main h1 h1, .shown h1").count() == 0
    assert [link.get_attribute("href") for link in page.locator(".shown a").all()] == ["https://example.org/"]
    for side in ("left", "right"):
        assert '<script>document.title = "hacked"</script>' in text(page, side)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("tbody th").first).to_contain_text("<i>")  # the leaderboard too
    assert "hacked" not in page.title()


def test_prompts_images_and_links(votes: Votes, visit: Visit) -> None:
    pixel = "https://pictures.example/{}.png"
    answers = {
        "first": {"image": pixel.format("first"), "text": "a picture"},
        "second": {"link": "https://example.org/a"},
    }
    name = votes.new([{"prompt": {"markdown": "Say **hello**"}, "answers": answers}])
    visit.expected = ("Failed to load resource",)  # type: ignore[attr-defined]
    page = visit("about:blank")
    page.route("https://pictures.example/first.png", lambda route: route.fulfill(body=PIXEL, content_type="image/png"))
    page.route("https://pictures.example/missing.png", lambda route: route.abort())
    page.goto(votes.page(name))
    expect(page.locator("section[aria-label=Prompt] strong")).to_have_text("hello")
    image = page.get_by_role("img", name="a picture")
    expect(image).to_be_visible()
    expect(image).to_have_js_property("naturalWidth", 1)  # the policy of this page lets it in
    expect(page.get_by_role("link", name="https://example.org/a")).to_have_attribute("target", "_blank")
    accessible(page)
    page.goto(votes.page(votes.new({"first": {"image": pixel.format("missing")}, "second": "b"})))
    expect(page.get_by_text("This image cannot be loaded.")).to_be_visible()


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f64540"
    "0000000049454e44ae426082"
)


def test_a_token_where_tokens_are_on(threaded: Threaded, visit: Visit) -> None:
    visit.expected = ("Failed to load resource",)  # type: ignore[attr-defined]
    tokens = tuple(Token(role, role, hash_token(f"secret-{role}")) for role in ("read", "write", "admin"))
    with threaded(tokens=tokens) as url:
        made = {"name": "closed", "kind": "arms", "policy": "rmed1", "arms": WISH, "contents": {a: a for a in WISH}}
        with httpx.Client(base_url=url, headers={"Authorization": "Bearer secret-admin"}, timeout=60) as admin:
            admin.post("/v1/experiments", json=made).raise_for_status()
            admin.post("/v1/experiments/closed/start").raise_for_status()
        page = visit(f"{url}/vote/closed")
        field = page.get_by_label("Token (role write)")
        expect(field).to_be_focused()
        accessible(page)
        field.fill("secret-read")
        field.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("needs a token of role 'write'")
        page.get_by_label("Token (role write)").fill("secret-write")
        page.get_by_role("button", name="Vote").click()
        expect(page.get_by_role("button", name="Left is better")).to_be_visible()
        page.keyboard.press("ArrowLeft")
        yours(page, 1)


def test_a_long_text_is_scrolled_by_keys_and_not_voted_on(votes: Votes, visit: Visit) -> None:
    name = votes.new({arm: f"{arm}\n" * 300 for arm in WISH})
    page = ready(visit(votes.page(name)))
    page.locator(".shown").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".shown").first).not_to_have_js_property("scrollTop", 0)
    assert votes.told(name) == 0
    page.locator("#right").focus()
    page.keyboard.press("Enter")
    yours(page, 1)
    expect(page.locator("#right")).to_be_focused()  # whoever goes by keys stays where they were


def test_pictures_of_the_page(votes: Votes, visit: Visit) -> None:
    """Side by side, on a phone too, as they were written, and nothing to scroll sideways for."""
    prompt = "Explain to a child why the sky is blue."
    answers: dict[str, Any] = {
        "short": {"markdown": "Sunlight has **all colours**. Air throws the *blue* ones around the most."},
        "long": {"markdown": "Imagine balls:\n\n1. Big red ones roll straight.\n2. Small blue ones bounce about."},
    }
    name = votes.new([{"prompt": prompt, "answers": answers}])
    page = ready(visit(votes.page(name), viewport={"width": 1000, "height": 560}))
    phone = ready(visit(votes.page(name), **PHONE, color_scheme="dark"))
    for each in (page, phone):
        expect(each.get_by_label("Prompt")).to_have_text(prompt)
        expect(each.locator(".side strong")).to_have_text("all colours")
        expect(each.locator(".side ol li")).to_have_count(2)
        left, right = (each.locator(".side").nth(place).bounding_box() for place in (0, 1))
        assert left is not None
        assert right is not None
        assert left["y"] == right["y"]
        assert left["x"] + left["width"] < right["x"]
        assert each.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    picture(page, "vote")
    picture(phone, "vote-phone")
