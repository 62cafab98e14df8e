"""DBGD and MGD whose lists are drawn by probabilistic interleaving and multileaving.

Hofmann, Whiteson, de Rijke. A Probabilistic Method for Inferring Preferences from Clicks.
CIKM 2011.
Oosterhuis, Schuth, de Rijke. Probabilistic Multileave Gradient Descent. ECIR 2016.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Flags, Floats, holds, parameter, scratch, table
from duelist.core.sampling import below
from duelist.interleaving.probabilistic import compare_clicks
from duelist.online.impression import Impression
from duelist.online.learners.dbgd import CANDIDATES, Descender, Tried
from duelist.online.page import Page, mix_page
from duelist.online.part import Part

SMALL = 1e-4  # sums that were brought below it by subtraction are added up anew
EVEN = 1e-12  # outcomes up to it are ties: rounding makes them of rankers that agree


class Assigned(Tried):
    """How likely each ranker is to have placed each document, too."""

    chances: Floats = table(lambda d, self: (self.length, self.candidates + 1))  # [slot, ranker]; 0 is the current one


class Drawn(Part):
    """Lists whose slots are drawn by a random ranker each, which prefers its top documents but may choose any.

    A click counts for every ranker as far as it is likely to have drawn the document. A candidate's outcome is
    the probability that it owns more clicks than the current ranker, less that of fewer.
    """

    kernels = ("reset", "show", "compare")
    impression: ClassVar[type[Impression]] = Assigned

    length: int = parameter(10, "documents shown", low=1)
    distance: float = parameter(1.0, "from the current weights to those tried (delta)", above=0)
    candidates: int = parameter(1, CANDIDATES, low=1)
    tau: float = parameter(3.0, "a ranker wants its r-th document in proportion to r^-tau", low=0, high=20)
    tried: Floats = scratch(lambda d, self: (d, self.candidates + 1))  # weights, [feature, ranker]
    left: Floats = scratch(lambda d, self: (self.candidates + 1,))  # how much each ranker still wants
    owned: Floats = scratch(lambda d, self: (self.length * (self.candidates + 1),))  # chances at the clicks
    walk: Floats = scratch(lambda d, self: (2 * self.length + 3,))  # of the exact comparison

    def show(self, page: Page, weights: Floats, impression: Any, rng: np.random.Generator) -> None:
        mix_page(page, rng)
        place_weights(self, weights, impression.directions)
        score_places(self, page)
        count_better(self, page)
        want_ranks(self, page)
        draw_slots(self, page, impression, rng)

    def compare(self, impression: Any, clicked: Flags, outcomes: Floats) -> None:
        rankers, size = self.candidates + 1, 0
        for slot in range(impression.count[0]):
            if clicked[slot]:
                for ranker in range(rankers):
                    self.owned[size] = impression.chances[slot, ranker]
                    size += 1
        for candidate in range(self.candidates):
            more, fewer = compare_clicks(self.owned[:size], rankers, candidate + 1, 0, self.walk)
            outcomes[candidate] = more - fewer if abs(more - fewer) > EVEN else 0.0


class ProbabilisticDBGD(Descender):
    """DBGD where every slot is drawn by a random ranker, which prefers its top documents but may choose any.

    A candidate wins if it owns more clicks than the current ranker with a greater probability than fewer.

    Departs: that probability is exact, and a tie moves nothing; the authors' public code estimates it from 10,000
    random assignments, so that there chance decides ties.

    >>> learner = ProbabilisticDBGD(n_features=2, seed=1)
    >>> for _ in range(1000):
    ...     impression = learner.ask([[1.0, 0.0], [0.0, 1.0]])
    ...     learner.tell(impression, [impression.ranking.index(0)])  # people want the first document
    >>> bool(learner.score([[1.0, 0.0]]) > learner.score([[0.0, 1.0]]))
    True
    """

    name = "p-dbgd"

    multileaving: Any = holds(Drawn)


class ProbabilisticMGD(Descender):
    """Probabilistic DBGD with 49 candidates at once; steps towards the mean of those that win.

    Departs: as ProbabilisticDBGD.

    >>> ProbabilisticMGD(n_features=2).candidates
    49
    """

    name = "p-mgd"

    candidates: int = parameter(49, CANDIDATES, low=1)
    multileaving: Any = holds(Drawn)


# Below, a document is known by its place in the random order of the page, which breaks ties.


@kernel
def place_weights(self: Drawn, weights: Floats, directions: Floats) -> None:
    """The weights of all rankers, in self.tried."""
    for column in range(self.n_features):
        self.tried[column, 0] = weights[0, column]
        for candidate in range(self.candidates):
            moved = weights[0, column] + self.distance * directions[candidate, column]
            self.tried[column, candidate + 1] = moved


@kernel
def score_places(self: Drawn, page: Page) -> None:
    """The scores of all documents in page.wanted, by all rankers at once and four features at a time."""
    width = self.n_features - self.n_features % 4
    for place in range(page.size):
        row = page.first + page.order[place]
        for ranker in range(self.candidates + 1):
            self.left[ranker] = 0.0
        for column in range(0, width, 4):
            one, two = page.features[row, column], page.features[row, column + 1]
            three, four = page.features[row, column + 2], page.features[row, column + 3]
            for ranker in range(self.candidates + 1):
                left = one * self.tried[column, ranker] + two * self.tried[column + 1, ranker]
                right = three * self.tried[column + 2, ranker] + four * self.tried[column + 3, ranker]
                self.left[ranker] += left + right
        for column in range(width, self.n_features):
            for ranker in range(self.candidates + 1):
                self.left[ranker] += page.features[row, column] * self.tried[column, ranker]
        for ranker in range(self.candidates + 1):
            page.wanted[ranker, place] = self.left[ranker]


@kernel
def count_better(self: Drawn, page: Page) -> None:
    """How many documents are better than each, in page.rankings. Without branches, faster than sorting a page."""
    for ranker in range(self.candidates + 1):
        page.rankings[ranker, 0] = 0
        for lower in range(page.size % 2, page.size, 2):  # two at a time, which is faster still
            one, two = page.wanted[ranker, lower], page.wanted[ranker, lower + 1]
            first, second = 0, 0
            for upper in range(lower):
                above, higher = int(one > page.wanted[ranker, upper]), int(two > page.wanted[ranker, upper])
                page.rankings[ranker, upper] += above + higher
                first += above
                second += higher
            swapped = int(two > one)
            page.rankings[ranker, lower] = lower - first + swapped
            page.rankings[ranker, lower + 1] = lower + 1 - second - swapped


@kernel
def want_ranks(self: Drawn, page: Page) -> None:
    """How much a ranker wants its document of each rank, in page.scores, and in self.left what each wants in all."""
    total = 0.0
    for rank in range(page.size):
        page.scores[rank] = (rank + 1.0) ** -self.tau
        total += page.scores[rank]
    for ranker in range(self.candidates + 1):
        self.left[ranker] = total


@kernel
def wanted(page: Page, ranker: int, place: int) -> float:
    """How much a ranker wants a document."""
    amount: float = page.scores[page.rankings[ranker, place]]
    return amount


@kernel
def draw_slots(self: Drawn, page: Page, impression: Any, rng: np.random.Generator) -> None:
    """The list, and how likely each ranker is to have drawn each slot."""
    most = min(self.length, page.size)
    for slot in range(most):
        place = draw_place(page, below(self.candidates + 1, rng), self.left, rng)
        page.placed[place] = True
        impression.shown[slot] = page.order[place]
        take_place(self, page, place, impression.chances, slot)
    for slot in range(most, self.length):
        impression.shown[slot] = -1
    for place in range(page.size):
        page.placed[place] = False
    impression.count[0] = most


@kernel
def draw_place(page: Page, ranker: int, left: Floats, rng: np.random.Generator) -> int:
    """What a ranker draws of the places not yet placed."""
    target, last = rng.random() * left[ranker], 0
    for place in range(page.size):
        if not page.placed[place]:
            last = place
            target -= wanted(page, ranker, place)
            if target < 0.0:
                break
    return last


@kernel
def take_place(self: Drawn, page: Page, place: int, chances: Floats, slot: int) -> None:
    """Note how likely each ranker is to have drawn a place, and take it from what each still wants."""
    whole = 0.0
    for ranker in range(self.candidates + 1):
        chances[slot, ranker] = wanted(page, ranker, place) / self.left[ranker]
        whole += chances[slot, ranker]
        self.left[ranker] -= wanted(page, ranker, place)
    for ranker in range(self.candidates + 1):
        chances[slot, ranker] /= whole
        if self.left[ranker] < SMALL:
            self.left[ranker] = 0.0
            for other in range(page.size):
                if not page.placed[other]:
                    self.left[ranker] += wanted(page, ranker, other)
