"""Word coverage: what covering a word at a level of importance is worth, thesis 4.2.

A document covers a word at several levels: it occurs, it occurs 5 times, it makes up 5 % of the document, it is in the
title, it is among the 5 words of the largest TFIDF, it is in a field of the user's own (4.5.3). What that is worth
depends on the share of the candidate documents that cover the word, |D(v)| / n, at that level and at each other one,
through a weight for each threshold that a share reaches. (The thesis does not say that phi of a level also has the
shares at other levels; its "roughly 2000 and 3000 features" for 4 and 5 levels fit their squares.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Flags, Floats, Ints
from duelist.offline.diversity.candidates import Candidates
from duelist.offline.diversity.greedy import Cover, make_cover

TIMES, SHARE, TOP = 5, 0.05, 5  # the numbers of the levels
THRESHOLDS = (0.0, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def tfidf(query: Candidates) -> Floats:
    """Count times log(n / documents with the word), of each entry."""
    frequency = np.maximum(query.document_frequency(), 1)
    return np.asarray(query.counts * np.log(query.n_documents / frequency)[query.words])


def in_top(query: Candidates) -> Flags:
    """The entries with the largest TFIDF of their document; of equal ones the first words."""
    order = np.lexsort((query.words, -tfidf(query), query.owners))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - query.offsets[query.owners[order]]
    return (place < TOP) & (query.counts > 0)


LEVELS: dict[str, Callable[[Candidates], Flags]] = {
    "occurs": lambda query: query.counts >= 1,
    "5 times": lambda query: query.counts >= TIMES,
    "5 %": lambda query: query.counts / np.maximum(query.lengths, 1)[query.owners] >= SHARE,
    "title": lambda query: query.titled,
    "top TFIDF": in_top,
}


FIELD = "in "  # and the name of a field is a level too


def check_levels(levels: Sequence[str]) -> None:
    for level in levels:
        if level not in LEVELS and not level.startswith(FIELD):
            raise UnknownName(f"unknown level {level!r}. Known: {', '.join(LEVELS)}, and 'in' with the name of a field")


def covered_at(query: Candidates, level: str) -> Flags:
    """The entries whose document covers their word at a level.

    >>> from duelist.offline.diversity.candidates import candidates
    >>> pages = candidates([{"jaguar": 2}, {"car": 1}], fields={"url": [["jaguar", "zoo"], []]})
    >>> covered_at(pages, "in url")  # zoo is nowhere else
    array([ True,  True, False])
    """
    return LEVELS[level](query) if level in LEVELS else query.in_field(level.removeprefix(FIELD))


@dataclass(frozen=True)
class Features:
    """Which features describe a choice of documents: a number for each (level, other level, threshold).

    It counts the words covered at the level whose share of documents, by the other level, reaches the
    threshold. With `bands` a word counts only at the highest threshold that its share reaches, not at
    all that it reaches: as expressive, and benefits of 0 or more then need no rise with the share.
    """

    levels: Sequence[str]
    thresholds: Sequence[float] = THRESHOLDS
    bands: bool = False

    def __post_init__(self) -> None:
        check_levels(self.levels)
        steps = np.asarray(self.thresholds, np.float64)
        if steps.ndim != 1 or len(steps) == 0 or (np.diff(steps) <= 0).any() or steps[0] != 0 or steps[-1] > 1:
            raise BadInput(f"thresholds must rise from 0 to at most 1, not {self.thresholds!r}")

    @property
    def shape(self) -> tuple[int, int, int]:
        return len(self.levels), len(self.levels), len(self.thresholds)

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    def by_band(self, weights: Floats) -> Floats:
        """The weight of a word in each band of shares: the sum over the thresholds that it reaches."""
        table = weights[: self.count].reshape(self.shape)
        return np.asarray(table if self.bands else table.cumsum(2)).ravel()

    def from_bands(self, counts: Floats) -> Floats:
        """The features, from how many words there are in each band."""
        table = counts.reshape(self.shape)
        return np.asarray(table if self.bands else table[..., ::-1].cumsum(2)[..., ::-1]).ravel()


@dataclass(frozen=True, eq=False)
class WordCoverage:
    """A query's documents as covers of items, an item being a word at a level."""

    query: Candidates
    features: Features
    cover: Cover
    bands: Ints  # a row an item: its band by each other level

    @property
    def n_features(self) -> int:
        return self.features.count + int(self.query.features.shape[1])

    def benefits(self, weights: Floats) -> Floats:
        """Of each item."""
        return np.asarray(self.features.by_band(weights)[self.bands].sum(1))

    def bonus(self, weights: Floats) -> Floats:
        """Of each document, by what else is known of it."""
        return np.asarray(self.query.features @ weights[self.features.count :])

    def distances(self, weights: Floats) -> Floats | None:
        """Of pairs of documents: none count."""
        return None

    def joint_features(self, chosen: Ints) -> Floats:
        """Psi(x, y) of (4.3)."""
        counts = np.bincount(self.bands[self.cover.of(chosen)].ravel(), minlength=self.features.count)
        own = self.query.features[chosen].sum(0)
        return np.concatenate([self.features.from_bands(counts.astype(np.float64)), own])


def word_coverage(query: Candidates, features: Features) -> WordCoverage:
    """Items are the pairs of a level and a word that some document covers at that level.

    >>> from duelist.offline.diversity.candidates import candidates
    >>> pages = candidates([{"jaguar": 2, "cat": 1}, {"jaguar": 1, "car": 3}])
    >>> coverage = word_coverage(pages, Features(["occurs"], [0.0, 0.6]))
    >>> coverage.joint_features(np.array([0]))  # two words, one of them in 60 % of the documents
    array([2., 1.])
    """
    n_levels, _, n_steps = features.shape
    size = max(query.n_words, 1)
    level, entry = np.nonzero(np.stack([covered_at(query, name) for name in features.levels]))
    pairs = level * size + query.words[entry]
    holders = np.bincount(pairs, minlength=n_levels * size).reshape(n_levels, size)
    steps = np.searchsorted(features.thresholds, holders / query.n_documents, side="right") - 1
    known, items = np.unique(pairs, return_inverse=True)
    own, word = known // size, known % size
    blocks = own[:, None] * n_levels + np.arange(n_levels)
    cover = make_cover(query.owners[entry], items, query.n_documents)
    return WordCoverage(query, features, cover, blocks * n_steps + steps[:, word].T)
