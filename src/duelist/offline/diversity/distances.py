"""Distances between documents instead of words to cover: another discriminant, thesis 4.5.1.

A choice of documents is described by how far they are from each other, in several ways, and by how far each is from
all candidates. Weights of these make a distance for the task. Each way is a metric, so that weights of 0 or more
make one too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from duelist.core.memory import Flags, Floats, Ints
from duelist.offline.diversity.candidates import Candidates
from duelist.offline.diversity.coverage import check_levels, covered_at, tfidf
from duelist.offline.diversity.greedy import Cover, make_cover

NO_ITEMS = np.zeros(0)


@dataclass(frozen=True, eq=False)
class PairDistances:
    """A query's documents by their distances; nothing is covered."""

    query: Candidates
    tables: Floats  # tables[i, j, way]

    @property
    def cover(self) -> Cover:
        none = np.zeros(0, np.int64)
        return make_cover(none, none, self.query.n_documents)

    @property
    def ways(self) -> int:
        return int(self.tables.shape[2])

    @property
    def n_features(self) -> int:
        return 2 * self.ways + int(self.query.features.shape[1])

    def benefits(self, weights: Floats) -> Floats:
        """Of each item: there are none."""
        return NO_ITEMS

    def distances(self, weights: Floats) -> Floats | None:
        """Of each pair of documents."""
        return np.asarray(self.tables @ weights[: self.ways])

    def bonus(self, weights: Floats) -> Floats:
        """Of each document: how far it is from the others, and what else is known of it."""
        far, own = weights[self.ways : 2 * self.ways], weights[2 * self.ways :]
        return np.asarray(self.from_all() @ far + self.query.features @ own)

    def from_all(self) -> Floats:
        """The mean distance of each document from the others, in each way."""
        return np.asarray(self.tables.sum(1) / max(self.query.n_documents - 1, 1))

    def joint_features(self, chosen: Ints) -> Floats:
        """Psi(x, y): summed over pairs of chosen documents, and over chosen documents."""
        pairs = self.tables[np.ix_(chosen, chosen)].sum((0, 1)) / 2
        return np.concatenate([pairs, self.from_all()[chosen].sum(0), self.query.features[chosen].sum(0)])


def pair_distances(query: Candidates, levels: Sequence[str]) -> PairDistances:
    """By the words that documents cover at each level, by the angle of their TFIDF, and by each of their features.

    >>> from duelist.offline.diversity.candidates import candidates
    >>> pages = candidates([{"jaguar": 2, "cat": 1}, {"jaguar": 1, "car": 3}])
    >>> pair_distances(pages, ["occurs"]).tables[0, 1]  # one word of three is shared, of no weight in TFIDF
    array([0.66666667, 1.        ])
    """
    check_levels(levels)
    ways = [jaccard(query, covered_at(query, level)) for level in levels]
    ways.append(angles(query))
    ways += [np.abs(column[:, None] - column) for column in query.features.T]
    return PairDistances(query, np.stack(ways, axis=2))


def jaccard(query: Candidates, covered: Flags) -> Floats:
    """The share of words that only one of two documents covers, of those that either does; 0 if there are none."""
    both = products(query, covered.astype(np.float64))
    sizes = np.diag(both)
    either = sizes[:, None] + sizes - both
    return np.asarray(np.divide(either - both, either, out=np.zeros_like(both), where=either > 0))


def angles(query: Candidates) -> Floats:
    """Between the TFIDF of two documents, 1 for a right angle; a document without any is at 1 from all others."""
    shared = products(query, tfidf(query))
    lengths = np.sqrt(np.diag(shared))
    scale = lengths[:, None] * lengths
    cosines = np.divide(shared, scale, out=np.zeros_like(shared), where=scale > 0)
    found = np.arccos(np.clip(cosines, 0.0, 1.0)) * 2 / np.pi
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


def products(query: Candidates, values: Floats) -> Floats:
    """Of each two documents: the sum over words of the product of their values."""
    shape = query.n_documents, max(query.n_words, 1)
    table = csr_array((values, (query.owners, query.words)), shape=shape)
    return np.asarray((table @ table.T).toarray())
