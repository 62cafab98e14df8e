"""Self-Sparring: one Thompson sampler plays against itself.

Sui, Zhuang, Burdick, Yue. Multi-dueling Bandits with Dependent Arms. UAI 2017.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.memory import holds
from duelist.dueling.bandits import Pull, ThompsonSampling, inner_pull, inner_reset, inner_reward
from duelist.dueling.policy import Duel, Policy


class SelfSparring(Policy):
    """Draw both arms independently from one Thompson sampler, which learns from both sides.

    Needs: approximate linearity, as utilities with a linear link give. A Condorcet winner that is not the Borda
    winner is not found.
    Horizon: not needed.
    Regret: O(K ln T / gap), asymptotically and under approximate linearity.
    Departs: duels of two arms (the paper's m = 2), independent arms (no Gaussian process), learning rate 1. An arm
    that duels itself learns nothing; of two public implementations one agrees, the other counts a win and a loss.
    The paper was checked by its abstract and these two implementations only.
    Ties: half a win and half a loss each.

    >>> policy = SelfSparring(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "self-sparring"

    sampler: Any = holds(ThompsonSampling)  # one Beta posterior an arm

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.sampler, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        left = inner_pull(self.sampler, t, rng)
        right = inner_pull(self.sampler, t, rng)
        return Duel(left.arm, right.arm, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.left != duel.right:
            inner_reward(self.sampler, Pull(duel.left, 1.0), outcome, t)
            inner_reward(self.sampler, Pull(duel.right, 1.0), 1.0 - outcome, t)

    def best_arm(self) -> int:
        return int((self.sampler.won / (self.sampler.won + self.sampler.lost)).argmax())
