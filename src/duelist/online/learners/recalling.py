"""Tally for few queries shown often: its ranker learns from documents it remembers, whether they are shown or not.

Our own; see tally.py and docs/tally.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Flags, Floats, Ints, parameter, table
from duelist.online.learners.pdgd import last_seen
from duelist.online.learners.tally import (
    Tallied,
    Tally,
    count_seen,
    draw_tallied,
    find,
    follow_weights,
    learn_clicks,
    mean_surplus,
    noise,
    repeated,
    slope,
)
from duelist.online.page import Page


class Recalled(Tallied):
    """Beside what Tally needs, documents of the page drawn from all that have a tally."""

    recalled: Ints = table(lambda d, self: (self.length,), int, -1)  # their keys, -1 behind the last
    described: Floats = table(lambda d, self: (self.length, d))  # their features
    ranked: Floats = table(lambda d, self: (self.length,))  # their scores without tallies


class RecallingTally(Tally):
    """Tally whose ranker learns from tallies of documents drawn from the page's remembered ones, shown or not.

    What is shown again and again is there because of its tally: among such documents good features go with bad luck.
    Among documents that are drawn regardless of what is shown they do not. And documents that are never shown teach
    nothing: some lists are PDGD's, without tallies, the more of them the less clicks repeat themselves.

    Departs: from Tally by the documents that teach, by lists without tallies, and by what an impression carries,
    which is twice as much.

    >>> learner = RecallingTally(n_features=1, seed=1)
    >>> for _ in range(20):  # two documents that no ranker can tell apart
    ...     impression = learner.ask([[1.0], [1.0]], keys=[7, 8])
    ...     learner.tell(impression, [impression.ranking.index(1)])
    >>> learner.ask([[1.0], [1.0]], keys=[7, 8]).recalled[:3].tolist()
    [7, 8, -1]
    """

    name = "tally-recall"
    impression = Recalled

    explore: float = parameter(0.25, "share of lists without tallies, at most", low=0, high=1)

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        if rng.random() < self.explore * min(1.0, 2.0 - 2.0 * repeated(self)):
            draw_tallied(self, page, impression, 1.0, 0.0, rng)
        else:
            draw_tallied(self, page, impression, self.contrast, self.strength, rng)
        recall(self, page, impression, rng)

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        last = last_seen(impression, clicked)
        learn_clicks(self, impression, clicked, last)
        count_seen(self, impression, clicked, last if last > 0 else impression.count[0])
        learn_recalled(self, impression)
        follow_weights(self)


@kernel
def recall(self: RecallingTally, page: Page, impression: Any, rng: np.random.Generator) -> None:
    """Draw as many remembered documents of the page as a list has, each as likely as any other."""
    for place in range(self.length):
        impression.recalled[place] = -1
    met = 0
    for document in range(page.size):
        key = page.keys[page.first + document]
        if key >= 0 and find(self, key) >= 0:
            place = met if met < self.length else int(rng.random() * (met + 1))
            met += 1
            if place < self.length:
                impression.recalled[place] = key
                impression.ranked[place] = page.wanted[1, document]
                for column in range(self.n_features):
                    impression.described[place, column] = page.features[page.first + document, column]


@kernel
def learn_recalled(self: RecallingTally, impression: Any) -> None:
    """Prefer, of two documents recalled, the one with the better tally."""
    doubt = noise(self)
    for i in range(self.length):
        self.evidence[i] = mean_surplus(self, impression.recalled[i], doubt)
        self.pull[i] = 0.0
    for i in range(self.length):
        for j in range(i):
            if impression.recalled[i] >= 0 and impression.recalled[j] >= 0:
                unsure = slope(impression.ranked[i] - impression.ranked[j])
                weight = self.lesson * unsure * (self.evidence[i] - self.evidence[j])
                self.pull[i] += weight
                self.pull[j] -= weight
    for i in range(self.length):
        if impression.recalled[i] >= 0:
            for column in range(self.n_features):
                self.moving[0, column] += self.pull[i] * impression.described[i, column]
