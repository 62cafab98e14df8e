"""Optimized interleaving and multileaving.

Radlinski, Craswell. Optimized Interleaving for Online Retrieval Evaluation. WSDM 2013.
Schuth, Sietsma, Whiteson, Lefortier, de Rijke. Multileaved Comparisons for Fast Online
Evaluation. CIKM 2014.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.parameters import limits
from duelist.interleaving.method import (
    Method,
    Ranking,
    Rankings,
    Shown,
    check_clicks,
    check_rankings,
    credited,
    ranks_of,
    sum_weights,
)
from duelist.interleaving.team_draft import every_fill, fill

SAMPLE = 1000  # candidates, where all are too many
TINY = 1e-10  # probabilities and biases below it are rounding

Lists = tuple[tuple[int, ...], ...]  # of documents by number


@dataclass(frozen=True)
class Optimized(Method):
    """Lists are drawn from the distribution that treats all rankers alike and tells them apart best.

    A click is worth 1 / rank to every ranker (`per_click` "inverse"), or -rank ("negative"). Candidates are all
    lists made by repeatedly taking some ranker's best document not yet there. Their probabilities make the expected
    credit of every slot the same for all rankers, and of these the variance of a list's credits least. Where
    no probabilities do that, the bias is made least first; `strict` makes it an error instead. It is
    always possible for two rankings of the same documents. Slots beyond the shortest ranking are neutral.

    With three rankers it often is not. A click on the first slot, whatever it holds, prefers somebody by 0.125 among
    abcd, acdb, bcda, which is the most for four documents; by 0.2 among ten so ordered, and towards 0.25 among many.
    Of four rankings of four documents that differ, a click on the second slot prefers somebody by 0.1625 at most (abcd,
    adbc, dacb, dbca).

    With more than `candidates` lists, which takes four rankers or more as a rule, a thousand of them are
    sampled, the same for the same rankings.

    >>> import numpy as np
    >>> method = Optimized()
    >>> shown = method.combine(["abcd", "bcda"], length=4, rng=np.random.default_rng(3))
    >>> shown.ranking
    ('a', 'b', 'c', 'd')
    >>> method.credit(shown, clicks=[2]).round(3)
    array([0.333, 0.5  ])
    """

    per_click: Annotated[str, limits("what a click is worth by rank", choices=("inverse", "negative"))] = "inverse"
    strict: Annotated[bool, limits("a bias is an error")] = False
    candidates: Annotated[int, limits("the most lists to choose from; beyond it they are sampled", low=1)] = 5000

    name = "optimized"

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        checked = check_rankings(self, rankings, length)
        lists, chances = self._solve(checked, length)
        drawn = lists[int(np.searchsorted(np.cumsum(chances)[:-1], rng.random(), side="right"))]
        return self._shown(checked, drawn, fill(drawn, checked, length, rng))

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        return sum_weights(shown, check_clicks(self, shown, clicks))

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        checked = check_rankings(self, rankings, length)
        return [
            (float(chance) * share, self._shown(checked, drawn, ranking))
            for drawn, chance in zip(*self._solve(checked, length), strict=True)
            for ranking, share in every_fill(drawn, checked, length)
        ]

    def _solve(self, rankings: Sequence[Ranking], length: int) -> tuple[list[Ranking], Floats]:
        """The lists to draw from, down to the end of the shortest ranking, and their probabilities."""
        documents = list(dict.fromkeys(d for ranking in rankings for d in ranking))
        number = {document: n for n, document in enumerate(documents)}
        numbered = tuple(tuple(number[document] for document in ranking) for ranking in rankings)
        lists, chances = _solve_numbered(self, numbered, credited(rankings, length))
        return [tuple(documents[n] for n in each) for each in lists], chances

    def _shown(self, rankings: Sequence[Ranking], drawn: Ranking, ranking: Ranking) -> Shown:
        weights = tuple(map(tuple, self._credits(np.array(ranks_of(rankings, drawn))).tolist()))
        return Shown(ranking, len(rankings), self.text, weights=weights)

    def _credits(self, ranks: Any) -> Floats:
        return np.asarray(1.0 / ranks if self.per_click == "inverse" else -1.0 * ranks)


@lru_cache(1000)
def _solve_numbered(method: Optimized, rankings: Lists, size: int) -> tuple[Lists, Floats]:
    """The candidates of positive probability, and it. Documents are numbers, so that relabelled rankings share it."""
    if size == 0:
        return ((),), np.ones(1)
    lists = _candidates(rankings, size, method.candidates)
    ranks = np.array(ranks_of(rankings, range(1 + max(map(max, rankings)))))
    chances = _probabilities(method._credits(ranks)[np.array(lists)], method.strict)
    kept = chances > TINY
    return tuple(each for each, keep in zip(lists, kept, strict=True) if keep), chances[kept] / chances[kept].sum()


def _candidates(rankings: Lists, size: int, most: int) -> list[tuple[int, ...]]:
    """Every list made of the rankers' best documents not yet there; if these are more than `most`, a sample."""
    lists: list[tuple[int, ...]] = [()]
    for _ in range(size):
        lists = list(dict.fromkeys((*begun, d) for begun in lists for d in _tops(rankings, begun)))
        if len(lists) > most:
            rng = np.random.default_rng(0)  # the same candidates for the same rankings
            return list(dict.fromkeys(_random_list(rankings, size, rng) for _ in range(SAMPLE)))
    return lists


