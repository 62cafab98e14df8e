"""Precision in the first k places: the most violated ranking, and the SVM that uses it.

Psi is that of average precision, (3.4): all pairs of a relevant document and another one. With the
block form of (3.17), alpha 1 in the first k places, the truth is not unique, and on noisy data no
weights do better than none.
"""

from __future__ import annotations

import numpy as np

from duelist.core.compile import allocating, kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.data.ranks import longest_of
from duelist.data.sorting import sort_parts
from duelist.offline.queries import Queries
from duelist.offline.ranker import Finder, LinearRanker


class SVMPrecision(LinearRanker):
    """The SVM for precision in the first k places, as a share of what is possible there.

    Queries that lack relevant documents or others are left out, and those with at most k documents,
    which any ranking serves equally.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=30, documents=20, features=5, seed=1)
    >>> qid = np.repeat(np.arange(30), 20)
    >>> ranker = SVMPrecision(k=5).fit(pages.features, pages.labels, qid=qid)
    >>> round(ranker.score(pages.features, pages.labels, qid), 2)
    0.95
    """

    measure = "precision@{k}"

    def __init__(
        self,
        C: float = 1.0,  # noqa: N803
        k: int = 10,
        tolerance: float = 5e-3,
        max_planes: int = 10_000,
        relevant: float = 1,
        warm_start: bool = False,
        rescale: bool = True,
    ) -> None:
        super().__init__(C, tolerance, max_planes, relevant, warm_start, rescale)
        self.k = k

    def finder(self, queries: Queries) -> Finder:
        relevant = queries.relevant(self.relevant)
        return lambda scores, out: most_violated(scores, queries.offsets, relevant, self.k, out)

    def useful(self, queries: Queries) -> Flags:
        check_cutoff(self.k)
        return np.asarray(super().useful(queries) & (np.diff(queries.offsets) > self.k))

    def nothing_to_learn(self, labels: Floats) -> str:
        return f"{super().nothing_to_learn(labels)}; and more than k={self.k} documents"


def check_cutoff(k: int) -> None:
    if not isinstance(k, int | np.integer) or k < 1:
        raise BadInput(f"k must be a whole number of at least 1, not {k!r}")


@kernel
def choose_relevant(relevant: Floats, others: Floats, k: int) -> int:
    """How many relevant documents to show in the first k places; both kinds sorted by falling score.

    Every ranking starts from the order by score. Showing one relevant document less forces pairs
    against their scores: those shown stand above those not shown, whatever their kind.
    """
    scale = 2.0 / (relevant.size * others.size)
    most = min(k, relevant.size)
    best, best_value = most, -forced(relevant, others, most, k) * scale
    for shown in range(most - 1, max(0, k - others.size) - 1, -1):
        value = 1.0 - shown / most - forced(relevant, others, shown, k) * scale
        if value > best_value:
            best, best_value = shown, value
    return best


@kernel
def forced(relevant: Floats, others: Floats, shown: int, k: int) -> float:
    """How much is lost on pairs of a document shown and one of the other kind that is not, but scores more."""
    total = 0.0
    for i in range(shown):
        j = k - shown
        while j < others.size and others[j] > relevant[i]:
            total += others[j] - relevant[i]
            j += 1
    for j in range(k - shown):
        i = shown
        while i < relevant.size and relevant[i] > others[j]:
            total += relevant[i] - others[j]
            i += 1
    return total


@kernel
def describe_ranking(relevant: Floats, others: Floats, shown: int, k: int, order: Ints, coefficients: Floats) -> float:
    """Coefficients by document and the loss; inside the first k places, and behind, scores decide."""
    scale = 2.0 / (relevant.size * others.size)
    above = 0
    for i in range(relevant.size):
        last = k - shown if i < shown else others.size
        while above < last and (others[above] > relevant[i] or (i >= shown and above < k - shown)):
            above += 1
        coefficients[order[i]] = scale * above
    above = 0
    for j in range(others.size):
        last = shown if j < k - shown else relevant.size
        while above < last and (relevant[above] >= others[j] or (j >= k - shown and above < shown)):
            above += 1
        coefficients[relevant.size + order[relevant.size + j]] = -scale * (relevant.size - above)
    return 1.0 - shown / min(k, relevant.size)


@allocating
def most_violated(scores: Floats, offsets: Ints, relevant: Ints, k: int, coefficients: Floats) -> float:
    """The mean over queries of the loss of the most violated ranking; coefficients likewise."""
    queries = offsets.size - 1
    longest = longest_of(offsets)
    order, ranked = np.empty(longest, np.int64), np.empty(longest)
    loss = 0.0
    for query in range(queries):
        start, stop, count = offsets[query], offsets[query + 1], relevant[query]
        mine, own, sorted_scores = scores[start:stop], order[: stop - start], ranked[: stop - start]
        sort_parts(mine, count, own, sorted_scores)
        shown = choose_relevant(sorted_scores[:count], sorted_scores[count:], k)
        out = coefficients[start:stop]
        loss += describe_ranking(sorted_scores[:count], sorted_scores[count:], shown, k, own, out)
    coefficients /= queries
    return loss / queries
