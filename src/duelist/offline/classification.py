"""The classification SVM as a ranker, and its three corrected variants: thesis OP 1 and section 3.3.6."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats
from duelist.offline.binning import check_bins, cut, even_cuts, percentiles, ranges
from duelist.offline.queries import Queries
from duelist.offline.ranker import Finder, LinearRanker
from duelist.offline.scaling import Scaling

CONVERSIONS = {"percentiles": percentiles, "ranges": ranges}


class SVMAcc(LinearRanker):
    """Tell relevant documents from others by one threshold for all queries, and rank by the score.

    balanced: a relevant document on the wrong side costs as many times more as there are fewer of them
    (SVM-acc2). convert: features become "percentiles" (SVM-acc3) or "ranges" from 0 to 1 (SVM-acc4)
    within their query, and are then cut into `bins` even steps; predict, too, then needs `qid`. coef_
    are weights of the converted features, threshold_ is b.

    >>> from duelist.data import synthetic
    >>> pages = synthetic(queries=30, documents=20, features=5, seed=1)
    >>> ranker = SVMAcc(C=10).fit(pages.features, pages.labels)
    >>> round(ranker.threshold_, 2), round(ranker.score(pages.features, pages.labels), 2)
    (-0.16, 0.92)
    """

    across_queries: ClassVar[bool] = True

    def __init__(
        self,
        C: float = 1.0,  # noqa: N803
        balanced: bool = False,
        convert: Literal["percentiles", "ranges"] | None = None,
        bins: int = 50,
        tolerance: float = 5e-3,
        max_planes: int = 10_000,
        relevant: float = 1,
        warm_start: bool = False,
        rescale: bool = True,
    ) -> None:
        super().__init__(C, tolerance, max_planes, relevant, warm_start, rescale)
        self.balanced, self.convert, self.bins = balanced, convert, bins

    def fit(self, X: Any, y: Any, qid: Any = None) -> SVMAcc:  # noqa: N803
        """Learn from labelled documents; queries with one kind of documents count like others."""
        check_bins(self.bins)
        if self.convert is not None and self.convert not in CONVERSIONS:
            raise BadInput(f"convert must be None, {' or '.join(map(repr, CONVERSIONS))}, not {self.convert!r}")
        super().fit(X, y, qid)
        return self

    def keep(self, weights: Floats, scaling: Scaling) -> None:
        raw = scaling.raw(weights)
        self.coef_, self.threshold_ = raw[:-1], float(raw[-1] + raw @ scaling.least)

    def converted(self, features: Floats, qid: Any) -> Floats:
        """The features, cut if that is wanted, and a constant whose weight is the threshold."""
        if self.convert is not None:
            shares = CONVERSIONS[self.convert](features, qid)
            features = cut(shares, [even_cuts(self.bins)] * features.shape[1])
        return np.column_stack([features, np.full(len(features), -1.0)])

    def finder(self, queries: Queries) -> Finder:
        relevant = queries.labels >= self.relevant
        signs = np.where(relevant, 1.0, -1.0)
        prices = np.full(len(signs), 1.0 / len(signs))
        if self.balanced:
            prices[relevant] *= (~relevant).sum() / relevant.sum()

        def find(scores: Floats, out: Floats) -> float:
            short = signs * scores < 1
            np.multiply(signs * prices, short, out=out)
            return float(prices[short].sum())

        return find

    def useful(self, queries: Queries) -> Flags:
        relevant = queries.labels >= self.relevant
        return np.full(queries.n_queries, relevant.any() and not relevant.all())

    def predict(self, X: Any, qid: Any = None) -> Floats:  # noqa: N803
        """One score a document: above 0 it is taken as relevant."""
        converted = self.converted(self.checked_again(X), qid)
        return np.asarray(converted @ np.append(self.coef_, self.threshold_))

    def scores(self, X: Any, qid: Any) -> Floats:  # noqa: N803
        return self.predict(X, qid)
