"""The search site in a browser: search, click, why, faster, pause, another taste; in the dark, on a phone, by keys."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, ViewportSize, expect

from .helpers import HOSTILE, Running, running

Visit = Any  # opens pages, and fails where something goes wrong on them
GONE = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED_ENCODING")
PHONE: ViewportSize = {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Its visitors pause, who take more time than all tests here; where they are needed they go on."""
    with running(tmp_path_factory.mktemp("demo")) as made:
        paused = httpx.post(f"{made.url}/control", data={"do": "pause"}, timeout=60)
        assert paused.is_redirect, paused.text
        yield made


def fact(page: Page, name: str) -> Locator:
    return page.locator(f'[data-fact="{name}"]')


def counted(demo: Running) -> int:
    address = demo.url.removesuffix("/search") + "/v1/experiments/rankers"
    return int(httpx.get(address, timeout=60).json()["counts"]["shown"])


def picture(page: Page, name: str) -> None:
    """Of a list that two rankers made, for the documentation."""
    if folder := os.environ.get("DUELIST_PICTURES"):
        Path(folder).mkdir(exist_ok=True)
        page.get_by_role("button", name="Go on").click()
        expect(fact(page, "rankers")).to_contain_text("leads")
        while page.locator(".by-bm25").count() in (0, 10):
            page.reload()
            page.get_by_text("Why this list?").click()
        page.screenshot(path=Path(folder) / f"{name}.png", animations="disabled")


def test_search_why_and_a_click(demo: Running, visit: Visit) -> None:
    page = visit(demo.url, viewport={"width": 1100, "height": 900})
    page.get_by_label("Search for").fill("event loop")
    page.get_by_label("Search for").press("Enter")
    expect(page.locator(".results li")).to_have_count(10)
    expect(page.locator(".owner").first).to_be_hidden()
    page.get_by_text("Why this list?").click()
    expect(page.locator(".owner").first).to_be_visible()
    expect(page.locator(".why p")).to_contain_text(re.compile("The policy drew"))
    picture(page, "demo-search")
    name = page.locator(".results a").nth(1).inner_text()
    page.locator(".results a").nth(1).click()
    expect(page.locator("article h1")).to_contain_text(name)
    page.get_by_role("link", name="Back to the search").click()
    expect(page.locator(".results li")).to_have_count(10)


def test_the_strip_follows_and_its_buttons_work(demo: Running, visit: Visit) -> None:
    page = visit(demo.url)
    expect(fact(page, "speed")).to_have_text("paused")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    shown = counted(demo)
    page.wait_for_function(
        "n => Number(document.querySelector('[data-fact=visitors]').textContent.replace(',', '')) > n", arg=shown
    )
    expect(fact(page, "rankers")).to_contain_text(re.compile("leads|certainly"))
    page.get_by_role("button", name="Change taste").click()
    expect(fact(page, "taste")).to_contain_text("short pages of functions")
    page.get_by_role("button", name="Slower").click()
    expect(fact(page, "speed")).to_have_text("20")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    expect(fact(page, "speed")).to_have_text("paused")
    assert page.url == demo.url  # without loading the page again


def test_without_a_script_the_buttons_work_too(demo: Running, visit: Visit) -> None:
    page = visit(f"{demo.url}?q=json", java_script_enabled=False)
    page.get_by_role("button", name="Change taste").click()
    expect(page.locator(".results li").first).to_be_visible()
    assert page.url.startswith(f"{demo.url}?q=json")


@pytest.mark.parametrize(
    "path", ["", "?q=event+loop", "?q=qqqqqq", "?q=event+loop&by=weights", "/page?name=json.decoder"]
)
def test_everybody_can_use_it(demo: Running, visit: Visit, path: str) -> None:
    """Axe finds nothing in the light and in the dark, and there is nothing to scroll sideways on a phone."""
    page = visit(demo.url + path, viewport=PHONE)
    if "loop" in path:
        page.get_by_text("Why this list?").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_by_keys_alone(demo: Running, visit: Visit) -> None:
    page = visit(demo.url)
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.type("event loop")
    page.keyboard.press("Enter")
    expect(page.locator(".results li")).to_have_count(10)
    page.locator(".why summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".owner").first).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("article")).to_be_visible()


def test_hostile_text_is_text(demo: Running, visit: Visit) -> None:
    page = visit(f"{demo.url}?q=hostile")
    page.get_by_role("link", name=HOSTILE.name).click()
    expect(page.locator("article pre")).to_have_text(HOSTILE.text)


def test_open_pages_do_not_keep_it_from_ending_and_say_that_it_has(tmp_path: Path, visit: Visit) -> None:
    visit.expected = GONE
    with running(tmp_path) as short:
        dashboard, page = visit(short.url.removesuffix("search")), visit(short.url)
        expect(dashboard.get_by_role("link", name="rankers", exact=True)).to_be_visible()
        expect(page.locator(".gone")).to_be_hidden()
        assert short.stop() == 0
        expect(page.locator(".gone")).to_be_visible()
    assert "Traceback" not in short.log.read_text()
