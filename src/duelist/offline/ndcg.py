"""NDCG: the most violated ranking, and the SVM that uses it.

Chapelle, Le, Smola. Large margin optimization of ranking measures. NIPS workshop, 2007.
Chakrabarti, Khanna, Sawant, Bhattacharyya. Structured Learning for Non-Smooth Ranking Losses. KDD 2008.

Psi is (3.17): the sum of documents, each times alpha(place). The most violated ranking is a linear
assignment of documents to places. If alpha is the discount itself, it is a sort by score - gain / best.
Both are cut at the same k.

Documents with the same label may stand in any order in the truth. Their mean makes a convex problem,
but spread inside a label then costs as much as a wrong order, and on noisy data no weights do better
than none (MQ2008). So the truth is by default the order without loss that the weights like best, found
in turns with the weights (the convex-concave procedure: Yu, Joachims. Learning Structural SVMs with
Latent Variables. ICML 2009).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from duelist.core.compile import allocating, compiled
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.data.ranks import longest_of
from duelist.data.sorting import sort_falling
from duelist.offline.precision_at import check_cutoff
from duelist.offline.queries import Queries
from duelist.offline.ranker import Finder, LinearRanker
from duelist.offline.roc_area import SVMRoc, several_levels
from duelist.offline.structural import Solution

Alpha = Literal["discount", "root"]
MOST_LABEL = 50  # up to here 2^label - 1 is exact
PASSES = 20  # turns of truth and weights; a few are enough


class SVMNdcg(LinearRanker):
    """The SVM for NDCG in the first k places.

    alpha: what a place weighs in Psi. "discount", 1 / log2(place + 1), takes one sort a query; "root",
    place^(-1/4), takes a linear assignment, slow for queries of more than a few hundred documents.
    gain: "exponential", 2^label - 1, or "linear". truth: "best", the order without loss that the
    weights like best, or "mean", the mean of all of them. Labels are 0 to 50; queries with a single
    one are left out. With the best truth, primal_, dual_ and gap_ are those of the last turn.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=30, documents=20, features=5, seed=1)
    >>> qid = np.repeat(np.arange(30), 20)
    >>> ranker = SVMNdcg(k=10).fit(pages.features, pages.labels, qid=qid)
    >>> round(ranker.score(pages.features, pages.labels, qid), 2)
    0.87
    """

    measure = "ndcg@{k}"

    def __init__(
        self,
        C: float = 1.0,  # noqa: N803
        k: int = 10,
        alpha: Alpha = "discount",
        gain: Literal["exponential", "linear"] = "exponential",
        truth: Literal["best", "mean"] = "best",
        tolerance: float = 5e-3,
        max_planes: int = 10_000,
        relevant: float = 1,
        warm_start: bool = False,
        rescale: bool = True,
    ) -> None:
        super().__init__(C, tolerance, max_planes, relevant, warm_start, rescale)
        self.k, self.alpha, self.gain, self.truth = k, alpha, gain, truth

    def solve(self, queries: Queries) -> Solution:
        if self.truth == "mean":
            return super().solve(queries)
        first = SVMRoc(self.C, self.tolerance, self.max_planes).solve(queries)
        best = super().solve(order_by_score(queries, first.weights))
        for _ in range(PASSES):
            solution = super().solve(order_by_score(queries, best.weights))
            if solution.primal > best.primal - self.tolerance * (best.nothing - best.dual):
                break
            best = solution
        return best

    def finder(self, queries: Queries) -> Finder:
        offsets, gains = queries.offsets, gains_of(queries.labels, self.gain)
        places = np.arange(int(np.diff(offsets).max()))
        discounts = np.where(places < self.k, 1.0 / np.log2(places + 2.0), 0.0)
        alphas = discounts if self.alpha == "discount" else np.where(places < self.k, (places + 1.0) ** -0.25, 0.0)
        scale_by_best(gains, offsets, discounts)
        truth = alphas[np.concatenate([places[: stop - start] for start, stop in pairwise(offsets)])]
        if self.truth == "mean":
            mean_by_label(queries.labels, offsets, alphas, truth)
        if self.alpha == "discount":
            return lambda scores, out: sort_documents(scores, offsets, gains, discounts, truth, out)
        return lambda scores, out: assign_documents(scores, offsets, gains, discounts, alphas, truth, out)

    def useful(self, queries: Queries) -> Flags:
        check_cutoff(self.k)
        for name, value, known in (
            ("alpha", self.alpha, ("discount", "root")),
            ("gain", self.gain, ("exponential", "linear")),
            ("truth", self.truth, ("best", "mean")),
        ):
            if value not in known:
                raise BadInput(f"{name} must be {known[0]!r} or {known[1]!r}, not {value!r}")
        return several_levels(queries)

    def nothing_to_learn(self, labels: Floats) -> str:
        return f"no query has documents with different labels, n_samples={len(labels)}"


def order_by_score(queries: Queries, weights: Floats) -> Queries:
    """The same queries with documents of the same label by falling score."""
    numbers = np.repeat(np.arange(queries.n_queries), np.diff(queries.offsets))
    order = np.lexsort((-(queries.features @ weights), -queries.labels, numbers))
    return Queries(queries.features[order], queries.labels[order], queries.offsets)


def gains_of(labels: Floats, gain: str) -> Floats:
    """What documents with these labels are worth."""
    if not (labels.min() >= 0 and labels.max() <= MOST_LABEL):
        bad = labels[(labels < 0) | (labels > MOST_LABEL)][0]
        raise BadInput(f"labels must be from 0 to {MOST_LABEL} for NDCG, not {bad:g}")
    return labels.copy() if gain == "linear" else 2.0**labels - 1


@compiled
def scale_by_best(gains: Floats, offsets: Ints, discounts: Floats) -> None:
    """Divide the gains of a query, which fall, by the best sum they can reach."""
    for query in range(offsets.size - 1):
        best = 0.0
        for row in range(offsets[query], offsets[query + 1]):
            best += gains[row] * discounts[row - offsets[query]]
        for row in range(offsets[query], offsets[query + 1]):
            gains[row] /= best


@compiled
def mean_by_label(labels: Floats, offsets: Ints, alphas: Floats, truth: Floats) -> None:
    """truth: the mean of alpha over the places that documents with the same label share; labels fall."""
    for query in range(offsets.size - 1):
        first = offsets[query]
        while first < offsets[query + 1]:
            last = first
            while last + 1 < offsets[query + 1] and labels[last + 1] == labels[first]:
                last += 1
            truth[first : last + 1] = np.mean(alphas[first - offsets[query] : last + 1 - offsets[query]])
            first = last + 1


@allocating
def sort_documents(
    scores: Floats, offsets: Ints, gains: Floats, discounts: Floats, truth: Floats, coefficients: Floats
) -> float:
    """The mean over queries of the loss of the most violated ranking; coefficients likewise."""
    queries = offsets.size - 1
    order = np.empty(longest_of(offsets), np.int64)
    keys = scores - gains
    found = 0.0
    for query in range(queries):
        start, stop = offsets[query], offsets[query + 1]
        own = order[: stop - start]
        sort_falling(keys[start:stop], own)
        for place in range(own.size):
            row = start + own[place]
            coefficients[row] = (truth[row] - discounts[place]) / queries
            found += gains[row] * discounts[place]
    return 1.0 - found / queries


def assign_documents(
    scores: Floats,
    offsets: Ints,
    gains: Floats,
    discounts: Floats,
    alphas: Floats,
    truth: Floats,
    coefficients: Floats,
) -> float:
    """The same by linear assignment, for any alpha; both tables end with zeros behind place k."""
    found, queries = 0.0, len(offsets) - 1
    coefficients[:] = truth
    places = int(np.count_nonzero(alphas))
    for start, stop in pairwise(offsets):
        shown = slice(0, min(places, stop - start))
        value = np.outer(scores[start:stop], alphas[shown]) - np.outer(gains[start:stop], discounts[shown])
        documents, chosen = linear_sum_assignment(value, maximize=True)
        coefficients[start + documents] -= alphas[chosen]
        found += gains[start + documents] @ discounts[chosen]
    coefficients /= queries
    return float(1.0 - found / queries)
