"""The documents of a query as a learner sees them, and how weights rank them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelist.core.compile import kernel, routine
from duelist.core.memory import Flags, Floats, Ints
from duelist.core.sampling import shuffle


class Page(NamedTuple):
    """The candidate documents of one query, and room to work with them.

    Documents have the numbers 0 to size - 1 here; document i has the row first + i of `features`.
    """

    features: Floats
    keys: Ints  # who a document is across impressions, by row; -1 if nobody says
    first: int
    size: int
    scores: Floats  # scratch, one a document
    order: Ints  # scratch, one a document
    placed: Flags  # scratch, one a document; false before and after use
    rankings: Ints  # scratch, [ranker, rank], -1 behind the last
    wanted: Floats  # scratch, [ranker, rank]


def room(documents: int, rankers: int) -> tuple[Floats, Ints, Flags, Ints, Floats]:
    """Scratch space for pages of up to so many documents: what a Page has from `scores` on."""
    return (
        np.empty(documents),
        np.empty(documents, np.int64),
        np.zeros(documents, np.bool_),
        np.full((rankers, documents), -1),
        np.empty((rankers, documents)),
    )


@kernel
def dot(features: Floats, row: int, weights: Floats, at: int) -> float:
    """features[row] . weights[at], in four sums side by side, because one alone waits for itself."""
    one = two = three = four = 0.0
    width = features.shape[1]
    for block in range(width // 4):  # a loop with a step of 4 takes twice as long
        one += features[row, 4 * block] * weights[at, 4 * block]
        two += features[row, 4 * block + 1] * weights[at, 4 * block + 1]
        three += features[row, 4 * block + 2] * weights[at, 4 * block + 2]
        four += features[row, 4 * block + 3] * weights[at, 4 * block + 3]
    for column in range(width - width % 4, width):
        one += features[row, column] * weights[at, column]
    return (one + two) + (three + four)


@kernel
def score_page(page: Page, weights: Floats, at: int) -> None:
    """Fill page.scores by the weights in row `at`."""
    for document in range(page.size):
        page.scores[document] = dot(page.features, page.first + document, weights, at)


@routine
def mix_page(page: Page, rng: np.random.Generator) -> None:
    """A random order of the documents in page.order: ties are broken by it."""
    for document in range(page.size):
        page.order[document] = document
    shuffle(page.order, page.size, rng)


@routine
def rank_page(page: Page, length: int, ranker: int) -> None:
    """The best `length` documents by page.scores, in page.rankings[ranker], with -1 for those that are missing.

    Documents with equal scores come in the order of page.order.
    """
    most, count = min(length, page.size), 0
    for place in range(page.size):
        document = page.order[place]
        if count < most or page.scores[document] > page.scores[page.rankings[ranker, most - 1]]:
            count = min(count + 1, most)
            slot = count - 1
            while slot > 0 and page.scores[document] > page.scores[page.rankings[ranker, slot - 1]]:
                page.rankings[ranker, slot] = page.rankings[ranker, slot - 1]
                slot -= 1
            page.rankings[ranker, slot] = document
    for slot in range(most, min(length, page.rankings.shape[1])):
        page.rankings[ranker, slot] = -1
