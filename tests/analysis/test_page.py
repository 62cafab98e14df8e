"""The page is whole, escaped, and shows the numbers of the analysis."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

from duelist.analysis.analysis import analyze
from duelist.analysis.charts import HEIGHT, WIDTH, band_chart, bar_chart, nice_ticks
from duelist.analysis.demo import demo_log
from duelist.analysis.page import page
from duelist.clicks.log import Log
from duelist.evidence.sequential import confidence_sequence

EVIL = '"><script>alert(1)</script>&'


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.addresses += [name for name, _ in attrs if name in ("src", "href", "onload", "onclick")]


def tags_of(text: str) -> Tags:
    tags = Tags()
    tags.feed(text)
    return tags


def test_names_from_the_log_cannot_break_out() -> None:
    records = demo_log(300, {EVIL: 0.2, "<b>x</b>": 0.3, "c": 0.2}, slots=6)
    text = page(analyze(Log(tuple(records))), title=f"{EVIL}.jsonl")
    tags = tags_of(text)
    assert not {"script", "b", "link", "img", "iframe"} & set(tags.seen)
    assert tags.addresses == []
    assert "http" not in text
    assert "&lt;script&gt;" in text


def test_every_page_has_the_course_and_the_credit_of_each_ranker() -> None:
    two = page(analyze(Log(tuple(demo_log(600, {"a": 0.2, "b": 0.3})))), "two")
    three = page(analyze(Log(tuple(demo_log(600, {"a": 0.2, "b": 0.3, "c": 0.2}, slots=6)))), "three")
    assert (two.count("<svg"), three.count("<svg")) == (2, 2)
    assert 'class="verdict decided"' in page(analyze(Log(tuple(demo_log(800, {"a": 0.2, "b": 0.3})))), "won")
    unfair = demo_log(400, {"a": 0.2, "b": 0.3}, fair=False)
    assert 'class="verdict invalid"' in page(analyze(Log(tuple(unfair))), "unfair")


def test_a_notebook_shows_the_page_without_its_frame() -> None:
    analysis = analyze(Log(tuple(demo_log(600, {"a": 0.2, "b": 0.3}))))
    shown = analysis._repr_html_()
    assert shown in page(analysis, "a log")
    assert [tag for tag in tags_of(shown).seen if tag in ("html", "body", "style", "svg")] == ["svg", "svg"]


def test_a_log_without_times_has_no_dates() -> None:
    timed = demo_log(600, {"a": 0.2, "b": 0.3})
    assert re.search(r">\d\d [A-Z][a-z][a-z]</text>", page(analyze(Log(tuple(timed))), "timed"))
    untimed = tuple(replace(record, time=0.0) for record in timed)
    assert not re.search(r">\d\d [A-Z][a-z][a-z]</text>", page(analyze(Log(untimed), ended=True), "untimed"))


def test_the_line_and_its_band_are_where_the_numbers_are() -> None:
    deltas = np.random.default_rng(0).normal(0.2, 1, 400)
    band = confidence_sequence(deltas)
    root = ElementTree.fromstring(band_chart(band, [], "users"))
    (line,) = root.iter("polyline")
    (area,) = root.iter("polygon")
    places = {
        float(text.text or "nan"): float(text.get("y", "nan")) - 4
        for text in root.iter("text")
        if text.get("text-anchor") == "end"
    }
    ticks = sorted(places)

    def value(y: float) -> float:
        low, high = ticks[0], ticks[-1]
        return low + (places[low] - y) / (places[low] - places[high]) * (high - low)

    last = line.get("points", "").split()[-1]
    assert value(float(last.split(",")[1])) == pytest.approx(band.mean[-1], abs=0.005)
    corners = [tuple(map(float, point.split(","))) for point in area.get("points", "").split()]
    right = max(x for x, _ in corners)
    limits = sorted(value(y) for x, y in corners if x == right)
    assert limits == pytest.approx([band.low[-1], band.high[-1]], abs=0.005)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in corners)


def test_too_few_users_have_no_chart() -> None:
    assert "Too few users" in band_chart(confidence_sequence([1.0] * 20), [], "users")


def test_bars_are_as_long_as_their_values() -> None:
    root = ElementTree.fromstring(bar_chart([("a", 0.4, 0.3, 0.5), ("b", 0.2, 0.1, 0.3), ("c", -0.2, -0.3, -0.1)]))
    widths = [float(bar.get("width", "nan")) for bar in root.iter("rect")]
    assert widths[0] == pytest.approx(2 * widths[1], rel=0.01)
    assert widths[1] == pytest.approx(widths[2], rel=0.01)


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.0), (-1e-9, 2e-9), (-3.0, 1000.0), (0.0, 0.07)])
def test_ticks_are_few_and_hold_all_values(low: float, high: float) -> None:
    ticks = nice_ticks(low, high)
    assert ticks[0] <= low
    assert ticks[-1] >= high
    assert 2 <= len(ticks) <= 8
