"""ROC-area: pairs of documents in the wrong order, counted without building the pairs.

Joachims. A Support Vector Method for Multivariate Performance Measures. ICML 2005.
Joachims. Training Linear SVMs in Linear Time. KDD 2006 (several levels of labels).
"""

from __future__ import annotations

import numpy as np

from duelist.core.compile import allocating, compiled, kernel
from duelist.core.memory import Flags, Floats, Ints
from duelist.data.ranks import longest_of
from duelist.data.sorting import sort_falling
from duelist.offline.queries import Queries
from duelist.offline.ranker import Finder, LinearRanker


class SVMRoc(LinearRanker):
    """The SVM for ROC-area: the share of pairs of documents of a query in the order of their labels.

    All levels of labels count, `relevant` only in `score`. Each pair is violated or not by itself: with
    two levels that is the most violated ranking, with more levels a bound from above, because pairs
    may disagree. Queries with a single level are left out.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=30, documents=20, features=5, seed=1)
    >>> qid = np.repeat(np.arange(30), 20)
    >>> ranker = SVMRoc(C=10).fit(pages.features, pages.labels, qid=qid)
    >>> round(ranker.score(pages.features, pages.labels, qid), 2)
    0.93
    """

    measure = "roc-area"

    def finder(self, queries: Queries) -> Finder:
        levels = levels_of(queries)
        weights = 1.0 / (count_pairs(queries) * queries.n_queries)
        # A swapped pair changes y_ij from 1 to -1, hence twice the difference of scores: a margin of 1/2.
        return lambda scores, out: violated_pairs(scores, queries.offsets, levels, weights, 0.5, out)

    def useful(self, queries: Queries) -> Flags:
        return several_levels(queries)

    def nothing_to_learn(self, labels: Floats) -> str:
        return f"no query has documents with different labels, n_samples={len(labels)}"


def several_levels(queries: Queries) -> Flags:
    """The queries with documents of different labels."""
    return np.asarray(queries.labels[queries.offsets[:-1]] > queries.labels[queries.offsets[1:] - 1])


def levels_of(queries: Queries) -> Ints:
    """Labels as whole numbers from 0, by query: 0 is the query's smallest label."""
    levels = np.zeros(len(queries.labels), np.int64)
    number_levels(queries.labels, queries.offsets, levels)
    return levels


def count_pairs(queries: Queries) -> Floats:
    """How many pairs of documents with different labels each query has."""
    pairs = np.zeros(queries.n_queries)
    pairs_of_queries(levels_of(queries), queries.offsets, pairs)
    return pairs


@compiled
def number_levels(labels: Floats, offsets: Ints, levels: Ints) -> None:
    for query in range(offsets.size - 1):
        for row in range(offsets[query + 1] - 2, offsets[query] - 1, -1):
            levels[row] = levels[row + 1] + (labels[row] > labels[row + 1])


@compiled
def pairs_of_queries(levels: Ints, offsets: Ints, pairs: Floats) -> None:
    for query in range(offsets.size - 1):
        same = 0  # documents so far with the level of this one, those with larger ones stand before
        for row in range(offsets[query], offsets[query + 1]):
            same = same + 1 if row > offsets[query] and levels[row] == levels[row - 1] else 1
            pairs[query] += row + 1 - offsets[query] - same


@kernel
def add_to_tree(tree: Ints, level: int) -> None:
    """Count a document of a level, in a Fenwick tree."""
    node = level + 1
    while node < tree.size:
        tree[node] += 1
        node += node & -node


@kernel
def count_below(tree: Ints, level: int) -> int:
    """How many of the documents counted are of smaller levels."""
    node, count = level, 0
    while node > 0:
        count += tree[node]
        node -= node & -node
    return count


@kernel
def count_violations(
    scores: Floats, levels: Ints, order: Ints, tree: Ints, margin: float, weight: float, out: Floats
) -> int:
    """Coefficients of one query, and how many pairs have a difference of scores below the margin."""
    size, top = order.size, levels[0]
    violated = 0
    tree[:] = 0
    near = 0  # documents with a score above this one's minus the margin: those before `near`
    for place in range(size):
        row = order[place]
        while near < size and scores[row] - scores[order[near]] < margin:
            add_to_tree(tree, levels[order[near]])
            near += 1
        beaten = count_below(tree, levels[row])
        violated += beaten
        out[row] = weight / margin * beaten
    tree[:] = 0
    near = size - 1  # and documents with a score below this one's plus the margin: those behind `near`
    for place in range(size - 1, -1, -1):
        row = order[place]
        while near >= 0 and scores[order[near]] - scores[row] < margin:
            add_to_tree(tree, top - levels[order[near]])
            near -= 1
        out[row] -= weight / margin * count_below(tree, top - levels[row])
    return violated


@allocating
def violated_pairs(
    scores: Floats, offsets: Ints, levels: Ints, weights: Floats, margin: float, coefficients: Floats
) -> float:
    """The sum, over queries, of weight times violated pairs; coefficients likewise.

    The sum of weight * (1 - difference / margin) over violated pairs is the risk.
    """
    longest = longest_of(offsets)
    order, tree = np.empty(longest, np.int64), np.empty(longest + 1, np.int64)  # levels are fewer
    loss = 0.0
    for query in range(offsets.size - 1):
        start, stop = offsets[query], offsets[query + 1]
        own = order[: stop - start]
        sort_falling(scores[start:stop], own)
        mine = tree[: levels[start] + 2]
        out = coefficients[start:stop]
        loss += weights[query] * count_violations(
            scores[start:stop], levels[start:stop], own, mine, margin, weights[query], out
        )
    return loss
