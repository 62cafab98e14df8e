"""Dueling bandit gradient descent, and multileave gradient descent, which tries several directions at once.

Yue, Joachims. Interactively Optimizing Information Retrieval Systems as a Dueling Bandits
Problem. ICML 2009.
Schuth, Oosterhuis, Whiteson, de Rijke. Multileave Gradient Descent for Fast Online Learning to
Rank. WSDM 2016.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from duelist.core.compile import kernel, routine
from duelist.core.memory import Flags, Floats, Holds, Ints, holds, parameter, scratch, single, table
from duelist.core.sampling import below
from duelist.interleaving.team_draft import team_draft
from duelist.online.directions import RandomDirections, draw_directions
from duelist.online.impression import Impression
from duelist.online.learner import Learner
from duelist.online.page import Page, dot, mix_page, rank_page
from duelist.online.part import Part

CANDIDATES = "rankers tried beside the current one"
draft = routine(team_draft)  # one for all learners


class Tried(Impression):
    """Which directions the candidates tried."""

    candidates: int = parameter(1, CANDIDATES, low=1)
    directions: Floats = table(lambda d, self: (self.candidates, d))
    vote: Ints = single(int)  # the number of the step it votes on


class Drafted(Tried):
    """Who placed each document, too."""

    teams: Ints = table(lambda d, self: (self.length,), int, -1)  # 0 is the current ranker, -1 nobody


class TeamDrafted(Part):
    """Lists by team draft; a candidate's outcome is its clicks less those of the current ranker."""

    kernels = ("reset", "show", "compare")
    impression: ClassVar[type[Impression]] = Drafted

    length: int = parameter(10, "documents shown", low=1)
    distance: float = parameter(1.0, "from the current weights to those tried (delta)", above=0)
    candidates: int = parameter(1, CANDIDATES, low=1)
    tried: Floats = scratch(lambda d, self: (self.candidates + 1, d))  # weights of all rankers
    clicks: Ints = scratch(lambda d, self: (self.candidates + 1,), int)  # on each ranker's documents
    turns: Ints = scratch(lambda d, self: (2, self.candidates + 1), int)  # of the team draft

    def show(self, page: Page, weights: Floats, impression: Any, rng: np.random.Generator) -> None:
        rank_candidates(self, page, weights, impression, rng)
        impression.count[0] = draft(
            page.rankings, self.length, False, rng, self.turns, page.placed, impression.shown, impression.teams
        )

    def compare(self, impression: Any, clicked: Flags, outcomes: Floats) -> None:
        self.clicks[:] = 0
        for slot in range(impression.count[0]):
            if clicked[slot] and impression.teams[slot] >= 0:
                self.clicks[impression.teams[slot]] += 1
        for candidate in range(self.candidates):
            outcomes[candidate] = self.clicks[candidate + 1] - self.clicks[0]


class TowardsWinners(Part):
    """A step towards the mean of the directions that won, or towards one of them."""

    kernels = ("reset", "take")

    random_winner: bool = parameter(False, "step towards one of the winners, not towards their mean")

    def take(
        self,
        impression: Any,
        clicked: Flags,
        wins: Floats,
        rate: float,
        weights: Floats,
        rng: np.random.Generator,
    ) -> None:
        add_winners(impression.directions, wins, rate, self.random_winner, weights, rng)


