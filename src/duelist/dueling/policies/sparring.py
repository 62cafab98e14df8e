"""Sparring: two ordinary bandits play against each other.

Ailon, Karnin, Joachims. Reducing Dueling Bandits to Cardinal Bandits. ICML 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.memory import holds
from duelist.dueling.bandits import EXP3, UCB1, Pull, ThompsonSampling, inner_pull, inner_reset, inner_reward
from duelist.dueling.policy import Duel, Policy


class Sparring(Policy, abstract=True):
    """One bandit chooses the left arm, another the right; each gains when its arm wins."""

    learns = "drawn"

    left: Any
    right: Any

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.left, rng)
        inner_reset(self.right, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        left = inner_pull(self.left, t, rng)
        right = inner_pull(self.right, t, rng)
        return Duel(left.arm, right.arm, t, left.p, right.p)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        inner_reward(self.left, Pull(duel.left, duel.left_p), outcome, t)
        inner_reward(self.right, Pull(duel.right, duel.right_p), 1.0 - outcome, t)

    def best_arm(self) -> int:
        return int(self.left.best_arm())


class SparringUCB(Sparring):
    """Sparring of two UCB1 bandits.

    Needs: utilities with a linear link.
    Horizon: not needed.
    Regret: no proof; O(K ln T) is conjectured in the paper.
    Departs: nowhere; an arm may duel itself, and both bandits then learn from the coin.
    Ties: half a gain each.

    >>> SparringUCB(n_arms=3, seed=0).parameter_values()
    {'exploration': 2.0}
    """

    name = "sparring-ucb"

    left: Any = holds(UCB1)
    right: Any = holds(UCB1)


class SparringEXP3(Sparring):
    """Sparring of two EXP3 bandits.

    Needs: utilities, which may change adversarially.
    Horizon: needed.
    Regret: O(sqrt(K ln(K) T)), the sum of the two bandits' regrets.
    Departs: the paper gives no gamma; ours is EXP3's for a gain of T/2 a side.
    Ties: half a gain each.

    >>> SparringEXP3(n_arms=3, horizon=1000, seed=0).parameter_values()
    {'horizon': 1000}
    """

    name = "sparring-exp3"

    left: Any = holds(EXP3)
    right: Any = holds(EXP3)


class SparringThompson(Sparring):
    """Sparring of two Thompson samplers.

    Needs: utilities with a linear link.
    Horizon: not needed.
    Regret: no proof.
    Departs: the paper spars UCB; Thompson sampling takes its place as in later comparisons.
    Ties: half a gain each.

    >>> SparringThompson(n_arms=3, seed=0).parameter_values()
    {}
    """

    name = "sparring-thompson"

    left: Any = holds(ThompsonSampling)
    right: Any = holds(ThompsonSampling)
