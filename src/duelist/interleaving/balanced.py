"""Balanced interleaving.

Joachims. Evaluating Retrieval Performance Using Clickthrough Data. Text Mining 2003;
Radlinski, Kurup, Joachims. How Does Clickthrough Data Reflect Retrieval Quality? CIKM 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from duelist.core.memory import Floats
from duelist.interleaving.method import (
    RANKS,
    Method,
    Ranking,
    Rankings,
    Shown,
    check_clicks,
    check_rankings,
    credited,
    ranks_of,
)

# The credit of either ranker, or of none: made once, because a new array takes as long as the rest of a credit.
FIRST, SECOND, NOBODY = np.array((1.0, 0.0)), np.array((0.0, 1.0)), np.zeros(2)
UPPER = tuple(RANKS[:1024])  # ranks of the usual case: a tuple is read faster than a range
new = tuple.__new__  # a list is made in half the time when all seven of its parts are given


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
        checked: Any = rankings
        leader = rng.random() < 0.5
        try:  # the usual case, that both have all documents, in half the time
            if rankings.__class__ is not list:
                checked = list(rankings)
            first, second = checked
            checked = first, second = tuple(first), tuple(second)
            if len(first) == len(second) >= length > 1 and length.__class__ is int:
                turns = [*first, *second]
                turns[leader::2], turns[1 - leader :: 2] = first, second
                ranking = tuple(dict.fromkeys(turns))[:length]
                ranks = dict(zip(first, zip(UPPER, itemgetter(*first)(dict(zip(second, UPPER))))))  # noqa: B905
                if len(ranks) == len(first):
                    return new(Shown, (ranking, 2, self.text, (), itemgetter(*ranking)(ranks), (), ()))
        except (TypeError, ValueError, KeyError):
            pass
        first, second = check_rankings(self, checked, length)  # which says what is wrong
        return self._shown(first, second, length, leader)

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        ranks, ahead = shown.ranks, 0
        slots = check_clicks(self, shown, clicks)
        if slots and slots[-1] >= len(ranks):
            slots = [slot for slot in slots if slot < len(ranks)]
        if slots:
            first, second = ranks[slots[-1]]
            depth = first if first < second else second
            for slot in slots:
                first, second = ranks[slot]
                if first <= depth:
                    if second > depth:
                        ahead += 1
                elif second <= depth:
                    ahead -= 1
        return (FIRST if ahead > 0 else SECOND if ahead else NOBODY).copy()

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        first, second = check_rankings(self, rankings, length)
        return either([self._shown(first, second, length, leader) for leader in (0, 1)])

    def _shown(self, first: Ranking, second: Ranking, length: int, leader: int) -> Shown:
        ranking = merge(second, first, length) if leader else merge(first, second, length)
        pair = first, second
        return Shown(ranking, 2, self.text, (), ranks_of(pair, ranking[: credited(pair, length)]))


def merge(leading: Ranking, following: Ranking, length: int) -> Ranking:
    """The balanced merge of two rankings, of which one goes first at equal depth.

    >>> merge(("b", "c", "a"), ("a", "b", "c"), 3)
    ('b', 'a', 'c')
    """
    merged = dict.fromkeys(chain.from_iterable(zip(leading, following)))  # noqa: B905 - what is longer comes last
    shorter = min(len(leading), len(following))
    merged |= dict.fromkeys(leading[shorter:] + following[shorter:])
    return tuple(merged)[:length]


def either(outcomes: Sequence[Shown]) -> list[tuple[float, Shown]]:
    """The two lists that one coin decides between, or the one that both are."""
    return [(0.5, shown) for shown in outcomes] if outcomes[0] != outcomes[1] else [(1.0, outcomes[0])]