def _tops(rankings: Lists, begun: tuple[int, ...]) -> Iterator[int]:
    for ranking in rankings:
        yield next(document for document in ranking if document not in begun)


def _random_list(rankings: Lists, size: int, rng: np.random.Generator) -> tuple[int, ...]:
    begun: tuple[int, ...] = ()
    for ranker in rng.integers(len(rankings), size=size):
        begun += (next(document for document in rankings[ranker] if document not in begun),)
    return begun


def _probabilities(worth: Floats, strict: bool) -> Floats:
    """Probabilities of the lists: equal expected credit for all rankers at every cut, and of these the least variance.

    worth[list, slot, ranker] is what a click is worth.
    """
    lists, slots, rankers = worth.shape
    sums = worth.cumsum(1)
    pairs = list(combinations(range(rankers), 2))
    bias = np.array([sums[:, cut, i] - sums[:, cut, j] for cut in range(slots) for i, j in pairs]).reshape(-1, lists)
    weighted = (worth / np.arange(1, slots + 1)[:, None]).sum(1)
    variance = ((weighted - weighted.mean(1, keepdims=True)) ** 2).sum(1)
    fair = _minimise(variance, np.vstack([bias, np.ones(lists)]), np.append(np.zeros(len(bias)), 1.0))
    if fair is not None:
        return fair
    if strict:
        raise BadInput("no probabilities of the candidate lists give all rankers the same credit at every cut")
    return _least_bias(bias, variance, slots)


def _least_bias(bias: Floats, variance: Floats, slots: int) -> Floats:
    """The largest bias of each cut is made least in their sum, and with that sum fixed, the variance."""
    rows, lists = bias.shape
    slack = np.kron(np.eye(slots), np.ones((rows // slots, 1)))  # which cut a row belongs to
    limits = np.block([[bias, -slack], [-bias, -slack]])
    one = np.append(np.ones(lists), np.zeros(slots))[None]
    total = np.append(np.zeros(lists), np.ones(slots))
    least = _minimise(total, one, np.ones(1), limits, np.zeros(len(limits)))
    assert least is not None, "any probabilities are feasible when the bias is free"
    limits, bounds = np.vstack([limits, total]), np.append(np.zeros(len(limits)), total @ least + TINY)
    best = _minimise(np.append(variance, np.zeros(slots)), one, np.ones(1), limits, bounds)
    return (least if best is None else best)[:lists]


def _minimise(
    cost: Floats, equal: Floats, to: Floats, limits: Floats | None = None, bounds: Floats | None = None
) -> Floats | None:
    """The numbers from 0 of least cost within the constraints, or None if there are none."""
    solve: Any = scipy.optimize.linprog  # its types do not know all of its options
    found = solve(cost, limits, bounds, equal, to, method="highs", options={"primal_feasibility_tolerance": TINY})
    return np.maximum(found.x, 0.0) if found.status == 0 else None
