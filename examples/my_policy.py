"""A policy of one's own, outside the package: epsilon-greedy on the share of duels won."""

import numpy as np

from duelist import Duel, Policy, simulate
from duelist.core.memory import Floats, parameter, per_arm
from duelist.core.sampling import argmax, below
from duelist.testing import check_policy


class EpsilonGreedy(Policy):
    """Mostly let the arm with the best record duel itself; sometimes try any arm.

    Needs: a Borda winner that is also the Condorcet winner.
    Regret: O(K ln T) when the rate of exploration is large enough for the gaps.
    """

    rate: float = parameter(20.0, "exploration is rate / t", above=0)
    won: Floats = per_arm(fill=1)
    duels: Floats = per_arm(fill=2)
    share: Floats = per_arm(fill=0.5)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        left = below(self.n_arms, rng) if rng.random() * t < self.rate else argmax(self.share, rng)
        right = below(self.n_arms, rng) if rng.random() * t < self.rate else argmax(self.share, rng)
        return Duel(left, right, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.left != duel.right:
            self.won[duel.left] += outcome
            self.won[duel.right] += 1 - outcome
            for arm in (duel.left, duel.right):
                self.duels[arm] += 1
                self.share[arm] = self.won[arm] / self.duels[arm]

    def best_arm(self) -> int:
        return int(self.share.argmax())


if __name__ == "__main__":
    check_policy(EpsilonGreedy)
    print(simulate(EpsilonGreedy, "arxiv", horizon=100_000, runs=100, seed=1))
