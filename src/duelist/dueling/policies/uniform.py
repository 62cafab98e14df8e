"""The baseline that does not learn whom to show."""

from __future__ import annotations

import numpy as np

from duelist.core.memory import Floats, per_pair
from duelist.core.sampling import below
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best


class Uniform(Policy):
    """Duel two different arms drawn uniformly at random.

    Needs: nothing.
    Horizon: not needed.
    Regret: linear; the yardstick that every other policy should beat.
    Departs: no paper; a round robin in random order has the same regret.
    Ties: half a win each.

    >>> policy = Uniform(n_arms=2, seed=0)
    >>> policy.tell(policy.ask(), winner=1)
    >>> policy.best()
    1
    """

    learns = "all"

    name = "uniform"
    view = "none"

    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        left = below(self.n_arms, rng)
        right = below(self.n_arms - 1, rng)
        return Duel(left, right + (right >= left), t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        self.wins[duel.left, duel.right] += outcome
        self.wins[duel.right, duel.left] += 1.0 - outcome

    def best_arm(self) -> int:
        return empirical_best(self.wins)
