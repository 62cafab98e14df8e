"""Lists that go on: the next page continues the last one, and a refresh shows the same again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.interleaving.method import Method, Ranking, Rankings, Shown, check_rankings, speaks, whole
from duelist.interleaving.team_draft import fill


def stable_seed(experiment: Any, user: Any, query: Any) -> int:
    """A seed for this user and query in this experiment: the same in every process and on every machine.

    Each is text, a number, or anything else that JSON can write.

    >>> stable_seed("new-ranker", "user 7", "cheap flights")
    3321519733280308944
    """
    try:
        key = json.dumps([experiment, user, query], sort_keys=True)
    except (TypeError, ValueError):
        raise BadInput(f"experiment, user and query must fit in JSON, not {(experiment, user, query)!r}") from None
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 1  # fits a signed column of a database


def continued(shown: Shown, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
    """A list that was shown, with more documents behind it: `length` in all, or all there are.

    The rankings are those of now: they may have changed since. The beginning stays, and no document comes twice.
    Team draft and competitive pairs deal out what is left anew, probabilistic goes on drawing, and clicks there count
    as ever. With other methods a score belongs to a list as a whole: there the continuation is drafted and neutral.

    >>> shown = Shown(("a", "b"), rankers=2, method="team-draft", teams=(0, 1))
    >>> longer = continued(shown, ["abcd", "bxda"], 4, np.random.default_rng(2))
    >>> longer.ranking, longer.teams
    (('a', 'b', 'c', 'x'), (0, 1, 0, 1))
    """
    method = shown.made_by()
    checked = check_rankings(method, rankings, length)
    if len(checked) != shown.rankers:
        raise BadInput(f"the list was made of {shown.rankers} rankings, which {len(checked)} cannot continue")
    if length <= len(shown.ranking):
        return shown
    return (method.proceed if speaks(method, "proceed") else _neutral)(shown, checked, length, rng)


def _neutral(shown: Shown, rankings: Sequence[Ranking], length: int, rng: np.random.Generator) -> Shown:
    """`shown`, continued by team draft; nobody owns what is added."""
    longer = fill(shown.ranking, rankings, length, rng)
    added = (-1,) * (len(longer) - len(shown.ranking)) if shown.teams else ()
    return shown._replace(ranking=longer, teams=shown.teams + added)


@dataclass(frozen=True)
class Paged:
    """One list, page by page. Its beginning never changes and no document comes twice.

    The same method, rankings (whole, not the part that fits on a page), page length and seed make the same
    list, so nothing needs to be kept between requests. Where a list depends on its length (optimized, and a
    method of your own unless it `extends`), the method decides the first page; later ones continue by team
    draft and are neutral. Analyse per user: luck is shared by all pages and visits.

    >>> from duelist.interleaving import TeamDraft
    >>> found = Paged(TeamDraft(), ["abcdef", "badcfe"], page_length=2, seed=stable_seed("test", 7, "flights"))
    >>> found.page(1), found.page(2)
    (('b', 'a'), ('d', 'c'))
    >>> shown = found.shown(pages=2)
    >>> TeamDraft().credit(shown, clicks=[3])
    array([1., 0.])
    """

    method: Method
    rankings: Sequence[Sequence[Any]]
    page_length: int
    seed: int

    def shown(self, pages: int) -> Shown:
        """The list to the end of that many pages; clicks on page 2 too are positions from the top of the first."""
        if whole(pages, "pages") < 1:
            raise BadInput(f"pages are counted from 1, not {pages!r}")
        length, rng = pages * self.page_length, np.random.default_rng([self.seed, 0])
        if self.method.extends:
            return self.method.combine(self.rankings, length, rng)
        first = self.method.combine(self.rankings, self.page_length, rng)
        return _neutral(first, [tuple(r) for r in self.rankings], length, np.random.default_rng([self.seed, 1]))

    def page(self, number: int) -> Ranking:
        """The documents of a page, counted from 1; fewer or none behind the last document."""
        return self.shown(number).ranking[(number - 1) * self.page_length :]
