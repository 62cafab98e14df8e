"""The pages of the search site, as HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any, NamedTuple
from urllib.parse import urlencode

from duelist.demo.experiments import ARMS, DRIFTING, WEIGHTS
from duelist.demo.site.html import Markup, join, tag
from duelist.search.documents import Document
from duelist.search.engine import plain

ROOT = "/search"
CHOICES = {ARMS: "a policy", DRIFTING: "a policy that forgets", WEIGHTS: "learnt weights"}
SNIPPET = 240  # characters
EXAMPLES = ("parse json file", "run a subprocess", "temporary directory", "format a date")
BUTTONS = (("slower", "Slower"), ("faster", "Faster"), ("taste", "Change taste"))


class Hit(NamedTuple):
    """A result: a document, who put it there, and what is to be said about that."""

    document: Document
    owner: str  # a ranker; "both", or "weights"
    why: str


class Shown(NamedTuple):
    """A page of results."""

    query: str
    by: str  # the experiment
    list: str | None  # the id of the impression
    explanation: str
    hits: Sequence[Hit]


def link(path: str = "", **query: str | None) -> str:
    """An address of the site."""
    given = {name: value for name, value in query.items() if value is not None}
    return f"{ROOT}{path}" + (f"?{urlencode(given)}" if given else "")


def results_page(shown: Shown, state: Mapping[str, Any]) -> str:
    """The results of a query, or what to try if there are none."""
    if shown.hits:
        heading = tag("h1", f"Results for {shown.query}", class_="unseen")
        body = join(heading, _why(shown), tag("ol", *(_result(hit, shown) for hit in shown.hits), class_="results"))
    elif plain(shown.query):
        body = tag("h1", "Nothing was found for ", tag("q", shown.query), ". Try other words.")
    else:
        examples = [tag("a", each, href=link(q=each)) for each in EXAMPLES]
        body = join(
            tag("h1", "Search the documentation of your own Python"),
            tag("p", "For instance:"),
            tag("ul", *(tag("li", example) for example in examples), class_="examples"),
        )
    title = f"{shown.query} - search" if shown.query else "Search"
    return _page(title, shown.query, shown.by, body, state)


def document_page(document: Document, query: str, by: str, state: Mapping[str, Any]) -> str:
    """One document, whole."""
    back = tag("p", tag("a", "Back to the search", href=link(q=query or None, by=by)))
    heading = tag("h1", document.name, tag("span", document.signature, class_="signature"))
    body = join(back, tag("article", heading, tag("p", document.kind, class_="kind"), tag("pre", document.text)))
    return _page(document.name, query, by, body, state)


def problem_page(problem: str, state: Mapping[str, Any]) -> str:
    """What went wrong, in one sentence."""
    return _page("Search", "", ARMS, tag("h1", problem), state)


def _page(title: str, query: str, by: str, body: Markup, state: Mapping[str, Any]) -> str:
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("link", rel="stylesheet", href=link("/style.css")),
        tag("script", src=link("/script.js"), defer=True),
    )
    top = tag(
        "header",
        tag("a", "Python's documentation", href=ROOT, class_="name"),
        _search_form(query, by),
        tag("nav", tag("a", "Dashboard", href="/"), aria_label="Elsewhere"),
    )
    whole = tag("body", top, _strip(state, link(q=query or None, by=by)), tag("main", body, id="results"))
    return "<!doctype html>\n" + tag("html", head, whole, lang="en")


def _search_form(query: str, by: str) -> Markup:
    options = [tag("option", words, value=name, selected=name == by) for name, words in CHOICES.items()]
    return tag(
        "form",
        tag("label", "Search for", for_="q", class_="unseen"),
        tag("input", type="search", id="q", name="q", value=query, maxlength="200", autocomplete="off"),
        tag("label", "ranked by", for_="by"),
        tag("select", *options, id="by", name="by"),
        tag("button", "Search"),
        action=ROOT,
        role="search",
    )


def _strip(state: Mapping[str, Any], back: str) -> Markup:
    """How the simulated visitors are doing, and what one may do with them; the script keeps it up to date."""
    facts = [
        ("visitors", "Simulated visitors"),
        ("speed", "A second"),
        ("taste", "They look for"),
        (ARMS, "A policy says"),
        (DRIFTING, "One that forgets says"),
        ("right", "Really best for them"),
    ]
    rows = [tag("div", tag("dt", name), tag("dd", str(state[key]), data_fact=key)) for key, name in facts]
    pause = tag("button", "Go on" if state["paused"] else "Pause", name="do", value="pause", data_pause=True)
    buttons = [tag("button", words, name="do", value=what) for what, words in BUTTONS]
    form = tag(
        "form",
        tag("input", type="hidden", name="back", value=back),
        pause,
        *buttons,
        action=link("/control"),
        method="post",
        class_="controls",
    )
    gone = tag("p", "The demo has ended; start it again to go on.", class_="gone", hidden=True, role="status")
    return tag("section", tag("dl", *rows), form, gone, class_="strip", aria_label="Simulated visitors")


def _why(shown: Shown) -> Markup:
    return tag("details", tag("summary", "Why this list?"), tag("p", shown.explanation), class_="why")


def _result(hit: Hit, shown: Shown) -> Markup:
    document = hit.document
    if shown.list is None:
        href = link("/page", name=document.name, q=shown.query, by=shown.by)
    else:
        href = link("/open", list=shown.list, document=document.name, q=shown.query, by=shown.by)
    chip = tag("p", tag("span", hit.owner, class_="owner"), " ", hit.why, class_="because")
    snippet = tag("p", *_marked(shorten(document.text, SNIPPET, placeholder=" ..."), shown.query))
    return tag("li", tag("h2", tag("a", document.name, href=href)), snippet, chip, class_=f"by-{hit.owner}")


def _marked(text: str, query: str) -> list[str]:
    """A text in pieces, the words of the query marked."""
    words = "|".join(re.escape(word) for word in plain(query))
    pieces = re.split(rf"\b({words})\b", text, flags=re.IGNORECASE) if words else [text]
    return [tag("mark", piece) if place % 2 else piece for place, piece in enumerate(pieces)]
