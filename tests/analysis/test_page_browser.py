"""The page in a real browser, on a screen as small as a phone's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from duelist.analysis.analysis import analyze
from duelist.analysis.demo import demo_log
from duelist.analysis.page import page
from duelist.clicks.log import Log

Visit = Callable[..., Page]
PHONE = {"width": 360, "height": 740}
LONG = {
    "the-ranker-of-the-search-team-with-embeddings-version-12-from-november": 0.2,
    "neural_cross_encoder_distilled_for_phones": 0.3,
}
# What is drawn beyond the left or the right edge of the screen, but for tables, which can be moved.
BEYOND = """() => [...document.querySelectorAll("svg, svg text, h1, h2, p, dd, dt, figcaption, footer")]
    .filter(part => { const at = part.getBoundingClientRect(); return at.left < 0 || at.right > innerWidth; })
    .map(part => part.textContent)"""


@pytest.mark.parametrize("rankers", [{"old": 0.2, "new": 0.3}, LONG, {**LONG, "bm25": 0.2}])
def test_the_page_is_no_wider_than_a_small_screen(visit: Visit, tmp_path: Path, rankers: dict[str, float]) -> None:
    analysis = analyze(Log(tuple(demo_log(600, rankers, slots=6))), segments=("queries",))
    file = tmp_path / "report.html"
    file.write_text(page(analysis, "impressions_of_the_search_of_the_shop_in_november_and_december.jsonl"))
    small = visit(file.as_uri(), viewport=PHONE)
    wide, screen = small.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= screen == PHONE["width"]
    assert small.evaluate(BEYOND) == []
    sizes = small.evaluate(
        "[...document.querySelectorAll('svg text')].map(text => text.getBoundingClientRect().height)"
    )
    assert min(sizes) > 8  # pixels: letters that can be read
