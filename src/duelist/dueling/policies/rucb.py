"""Relative Upper Confidence Bound.

Zoghi, Whiteson, Munos, de Rijke. Relative Upper Confidence Bound for the K-Armed
Dueling Bandit Problem. ICML 2014.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, holds, parameter, per_pair, single
from duelist.core.sampling import below, highest_bound
from duelist.dueling.clock import Clock, advance, start_clock, tell_clock
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best


class RUCB(Policy):
    """Duel a possible Condorcet winner against its most hopeful challenger.

    Needs: a Condorcet winner.
    Horizon: not needed.
    Regret: O(K^2 + K ln T) in expectation for alpha > 1/2.
    Departs: nowhere; a champion that no arm can still hope to beat duels itself, as in the paper.
    Ties: half a win each.

    >>> policy = RUCB(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    learns = "all"

    name = "rucb"

    alpha: float = parameter(0.51, "exploration; the regret bound needs more than 1/2", above=0.5)
    clock: Clock = holds(Clock)  # wins, and who is confidently beaten
    mean: Floats = per_pair(fill=2)  # mean[i, j]: share of duels arm j won against arm i
    # 1 / sqrt(duels of i and j); an unseen pair has the bound 2 at any time. Rounded as if alpha were a ten millionth
    # larger or smaller, it is a quarter less to read for every duel.
    width: Floats = per_pair(np.float32)
    favourite: Ints = single(int, -1)  # the last sole candidate, while it stays a candidate

    def start(self, rng: np.random.Generator) -> None:
        start_clock(self.clock)
        for i in range(self.n_arms):
            self.mean[i, i] = 0.0  # an arm is its own challenger only when no other is left

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        log_t = math.log(t)
        advance(self.clock, log_t)
        champion = pick_champion(self, rng)
        scale = math.sqrt(self.alpha * log_t)
        challenger = highest_bound(self.mean, self.width, champion, scale, 0.5, champion, rng)
        return Duel(champion, challenger, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        i, j = duel.left, duel.right
        if i == j:
            return
        tell_clock(self.clock, i, j, outcome, self.alpha)
        n = self.clock.wins[i, j] + self.clock.wins[j, i]
        self.mean[i, j] = self.clock.wins[j, i] / n
        self.mean[j, i] = self.clock.wins[i, j] / n
        self.width[i, j] = self.width[j, i] = 1.0 / math.sqrt(n)

    def best_arm(self) -> int:
        if self.favourite[0] >= 0:
            return int(self.favourite[0])
        return empirical_best(self.clock.wins)


@kernel
def pick_champion(self: RUCB, rng: np.random.Generator) -> int:
    """Half the time the favourite, else any other candidate; any arm if none is left."""
    if self.favourite[0] >= 0 and self.clock.beaten_by[self.favourite[0]] > 0:
        self.favourite[0] = -1
    candidates = self.clock.unbeaten[0]
    if candidates == 0:
        return below(self.n_arms, rng)
    if self.favourite[0] >= 0 and (candidates == 1 or rng.random() < 0.5):
        return int(self.favourite[0])
    skip = below(candidates - (self.favourite[0] >= 0), rng)
    champion = 0
    while self.clock.beaten_by[champion] > 0 or champion == self.favourite[0] or skip > 0:
        skip -= self.clock.beaten_by[champion] == 0 and champion != self.favourite[0]
        champion += 1
    if candidates == 1:
        self.favourite[0] = champion
    return champion
