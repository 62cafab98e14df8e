"""Pairwise differentiable gradient descent.

Oosterhuis, de Rijke. Differentiable Unbiased Online Learning to Rank. CIKM 2018.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Flags, Floats, parameter, single, table
from duelist.online.impression import Impression
from duelist.online.learner import Learner
from duelist.online.page import Page, rank_page, score_page


class Sampled(Impression):
    """Scores of the documents shown, and how much was left to draw from at each slot."""

    scores: Floats = table(lambda d, self: (self.length,))  # of the documents shown
    left: Floats = table(lambda d, self: (self.length,))  # log of the sum of exp(score) of those not yet placed


class PDGD(Learner):
    """Draw a list from a Plackett-Luce model; prefer each clicked document to the unclicked ones people saw.

    A pair is weighted by how likely the list with the two swapped was to be drawn instead, so that
    where documents stood does not decide. People saw all documents down to the last click and one more.

    Departs: nowhere known; weights of pairs are computed in logarithms.

    >>> learner = PDGD(n_features=2, seed=1)
    >>> for _ in range(200):
    ...     impression = learner.ask([[1.0, 0.0], [0.0, 1.0]])
    ...     learner.tell(impression, [impression.ranking.index(0)])  # people want the first document
    >>> learner.score([[1.0, 0.0], [0.0, 1.0]]).round(1).tolist()
    [1.1, -1.1]
    """

    name = "pdgd"
    impression = Sampled

    rate: float = parameter(0.1, "learning rate", above=0)
    decay: float = parameter(0.9999977, "the rate is multiplied by it after every update", above=0, high=1)
    current: Floats = single(float, 1)  # the rate, relative to `rate`

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        score_page(page, self.weights, 0)
        draw_list(page, impression, self.length, rng)

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        last = last_seen(impression, clicked)
        for i in range(last):
            for j in range(last):
                if clicked[i] and not clicked[j]:
                    weight = self.rate * self.current[0] * slope(impression, i, j) * swap_chance(impression, i, j)
                    for column in range(self.n_features):
                        difference = impression.features[i, column] - impression.features[j, column]
                        self.weights[0, column] += weight * difference
        if last > 0:
            self.current[0] *= self.decay


@kernel
def draw_list(page: Page, impression: Any, length: int, rng: np.random.Generator) -> None:
    """A Plackett-Luce list: the order of scores with Gumbel noise added."""
    most, top = min(length, page.size), -math.inf
    for document in range(page.size):
        page.wanted[0, document] = page.scores[document]
        top = max(top, page.scores[document])
        page.scores[document] -= math.log(-math.log(1.0 - rng.random()))
        page.order[document] = document
    rank_page(page, length, 0)
    rest = 0.0  # sum of exp(score - top) of the documents that are not shown
    for document in range(page.size):
        rest += math.exp(page.wanted[0, document] - top)
    for slot in range(most):
        document = page.rankings[0, slot]
        impression.shown[slot] = document
        impression.scores[slot] = page.wanted[0, document]
        rest -= math.exp(page.wanted[0, document] - top)
    rest = max(rest, 0.0) if most < page.size else 0.0
    for slot in range(most - 1, -1, -1):  # from the bottom: sums of positive numbers lose nothing
        rest += math.exp(impression.scores[slot] - top)
        impression.left[slot] = top + math.log(rest)
    for slot in range(most, length):
        impression.shown[slot] = -1
    impression.count[0] = most


@kernel
def last_seen(impression: Any, clicked: Flags) -> int:
    """How many documents people saw: down to the last click and one more; 0 without a click."""
    last = 0
    for slot in range(impression.count[0]):
        if clicked[slot]:
            last = min(slot + 2, impression.count[0])
    return int(last)


@kernel
def slope(impression: Any, i: int, j: int) -> float:
    """Of the chance that i is preferred to j: p (1 - p)."""
    p = 1.0 / (1.0 + math.exp(-abs(impression.scores[i] - impression.scores[j])))
    return p * (1.0 - p)


@kernel
def swap_chance(impression: Any, i: int, j: int) -> float:
    """rho: the chance of the list with i and j swapped, of the two lists.

    Only the sums at the slots between the two change: by exp of the upper less exp of the lower score.
    """
    upper, lower = min(i, j), max(i, j)
    gain = 0.0  # log P(swapped) - log P(shown)
    for slot in range(upper + 1, lower + 1):
        left = impression.left[slot]
        change = math.exp(min(impression.scores[upper] - left, 700.0)) - math.exp(impression.scores[lower] - left)
        gain -= math.log(max(1.0 + change, 1e-300))
    return 1.0 / (1.0 + math.exp(-gain)) if gain > -700.0 else 0.0
