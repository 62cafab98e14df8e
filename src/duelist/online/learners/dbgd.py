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

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, parameter, table
from duelist.interleaving.team_draft import team_draft
from duelist.online.directions import draw_direction
from duelist.online.impression import Impression
from duelist.online.learner import Learner
from duelist.online.page import Page, mix_page, rank_page, score_page


class Drafted(Impression):
    """Who placed each document, and which directions the candidates tried."""

    candidates: int = parameter(1, "rankers tried beside the current one", low=1)
    directions: Floats = table(lambda d, self: (self.candidates, d))
    teams: Ints = table(lambda d, self: (self.length,), int, -1)  # 0 is the current ranker, -1 nobody


class DBGD(Learner):
    """Show a ranker and a neighbour interleaved by team draft; step towards the neighbour if it wins more clicks.

    Departs: no ball around 0 that weights must stay in, as in all work on learning to rank since. The beginning
    that both rankings share is neutral. A tie moves nothing.

    >>> learner = DBGD(n_features=2, seed=1)
    >>> for _ in range(1000):
    ...     impression = learner.ask([[1.0, 0.0], [0.0, 1.0]])
    ...     learner.tell(impression, [impression.ranking.index(0)])  # people want the first document
    >>> bool(learner.score([[1.0, 0.0]]) > learner.score([[0.0, 1.0]]))
    True
    """

    name = "dbgd"
    impression = Drafted

    rate: float = parameter(0.01, "step towards the winners (gamma)", above=0)
    distance: float = parameter(1.0, "from the current weights to those tried (delta)", above=0)
    candidates: int = parameter(1, "rankers tried beside the current one", low=1)
    tried: Floats = table(lambda d, self: (self.candidates + 1, d))  # scratch: weights of all rankers
    clicks: Ints = table(lambda d, self: (self.candidates + 1,), int)  # scratch: clicks on each ranker's documents
    turns: Ints = table(lambda d, self: (2, self.candidates + 1), int)  # scratch of the team draft

    @classmethod
    def rankers(cls, parameters: Mapping[str, Any]) -> int:
        return int(parameters["candidates"]) + 1

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        for candidate in range(self.candidates):
            draw_direction(impression.directions, candidate, rng)
        rank_candidates(self, page, impression, rng)
        impression.count[0] = team_draft(
            page.rankings, self.length, rng, self.turns, page.placed, impression.shown, impression.teams
        )

    def update(self, impression: Any, rng: np.random.Generator) -> None:
        count_clicks(self, impression)
        step(self, impression)


class MGD(DBGD):
    """DBGD with nine candidates at once, multileaved by team draft; steps towards the mean of those that win.

    Departs: as DBGD.

    >>> MGD(n_features=2).parameter_values()
    {'length': 10, 'rate': 0.01, 'distance': 1.0, 'candidates': 9}
    """

    name = "mgd"

    candidates: int = parameter(9, "rankers tried beside the current one", low=1)


@kernel
def rank_candidates(self: DBGD, page: Page, impression: Any, rng: np.random.Generator) -> None:
    """The rankings of the current weights, in row 0, and of each candidate's."""
    mix_page(page, rng)
    for ranker in range(self.candidates + 1):
        for column in range(self.n_features):
            self.tried[ranker, column] = self.weights[0, column]
            if ranker > 0:
                self.tried[ranker, column] += self.distance * impression.directions[ranker - 1, column]
        score_page(page, self.tried, ranker)
        rank_page(page, self.length, ranker)


@kernel
def count_clicks(self: DBGD, impression: Any) -> None:
    """self.clicks: clicks on the documents each ranker placed."""
    self.clicks[:] = 0
    for slot in range(impression.count[0]):
        if impression.clicked[slot] and impression.teams[slot] >= 0:
            self.clicks[impression.teams[slot]] += 1


@kernel
def step(self: DBGD, impression: Any) -> None:
    """Move towards the mean of the directions that won more clicks than the current ranker."""
    winners = 0
    for candidate in range(self.candidates):
        winners += self.clicks[candidate + 1] > self.clicks[0]
    for candidate in range(self.candidates):
        if self.clicks[candidate + 1] > self.clicks[0]:
            for column in range(self.n_features):
                self.weights[0, column] += self.rate / winners * impression.directions[candidate, column]
