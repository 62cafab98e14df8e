"""A policy of one's own, outside the package: Thompson sampling over pairs, in thirty lines."""

import numpy as np

from duelist import Duel, Policy, simulate
from duelist.core.memory import Floats, per_pair, scratch
from duelist.core.sampling import argmax
from duelist.testing import check_policy


class PairwiseThompson(Policy):
    """Draw who beats whom by what was seen so far; the arm that beats the most duels the one most likely to beat it.

    Needs: a Condorcet winner, and no more than a dozen arms: every choice draws for every pair.
    Horizon: not needed.
    Regret: measured, not proved: about that of D-TS on arXiv.
    Ties: half a win each.
    """

    wins: Floats = per_pair(fill=1)  # wins[i, j] of i over j, and one that nobody saw
    drawn: Floats = scratch(lambda k: (k,))

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        self.drawn[:] = 0.0
        for i in range(self.n_arms):
            for j in range(i):
                i_wins = rng.beta(self.wins[i, j], self.wins[j, i]) > 0.5
                self.drawn[i if i_wins else j] += 1.0
        champion = argmax(self.drawn, rng)
        for arm in range(self.n_arms):
            self.drawn[arm] = rng.beta(self.wins[arm, champion], self.wins[champion, arm])
        self.drawn[champion] = 0.5  # who is likelier to lose against it than to win need not try: it duels itself
        return Duel(champion, argmax(self.drawn, rng), t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.left != duel.right:
            self.wins[duel.left, duel.right] += outcome
            self.wins[duel.right, duel.left] += 1 - outcome

    def best_arm(self) -> int:
        return int((self.wins > self.wins.T).sum(1).argmax())


if __name__ == "__main__":
    check_policy(PairwiseThompson)
    print(simulate(PairwiseThompson, "arxiv", horizon=100_000, runs=20, seed=1))
