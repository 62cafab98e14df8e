"""Relative Confidence Sampling.

Zoghi, Whiteson, de Rijke, Munos. Relative Confidence Sampling for Efficient On-line Ranker
Evaluation. WSDM 2014.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, holds, parameter, per_arm, per_pair, single
from duelist.core.sampling import highest_bound
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best
from duelist.dueling.signs import Signs, tell_signs


class RCS(Policy):
    """Duel the winner of a tournament drawn from the posterior against its most hopeful challenger.

    Needs: a Condorcet winner.
    Horizon: not needed.
    Regret: no proof; O(K ln T) in the paper's experiments.
    Departs: nowhere; of the tournament only who beats whom is drawn, and no more pairs than decide it.
    Ties: half a win each, in the posterior too.

    >>> policy = RCS(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    learns = "all"

    name = "rcs"

    alpha: float = parameter(0.51, "exploration of the challengers", above=0)
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    signs: Signs = holds(Signs)  # chances of the pairs of the tournament
    mean: Floats = per_pair(fill=2)  # mean[i, j]: share of duels arm j won against arm i
    width: Floats = per_pair()  # 1 / sqrt(duels of i and j); an unseen pair has the bound 2 at any time
    reigns: Ints = per_arm(int)  # how often each arm was champion
    last: Ints = single(int)  # the last champion, who leads the tournament

    def start(self, rng: np.random.Generator) -> None:
        for i in range(self.n_arms):
            self.mean[i, i] = 0.0  # an arm is its own challenger only when no other is left

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        champion = hold_tournament(self, rng)
        if champion < 0:
            champion = find_least_crowned(self, rng)
        scale = math.sqrt(self.alpha * math.log(t))
        challenger = highest_bound(self.mean, self.width, champion, scale, 0.5, champion, rng)
        return Duel(champion, challenger, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        i, j = duel.left, duel.right
        self.reigns[i] += 1
        self.last[0] = i
        if i == j:
            return
        self.wins[i, j] += outcome
        self.wins[j, i] += 1.0 - outcome
        tell_signs(self.signs, self.wins, i, j, outcome)
        n = self.wins[i, j] + self.wins[j, i]
        self.mean[i, j] = self.wins[j, i] / n
        self.mean[j, i] = self.wins[i, j] / n
        self.width[i, j] = self.width[j, i] = 1.0 / math.sqrt(n)

    def best_arm(self) -> int:
        return empirical_best(self.wins)


@kernel
def hold_tournament(self: RCS, rng: np.random.Generator) -> int:
    """The arm that beats every other in a draw from the posterior, or -1.

    At most one arm can, and it wins any knock-out. So a knock-out is drawn, and then the duels
    of its winner with the arms before it. Pairs are independent: those that are not drawn and
    the order of the arms change nothing, and the last champion goes first to end it soon.
    """
    king, deposed, crowned = self.last[0], -1, 0
    for step in range(1, self.n_arms):
        arm = (self.last[0] + step) % self.n_arms
        if rng.random() >= self.signs.chance[king, arm]:
            king, deposed, crowned = arm, king, step
    for step in range(crowned):
        arm = (self.last[0] + step) % self.n_arms
        if arm != deposed and rng.random() >= self.signs.chance[king, arm]:
            return -1
    return int(king)


@kernel
def find_least_crowned(self: RCS, rng: np.random.Generator) -> int:
    """The arm that was champion least often, at random among ties."""
    arm, ties = 0, 1
    for i in range(1, self.n_arms):
        if self.reigns[i] < self.reigns[arm]:
            arm, ties = i, 1
        elif self.reigns[i] == self.reigns[arm]:
            ties += 1
            if rng.random() * ties < 1.0:
                arm = i
    return arm