class Descender(Learner, abstract=True):
    """Base of the learners that try candidates in some directions, and step towards those that win.

    Which directions, how candidates are compared, and how the step is made are parts that a learner holds.
    """

    rate: float = parameter(0.01, "step towards the winners (gamma)", above=0)
    distance: float = parameter(1.0, "from the current weights to those tried (delta)", above=0)
    candidates: int = parameter(1, CANDIDATES, low=1)
    queries: int = parameter(1, "impressions that decide together on a step", low=1)
    directions: Any = holds(RandomDirections)
    multileaving: Any = holds(TeamDrafted)
    step: Any = holds(TowardsWinners)
    wins: Floats = table(lambda d, self: (self.candidates,))  # queries won less those lost, on this step
    proposed: Floats = table(lambda d, self: (self.candidates, d))  # directions that several queries decide on
    votes: Ints = single(int)  # queries told of this step
    steps: Ints = single(int)  # decided so far
    outcomes: Floats = scratch(lambda d, self: (self.candidates,))  # how each candidate did in one impression

    def __init_subclass__(cls, abstract: bool = False) -> None:
        if isinstance(field := vars(cls).get("multileaving"), Holds):
            cls.impression = field.part.impression  # type: ignore[attr-defined]
        super().__init_subclass__(abstract=abstract)

    @classmethod
    def rankers(cls, parameters: Mapping[str, Any]) -> int:
        return int(parameters["candidates"]) + 1

    def start(self, rng: np.random.Generator) -> None:
        directions_reset(self.directions, rng)
        if self.queries > 1:
            draw_directions(self.proposed, rng)

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        if self.queries == 1:
            directions_propose(self.directions, page, impression.directions, rng)
        else:
            for candidate in range(self.candidates):
                for column in range(self.n_features):
                    impression.directions[candidate, column] = self.proposed[candidate, column]
        impression.vote[0] = self.steps[0]
        multileaving_show(self.multileaving, page, self.weights, impression, rng)

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        if self.queries > 1 and impression.vote[0] != self.steps[0]:
            return  # that step was decided
        multileaving_compare(self.multileaving, impression, clicked, self.outcomes)
        for candidate in range(self.candidates):
            self.wins[candidate] += int(self.outcomes[candidate] > 0.0) - int(self.outcomes[candidate] < 0.0)
        self.votes[0] += 1
        if self.votes[0] == self.queries:
            directions_decide(self.directions, impression, clicked, self.weights, self.distance, self.wins, rng)
            step_take(self.step, impression, clicked, self.wins, self.rate, self.weights, rng)
            directions_learn(self.directions, impression, self.outcomes)
            self.wins[:] = 0.0
            self.votes[0] = 0
            self.steps[0] += 1
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


class MGD(Descender):
    """DBGD with nine candidates at once, multileaved by team draft; steps towards the mean of those that win.

    MGD-M of the paper; `random_winner` makes it MGD-W.

    Departs: as DBGD.

    >>> MGD(n_features=2).n_rankers
    10
    """

    name = "mgd"
    impression = Drafted

    candidates: int = parameter(9, CANDIDATES, low=1)


@kernel
def rank_candidates(self: TeamDrafted, page: Page, weights: Floats, impression: Any, rng: np.random.Generator) -> None:
    """The rankings of the current weights, in row 0, and of each candidate's."""
    mix_page(page, rng)
    for ranker in range(self.candidates + 1):
        for column in range(self.n_features):
            self.tried[ranker, column] = weights[0, column]
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
def add_winners(
    directions: Floats, wins: Floats, rate: float, only_one: bool, into: Floats, rng: np.random.Generator
) -> None:
    """Add, to row 0, the mean of the directions that won, or one of them at random."""
    winners, passed = 0, 0
    for candidate in range(wins.size):
        winners += wins[candidate] > 0.0
    only = below(winners, rng) if only_one else -1
    share = rate if only_one else rate / max(1, winners)
    for candidate in range(wins.size):
        if wins[candidate] > 0.0:
            if only < 0 or only == passed:
                for column in range(directions.shape[1]):
                    into[0, column] += share * directions[candidate, column]
            passed += 1


# The kernels of the held parts, bound when a class is compiled.


def directions_reset(part: Any, rng: np.random.Generator) -> None:
    """Bound to the kernel of the part that finds directions."""
    raise TypeError("unbound")


def directions_propose(part: Any, page: Page, directions: Floats, rng: np.random.Generator) -> None:
    """Bound to the kernel of the part that finds directions."""
    raise TypeError("unbound")


def directions_decide(
    part: Any,
    impression: Any,
    clicked: Flags,
    weights: Floats,
    distance: float,
    wins: Floats,
    rng: np.random.Generator,
) -> None:
    """Bound to the kernel of the part that finds directions."""
    raise TypeError("unbound")


def directions_learn(part: Any, impression: Any, outcomes: Floats) -> None:
    """Bound to the kernel of the part that finds directions."""
    raise TypeError("unbound")


def multileaving_show(part: Any, page: Page, weights: Floats, impression: Any, rng: np.random.Generator) -> None:
    """Bound to the kernel of the part that makes lists."""
    raise TypeError("unbound")


def multileaving_compare(part: Any, impression: Any, clicked: Flags, outcomes: Floats) -> None:
    """Bound to the kernel of the part that makes lists."""
    raise TypeError("unbound")


def step_take(
    part: Any,
    impression: Any,
    clicked: Flags,
    wins: Floats,
    rate: float,
    weights: Floats,
    rng: np.random.Generator,
) -> None:
    """Bound to the kernel of the part that takes steps."""
    raise TypeError("unbound")
