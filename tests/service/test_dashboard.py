"""The dashboard in a real browser: what people see and do.

With DUELIST_PICTURES=docs/pictures in the environment the pictures of the documentation are taken anew.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from duelist.bench.servers import Server

from .helpers import server

BOLD, FORMULA, IMAGE = "short & <b>bold</b>", '=HYPERLINK("x")', "<img src=x onerror=alert(1)>"
PROMPTS = {"name": "prompts", "kind": "arms", "arms": ["short", "long", "formal", "polite"], "policy": "rucb"}
SEARCH = {"name": "search", "kind": "pair", "arms": ["bm25", "ltr"], "session": {"timeout": 0.5, "grace": 0.1}}
FEATURES = ["price", "age", "match"]
WEIGHTS = {"name": "weights", "kind": "weights", "features": FEATURES, "session": {"timeout": 0.5, "grace": 0.1}}
HOSTILE = SEARCH | {"name": "hostile", "arms": [BOLD, FORMULA]}
LISTS = {"bm25": ["kind-of-blue", "giant-steps", "time-out"], "ltr": ["ah-um", "kind-of-blue", "moanin"]}
PHONE = {"viewport": {"width": 390, "height": 800}}
PATIENCE = 60.0  # seconds for what the service does in the background

Visit = Callable[..., Page]


def define(http: httpx.Client, definition: dict[str, Any]) -> None:
    http.post("/v1/experiments", json=definition).raise_for_status()
    http.post(f"/v1/experiments/{definition['name']}/start").raise_for_status()


def duel(http: httpx.Client, user: str) -> None:
    """The polite prompt always wins, then the long one."""
    asked = http.post("/v1/experiments/prompts/ask", json={"user": user}).json()
    winner = min(asked["left"], asked["right"], key=["polite", "long", "formal", "short"].index)
    http.post("/v1/experiments/prompts/tell", json={"id": asked["id"], "winner": winner}).raise_for_status()


def look(http: httpx.Client, user: int) -> None:
    """Everybody clicks what only ltr brings in, but for every tenth, who clicks nothing."""
    given = {"user": f"u{user}", "query": "jazz", "rankings": LISTS}
    page = http.post("/v1/experiments/search/interleave", json=given).json()
    if user % 10:
        http.post("/v1/events", json={"impression": page["id"], "document": "ah-um"}).raise_for_status()
    if user < 3:
        given = {"query": IMAGE, "rankings": {BOLD: [IMAGE, "a"], FORMULA: ["a", "b"]}}
        page = http.post("/v1/experiments/hostile/interleave", json=given).json()
        http.post("/v1/events", json={"impression": page["id"], "position": 0}).raise_for_status()
    documents = [{"id": f"d{n}", "features": [n % 2, n % 3, n]} for n in range(5)]
    page = http.post("/v1/experiments/weights/rank", json={"user": f"u{user}", "documents": documents}).json()
    http.post("/v1/events", json={"impression": page["id"], "position": 1}).raise_for_status()


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service that has learnt something."""
    with (
        server(tmp_path_factory.mktemp("dashboard") / "live.db", DUELIST_TICK="0.2") as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as http,
    ):
        for definition in (PROMPTS, SEARCH, WEIGHTS, HOSTILE):
            define(http, definition)
        for user in range(80):
            duel(http, f"u{user}")
        for user in range(30):
            look(http, user)
        deadline = time.monotonic() + PATIENCE
        while any(
            http.get(f"/v1/experiments/{name}").json()["counts"]["open"] for name in ("search", "weights", "hostile")
        ):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield running


@pytest.fixture
def http(one: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=one.url, timeout=PATIENCE) as client:
        yield client


