"""Spar and check: self-sparring proposes, pairs decide. No paper; the idea and what it costs: docs/which-policy.md."""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, holds, parameter, per_arm
from duelist.dueling.clock import Clock, advance, start_clock, tell_clock
from duelist.dueling.policy import Duel, Policy


class SparAndCheck(Policy):
    """Draw both arms from one posterior an arm; where the draws agree, look for somebody who may beat that arm.

    Self-sparring learns about arms, which is fast and right where utilities stand behind the preferences, and wrong for
    ever where they do not. So its answer is checked: of each other arm a chance to lose is drawn from the posterior of
    that pair, which begins with what the rates of both arms foretell. Whoever is drawn below 1/2, the lowest first, is
    the challenger; if nobody is, the arm duels itself. Arms that more others confidently beat than any arm must bear
    are out, and nobody is asked again about a pair in which that is known of the arm itself.

    Needs: nothing; Copeland winners always exist. Where a winner barely beats an arm that beats all others clearly
    (bvs-20), it takes as long as d-ts.
    Horizon: not needed.
    Regret: no bound is proved; measured, the lowest or close to it on most instances.
    Departs: no paper. `weight` and `most` were chosen on the nine instances of the table in docs/which-policy.md.
    Ties: half a win each.

    >>> policy = SparAndCheck(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    learns = "all"

    name = "spar-and-check"
    view = "copeland"

    alpha: float = parameter(0.51, "width of the confidence intervals by which arms are out", above=0)
    weight: float = parameter(20.0, "duels that the foretold chance of a pair is worth", low=0)
    most: float = parameter(0.8, "the largest chance that is foretold", above=0.5, below=1)
    clock: Clock = holds(Clock)  # wins, and who is confidently beaten
    won: Floats = per_arm()  # duels an arm won, against whomever
    lost: Floats = per_arm()

    def start(self, rng: np.random.Generator) -> None:
        start_clock(self.clock)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        advance(self.clock, math.log(t))
        least = self.n_arms
        for arm in range(self.n_arms):
            least = min(least, self.clock.beaten_by[arm])
        left = draw_arm(self, least, rng)
        right = draw_arm(self, least, rng)
        return Duel(left, right if right != left else draw_challenger(self, left, rng), t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.left != duel.right:
            self.won[duel.left] += outcome
            self.lost[duel.left] += 1.0 - outcome
            self.won[duel.right] += 1.0 - outcome
            self.lost[duel.right] += outcome
            tell_clock(self.clock, duel.left, duel.right, outcome, self.alpha)

    def best_arm(self) -> int:
        rate = (self.won + 1.0) / (self.won + self.lost + 2.0)
        return int(np.where(self.clock.beaten_by == self.clock.beaten_by.min(), rate, -1.0).argmax())


@kernel
def draw_arm(self: SparAndCheck, least: int, rng: np.random.Generator) -> int:
    """The arm with the highest draw of those that no more than `least` confidently beat."""
    best, highest = 0, -1.0
    for arm in range(self.n_arms):
        if self.clock.beaten_by[arm] == least:
            value = rng.beta(self.won[arm] + 1.0, self.lost[arm] + 1.0)
            if value > highest:
                best, highest = arm, value
    return best


@kernel
def draw_challenger(self: SparAndCheck, champion: int, rng: np.random.Generator) -> int:
    """The arm that the champion is drawn to do worst against, if that is below 1/2; itself if nobody is.

    A pair that the champion confidently loses teaches nothing more.
    """
    challenger, lowest = champion, 0.5
    for arm in range(self.n_arms):
        if arm != champion and self.clock.place[arm * self.n_arms + champion] < 0:
            chance = foretold(self, champion, arm)
            won = self.clock.wins[champion, arm] + self.weight * chance
            lost = self.clock.wins[arm, champion] + self.weight * (1.0 - chance)
            value = rng.beta(won + 1.0, lost + 1.0)
            if value < lowest:
                challenger, lowest = arm, value
    return challenger


@kernel
def foretold(self: SparAndCheck, champion: int, arm: int) -> float:
    """How often the champion should win if strengths explained the rates of both, but not too often."""
    mine = (self.won[champion] + 1.0) / (self.lost[champion] + 1.0)  # odds
    other = (self.won[arm] + 1.0) / (self.lost[arm] + 1.0)
    chance: float = min(self.most, mine / (mine + other))
    return chance
