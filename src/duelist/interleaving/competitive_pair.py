"""Competitive pairs: one coin for the whole list, and only pairs of different documents compete.

Airbnb's interleaving, arXiv 2508.00751.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from duelist.interleaving.balanced import either
from duelist.interleaving.method import Method, Ranking, Rankings, Shown, check_rankings, credited
from duelist.interleaving.team_draft import every_fill, fill, unseen


class CompetitivePair(Method):
    """Every turn places the next new document of both rankings, in the order of one coin for the whole list.

    When both have the same next document it is placed once and is neutral. A click counts for the
    ranker that owns the document; a pair cut by the end of the list keeps its owner. Beyond the shorter
    ranking the list goes on, neutral.

    >>> import numpy as np
    >>> method = CompetitivePair()
    >>> shown = method.combine(["abcd", "acdb"], length=4, rng=np.random.default_rng(3))
    >>> shown.ranking, shown.teams
    (('a', 'c', 'b', 'd'), (-1, 1, 0, -1))
    >>> method.credit(shown, clicks=[0, 1])
    array([0., 1.])
    """

    name = "competitive-pair"
    only_two = True
    extends = True

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        checked = check_rankings(self, rankings, length)
        paired = pair_up(checked, credited(checked, length), leader=int(rng.random() < 0.5))
        return self._shown(paired, fill(tuple(paired), checked, length, rng))

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        checked = check_rankings(self, rankings, length)
        halves = [pair_up(checked, credited(checked, length), leader) for leader in (0, 1)]
        outcomes = []
        for chance, shown in either([self._shown(half, tuple(half)) for half in halves]):
            for ranking, share in every_fill(shown.ranking, checked, length):
                neutral = (-1,) * (len(ranking) - len(shown.ranking))
                outcomes.append((chance * share, shown._replace(ranking=ranking, teams=shown.teams + neutral)))
        return outcomes

    def proceed(self, shown: Shown, rankings: Sequence[Ranking], length: int, rng: np.random.Generator) -> Shown:
        """What is left of the rankings is paired anew, by a new coin."""
        return shown.followed_by(self.combine(unseen(shown, rankings), length - len(shown.ranking), rng))

    def _shown(self, paired: dict[Hashable, int], ranking: Ranking) -> Shown:
        return Shown(ranking, 2, self.text, tuple(paired.values()) + (-1,) * (len(ranking) - len(paired)))


def pair_up(rankings: Sequence[Ranking], size: int, leader: int) -> dict[Hashable, int]:
    """The first `size` documents and their owners when `leader` is placed first in every pair."""
    paired: dict[Hashable, int] = {}
    turns = [iter(ranking) for ranking in rankings]
    while len(paired) < size:
        following = [next(document for document in turn if document not in paired) for turn in turns]
        if following[0] == following[1]:
            paired[following[0]] = -1
        else:
            paired[following[leader]] = leader
            paired[following[1 - leader]] = 1 - leader
    return dict(list(paired.items())[:size])
