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
from duelist.core.memory import Flags, Floats, Ints, constant, parameter, single, table
from duelist.online.learners.dbgd import DBGD, add_winners, count_clicks, draft, rank_candidates
from duelist.online.learners.dsp import extend_basis, project
from duelist.online.page import Page, dot

WORST = 4  # a loser is remembered if no more rankers than this, less one, have fewer clicks
STALE = 1000.0  # more than the sum of 1 / rank over any list


class NSGD(DBGD):
    """MGD whose candidates are orthogonal to the worst of the directions that lost lately.

    Twice as many directions are drawn as needed, and those kept along which the documents of the query lie
    furthest from 0 on average. If several candidates win, that one is followed that ranks the clicked documents
    of the hardest queries best; hard are queries whose clicks came late in the list.

    Departs: of a hard query the documents that were shown are remembered, no others, and ranked again.
    Of equally bad losers the later ones are avoided. At most two thirds of the dimensions are, so that room is left.
    The authors' public code breaks ties only while fewer than `hard` queries are known, which looks inverted; here
    they are always broken so. Queries without clicks are never hard. Checked against that code, not the paper's text.

    >>> learner = NSGD(n_features=3, seed=1)
    >>> for _ in range(1000):
    ...     impression = learner.ask([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    ...     learner.tell(impression, [impression.ranking.index(0)])  # people want the first document
    >>> bool(learner.score([[1.0, 0.0, 0.0]]) > learner.score([[0.0, 1.0, 0.0]])), int(learner.avoiding[0])
    (True, 2)
    """

    name = "nsgd"

    queries: int = constant(1)
    random_winner: bool = constant(False)
    candidates: int = parameter(9, "rankers tried beside the current one", low=1)
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

    mean: Floats = table(lambda d: (1, d))  # scratch: of the documents of a query
    along: Floats = table(lambda d: (1, d))  # scratch: the same, by rows of the null space
    drawn: Floats = table(lambda d, self: (2 * self.candidates + 2, d))  # scratch: directions by rows of the null space
    reach: Floats = table(lambda d, self: (2 * self.candidates + 2,))  # scratch: how far documents lie along each
    covered: Floats = table(lambda d: (1, d))  # scratch: how much of each axis the basis holds
    fresh: Floats = table(lambda d: (1, d))  # scratch: the vector to add to the basis
    scores: Floats = table(lambda d, self: (self.length,))  # scratch: of the documents of a hard query
    winning: Floats = table(lambda d: (1, d))  # scratch: the step before the rate

    def start(self, rng: np.random.Generator) -> None:
        find_null_space(self)

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        draw_in_null_space(self, page, rng)
        keep_furthest(self, impression.directions)
        rank_candidates(self, page, impression, rng)
        impression.count[0] = draft(
            page.rankings, self.length, False, rng, self.turns, page.placed, impression.shown, impression.teams
        )

    def update(self, impression: Any, rng: np.random.Generator) -> None:
        find_winner(self, impression, rng)
        for column in range(self.n_features):
            self.weights[0, column] += self.rate * self.winning[0, column]
        remember_losers(self, impression)


class NSGDDSP(NSGD):
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

    margin: int = parameter(3, "documents examined from the last click on, which is one of them (k)", low=1)
    direction: Floats = table(lambda d: (1, d))  # scratch: the winner, projected
    span: Floats = table(lambda d, self: (self.length, d))  # scratch: basis of what was examined

    def update(self, impression: Any, rng: np.random.Generator) -> None:
        find_winner(self, impression, rng)
        project(self, impression)
        for column in range(self.n_features):
            self.weights[0, column] += self.rate * self.direction[0, column]
        remember_losers(self, impression)


@routine
def draw_in_null_space(self: NSGD, page: Page, rng: np.random.Generator) -> None:
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
def keep_furthest(self: NSGD, directions: Floats) -> None:
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


