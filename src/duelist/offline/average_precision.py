"""Average precision: the most violated ranking of a query, and the SVM that uses it.

Yue, Finley, Radlinski, Joachims. A Support Vector Method for Optimizing Average Precision. SIGIR 2007.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelist.core.compile import allocating, kernel
from duelist.core.memory import Floats, Ints
from duelist.data.sorting import sort_falling
from duelist.offline.queries import Queries
from duelist.offline.ranker import Finder, LinearRanker


class Scratch(NamedTuple):
    """Room for the longest query."""

    order: Ints
    firsts: Ints
    sums: Floats


class SVMMap(LinearRanker):
    """The SVM for mean average precision, thesis section 3.2.

    Documents are relevant or not; queries that lack either kind are left out.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=30, documents=20, features=5, seed=1)
    >>> qid = np.repeat(np.arange(30), 20)
    >>> ranker = SVMMap(C=10).fit(pages.features, pages.labels, qid=qid)
    >>> ranker.coef_.round(1), round(ranker.score(pages.features, pages.labels, qid), 2)
    (array([ 0.1,  0.1,  0. , -0.2,  0.1]), 0.93)
    """

    def finder(self, queries: Queries) -> Finder:
        relevant = queries.relevant(self.relevant)
        longest = int(np.diff(queries.offsets).max())
        harmonic = harmonic_numbers(longest)
        scratch = Scratch(np.empty(longest, np.int64), np.empty(longest, np.int64), np.zeros(longest + 1))
        return lambda scores, out: most_violated(scores, queries.offsets, relevant, harmonic, scratch, out)


def harmonic_numbers(last: int) -> Floats:
    """1 + 1/2 + ... + 1/n for n from 0."""
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, last + 1))])


@kernel
def slide_up(place: int, first: int, relevant: int, others: int, score: float, sums: Floats, harmonic: Floats) -> float:
    """What sliding the document at `place` of those not relevant above the relevant ones from `first` on adds.

    Thesis, (3.9), in closed form by harmonic numbers and `sums`, the sums of the first scores. Places
    count from 1, and the last `first` is relevant + 1: it stays below all.
    """
    loss = place * (harmonic[place + relevant] - harmonic[place + first - 1])
    if place > 1:
        loss -= (place - 1) * (harmonic[place + relevant - 1] - harmonic[place + first - 2])
    scores = sums[relevant] - sums[first - 1] - (relevant - first + 1) * score
    return float((loss - 2.0 * scores / others) / relevant)


@kernel
def best_first(
    place: int, low: int, high: int, relevant: int, others: int, score: float, sums: Floats, harmonic: Floats
) -> int:
    """Alg. 2, line 6, among low to high; of equal ones the first."""
    if low == high:
        return low
    best, most = low, slide_up(place, low, relevant, others, score, sums, harmonic)
    for first in range(low + 1, high + 1):
        value = slide_up(place, first, relevant, others, score, sums, harmonic)
        if value > most:
            best, most = first, value
    return best


@kernel
def place_others(scores: Floats, order: Ints, sums: Floats, harmonic: Floats, firsts: Ints) -> None:
    """firsts[j]: the first relevant document, from 1, below the j-th other one.

    It never falls with j, so that the middle one halves the search for those before and behind.
    """
    relevant, others = sums.size - 1, order.size
    step = 1
    while step < others:
        step *= 2
    while step >= 1:
        for j in range(step - 1, others, 2 * step):
            low = firsts[j - step] if j >= step else 1
            high = firsts[j + step] if j + step < others else relevant + 1
            firsts[j] = best_first(j + 1, low, high, relevant, others, scores[order[j]], sums, harmonic)
        step //= 2


@kernel
def describe_ranking(order: Ints, firsts: Ints, relevant: int, coefficients: Floats) -> float:
    """Coefficients of Psi(truth) - Psi(ranking) by document, and the ranking's loss."""
    others = firsts.size
    scale = 2.0 / (relevant * others)
    above, average = 0, 0.0
    for i in range(relevant):
        while above < others and firsts[above] <= i + 1:
            above += 1
        coefficients[order[i]] = scale * above
        average += (i + 1) / (i + 1 + above)
    for j in range(others):
        coefficients[relevant + order[relevant + j]] = -scale * (relevant + 1 - firsts[j])
    return 1.0 - average / relevant


@allocating
def most_violated(
    scores: Floats, offsets: Ints, relevant: Ints, harmonic: Floats, scratch: Scratch, coefficients: Floats
) -> float:
    """The mean over queries of the loss of the most violated ranking; coefficients likewise.

    In every query the relevant documents come first; both kinds exist.
    """
    queries = offsets.size - 1
    order, firsts, sums = scratch
    loss = 0.0
    for query in range(queries):
        start, stop, count = offsets[query], offsets[query + 1], relevant[query]
        mine, own = scores[start:stop], order[: stop - start]
        sort_falling(mine[:count], own[:count])
        sort_falling(mine[count:], own[count:])
        for i in range(count):
            sums[i + 1] = sums[i] + mine[own[i]]
        others = stop - start - count
        place_others(mine[count:], own[count:], sums[: count + 1], harmonic, firsts[:others])
        loss += describe_ranking(own, firsts[:others], count, coefficients[start:stop])
    coefficients /= queries
    return loss / queries
