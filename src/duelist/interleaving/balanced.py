"""Balanced interleaving.

Joachims. Evaluating Retrieval Performance Using Clickthrough Data. Text Mining 2003;
Radlinski, Kurup, Joachims. How Does Clickthrough Data Reflect Retrieval Quality? CIKM 2008.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from duelist.core.memory import Floats
from duelist.interleaving.method import (
    Method,
    Ranking,
    Rankings,
    Shown,
    check_clicks,
    check_ranks,
    credited,
    ranks_in,
)

# The credit of either ranker, or of none: made once, because a new array takes as long as the rest of a credit.
FIRST, SECOND, NOBODY = np.array((1.0, 0.0)), np.array((0.0, 1.0)), np.zeros(2)


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
        checked, tables = check_ranks(self, rankings, length)
        return self._shown(checked, tables, length, rng.random() < 0.5)

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        ranks, ahead = shown.ranks, 0
        slots = check_clicks(self, shown, clicks)
        if slots and slots[-1] >= len(ranks):
            slots = [slot for slot in slots if slot < len(ranks)]
        if slots:
            depth = min(ranks[slots[-1]])
            for slot in slots:
                first, second = ranks[slot]
                if first <= depth:
                    ahead += 1
                if second <= depth:
                    ahead -= 1
        return (FIRST if ahead > 0 else SECOND if ahead else NOBODY).copy()

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        checked, tables = check_ranks(self, rankings, length)
        return either([self._shown(checked, tables, length, leader) for leader in (0, 1)])

    def _shown(
        self, rankings: Sequence[Ranking], tables: Sequence[dict[Hashable, int]], length: int, leader: int
    ) -> Shown:
        ranking, (one, other) = merge(rankings, length, leader), rankings
        counted = ranking if len(one) >= length <= len(other) else ranking[: credited(rankings, length)]
        return Shown(ranking, 2, self.text, (), ranks_in(tables, counted))


def merge(rankings: Sequence[Ranking], length: int, leader: int) -> Ranking:
    """The balanced merge of two rankings when `leader` goes first at equal depth.

    >>> merge([("a", "b", "c"), ("b", "c", "a")], 3, leader=1)
    ('b', 'a', 'c')
    """
    following, leading = rankings if leader else rankings[::-1]
    if len(leading) == len(following):  # the usual case, in two thirds of the time
        turns: list[Any] = [None] * (2 * len(leading))
        turns[::2], turns[1::2] = leading, following
        return tuple(dict.fromkeys(turns))[:length]
    merged = dict.fromkeys(chain.from_iterable(zip(leading, following)))  # noqa: B905 - what is longer comes last
    shorter = min(len(leading), len(following))
    merged |= dict.fromkeys(leading[shorter:] + following[shorter:])
    return tuple(merged)[:length]


def either(outcomes: Sequence[Shown]) -> list[tuple[float, Shown]]:
    """The two lists that one coin decides between, or the one that both are."""
    return [(0.5, shown) for shown in outcomes] if outcomes[0] != outcomes[1] else [(1.0, outcomes[0])]