def picture(page: Page | Locator, name: str, **more: Any) -> None:
    """Of a page or a part of it as it is, for the documentation."""
    if folder := os.environ.get("DUELIST_PICTURES"):
        Path(folder).mkdir(exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png", animations="disabled", **more)


def drawn(page: Page, *names: str) -> None:
    """Wait until these charts are there."""
    for name in names:
        expect(page.locator(f"figure#{name}[data-drawn] .main-svg").first).to_be_visible(timeout=30_000)


def is_live(page: Page) -> None:
    expect(page.locator("#connection")).to_have_text("Live")


def row(page: Page, name: str) -> Locator:
    return page.locator(f'tr[data-name="{name}"]')


def test_the_list_shows_state_leader_and_health_and_is_searched(one: Server, visit: Visit) -> None:
    page = visit(one.url)
    expect(row(page, "prompts")).to_contain_text("running")
    expect(row(page, "prompts")).to_contain_text("polite")
    expect(row(page, "search")).to_contain_text("ltr")
    expect(row(page, "search")).to_contain_text("healthy")
    is_live(page)
    picture(page, "dashboard-list")
    page.get_by_label("Find").fill("LTR")
    expect(row(page, "search")).to_be_visible()
    expect(row(page, "prompts")).to_be_hidden()
    expect(page.get_by_text("1 of 4 experiments")).to_be_visible()


def test_a_thousand_experiments(one: Server, visit: Visit) -> None:
    page = visit("about:blank")
    (line,) = (
        each for each in httpx.get(f"{one.url}/v1/experiments").json()["experiments"] if each["name"] == "search"
    )
    many = {"experiments": [line | {"name": f"e{number}"} for number in range(1000)]}
    page.route("**/v1/experiments", lambda route: route.fulfill(json=many))
    page.goto(one.url)
    expect(page.get_by_text("1,000 experiments")).to_be_visible()
    page.get_by_label("Find").fill("e999")
    expect(page.get_by_text("1 of 1,000 experiments")).to_be_visible()


def test_two_are_compared_by_keyboard(one: Server, visit: Visit) -> None:
    page = visit(one.url)
    expect(page.get_by_role("button", name="Compare")).to_be_disabled()
    for name in ("prompts", "search"):
        page.get_by_label(f"compare {name}").focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="Compare 2").focus()
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"  # the focus can be seen
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare?names=prompts,search")
    for name, leader in (("prompts", "polite"), ("search", "ltr")):
        expect(page.get_by_role("region", name=name, exact=True)).to_contain_text(leader)
    drawn(page, "way", "regret")
    expect(page.locator("#said-way")).to_contain_text("Way to a verdict now: prompts")
    picture(page, "dashboard-compare", full_page=True)


def test_a_page_learns_without_a_reload(one: Server, http: httpx.Client, visit: Visit) -> None:
    page = visit(f"{one.url}/experiments/prompts", viewport={"width": 1280, "height": 1250})
    drawn(page, "chance", "rates", "pairs", "evidence", "traffic", "regret")
    expect(page.locator(".lead")).to_contain_text("polite leads")
    expect(page.locator("#said-chance")).to_contain_text("polite has a chance of > 99 %")
    is_live(page)
    picture(page, "dashboard-experiment")
    page.evaluate("window.still = 'the same page'")
    shown = http.get("/v1/experiments/prompts/insight").json()["shown"]
    page.locator("#pairs summary").click()
    for user in range(3):
        duel(http, f"new {user}")
    expect(page.locator("#content")).to_contain_text(f"{shown + 3} shown")
    expect(page.locator("#pairs details")).to_have_attribute("open", "")  # what was opened stays open
    assert page.evaluate("window.still") == "the same page"


def test_the_leader_changes_before_ones_eyes(one: Server, http: httpx.Client, visit: Visit) -> None:
    """People change their mind: first everybody prefers the old page, then everybody the new one."""
    path = "/v1/experiments/pages"
    definition = {"name": "pages", "kind": "arms", "arms": ["old", "new"], "policy": "uniform"}
    assert http.post("/v1/experiments", json=definition).status_code in (200, 201)
    http.post(f"{path}/start")

    def vote(winner: str, times: int) -> None:
        told = 0
        while told < times:
            asked = http.post(f"{path}/ask", json={}).json()
            if asked["left"] != asked["right"]:
                http.post(f"{path}/tell", json={"id": asked["id"], "winner": winner})
                told += 1

    vote("old", 5)
    page = visit(f"{one.url}/experiments/pages")
    expect(page.locator(".lead")).to_contain_text("old leads")
    is_live(page)
    vote("new", 15)
    expect(page.locator(".lead")).to_contain_text("new leads")


def test_every_chart_has_words_a_table_and_a_file_and_text_stays_text(
    one: Server, http: httpx.Client, visit: Visit
) -> None:
    page = visit(f"{one.url}/experiments/hostile")
    drawn(page, "rates")
    seen = http.get("/v1/experiments/hostile/insight").json()
    for name in ("chance", "rates", "pairs", "evidence", "traffic", "regret"):
        figure = page.locator(f"figure#{name}")
        assert figure.locator('[role="img"]').get_attribute("aria-labelledby") == f"said-{name}"
        assert figure.locator(".said").inner_text() != ""
        figure.locator("summary").click()
        assert figure.locator("tbody tr").count() > 0
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV of win rates").click()
    lines = Path(download.value.path()).read_bytes().decode().split("\r\n")
    assert download.value.suggested_filename == "hostile-rates.csv"
    assert lines[0] == "arm,win rate,low,high,strength,chance of being best"
    assert [float(line.split(",")[-1]) for line in lines[1:3]] == [arm["chance"] for arm in seen["arms"]]
    assert lines[2].startswith('"\'=HYPERLINK(""x"")"')  # no formula for a spreadsheet
    assert page.locator("main b, main i, .main-svg a").count() == 0
    assert BOLD in page.locator("#rates .ytick text").all_text_contents()  # no markup for a chart
    page.get_by_role("button", name="explain").first.click()
    expect(page.locator("#story")).to_contain_text(f"“{IMAGE}”")
    assert page.locator("img").count() == 0