@kernel
def find_winner(self: NSGD, impression: Any, rng: np.random.Generator) -> None:
    """self.winning: the direction that won, the best on hard queries if several did; 0 if none did."""
    count_clicks(self, impression)
    winners = 0
    for candidate in range(self.candidates):
        self.outcomes[candidate] = self.clicks[candidate + 1] - self.clicks[0]
        winners += self.outcomes[candidate] > 0.0
    remember_query(self, impression)
    if winners > 1 and self.hard > 0:
        break_tie(self, impression.directions, rng)
    self.winning[:] = 0.0
    add_winners(self, impression.directions, 1.0, self.winning, rng)


@routine
def remember_query(self: NSGD, impression: Any) -> None:
    """Put a query with clicks in the place of the oldest stale one, or else of the easiest if that is easier."""
    ease, chosen = 0.0, -1
    for slot in range(impression.count[0]):
        if impression.clicked[slot]:
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
            self.hard_clicked[chosen, slot] = impression.clicked[slot]
            for column in range(self.n_features):
                self.hard_features[chosen * self.length + slot, column] = impression.features[slot, column]
    self.updates[0] += 1


@routine
def break_tie(self: NSGD, directions: Floats, rng: np.random.Generator) -> None:
    """Let only that winner keep its outcome which ranks the clicked documents of the hard queries best."""
    best, highest, ties = -1, -1.0, 0
    for candidate in range(self.candidates):
        if self.outcomes[candidate] > 0.0:
            for column in range(self.n_features):
                moved = self.weights[0, column] + self.distance * directions[candidate, column]
                self.tried[candidate + 1, column] = moved
            value = 0.0
            for place in range(self.hard):
                value += rank_again(self, place, candidate + 1)
            ties = ties + 1 if value == highest else 1
            if value > highest or (value == highest and rng.random() * ties < 1.0):
                best = candidate
            highest = max(highest, value)
    for candidate in range(self.candidates):
        if candidate != best:
            self.outcomes[candidate] = min(self.outcomes[candidate], 0.0)


@kernel
def rank_again(self: NSGD, place: int, ranker: int) -> float:
    """The sum of 1 / rank of the clicked documents of a hard query, by a ranker tried."""
    total = 0.0
    for slot in range(self.hard_count[place]):
        self.scores[slot] = dot(self.hard_features, place * self.length + slot, self.tried, ranker)
    for slot in range(self.hard_count[place]):
        if self.hard_clicked[place, slot]:
            rank = 1.0
            for other in range(self.hard_count[place]):
                rank += self.scores[other] > self.scores[slot]
            total += 1.0 / rank
    return total


@kernel
def remember_losers(self: NSGD, impression: Any) -> None:
    """Store the directions that lost to the current ranker and are among the worst, and find the null space anew."""
    before = self.lost[0]
    for candidate in range(self.candidates):
        clicks, worse = self.clicks[candidate + 1], 0
        for ranker in range(self.candidates + 1):
            worse += self.clicks[ranker] < clicks
        if clicks < self.clicks[0] and worse < WORST:
            row = self.lost[0] % self.stored
            self.losses[row] = clicks - self.clicks[0]
            for column in range(self.n_features):
                self.losers[row, column] = impression.directions[candidate, column]
            self.lost[0] += 1
    if self.lost[0] > before:
        find_null_space(self)


@routine
def find_null_space(self: NSGD) -> None:
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
def pick_vector(self: NSGD, row: int, known: int) -> None:
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
def count_worse(self: NSGD, row: int) -> int:
    """How many of the losers stored are worse than this one, or as bad and later."""
    worse, turn = 0, self.lost[0] % self.stored  # rows before it were overwritten last
    for other in range(min(self.lost[0], self.stored)):
        later = (other > row) == ((other < turn) == (row < turn))
        worse += self.losses[other] < self.losses[row] or (self.losses[other] == self.losses[row] and later)
    return int(worse)
