"""Versatile-DB, and Sparring with Tsallis-INF.

Saha, Gaillard. Versatile Dueling Bandits: Best-of-both-World Analyses for Online
Learning from Preferences. ICML 2022.
Zimmert, Seldin. Tsallis-INF: An Optimal Algorithm for Stochastic and Adversarial
Bandits. JMLR 22(28), 2021.

The two are one algorithm: two copies of Tsallis-INF, one for each side, each of which
loses when its arm does. What differs is the analysis, for a Condorcet winner in the
first paper and for utilities in the second, and the estimates preferred. The first
paper adds that both sides may share one copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.memory import constant, holds, parameter
from duelist.dueling.bandits import Pull, inner_pull, inner_reset, inner_reward
from duelist.dueling.policies.sparring import Sparring
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.tsallis import TsallisINF, add_loss, find_weights


class WeightedTsallisINF(TsallisINF):
    """Tsallis-INF that weights by importance unless asked otherwise."""

    reduced_variance: bool = parameter(
        False, "estimate losses with reduced variance, not by importance weighting alone"
    )


class VersatileDB(Policy):
    """Two Tsallis-INF bandits, or one that plays both sides, win and lose against each other.

    Needs: a Condorcet winner, or utilities, fixed or changing adversarially.
    Horizon: not needed.
    Regret: O(sum of ln(T) / gap) if nothing changes, O(sqrt(K T)) always, both also under corruption.
    Departs: nowhere known, but the paper was checked by its abstract and one public implementation only: that it
    weights by importance, with learning rate 2 / sqrt(t), and that its Remark 2 lets both sides share one bandit,
    each estimate halved, is not certain. On arXiv at T = 1e5 the regret is 550, and 192 with both shared and
    reduced_variance.
    Ties: half a loss each; an arm that duels itself learns from the coin, as in Sparring.

    >>> policy = VersatileDB(n_arms=3, shared=True, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    learns = "drawn"

    name = "versatile-db"

    shared: bool = parameter(False, "one bandit for both sides instead of one each")
    left: Any = holds(WeightedTsallisINF)
    right: Any = holds(WeightedTsallisINF)  # idle when shared

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.left, rng)
        inner_reset(self.right, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        left = inner_pull(self.left, t, rng)
        right = inner_pull(self.left, t, rng) if self.shared else inner_pull(self.right, t, rng)
        return Duel(left.arm, right.arm, t, left.p, right.p)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        left, right = Pull(duel.left, duel.left_p), Pull(duel.right, duel.right_p)
        if self.shared:
            add_loss(self.left, left, 1.0 - outcome, t, 0.5)
            add_loss(self.left, right, outcome, t, 0.5)
            find_weights(self.left, t + 1)
        else:
            inner_reward(self.left, left, outcome, t)
            inner_reward(self.right, right, 1.0 - outcome, t)

    def best_arm(self) -> int:
        return int((self.left.loss + self.right.loss).argmin())


class SharedTsallis(VersatileDB):
    """VersatileDB as it does best: one Tsallis-INF bandit plays both sides, with reduced variance.

    Needs: a Condorcet winner, or utilities, fixed or changing adversarially.
    Horizon: not needed.
    Regret: as VersatileDB; 192 instead of 550 on arXiv at T = 1e5.
    Departs: the paper's Remark 2 for the sharing, the Tsallis-INF paper for the estimates; no paper has both.
    Ties: half a loss each; an arm that duels itself learns from the coin, as in Sparring.

    >>> policy = SharedTsallis(n_arms=100, seed=0)
    >>> for _ in range(5000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "shared-tsallis"

    shared: bool = constant(True)
    left: Any = holds(TsallisINF)
    right: Any = holds(TsallisINF)  # idle


class SparringTsallis(Sparring):
    """Sparring of two Tsallis-INF bandits whose estimates have reduced variance.

    Needs: utilities, fixed or changing adversarially; with VersatileDB's analysis a Condorcet winner is enough.
    Horizon: not needed.
    Regret: O(sum of ln(T) / gap) for fixed utilities with a linear link, O(sqrt(K T)) always.
    Departs: nowhere known; the rate 4 / sqrt(t) and the estimates agree with a formal transcription of the paper.
    With reduced_variance=False it is VersatileDB, duel by duel.
    Ties: half a gain each.

    >>> SparringTsallis(n_arms=3, seed=0).parameter_values()
    {'reduced_variance': True}
    """

    name = "sparring-tsallis"

    left: Any = holds(TsallisINF)
    right: Any = holds(TsallisINF)