def run_python(page: Page) -> None:
    """Run the lines that the page shows."""
    lines = page.locator('[data-code="Python"] pre').inner_text()
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def runs_its_lines(page: Page, http: httpx.Client, name: str) -> None:
    """One list more, and one click."""
    before = http.get(f"/v1/experiments/{name}").json()["counts"]
    run_python(page)
    after = http.get(f"/v1/experiments/{name}").json()["counts"]
    assert (after["shown"], after["counted"]) == (before["shown"] + 1, before["counted"] + 1)


def test_a_list_is_explained(one: Server, http: httpx.Client, visit: Visit) -> None:
    page = visit(f"{one.url}/experiments/search")
    lines = http.get("/v1/experiments/search/impressions").json()["impressions"]
    clicked = next(line["id"] for line in lines[:10] if line["clicks"])
    page.get_by_role("button", name=f"explain {clicked}").click()
    story = page.locator("#story")
    for words in ("What came in", "What was shown", "Clicks", "Outcome", "ah-um by ltr ← click"):
        expect(story).to_contain_text(words)
    expect(story).to_contain_text("bm25 0.00, ltr 1.00")
    expect(story).to_contain_text("this user prefers ltr here")
    picture(story, "dashboard-explained")
    runs_its_lines(page, http, "search")


def test_weights_and_their_drift(one: Server, http: httpx.Client, visit: Visit) -> None:
    page = visit(f"{one.url}/experiments/weights", **PHONE)
    drawn(page, "weights", "drift", "alike")
    expect(page.locator("#said-weights")).to_contain_text("The largest weight is that of")
    picture(page, "dashboard-phone")
    runs_its_lines(page, http, "weights")


def test_an_experiment_is_created_in_the_browser(one: Server, http: httpx.Client, visit: Visit) -> None:
    page = visit(f"{one.url}/new")
    page.get_by_label("Name", exact=True).fill("bad name")
    expect(page.locator("#field-name")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#field-name-wrong")).to_contain_text("name must be letters, digits")
    expect(page.get_by_role("button", name="Create it")).to_be_disabled()
    page.get_by_label("Name", exact=True).fill("search")
    page.get_by_label("Arms").fill("red\ngreen")
    expect(page.locator("#field-name-wrong")).to_contain_text("by this name already")
    page.get_by_label("Name", exact=True).fill("colours")
    page.get_by_label("Policy").select_option("rucb")
    expect(page.locator("#field-policy-about")).to_contain_text("Condorcet winner")
    page.get_by_text("More settings").click()
    page.get_by_label("Documents on a page").fill("0")
    page.get_by_text("More settings").click()
    expect(page.locator("#field-length-wrong")).to_contain_text("length must be from 1 to 1000")  # where it is
    expect(page.locator("#field-length-wrong")).to_be_visible()
    page.get_by_label("Documents on a page").fill("")
    page.get_by_text("More settings").click()
    expect(page.locator("#said")).to_have_text("This can be defined.")
    expect(page.locator("#definition")).to_contain_text('"policy": "rucb"')
    expect(page.locator('[data-code="curl"]')).to_contain_text("/v1/experiments/colours/ask")
    picture(page, "dashboard-new", full_page=True)
    page.get_by_role("button", name="Create it").click()
    page.wait_for_url("**/experiments/colours", timeout=60_000)
    expect(page.locator(".lead")).to_contain_text("It is a draft")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#said")).to_have_text("It is running now.")
    is_live(page)
    run_python(page)
    expect(page.locator("#content")).to_contain_text("1 shown")
    answer = page.evaluate("async () => {" + page.locator('[data-code="JavaScript"] pre').text_content() + "}")  # type: ignore[operator]
    assert answer is None
    assert http.get("/v1/experiments/colours").json()["counts"]["told"] == 2


def test_a_new_version_is_made_of_the_last_one(one: Server, http: httpx.Client, visit: Visit) -> None:
    contents = {"bm25": "a text", "ltr": "another text"}
    define(http, {"name": "versions", "kind": "arms", "arms": [*contents], "policy": "rucb", "contents": contents})
    page = visit(f"{one.url}/new?of=versions")
    expect(page.get_by_label("Arms")).to_have_value("bm25\nltr")
    page.get_by_text("More settings").click()
    page.get_by_label("Default").fill("ltr")
    page.get_by_label("Documents on a page").fill("7")
    expect(page.locator("#said")).to_have_text("This can be defined.")
    page.get_by_role("button", name="Make the new version").click()
    page.wait_for_url("**/experiments/versions", timeout=60_000)
    expect(page.locator("#content")).to_contain_text("version 2")
    expect(page.get_by_role("link", name="New version")).to_have_attribute("href", "/new?of=versions")
    made = http.get("/v1/experiments/versions").json()["definition"]
    assert (made["arms"], made["policy"], made["default"], made["length"]) == ([*contents], "rucb", "ltr", 7)
    assert http.get("/v1/experiments/versions/contents").json()["contents"].keys() == contents.keys()
    expect(page.get_by_role("link", name="Vote")).to_have_attribute("href", "/vote/versions")
