"""All rankings of a few documents: what oracles must agree with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from duelist.core.memory import Floats, Ints
from duelist.offline.queries import Queries
from duelist.offline.ranker import Finder

Labels = tuple[int, ...]


class Rankings(NamedTuple):
    """Every ranking of one query: a loss, and the coefficients of Psi(truth) - Psi(ranking)."""

    losses: Floats
    coefficients: Floats

    def largest(self, scores: Floats) -> float:
        """The largest violation."""
        return float((self.losses - self.coefficients @ scores).max())


def all_rankings(
    labels: Labels, loss: Callable[[list[int]], float], coefficients: Callable[[Labels, Sequence[int]], Floats]
) -> Rankings:
    """`loss` is given the labels in the ranking's order; `coefficients` the labels and the ranking."""
    rankings = list(permutations(range(len(labels))))
    losses = [loss([labels[document] for document in ranking]) for ranking in rankings]
    return Rankings(np.array(losses), np.array([coefficients(labels, ranking) for ranking in rankings]))


@cache
def pair_coefficients(labels: Labels, ranking: Sequence[int]) -> Floats:
    """Thesis (3.4): the sum of y_ij (x_i - x_j) over pairs with different labels, by their number."""
    place = {document: at for at, document in enumerate(ranking)}
    pairs = [(i, j) for i in range(len(labels)) for j in range(len(labels)) if labels[i] > labels[j]]
    found = np.zeros(len(labels))
    for i, j in pairs:
        if place[j] < place[i]:
            found[i] += 2 / len(pairs)
            found[j] -= 2 / len(pairs)
    return found


def place_coefficients(truth: Floats, alphas: Floats, ranking: Sequence[int]) -> Floats:
    """Thesis (3.17): the sum of alpha(place) x."""
    found = truth.copy()
    found[list(ranking)] -= alphas[: len(ranking)]
    return found


def queries_of(parts: Sequence[Labels]) -> Queries:
    """Queries without features; the labels of each fall."""
    labels = np.concatenate([np.array(part, float) for part in parts])
    offsets: Ints = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    return Queries(np.zeros((len(labels), 0)), labels, offsets)


def check_finder(find: Finder, scores: Floats, parts: Sequence[Rankings]) -> None:
    """What a finder says of several queries is the mean of their worst rankings."""
    out = np.full(len(scores), np.nan)
    loss = find(scores, out)
    wanted, start = 0.0, 0
    for part in parts:
        size = part.coefficients.shape[1]
        own = scores[start : start + size]
        wanted += part.largest(own) / len(parts)
        if len(parts) == 1:  # and it is a ranking that exists
            same = np.isclose(part.losses, loss, atol=1e-12) & np.isclose(part.coefficients, out, atol=1e-12).all(1)
            assert same.any()
        start += size
    np.testing.assert_allclose(loss - out @ scores, wanted, atol=1e-12)


def falling(labels: Sequence[int]) -> Labels:
    return tuple(sorted(labels, reverse=True))


binary = st.tuples(st.integers(1, 3), st.integers(1, 3)).map(lambda n: (1,) * n[0] + (0,) * n[1])
graded = st.lists(st.integers(0, 3), min_size=2, max_size=5).map(falling).filter(lambda labels: labels[0] > labels[-1])
# Quarters make ties, and differences that are exactly the margin; others are arbitrary.
some_scores = st.one_of(st.integers(-6, 6).map(lambda n: n / 4), st.floats(-3, 3))


@st.composite
def cases(draw: st.DrawFn, labels: st.SearchStrategy[Labels]) -> tuple[list[Labels], Floats]:
    """One to three queries, and scores of their documents."""
    parts = draw(st.lists(labels, min_size=1, max_size=3))
    size = sum(map(len, parts))
    return parts, np.array(draw(st.lists(some_scores, min_size=size, max_size=size)))
