"""Lists of several rankers, page by page. A list is stored as it was shown, and continued from there.

A page that is asked for again is the same again, and one document between two requests makes nothing come twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput, UnknownName
from duelist.interleaving.method import Method
from duelist.interleaving.paging import continued
from duelist.interleaving.shown import Shown
from duelist.live import events
from duelist.live.credit import method_of
from duelist.live.events import Listed, Pair, body_of, id_of
from duelist.live.kinds.arms import Arms
from duelist.live.requests import Page, Plan, Requests, now
from duelist.live.state import Verdicts
from duelist.storage.journal import Event, Place

Documents = tuple[Any, ...]


class Wanted(NamedTuple):
    """A page somebody wants, checked."""

    rankings: Mapping[str, Documents]
    allowed: list[str]  # the arms that have a ranking, in their order
    user: str | None
    query: str
    of: str | None
    length: int
    page: int
    key: str


def plan_page(requests: Requests, wanted: Wanted) -> Plan:
    """The first page of a list, or the next one."""
    if wanted.page > 1:
        return _next_page(requests, wanted)
    fixed = requests.fixed(wanted.user)
    if fixed is not None:
        return now(_plain(fixed, wanted))
    return _first_page(requests, wanted)


def _plain(arm: str, wanted: Wanted) -> Page:
    """One ranker's own list."""
    if arm not in wanted.rankings:
        arm = wanted.allowed[0]
    return Page(None, wanted.rankings[arm][: wanted.length], 1, (arm,))


def _first_page(requests: Requests, wanted: Wanted) -> Plan:
    state, definition = requests.state, requests.definition
    pair, of, names = _participants(requests, wanted)
    rankings = _rankings(wanted, names)
    shown = _combine(method_of(definition.method), rankings, wanted.length, requests.luck)
    arms = tuple(definition.arms.index(name) for name in names)
    tops = tuple(ranking[: wanted.length] for ranking in rankings)
    body = Listed(of, 1, 0, arms, shown, pair, wanted.query, tops)
    draft = events.draft(state.number, events.SHOWN, body, requests.hashed(wanted.user), wanted.key)

    def answer(places: list[Place], verdicts: Verdicts) -> Page:
        page = _page(requests, places[0].seq, requests.repeated(places[0], events.SHOWN) or body)
        return page._replace(ranking=_plain(definition.default, wanted).ranking) if definition.shadow else page

    return Plan([draft], answer)


def _participants(requests: Requests, wanted: Wanted) -> tuple[Pair | None, int, list[str]]:
    """The duel and its ask, where a policy draws, and the names of those who are combined."""
    state, arms = requests.state, requests.definition.arms
    if isinstance(state, Arms):
        pair, of = _pair_of(requests, state, wanted)
        names = [arms[pair.left], arms[pair.right]]
        return pair, of, names[:1] if pair.left == pair.right else names
    if wanted.of is not None:
        raise BadInput(f"of is an ask, which kind {requests.definition.kind!r} has none of, not {wanted.of!r}")
    return None, 0, list(arms) if requests.definition.kind == "pair" else wanted.allowed


def _pair_of(requests: Requests, state: Arms, wanted: Wanted) -> tuple[Pair, int]:
    """The duel that was asked, or one that is drawn now."""
    if wanted.of is None:
        return state.draw(requests.luck, wanted.allowed), 0
    seq = requests.place(wanted.of)
    event = requests.fetch(seq)
    if event is None or event.kind != events.DRAWN or event.experiment != state.number:
        raise UnknownName(f"there is no ask {wanted.of!r} in experiment {requests.definition.name!r}")
    return body_of(event), seq


def _rankings(wanted: Wanted, names: list[str]) -> list[Documents]:
    if missing := [name for name in names if name not in wanted.rankings]:
        raise BadInput(f"rankings must have {missing[0]!r} as well, not only {sorted(wanted.rankings)!r}")
    return [wanted.rankings[name] for name in names]


def _next_page(requests: Requests, wanted: Wanted) -> Plan:
    """Continue a stored list with the rankings of now."""
    if wanted.of is None:
        raise BadInput(f"page {wanted.page} needs of, the id of an earlier page")
    first, pages = _pages(requests, requests.place(wanted.of))
    if wanted.page <= len(pages):  # shown before: the same again
        again = pages[wanted.page - 1]
        return now(_page(requests, again.seq, body_of(again)))
    if wanted.page != len(pages) + 1:
        raise BadInput(f"page must be at most {len(pages) + 1}, the next one, not {wanted.page}")
    last: Listed = body_of(pages[-1])
    names = [requests.definition.arms[arm] for arm in last.arms]
    begin = len(last.shown.ranking)
    shown = _continue(last.shown, _rankings(wanted, names), begin + wanted.length, requests.luck)
    body = Listed(first, wanted.page, begin, last.arms, shown, last.pair, last.query)
    key = f"\x1fpage {wanted.page} of {first}"  # two at once get the same page
    draft = events.draft(requests.state.number, events.SHOWN, body, pages[-1].user, key)

    def answer(places: list[Place], verdicts: Verdicts) -> Page:
        return _page(requests, places[0].seq, requests.repeated(places[0], events.SHOWN) or body)

    return Plan([draft], answer)


def _pages(requests: Requests, seq: int) -> tuple[int, list[Event]]:
    """The number of the first page of a list that is open, and the events of all its pages."""
    body = body_of(requests.shown(seq))
    first = body.of if body.page > 1 else seq
    opened = requests.state.impressions.open.get(first)
    if opened is None:
        raise BadInput(f"the list {id_of(requests.state.number, seq)!r} is closed; interleave anew")
    return first, [requests.shown(page) for page, _ in opened.pages]


def _page(requests: Requests, seq: int, listed: Listed) -> Page:
    arms = tuple(requests.definition.arms[arm] for arm in listed.arms)
    return Page(id_of(requests.state.number, seq), listed.shown.ranking[listed.begin :], listed.page, arms)


def _combine(method: Method, rankings: list[Documents], length: int, luck: np.random.Generator) -> Shown:
    if len(rankings) == 1:
        return Shown(rankings[0][:length], rankers=1, method=method.text)
    return method.combine(rankings, length, luck)


def _continue(shown: Shown, rankings: list[Documents], length: int, luck: np.random.Generator) -> Shown:
    if len(rankings) > 1:
        return continued(shown, rankings, length, luck)
    known = set(shown.ranking)
    more = tuple(document for document in rankings[0] if document not in known)
    return shown._replace(ranking=(shown.ranking + more)[:length])
