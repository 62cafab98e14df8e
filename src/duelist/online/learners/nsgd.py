"""Null space gradient descent: try directions unlike those that lost lately.

Wang, Langley, Kim, McCord-Snook, Wang. Efficient Exploration of Gradient Space for Online Learning
to Rank. SIGIR 2018.
Wang, Kim, McCord-Snook, Wu, Wang. Variance Reduction in Gradient Exploration for Online Learning
to Rank. SIGIR 2019.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import kernel, routine
from duelist.core.memory import Flags, Floats, Ints, constant, holds, parameter, scratch, single, table
from duelist.online.learners.dbgd import CANDIDATES, Descender, Drafted
from duelist.online.learners.dsp import Projected, extend_basis
from duelist.online.page import Page, dot
from duelist.online.part import Part

WORST = 4  # a loser is remembered if no more rankers than this, less one, have fewer clicks
STALE = 1000.0  # more than the sum of 1 / rank over any list


class NullSpace(Part):
    """Directions orthogonal to the worst of those that lost lately, and a memory of hard queries to decide ties.

    Twice as many directions are drawn as needed, and those kept along which the documents of the query lie
    furthest from 0 on average. If several candidates win, that one is followed that ranks the clicked documents
    of the hardest queries best; hard are queries whose clicks came late in the list.
    """

    kernels = ("reset", "propose", "decide", "learn")

    length: int = parameter(10, "documents shown", low=1)
    candidates: int = parameter(9, CANDIDATES, low=1)
    stored: int = parameter(60, "losing directions remembered", low=1)
    avoided: int = parameter(25, "the worst of them, to which candidates are orthogonal", low=0)
    hard: int = parameter(10, "hardest queries remembered; 0 follows the mean of the winners", low=0)
    window: int = parameter(50, "impressions after which a hard query is the first to be replaced", low=1)

    losers: Floats = table(lambda d, self: (self.stored, d))  # the oldest is overwritten
    losses: Ints = table(lambda d, self: (self.stored,), int)  # clicks less those of the current ranker; 0 if empty
    lost: Ints = single(int)  # losers ever remembered
    basis: Floats = table(lambda d: (d, d))  # orthonormal rows: first what is avoided, then the null space
    avoiding: Ints = single(int)  # rows of it that are avoided

    hard_features: Floats = table(lambda d, self: (max(1, self.hard) * self.length, d))  # of the documents shown
    hard_clicked: Flags = table(lambda d, self: (max(1, self.hard), self.length), bool)
    hard_count: Ints = table(lambda d, self: (max(1, self.hard),), int)  # documents shown
    hard_ease: Floats = table(lambda d, self: (max(1, self.hard),))  # sum of 1 / rank of the clicked documents
    hard_time: Ints = table(lambda d, self: (max(1, self.hard),), int, -(10**9))  # when it was told
    updates: Ints = single(int)  # impressions told

    mean: Floats = scratch(lambda d: (1, d))  # of the documents of a query
    along: Floats = scratch(lambda d: (1, d))  # the same, by rows of the null space
    drawn: Floats = scratch(lambda d, self: (2 * self.candidates + 2, d))  # directions by rows of the null space
    reach: Floats = scratch(lambda d, self: (2 * self.candidates + 2,))  # how far documents lie along each
    covered: Floats = scratch(lambda d: (1, d))  # how much of each axis the basis holds
    fresh: Floats = scratch(lambda d: (1, d))  # the vector to add to the basis
    tried: Floats = scratch(lambda d: (1, d))  # weights of a candidate
    scores: Floats = scratch(lambda d, self: (self.length,))  # of the documents of a hard query

    def start(self, rng: np.random.Generator) -> None:
        find_null_space(self)

    def propose(self, page: Page, directions: Floats, rng: np.random.Generator) -> None:
        draw_in_null_space(self, page, rng)
        keep_furthest(self, directions)

    def decide(
        self, impression: Any, clicked: Flags, weights: Floats, distance: float, wins: Floats, rng: np.random.Generator
    ) -> None:
        remember_query(self, impression, clicked)
        winners = 0
        for candidate in range(self.candidates):
            winners += wins[candidate] > 0.0
        if winners > 1 and self.hard > 0:
            break_tie(self, weights, distance, impression.directions, wins, rng)

    def learn(self, impression: Any, outcomes: Floats) -> None:
        remember_losers(self, impression, outcomes)


class NSGD(Descender):
    """MGD whose candidates are orthogonal to the worst of the directions that lost lately.

    Departs: of a hard query the documents that were shown are remembered, no others, and ranked again.
    Of equally bad losers the later ones are avoided. At most two thirds of the dimensions are, so that room is left.
    The authors' public code breaks ties only while fewer than `hard` queries are known, which looks inverted; here
    they are always broken so. Queries without clicks are never hard. Checked against that code, not the paper's text.

    >>> learner = NSGD(n_features=3, seed=1)
    >>> for _ in range(1000):
    ...     impression = learner.ask([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    ...     learner.tell(impression, [impression.ranking.index(0)])  # people want the first document
    >>> better, worse = learner.score([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> bool(better > worse), int(learner.directions.avoiding[0])
    (True, 2)
    """

    name = "nsgd"
    impression = Drafted

    candidates: int = parameter(9, CANDIDATES, low=1)
    queries: int = constant(1)
    directions: Any = holds(NullSpace)


class NSGDDSP(Descender):
    """NSGD whose step is projected onto the documents that people examined, and brought to length 1.

    Departs: as NSGD and DBGDDSP. The authors' public code never counts the last document of the list as
    examined; here it may be.

    >>> learner = NSGDDSP(n_features=3, seed=1)
    >>> for _ in range(1000):
    ...     impression = learner.ask([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    ...     learner.tell(impression, [impression.ranking.index(0)])  # people want the first document
    >>> bool(learner.weights[0, 0] > learner.weights[0, 1]), float(learner.weights[0, 2])
    (True, 0.0)
    """

    name = "nsgd-dsp"
    impression = Drafted

    candidates: int = parameter(9, CANDIDATES, low=1)
    queries: int = constant(1)
    directions: Any = holds(NullSpace)
    step: Any = holds(Projected)


@routine
def draw_in_null_space(self: NullSpace, page: Page, rng: np.random.Generator) -> None:
    """self.drawn: random directions by their parts along the rows of the null space; self.reach: how far documents lie.

    A direction uniform in the null space is uniform in any basis of it, so that only the kept ones have to be
    computed.
    """
    self.mean[:] = 0.0
    for document in range(page.size):
        for column in range(self.n_features):
            self.mean[0, column] += page.features[page.first + document, column]
    for row in range(self.avoiding[0], self.n_features):
        self.along[0, row] = dot(self.mean, 0, self.basis, row)
    for draw in range(2 * self.candidates + 2):
        square, reach = 0.0, 0.0
        for row in range(self.avoiding[0], self.n_features):
            value = rng.standard_normal()
            self.drawn[draw, row] = value
            square += value * value
            reach += value * self.along[0, row]
        size = math.sqrt(square)
        self.reach[draw] = abs(reach) / size
        for row in range(self.avoiding[0], self.n_features):
            self.drawn[draw, row] /= size


@routine
def keep_furthest(self: NullSpace, directions: Floats) -> None:
    """The candidates' directions: those along which the documents lie furthest from 0, the furthest first."""
    for draw in range(2 * self.candidates + 2):
        better = 0
        for other in range(2 * self.candidates + 2):
            better += self.reach[other] > self.reach[draw] or (self.reach[other] == self.reach[draw] and other < draw)
        if better < self.candidates:
            for column in range(self.n_features):
                directions[better, column] = 0.0
            for row in range(self.avoiding[0], self.n_features):
                for column in range(self.n_features):
                    directions[better, column] += self.drawn[draw, row] * self.basis[row, column]


@routine
def remember_query(self: NullSpace, impression: Any, clicked: Flags) -> None:
    """Put a query with clicks in the place of the oldest stale one, or else of the easiest if that is easier."""
    ease, chosen = 0.0, -1
    for slot in range(impression.count[0]):
        if clicked[slot]:
            ease += 1.0 / (slot + 1.0)
    easiest = ease
    for place in range(self.hard):
        age = self.updates[0] - self.hard_time[place]
        value = STALE + age if age > self.window else self.hard_ease[place]
        if value > easiest and ease > 0.0:
            chosen, easiest = place, value
    if chosen >= 0:
        self.hard_ease[chosen], self.hard_time[chosen] = ease, self.updates[0]
        self.hard_count[chosen] = impression.count[0]
        for slot in range(impression.count[0]):
            self.hard_clicked[chosen, slot] = clicked[slot]
            for column in range(self.n_features):
                self.hard_features[chosen * self.length + slot, column] = impression.features[slot, column]
    self.updates[0] += 1


@routine
def break_tie(
    self: NullSpace, weights: Floats, distance: float, directions: Floats, wins: Floats, rng: np.random.Generator
) -> None:
    """Let only that winner keep its win which ranks the clicked documents of the hard queries best."""
    best, highest, ties = -1, -1.0, 0
    for candidate in range(self.candidates):
        if wins[candidate] > 0.0:
            for column in range(self.n_features):
                self.tried[0, column] = weights[0, column] + distance * directions[candidate, column]
            value = 0.0
            for place in range(self.hard):
                value += rank_again(self, place)
            ties = ties + 1 if value == highest else 1
            if value > highest or (value == highest and rng.random() * ties < 1.0):
                best = candidate
            highest = max(highest, value)
    for candidate in range(self.candidates):
        if candidate != best:
            wins[candidate] = min(wins[candidate], 0.0)


@kernel
def rank_again(self: NullSpace, place: int) -> float:
    """The sum of 1 / rank of the clicked documents of a hard query, by the candidate tried."""
    total = 0.0
    for slot in range(self.hard_count[place]):
        self.scores[slot] = dot(self.hard_features, place * self.length + slot, self.tried, 0)
    for slot in range(self.hard_count[place]):
        if self.hard_clicked[place, slot]:
            rank = 1.0
            for other in range(self.hard_count[place]):
                rank += self.scores[other] > self.scores[slot]
            total += 1.0 / rank
    return total


@kernel
def remember_losers(self: NullSpace, impression: Any, outcomes: Floats) -> None:
    """Store the directions that lost to the current ranker and are among the worst, and find the null space anew."""
    before = self.lost[0]
    for candidate in range(self.candidates):
        worse = 0  # candidates with fewer clicks; the current ranker has more than any that is stored
        for other in range(self.candidates):
            worse += outcomes[other] < outcomes[candidate]
        if outcomes[candidate] < 0.0 and worse < WORST:
            row = self.lost[0] % self.stored
            self.losses[row] = int(outcomes[candidate])
            for column in range(self.n_features):
                self.losers[row, column] = impression.directions[candidate, column]
            self.lost[0] += 1
    if self.lost[0] > before:
        find_null_space(self)


@routine
def find_null_space(self: NullSpace) -> None:
    """self.basis: the worst losers made orthonormal, then axes to complete it."""
    row, size = 0, 0
    known, most = min(self.lost[0], self.stored), min(self.avoided, 2 * self.n_features // 3)
    self.covered[:] = 0.0
    while size < self.n_features:
        while row < known and count_worse(self, row) >= most:
            row += 1
        if row == known:
            self.avoiding[0] = size
        pick_vector(self, row, known)
        row += 1
        grown = extend_basis(self.basis, size, self.fresh, 0)
        if grown > size:
            for column in range(self.n_features):
                self.covered[0, column] += self.basis[size, column] * self.basis[size, column]
        size = grown


@kernel
def pick_vector(self: NullSpace, row: int, known: int) -> None:
    """self.fresh: the loser in this row, or behind the last of them the axis that the basis holds least of."""
    if row < known:
        for column in range(self.n_features):
            self.fresh[0, column] = self.losers[row, column]
    else:
        barest = 0
        for column in range(self.n_features):
            self.fresh[0, column] = 0.0
            if self.covered[0, column] < self.covered[0, barest]:
                barest = column
        self.fresh[0, barest] = 1.0


@kernel
def count_worse(self: NullSpace, row: int) -> int:
    """How many of the losers stored are worse than this one, or as bad and later."""
    worse, turn = 0, self.lost[0] % self.stored  # rows before it were overwritten last
    for other in range(min(self.lost[0], self.stored)):
        later = (other > row) == ((other < turn) == (row < turn))
        worse += self.losses[other] < self.losses[row] or (self.losses[other] == self.losses[row] and later)
    return int(worse)
