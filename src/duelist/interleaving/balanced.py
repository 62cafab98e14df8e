"""Balanced interleaving.

Joachims. Evaluating Retrieval Performance Using Clickthrough Data. Text Mining 2003;
Radlinski, Kurup, Joachims. How Does Clickthrough Data Reflect Retrieval Quality? CIKM 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from duelist.core.memory import Floats
from duelist.interleaving.method import (
    Method,
    Ranking,
    Rankings,
    Shown,
    check_clicks,
    check_rankings,
    credited,
    ranks_of,
)


class Balanced(Method):
    """The top of the list holds the tops of both rankings; one coin decides who leads.

    The ranker with more clicked documents in its top k scores 1, where k is the better rank of the
    lowest clicked document. Slots beyond the shorter ranking are neutral. Biased: of "abcd" and
    "bcda", one random click favours the second three times out of four.

    >>> import numpy as np
    >>> method = Balanced()
    >>> shown = method.combine(["abcd", "bcda"], length=4, rng=np.random.default_rng(3))
    >>> shown.ranking
    ('b', 'a', 'c', 'd')
    >>> method.credit(shown, clicks=[2])
    array([0., 1.])
    """

    name = "balanced"
    only_two = True
    extends = True

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        checked = check_rankings(self, rankings, length)
        return self._shown(checked, length, leader=int(rng.random() < 0.5))

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        clicked = [shown.ranks[slot] for slot in check_clicks(self, shown, clicks) if slot < len(shown.ranks)]
        if not clicked:
            return np.zeros(2)
        depth = min(clicked[-1])
        first, second = (sum(ranks[ranker] <= depth for ranks in clicked) for ranker in (0, 1))
        return np.array([float(first > second), float(second > first)])

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        checked = check_rankings(self, rankings, length)
        return either([self._shown(checked, length, leader) for leader in (0, 1)])

    def _shown(self, rankings: Sequence[Ranking], length: int, leader: int) -> Shown:
        ranking = merge(rankings, length, leader)
        ranks = ranks_of(rankings, ranking[: credited(rankings, length)])
        return Shown(ranking, 2, self.text, ranks=ranks)


def merge(rankings: Sequence[Ranking], length: int, leader: int) -> Ranking:
    """The balanced merge of two rankings when `leader` goes first at equal depth.

    >>> merge([("a", "b", "c"), ("b", "c", "a")], 3, leader=1)
    ('b', 'a', 'c')
    """
    leading, following = rankings[leader], rankings[1 - leader]
    shorter = min(len(leading), len(following))
    turns: list[Any] = [None] * (2 * shorter)
    turns[::2], turns[1::2] = leading[:shorter], following[:shorter]
    turns += leading[shorter:] + following[shorter:]
    return tuple(dict.fromkeys(turns))[:length]


def either(outcomes: Sequence[Shown]) -> list[tuple[float, Shown]]:
    """The two lists that one coin decides between, or the one that both are."""
    return [(0.5, shown) for shown in outcomes] if outcomes[0] != outcomes[1] else [(1.0, outcomes[0])]
