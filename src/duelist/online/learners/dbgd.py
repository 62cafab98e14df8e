"""Dueling bandit gradient descent, and multileave gradient descent, which tries several directions at once.

Yue, Joachims. Interactively Optimizing Information Retrieval Systems as a Dueling Bandits
Problem. ICML 2009.
Schuth, Oosterhuis, Whiteson, de Rijke. Multileave Gradient Descent for Fast Online Learning to
Rank. WSDM 2016.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from duelist.core.compile import kernel, routine
from duelist.core.memory import Floats, Ints, parameter, single, table
from duelist.core.sampling import below
from duelist.interleaving.team_draft import team_draft
from duelist.online.directions import draw_direction
from duelist.online.impression import Impression
from duelist.online.learner import Learner
from duelist.online.page import Page, dot, mix_page, rank_page

draft = routine(team_draft)  # one for all learners


class Tried(Impression):
    """Which directions the candidates tried."""

    candidates: int = parameter(1, "rankers tried beside the current one", low=1)
    directions: Floats = table(lambda d, self: (self.candidates, d))
    vote: Ints = single(int)  # the number of the step it votes on


class Drafted(Tried):
    """Who placed each document, too."""

    teams: Ints = table(lambda d, self: (self.length,), int, -1)  # 0 is the current ranker, -1 nobody


class Descender(Learner, abstract=True):
    """Base of the learners that try candidates in random directions, and step towards those that win."""

    rate: float = parameter(0.01, "step towards the winners (gamma)", above=0)
    distance: float = parameter(1.0, "from the current weights to those tried (delta)", above=0)
    candidates: int = parameter(1, "rankers tried beside the current one", low=1)
    queries: int = parameter(1, "impressions that decide together on a step", low=1)
    random_winner: bool = parameter(False, "step towards one of the winners, not towards their mean")
    outcomes: Floats = table(lambda d, self: (self.candidates,))  # queries won less those lost, on this step
    proposed: Floats = table(lambda d, self: (self.candidates, d))  # directions that several queries decide on
    votes: Ints = single(int)  # queries told of this step
    steps: Ints = single(int)  # decided so far

    @classmethod
    def rankers(cls, parameters: Mapping[str, Any]) -> int:
        return int(parameters["candidates"]) + 1

    def start(self, rng: np.random.Generator) -> None:
        if self.queries > 1:
            draw_directions(self.proposed, rng)


class DBGD(Descender):
    """Show a ranker and a neighbour interleaved by team draft; step towards the neighbour if it wins more clicks.

    Departs: no ball around 0 that weights must stay in, as in all work on learning to rank since. A tie moves
    nothing. When several queries decide on a step, the paper does not say how: here a candidate wins if it wins
    more of them than it loses, and tells of steps taken are ignored. The paper's own comparison, of two whole
    rankings by someone who prefers one of them, is duelist.online.continuous.descend_rankings.

    >>> learner = DBGD(n_features=2, seed=1)
    >>> for _ in range(1000):
    ...     impression = learner.ask([[1.0, 0.0], [0.0, 1.0]])
    ...     learner.tell(impression, [impression.ranking.index(0)])  # people want the first document
    >>> bool(learner.score([[1.0, 0.0]]) > learner.score([[0.0, 1.0]]))
    True
    """

    name = "dbgd"
    impression = Drafted

    tried: Floats = table(lambda d, self: (self.candidates + 1, d))  # scratch: weights of all rankers
    clicks: Ints = table(lambda d, self: (self.candidates + 1,), int)  # scratch: clicks on each ranker's documents
    turns: Ints = table(lambda d, self: (2, self.candidates + 1), int)  # scratch of the team draft

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        propose(self, impression, rng)
        rank_candidates(self, page, impression, rng)
        impression.count[0] = draft(
            page.rankings, self.length, False, rng, self.turns, page.placed, impression.shown, impression.teams
        )

    def update(self, impression: Any, rng: np.random.Generator) -> None:
        if may_vote(self, impression):
            count_clicks(self, impression)
            for candidate in range(self.candidates):
                self.outcomes[candidate] += np.sign(self.clicks[candidate + 1] - self.clicks[0])
            count_vote(self, impression, rng)


class MGD(DBGD):
    """DBGD with nine candidates at once, multileaved by team draft; steps towards the mean of those that win.

    MGD-M of the paper; `random_winner` makes it MGD-W.

    Departs: as DBGD.

    >>> MGD(n_features=2).n_rankers
    10
    """

    name = "mgd"

    candidates: int = parameter(9, "rankers tried beside the current one", low=1)


@kernel
def draw_directions(directions: Floats, rng: np.random.Generator) -> None:
    """A random direction for each candidate."""
    for candidate in range(directions.shape[0]):
        draw_direction(directions, candidate, rng)


@kernel
def propose(self: Descender, impression: Any, rng: np.random.Generator) -> None:
    """The directions to try: new ones, or those that the queries before decide on, too."""
    if self.queries == 1:
        draw_directions(impression.directions, rng)
    else:
        for candidate in range(self.candidates):
            for column in range(self.n_features):
                impression.directions[candidate, column] = self.proposed[candidate, column]
    impression.vote[0] = self.steps[0]


@kernel
def may_vote(self: Descender, impression: Any) -> bool:
    """Whether the step that it tried is still to be decided."""
    return bool(self.queries == 1 or impression.vote[0] == self.steps[0])


@kernel
def count_vote(self: Descender, impression: Any, rng: np.random.Generator) -> None:
    """One more query has told; after the last one, take the step."""
    self.votes[0] += 1
    if self.votes[0] == self.queries:
        add_winners(self, impression.directions, self.rate, self.weights, rng)
        self.outcomes[:] = 0.0
        self.votes[0] = 0
        self.steps[0] += 1
        if self.queries > 1:
            draw_directions(self.proposed, rng)


@kernel
def rank_candidates(self: DBGD, page: Page, impression: Any, rng: np.random.Generator) -> None:
    """The rankings of the current weights, in row 0, and of each candidate's."""
    mix_page(page, rng)
    for ranker in range(self.candidates + 1):
        for column in range(self.n_features):
            self.tried[ranker, column] = self.weights[0, column]
            if ranker > 0:
                self.tried[ranker, column] += self.distance * impression.directions[ranker - 1, column]
    for document in range(page.size):  # each document for all rankers at once: its features are read once
        for ranker in range(self.candidates + 1):
            page.wanted[ranker, document] = dot(page.features, page.first + document, self.tried, ranker)
    for ranker in range(self.candidates + 1):
        for document in range(page.size):
            page.scores[document] = page.wanted[ranker, document]
        rank_page(page, self.length, ranker)


@kernel
def count_clicks(self: DBGD, impression: Any) -> None:
    """self.clicks: clicks on the documents each ranker placed."""
    self.clicks[:] = 0
    for slot in range(impression.count[0]):
        if impression.clicked[slot] and impression.teams[slot] >= 0:
            self.clicks[impression.teams[slot]] += 1


@kernel
def add_winners(self: Any, directions: Floats, rate: float, into: Floats, rng: np.random.Generator) -> None:
    """Add, to row 0, the mean of the directions whose outcome is positive, or one of them at random."""
    winners, passed = 0, 0
    for candidate in range(self.candidates):
        winners += self.outcomes[candidate] > 0.0
    only = below(winners, rng) if self.random_winner else -1
    share = rate if self.random_winner else rate / max(1, winners)
    for candidate in range(self.candidates):
        if self.outcomes[candidate] > 0.0:
            if only < 0 or only == passed:
                for column in range(self.n_features):
                    into[0, column] += share * directions[candidate, column]
            passed += 1
