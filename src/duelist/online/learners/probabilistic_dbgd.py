"""DBGD and MGD whose lists are drawn by probabilistic interleaving and multileaving.

Hofmann, Whiteson, de Rijke. A Probabilistic Method for Inferring Preferences from Clicks.
CIKM 2011.
Oosterhuis, Schuth, de Rijke. Probabilistic Multileave Gradient Descent. ECIR 2016.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, parameter, table
from duelist.core.sampling import below
from duelist.interleaving.probabilistic import compare_clicks
from duelist.online.impression import Impression
from duelist.online.learner import Learner
from duelist.online.learners.dbgd import draw_directions, step_to_winners
from duelist.online.page import Page, mix_page

SMALL = 1e-4  # sums that were brought below it by subtraction are added up anew
EVEN = 1e-12  # outcomes up to it are ties: rounding makes them of rankers that agree


class Assigned(Impression):
    """How likely each ranker is to have placed each document, and which directions the candidates tried."""

    candidates: int = parameter(1, "rankers tried beside the current one", low=1)
    directions: Floats = table(lambda d, self: (self.candidates, d))
    chances: Floats = table(lambda d, self: (self.length, self.candidates + 1))  # [slot, ranker]; 0 is the current one


class ProbabilisticDBGD(Learner):
    """DBGD where every slot is drawn by a random ranker, which prefers its top documents but may choose any.

    A click counts for every ranker as far as it is likely to have drawn the document. A candidate wins if it
    owns more clicks than the current ranker with a greater probability than fewer.

    Departs: that probability is exact; the public code of the authors estimates it from 10,000 random
    assignments, so that there rankers that tie win half of the time.

    >>> learner = ProbabilisticDBGD(n_features=2, seed=1)
    >>> for _ in range(1000):
    ...     impression = learner.ask([[1.0, 0.0], [0.0, 1.0]])
    ...     learner.tell(impression, [impression.ranking.index(0)])  # people want the first document
    >>> bool(learner.score([[1.0, 0.0]]) > learner.score([[0.0, 1.0]]))
    True
    """

    name = "p-dbgd"
    impression = Assigned

    rate: float = parameter(0.01, "step towards the winners (gamma)", above=0)
    distance: float = parameter(1.0, "from the current weights to those tried (delta)", above=0)
    candidates: int = parameter(1, "rankers tried beside the current one", low=1)
    random_winner: bool = parameter(False, "step towards one of the winners, not towards their mean")
    tau: float = parameter(3.0, "a ranker wants its r-th document in proportion to r^-tau", low=0, high=20)
    tried: Floats = table(lambda d, self: (d, self.candidates + 1))  # scratch: weights, [feature, ranker]
    scores: Floats = table(lambda d, self: (self.candidates + 1,))  # scratch: of one document
    left: Floats = table(lambda d, self: (self.candidates + 1,))  # scratch: how much each ranker still wants
    clicked: Floats = table(lambda d, self: (self.length * (self.candidates + 1),))  # scratch: chances at clicks
    walk: Floats = table(lambda d, self: (2 * self.length + 3,))  # scratch of the exact comparison
    outcomes: Floats = table(lambda d, self: (self.candidates,))  # scratch: chance to win less chance to lose

    @classmethod
    def rankers(cls, parameters: Mapping[str, Any]) -> int:
        return int(parameters["candidates"]) + 2  # the last row is for what all rankers want at each rank

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        draw_directions(impression.directions, rng)
        mix_page(page, rng)
        score_rankers(self, page, impression)
        want_documents(self, page)
        impression.count[0] = min(self.length, page.size)
        for slot in range(self.length):
            impression.shown[slot] = -1
            if slot < page.size:
                place = draw_place(self, page, rng)
                page.placed[place] = True
                impression.shown[slot] = page.order[place]
                take_place(self, page, place, impression.chances, slot)
        for place in range(page.size):
            page.placed[place] = False

    def update(self, impression: Any, rng: np.random.Generator) -> None:
        rankers, size = self.candidates + 1, 0
        for slot in range(impression.count[0]):
            if impression.clicked[slot]:
                for ranker in range(rankers):
                    self.clicked[size] = impression.chances[slot, ranker]
                    size += 1
        for candidate in range(self.candidates):
            more, fewer = compare_clicks(self.clicked[:size], rankers, candidate + 1, 0, self.walk)
            self.outcomes[candidate] = more - fewer if more - fewer > EVEN else 0.0
        step_to_winners(self, impression.directions, rng)


class ProbabilisticMGD(ProbabilisticDBGD):
    """Probabilistic DBGD with 49 candidates at once; steps towards the mean of those that win.

    Departs: as ProbabilisticDBGD.

    >>> ProbabilisticMGD(n_features=2).candidates
    49
    """

    name = "p-mgd"

    candidates: int = parameter(49, "rankers tried beside the current one", low=1)


# Documents are known here by their place in the random order of the page, so that ties need no care.


@kernel
def score_rankers(self: ProbabilisticDBGD, page: Page, impression: Any) -> None:
    """page.wanted[ranker, place]: scores. All rankers of a document side by side, which a processor does at once."""
    for column in range(self.n_features):
        self.tried[column, 0] = self.weights[0, column]
        for candidate in range(self.candidates):
            moved = self.weights[0, column] + self.distance * impression.directions[candidate, column]
            self.tried[column, candidate + 1] = moved
    for place in range(page.size):
        row = page.first + page.order[place]
        self.scores[:] = 0.0
        for column in range(self.n_features):
            value = page.features[row, column]
            for ranker in range(self.candidates + 1):
                self.scores[ranker] += value * self.tried[column, ranker]
        for ranker in range(self.candidates + 1):
            page.wanted[ranker, place] = self.scores[ranker]


@kernel
def want_documents(self: ProbabilisticDBGD, page: Page) -> None:
    """Turn scores into how much each ranker wants each document, and add it up in self.left.

    A rank is found by counting who is better: without a branch, that is faster than sorting a page.
    """
    desires = self.candidates + 1
    total = 0.0
    for rank in range(page.size):
        page.wanted[desires, rank] = (rank + 1.0) ** -self.tau
        total += page.wanted[desires, rank]
    for ranker in range(self.candidates + 1):
        self.left[ranker] = total
        for place in range(page.size):
            page.scores[place] = page.wanted[ranker, place]
        for place in range(page.size):
            score, better = page.scores[place], 0
            for other in range(place):
                better += page.scores[other] >= score
            for other in range(place + 1, page.size):
                better += page.scores[other] > score
            page.wanted[ranker, place] = page.wanted[desires, better]


@kernel
def draw_place(self: ProbabilisticDBGD, page: Page, rng: np.random.Generator) -> int:
    """What a random ranker draws of the places not yet placed."""
    ranker, last = below(self.candidates + 1, rng), 0
    target = rng.random() * self.left[ranker]
    for place in range(page.size):
        if not page.placed[place]:
            last = place
            target -= page.wanted[ranker, place]
            if target < 0.0:
                break
    return last


@kernel
def take_place(self: ProbabilisticDBGD, page: Page, place: int, chances: Floats, slot: int) -> None:
    """Note how likely each ranker is to have drawn the place, and take it from what each still wants."""
    whole = 0.0
    for ranker in range(self.candidates + 1):
        share = page.wanted[ranker, place] / self.left[ranker]
        chances[slot, ranker] = share
        whole += share
        self.left[ranker] -= page.wanted[ranker, place]
        if self.left[ranker] < SMALL:
            self.left[ranker] = 0.0
            for other in range(page.size):
                if not page.placed[other]:
                    self.left[ranker] += page.wanted[ranker, other]
    for ranker in range(self.candidates + 1):
        chances[slot, ranker] /= whole
