"""Choosing documents by what they cover together: the greedy choice, and the best one for small cases.

Everything in this package is such a choice. What is covered are items: words at a level of importance,
subtopics, words so many times. An item counts once, however many of the chosen documents cover it. Beside items
count what a document is worth alone, its bonus, and how far the chosen documents are from each other.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from duelist.core.compile import compiled
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints

MOST_SUBSETS = 1_000_000  # that the exact choice tries


class Cover(NamedTuple):
    """What each document covers: document d the items from offsets[d] to offsets[d + 1], each once."""

    items: Ints
    offsets: Ints

    @property
    def n_documents(self) -> int:
        return len(self.offsets) - 1

    def of(self, documents: Ints) -> Ints:
        """The items that these documents cover together, in rising order."""
        parts = [self.items[self.offsets[d] : self.offsets[d + 1]] for d in documents]
        if not parts:
            return np.zeros(0, np.int64)
        together = np.sort(np.concatenate(parts))  # which is faster than what np.unique does
        return together[np.diff(together, prepend=-1) > 0]


def make_cover(documents: Ints, items: Ints, n_documents: int) -> Cover:
    """From pairs of a document and an item that it covers."""
    span = int(items.max(initial=0)) + 1
    pairs = np.sort(documents.astype(np.int64) * span + items)  # as one number they are sorted twice as fast
    ends = np.cumsum(np.bincount(documents, minlength=n_documents))
    return Cover(pairs % span, np.concatenate([[0], ends]).astype(np.int64))


def pairs_of(cover: Cover) -> tuple[Ints, Ints]:
    """Each document with each item that it covers."""
    return np.repeat(np.arange(cover.n_documents), np.diff(cover.offsets)), cover.items


@compiled
def choose_into(
    cover: Cover, benefits: Floats, bonus: Floats, distances: Floats, covered: Floats, chosen: Ints
) -> None:
    """Fill `chosen`; `covered` and it come in as zeros. `distances` are n by n, or none at all.

    The first document is far from nobody yet; its mean distance from all others decides instead.
    """
    n, spread = cover.offsets.size - 1, distances.shape[0] > 1
    for place in range(chosen.size):
        best, most = -1, -np.inf
        for document in range(n):
            taken = False
            for earlier in range(place):
                taken = taken or chosen[earlier] == document
            if taken:
                continue
            gain = bonus[document]
            for i in range(cover.offsets[document], cover.offsets[document + 1]):
                gain += benefits[cover.items[i]] * (1.0 - covered[cover.items[i]])
            if spread and place == 0:
                gain += distances[document].sum() / (n - 1)
            elif spread:
                for earlier in range(place):
                    gain += distances[document, chosen[earlier]]
            if best < 0 or gain > most:
                best, most = document, gain
        chosen[place] = best
        for i in range(cover.offsets[best], cover.offsets[best + 1]):
            covered[cover.items[i]] = 1.0


def check_size(k: int) -> int:
    """How many documents to choose, or an error."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise BadInput(f"k, how many documents to choose, must be a whole number of at least 1, not {k!r}")
    return int(k)


def choose_greedily(
    cover: Cover, benefits: Floats, k: int, bonus: Floats | None = None, distances: Floats | None = None
) -> Ints:
    """k documents, each the one that adds most to those before it (Algorithm 3); of equal ones the first.

    `benefits` has a number for each item, `bonus` one for each document, `distances` one for each pair. All
    documents, if there are fewer than k; also when what they add is below 0. With benefits and bonus of 0 or
    more and no distances, what is chosen is worth at least 1 - 1/e of the best choice (thesis, appendix A).
    With distances alone, if they are a metric, it is worth at least half of it (Birnbaum, Goldman. An Improved
    Analysis for a Greedy Remote-Clique Algorithm. Algorithmica 55, 2009).

    >>> cover = make_cover(np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0, 1, 2, 0, 3, 1, 2]), 3)
    >>> choose_greedily(cover, np.ones(4), 2)
    array([0, 1])
    """
    extra = np.zeros(cover.n_documents) if bonus is None else bonus
    chosen = np.zeros(min(check_size(k), cover.n_documents), np.int64)
    apart = np.zeros((0, 0)) if distances is None else np.ascontiguousarray(distances)
    choose_into(cover, benefits, extra, apart, np.zeros(len(benefits)), chosen)
    return chosen


def choose_exactly(
    cover: Cover, benefits: Floats, k: int, bonus: Floats | None = None, distances: Floats | None = None
) -> Ints:
    """The k documents of the largest value, by trying all; of equal choices the first.

    >>> cover = make_cover(np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0, 1, 2, 0, 3, 1, 2]), 3)
    >>> choose_exactly(cover, np.ones(4), 2)
    array([0, 1])
    """
    n = cover.n_documents
    k = min(check_size(k), n)
    if math.comb(n, k) > MOST_SUBSETS:
        raise BadInput(f"{k} of {n} documents can be chosen in {math.comb(n, k)} ways, more than {MOST_SUBSETS}")
    subsets = (np.array(subset, np.int64) for subset in combinations(range(n), k))
    return max(subsets, key=lambda subset: value_of(cover, benefits, subset, bonus, distances))


def value_of(
    cover: Cover, benefits: Floats, chosen: Ints, bonus: Floats | None = None, distances: Floats | None = None
) -> float:
    """What a choice of documents is worth."""
    extra = 0.0 if bonus is None else float(bonus[chosen].sum())
    apart = 0.0 if distances is None else float(np.triu(distances[np.ix_(chosen, chosen)], 1).sum())
    return float(benefits[cover.of(chosen)].sum()) + extra + apart
