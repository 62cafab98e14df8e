"""D-EXP3: exponential weights for the Borda winner of changing preferences.

Saha, Koren, Mansour. Adversarial Dueling Bandits. ICML 2021.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import holds, parameter
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.weights import Weights, chance, draw, move, start_weights


class DEXP3(Policy):
    """Draw both arms from exponential weights of estimated Borda scores; the left arm learns.

    Needs: nothing; preferences may change adversarially.
    Horizon: needed.
    Regret: O((K ln K)^(1/3) T^(2/3)) in Borda regret, in expectation; tight up to logarithms.
    Departs: gamma is at most 1. Algorithm 1, the estimate and the rates of Theorem 2 were checked against
    another implementation and the paper's abstract, not the paper itself. The scores are the paper's shifted
    ones, which count an arm's duel with itself as 1/2; that changes no comparison of arms.
    Ties: half a win for the left arm; an arm that duels itself learns from the coin, as in the paper.

    >>> policy = DEXP3(n_arms=3, horizon=4000, seed=0)
    >>> for _ in range(4000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    learns = "drawn"

    name = "d-exp3"
    view = "borda"

    horizon: int = parameter(0, "the number of duels planned", low=1, required=True)
    weights: Weights = holds(Weights)

    def start(self, rng: np.random.Generator) -> None:
        start_weights(self.weights)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        mix = min(1.0, math.sqrt(learning_rate(self) * self.n_arms))  # gamma
        left = draw(self.weights, mix, rng)
        right = draw(self.weights, mix, rng)
        return Duel(left, right, t, chance(self.weights, left, mix), chance(self.weights, right, mix))

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        # The opponent is not drawn uniformly, as the Borda score would have it: its probability corrects for that.
        score = outcome / (self.n_arms * duel.left_p * duel.right_p)
        move(self.weights, duel.left, learning_rate(self) * score)

    def best_arm(self) -> int:
        return int(self.weights.log.argmax())


@kernel
def learning_rate(self: DEXP3) -> float:
    """eta, from Theorem 2."""
    return float((math.log(self.n_arms) / (self.horizon * math.sqrt(self.n_arms))) ** (2.0 / 3.0))
