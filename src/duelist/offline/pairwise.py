"""The pairwise SVM: every pair of documents with different labels is one to put in order.

Herbrich, Graepel, Obermayer. Large Margin Rank Boundaries for Ordinal Regression. 2000.
Joachims. Training Linear SVMs in Linear Time. KDD 2006.
"""

from __future__ import annotations

import numpy as np

from duelist.core.memory import Flags, Floats
from duelist.offline.queries import Queries
from duelist.offline.ranker import Finder, LinearRanker
from duelist.offline.roc_area import count_pairs, levels_of, several_levels, violated_pairs


class SVMPairwise(LinearRanker):
    """The pairwise SVM (ranking SVM), thesis OP 3, with pairs inside queries and none of them built.

    Unlike SVMRoc all pairs weigh the same, so that queries with many documents weigh more. Queries
    with a single label are left out; `relevant` only matters to `score`.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=30, documents=20, features=5, seed=1)
    >>> qid = np.repeat(np.arange(30), 20)
    >>> ranker = SVMPairwise(C=10).fit(pages.features, pages.labels, qid=qid)
    >>> round(ranker.score(pages.features, pages.labels, qid), 2)
    0.93
    """

    def finder(self, queries: Queries) -> Finder:
        levels = levels_of(queries)
        weights = np.full(queries.n_queries, 1.0 / count_pairs(queries).sum())
        return lambda scores, out: violated_pairs(scores, queries.offsets, levels, weights, 1.0, out)

    def useful(self, queries: Queries) -> Flags:
        return several_levels(queries)

    def nothing_to_learn(self, labels: Floats) -> str:
        return f"no query has documents with different labels, n_samples={len(labels)}"
