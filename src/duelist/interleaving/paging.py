"""Lists that go on: the next page continues the last one, and a refresh shows the same again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.interleaving.method import Method, Ranking, Shown, whole
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
        longer = fill(first.ranking, [tuple(r) for r in self.rankings], length, np.random.default_rng([self.seed, 1]))
        neutral = (-1,) * (len(longer) - len(first.ranking)) if first.teams else ()
        return first._replace(ranking=longer, teams=first.teams + neutral)

    def page(self, number: int) -> Ranking:
        """The documents of a page, counted from 1; fewer or none behind the last document."""
        return self.shown(number).ranking[(number - 1) * self.page_length :]
