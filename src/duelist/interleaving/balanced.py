"""Balanced interleaving.

Joachims. Evaluating Retrieval Performance Using Clickthrough Data. Text Mining 2003;
Radlinski, Kurup, Joachims. How Does Clickthrough Data Reflect Retrieval Quality? CIKM 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from duelist.core.memory import Floats
from duelist.interleaving.method import Method, Ranking, Rankings, Shown, check_clicks, check_rankings

# The credit of either ranker, or of none: made once, because a new array takes as long as the rest of a credit.
FIRST, SECOND, NOBODY = np.array((1.0, 0.0)), np.array((0.0, 1.0)), np.zeros(2)
UNKNOWN = object()  # no document
new = tuple.__new__  # a list is made in half the time when all eight of its parts are given


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
        try:  # the usual case, that both fill the list, in half the time
            if rankings.__class__ is not list:
                checked = list(rankings)
            first, second = checked
            checked = first, second = tuple(first), tuple(second)
            if len({*first}) == len(first) and len({*second}) == len(second) and length.__class__ is int and length > 0:
                first, second = tops = first[:length], second[:length]
                if len(first) == len(second):
                    turns = [*first, *second]
                    turns[leader::2], turns[1 - leader :: 2] = first, second
                    ranking = tuple(dict.fromkeys(turns))[:length]
                    return new(Shown, (ranking, 2, self.text, (), (), (), (), tops))
        except (TypeError, ValueError):
            pass
        first, second = check_rankings(self, checked, length)  # which says what is wrong
        return self._shown(first, second, length, leader)

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        slots, ranking, ahead = check_clicks(self, shown, clicks), shown.ranking, 0
        first, second = shown.tops or tops_of(shown)
        counted = len(first) if len(first) < len(second) else len(second)
        if slots and slots[-1] >= counted:
            slots = [slot for slot in slots if slot < counted]
        if slots:
            lowest = ranking[slots[-1]]
            rank = first.index(lowest) if lowest in first else slots[-1]  # k, from 0: at most the slot
            if lowest in second[:rank]:
                rank = second.index(lowest)
            mine, theirs = {*first[: rank + 1]}, {*second[: rank + 1]}
            for slot in slots:
                document = ranking[slot]
                if document in mine:
                    if document not in theirs:
                        ahead += 1
                elif document in theirs:
                    ahead -= 1
        return (FIRST if ahead > 0 else SECOND if ahead else NOBODY).copy()

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        first, second = check_rankings(self, rankings, length)
        return either([self._shown(first, second, length, leader) for leader in (0, 1)])

    def _shown(self, first: Ranking, second: Ranking, length: int, leader: int) -> Shown:
        ranking = merge(second, first, length) if leader else merge(first, second, length)
        return Shown(ranking, 2, self.text, tops=(first[:length], second[:length]))


def tops_of(shown: Shown) -> tuple[Ranking, ...]:
    """The beginnings of both rankings, of a list that was stored when lists had ranks instead.

    Experiments outlive versions: such lists are still credited. Ranks tell where the documents of the list were;
    elsewhere is what nobody can have clicked, for which `UNKNOWN` stands.

    >>> old = Shown(("b", "a"), rankers=2, method="balanced", ranks=((3, 1), (1, 2)))
    >>> [[document for document in top if document is not UNKNOWN] for top in tops_of(old)]
    [['a'], ['b', 'a']]
    """
    tops: tuple[list[Any], ...] = [UNKNOWN] * len(shown.ranks), [UNKNOWN] * len(shown.ranks)
    for document, ranks in zip(shown.ranking, shown.ranks):  # noqa: B905 - slots behind the last rank are neutral
        for top, rank in zip(tops, ranks, strict=True):
            if rank <= len(top):
                top[rank - 1] = document
    return tuple(map(tuple, tops))


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
