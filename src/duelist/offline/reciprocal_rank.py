"""Reciprocal rank: the most violated ranking, and the SVM that uses it.

Psi is that of average precision, (3.4): all pairs of a relevant document and another one.
"""

from __future__ import annotations

import numpy as np

from duelist.core.compile import allocating, kernel
from duelist.core.memory import Floats, Ints
from duelist.data.ranks import longest_of
from duelist.data.sorting import sort_parts
from duelist.offline.queries import Queries
from duelist.offline.ranker import Finder, LinearRanker


class SVMMrr(LinearRanker):
    """The SVM for mean reciprocal rank.

    Documents are relevant or not; queries that lack either kind are left out.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=30, documents=20, features=5, seed=1)
    >>> qid = np.repeat(np.arange(30), 20)
    >>> ranker = SVMMrr(C=10, relevant=4).fit(pages.features, pages.labels, qid=qid)
    >>> round(ranker.score(pages.features, pages.labels, qid), 2)
    0.63
    """

    measure = "mrr"

    def finder(self, queries: Queries) -> Finder:
        relevant = queries.relevant(self.relevant)
        return lambda scores, out: most_violated(scores, queries.offsets, relevant, out)


@kernel
def choose_ahead(relevant: Floats, others: Floats) -> int:
    """How many others to put ahead of all relevant documents; both kinds sorted by falling score.

    Putting one more ahead costs what it lacks to the relevant documents above it, and the others stay
    where their scores put them. It is the best of the others that go ahead: they cost least.
    """
    scale = 2.0 / (relevant.size * others.size)
    best, most, cost = 0, 0.0, 0.0
    total, higher = 0.0, 0  # the relevant documents that score more than the next other
    for ahead in range(1, others.size + 1):
        score = others[ahead - 1]
        while higher < relevant.size and relevant[higher] > score:
            total += relevant[higher]
            higher += 1
        cost += scale * (total - higher * score)
        value = 1.0 - 1.0 / (ahead + 1) - cost
        if value > most:
            best, most = ahead, value
    return best


@kernel
def describe_ranking(relevant: Floats, others: Floats, ahead: int, order: Ints, coefficients: Floats) -> float:
    """Coefficients by document and the loss, with `ahead` others first and the rest merged by score."""
    scale = 2.0 / (relevant.size * others.size)
    above, first = 0, 0
    for i in range(relevant.size):
        while above < others.size and (above < ahead or others[above] > relevant[i]):
            above += 1
        coefficients[order[i]] = scale * above
        if i == 0:
            first = above
    below = 0
    for j in range(others.size):
        while below < relevant.size and j >= ahead and relevant[below] >= others[j]:
            below += 1
        coefficients[relevant.size + order[relevant.size + j]] = -scale * (relevant.size - below)
    return 1.0 - 1.0 / (first + 1)


@allocating
def most_violated(scores: Floats, offsets: Ints, relevant: Ints, coefficients: Floats) -> float:
    """The mean over queries of the loss of the most violated ranking; coefficients likewise."""
    queries = offsets.size - 1
    longest = longest_of(offsets)
    order, ranked = np.empty(longest, np.int64), np.empty(longest)
    loss = 0.0
    for query in range(queries):
        start, stop, count = offsets[query], offsets[query + 1], relevant[query]
        mine, own, sorted_scores = scores[start:stop], order[: stop - start], ranked[: stop - start]
        sort_parts(mine, count, own, sorted_scores)
        ahead = choose_ahead(sorted_scores[:count], sorted_scores[count:])
        out = coefficients[start:stop]
        loss += describe_ranking(sorted_scores[:count], sorted_scores[count:], ahead, own, out)
    coefficients /= queries
    return loss / queries
