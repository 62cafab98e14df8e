"""Ordinal regression with thresholds, and by decomposition into binary problems: thesis 2.2.1 and 2.2.2.

Chu, Keerthi. New Approaches to Support Vector Ordinal Regression. ICML 2005.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.offline.classification import SVMAcc
from duelist.offline.queries import Queries
from duelist.offline.ranker import Finder, LinearRanker, Untrained


class Entries(NamedTuple):
    """Every document beside a threshold: the one below its label, and the one above. By threshold."""

    rows: Ints
    thresholds: Ints  # from 0
    upper: Flags  # the document should score above the threshold


class SVMOrdinal(LinearRanker):
    """Ordinal SVM, thesis OP 2: a threshold between any two neighbouring labels, the same for all queries.

    Documents should score 1 above the threshold below their label and 1 below the one above it. The
    best thresholds for given weights follow from a sort, so that only the weights are searched for;
    thresholds, in thresholds_, never fall. Departs from the print: (2.7) is <= -1 + xi, and (2.8) is <=.

    >>> ranker = SVMOrdinal(C=100).fit([[0.0], [1.0], [5.0], [6.0], [9.0]], [0, 0, 1, 1, 2])
    >>> ranker.coef_.round(2), ranker.thresholds_.round(2)
    (array([0.67]), array([1.67, 5.  ]))
    """

    across_queries: ClassVar[bool] = True

    def fit(self, X: Any, y: Any, qid: Any = None) -> SVMOrdinal:  # noqa: N803
        """Learn from labelled documents."""
        super().fit(X, y, qid)
        features, labels = self.checked(X, y)
        entries = entries_of(labels)
        self.thresholds_ = pool(features @ self.coef_, entries)[0]
        return self

    def finder(self, queries: Queries) -> Finder:
        entries = entries_of(queries.labels)

        def find(scores: Floats, out: Floats) -> float:
            _, passed = pool(scores, entries)
            violated = passed == entries.upper
            signs = np.where(entries.upper, violated, -1.0 * violated) / len(scores)
            out[:] = np.bincount(entries.rows, signs, len(scores))
            return float(violated.sum() / len(scores))

        return find

    def useful(self, queries: Queries) -> Flags:
        return np.full(queries.n_queries, queries.labels.min() < queries.labels.max())

    def nothing_to_learn(self, labels: Floats) -> str:
        return only_one_label(labels)


def only_one_label(labels: Floats) -> str:
    return f"all documents have the same label, {labels[0]:g}, n_samples={len(labels)}"


def entries_of(labels: Floats) -> Entries:
    """The pairs of a document and a neighbouring threshold."""
    levels = np.unique(labels, return_inverse=True)[1]
    upper, lower = np.flatnonzero(levels > 0), np.flatnonzero(levels < levels.max())
    rows = np.concatenate([upper, lower])
    thresholds = np.concatenate([levels[upper] - 1, levels[lower]])
    order = np.argsort(thresholds, kind="stable")
    return Entries(rows[order], thresholds[order], np.repeat([True, False], [len(upper), len(lower)])[order])


def pool(scores: Floats, entries: Entries) -> tuple[Floats, Flags]:
    """The best thresholds, and which entries have their turning point at or below their threshold.

    As a threshold rises, the risk of an upper document begins to grow at its score - 1, and that of a
    lower one stops to fall at its score + 1. So the slope is 0 once as many turning points are passed
    as there are lower documents. Neighbouring thresholds in the wrong order become one.
    """
    turns = scores[entries.rows] + np.where(entries.upper, -1.0, 1.0)
    bounds = np.concatenate([[0], np.cumsum(np.bincount(entries.thresholds))])
    blocks: list[tuple[int, int, Ints, float]] = []  # first and last entry, the entries passed, the threshold
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        block = _balance(turns, entries, start, stop)
        while blocks and blocks[-1][3] > block[3]:
            block = _balance(turns, entries, blocks.pop()[0], stop)
        blocks.append(block)
    thresholds, passed = np.empty(len(bounds) - 1), np.zeros(len(turns), np.bool_)
    for start, stop, chosen, threshold in blocks:
        thresholds[entries.thresholds[start] : entries.thresholds[stop - 1] + 1] = threshold
        passed[chosen] = True
    return thresholds, passed


def _balance(turns: Floats, entries: Entries, start: int, stop: int) -> tuple[int, int, Ints, float]:
    """Of equal turning points those of later thresholds are passed first.

    Then no earlier threshold of the block wants to be lower than a later one: the slopes prove it the best.
    """
    own = slice(start, stop)
    lower = int((~entries.upper[own]).sum())
    chosen = start + np.lexsort((-entries.thresholds[own], turns[own]))[:lower]
    return start, stop, chosen, float(turns[chosen[-1]])


class SVMDecomposition(LinearRanker):
    """One classification SVM for each label but the smallest, at least that label or below; scores are summed.

    primal_, dual_ and gap_ are summed too, thresholds_ are those of the classifiers.

    >>> ranker = SVMDecomposition(C=100).fit([[0.0], [1.0], [5.0], [6.0], [9.0]], [0, 0, 1, 1, 2])
    >>> ranker.coef_.round(2), ranker.thresholds_.round(2)
    (array([1.]), array([1.5, 3.5]))
    """

    def fit(self, X: Any, y: Any, qid: Any = None) -> SVMDecomposition:  # noqa: N803
        """Learn from labelled documents."""
        features, labels = self.checked(X, y)
        if labels.min() == labels.max():
            raise BadInput(only_one_label(labels))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Untrained)  # one classifier may be
            parts = [self.classifier(label).fit(features, labels, qid) for label in np.unique(labels)[1:]]
        self.n_queries_ = parts[0].n_queries_  # all that there are: none is left out
        self.coef_ = np.sum([part.coef_ for part in parts], axis=0)
        self.thresholds_ = np.array([part.threshold_ for part in parts])
        self.primal_, self.dual_ = sum(part.primal_ for part in parts), sum(part.dual_ for part in parts)
        self.gap_, self.n_planes_ = sum(part.gap_ for part in parts), sum(part.n_planes_ for part in parts)
        self.say_if_untrained()
        return self

    def classifier(self, label: float) -> SVMAcc:
        return SVMAcc(
            self.C, tolerance=self.tolerance, max_planes=self.max_planes, relevant=label, rescale=self.rescale
        )
