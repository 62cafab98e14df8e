"""The dashboard when things are otherwise: tokens, the dark, a phone, no server, and for everybody."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from duelist.bench.servers import Server

from .helpers import PAIR, server
from .test_dashboard import PROMPTS, define, drawn, duel, is_live, picture

ADMIN = {"Authorization": "Bearer secret admin"}
TOKENS = {"DUELIST_ADMIN_TOKEN": "secret admin", "DUELIST_READ_TOKEN": "secret read"}
PAGES = ("/", "/experiments/pair", "/experiments/prompts", "/compare?names=pair,prompts", "/new", "/experiments/none")
REFUSED = ("status of 401", "status of 403", "status of 404")

Visit = Any  # opens pages, and is told which errors a test provokes


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service that wants tokens."""
    with (
        server(tmp_path_factory.mktemp("states") / "live.db", **TOKENS) as running,
        httpx.Client(base_url=running.url, timeout=60, headers=ADMIN) as http,
    ):
        define(http, PROMPTS)
        for user in range(40):
            duel(http, f"u{user}")
        for name in ("pair", "other"):
            send(running, "/v1/experiments", PAIR | {"name": name})
            send(running, f"/v1/experiments/{name}/start")
        page = send(running, "/v1/experiments/pair/interleave", {"rankings": {"old": ["a"], "new": ["b"]}})
        send(running, "/v1/events", {"impression": page["id"], "position": 0})
        yield running


def send(running: Server, path: str, body: Any = None) -> Any:
    answer = httpx.post(f"{running.url}{path}", json=body, headers=ADMIN, timeout=60)
    assert answer.is_success, answer.text
    return answer.json()


@pytest.fixture
def open_page(one: Server, visit: Visit) -> Callable[..., Page]:
    """Opens a page as somebody with a token."""

    def go(path: str, token: str = "secret admin", **context: Any) -> Page:
        visit.expected = REFUSED
        page: Page = visit("about:blank", **context)
        page.add_init_script(f"sessionStorage.setItem('duelist-token', '{token}')")
        page.goto(f"{one.url}{path}")
        return page

    return go


def state_of(one: Server, name: str) -> Any:
    return httpx.get(f"{one.url}/v1/experiments/{name}", headers=ADMIN).json()["state"]


def use_token(page: Page, token: str) -> None:
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Use", exact=True).click()


def test_stop_with_and_without_a_token(one: Server, visit: Visit) -> None:
    visit.expected = REFUSED
    send(one, "/v1/experiments", PAIR | {"name": "ending"})
    send(one, "/v1/experiments/ending/start")
    page = visit(f"{one.url}/experiments/ending")
    expect(page.get_by_role("alert")).to_contain_text("Type a token")
    expect(page.locator("#connection")).to_have_text("A token is needed")
    use_token(page, "secret read")
    expect(page.locator(".lead")).to_contain_text("Nobody was shown anything yet.")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Leave it").click()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Stop it").click()
    expect(page.locator("#said")).to_contain_text("this needs a token of role 'admin'")
    assert state_of(one, "ending") == "running"
    use_token(page, "secret admin")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#said")).to_have_text("It is paused now.")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Stop it").click()
    expect(page.locator("#said")).to_have_text("It is stopped now.")
    assert state_of(one, "ending") == "stopped"
    expect(page.get_by_role("button", name="Start")).to_be_disabled()
    expect(page.get_by_role("row", name="stopped admin")).to_be_visible()  # who did it


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_for_everybody(path: str, open_page: Callable[..., Page]) -> None:
    """Axe finds nothing in the light and in the dark, and there is nothing to scroll sideways on a phone."""
    page = open_page(path, viewport={"width": 390, "height": 800})
    expect(page.locator("#content[aria-busy]")).to_have_count(0)
    if path.startswith(("/experiments/prompts", "/compare")):
        drawn(page, "regret")
    is_live(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        brightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        assert (sum(brightness) < 150) == (scheme == "dark")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    if path == "/experiments/prompts":
        charts_follow_the_light(page)


def charts_follow_the_light(page: Page) -> None:
    """Text of charts is bright in the dark."""
    page.set_viewport_size({"width": 1280, "height": 1500})
    tick = page.locator("#chance .xtick text").first
    expect(tick).to_have_css("fill", "rgb(232, 234, 238)")
    wide = re.compile(r"^[4-9]\d\d")  # on the phone it had less
    expect(page.locator("#chance .main-svg").first).to_have_attribute("width", wide)
    picture(page, "dashboard-dark")
    page.emulate_media(color_scheme="light")
    expect(tick).to_have_css("fill", "rgb(22, 25, 29)")


def test_what_is_not_there_says_so(open_page: Callable[..., Page]) -> None:
    page = open_page("/experiments/none")
    expect(page.get_by_role("alert")).to_contain_text("there is no experiment 'none'")
    page.goto(page.url.replace("none", "%3Cimg src=x onerror=alert(1)%3E"))
    expect(page.get_by_role("alert")).to_contain_text("there is no experiment '<img src=x onerror=alert(1)>'")
    assert page.locator("img").count() == 0


def test_a_hidden_page_sleeps(one: Server, open_page: Callable[..., Page]) -> None:
    """Otherwise the connections of a few tabs are all that a browser has."""
    page = open_page("/")
    is_live(page)
    turn = "(now) => { Object.defineProperty(document, 'hidden', { value: now, configurable: true });"
    turn += "document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(turn, True)
    expect(page.locator("#connection")).to_contain_text("Asleep")
    send(one, "/v1/experiments", PAIR | {"name": "later"})
    page.evaluate(turn, False)
    is_live(page)
    expect(page.get_by_role("link", name="later")).to_be_visible()


def test_the_server_goes_and_comes_back(one: Server, visit: Visit, open_page: Callable[..., Page]) -> None:
    page = open_page("/experiments/pair")
    visit.expected = (*REFUSED, "net::ERR_")
    is_live(page)
    drawn(page, "regret")
    expect(page.locator("#content")).to_contain_text("1 shown")
    one.kill(signal.SIGKILL)
    expect(page.locator("#connection")).to_contain_text("The server is gone.")
    expect(page.locator("#content")).to_contain_text("1 shown")  # what was known stays
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#said")).to_have_text("The server is gone: nothing was changed.")
    picture(page, "dashboard-gone")
    one.begin()
    one.port()
    send(one, "/v1/experiments/pair/interleave", {"rankings": {"old": ["a"], "new": ["b"]}})
    expect(page.locator("#connection")).to_have_text("Live", timeout=60_000)
    expect(page.locator("#content")).to_contain_text("2 shown", timeout=60_000)


def test_a_page_that_never_reached_the_server(one: Server, visit: Visit, open_page: Callable[..., Page]) -> None:
    page = open_page("/new")
    visit.expected = (*REFUSED, "net::ERR_")
    expect(page.get_by_label("Name", exact=True)).to_be_visible()
    page.route("**/v1/**", lambda route: route.abort())
    page.get_by_label("Name", exact=True).fill("mine")
    expect(page.locator("#said")).to_contain_text("what you typed stays here")
    page.goto(one.url)
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    page.unroute("**/v1/**")
    expect(page.get_by_role("link", name="pair", exact=True)).to_be_visible(timeout=60_000)
