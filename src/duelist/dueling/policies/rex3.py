"""Relative exponential weighing: REX3.

Gajane, Urvoy, Clerot. A Relative Exponential Weighing Algorithm for Adversarial
Utility-based Dueling Bandits. ICML 2015.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.errors import BadInput
from duelist.core.memory import holds, parameter
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.weights import Weights, chance, draw, move, start_weights


class REX3(Policy):
    """Draw both arms from one set of exponential weights; the winner gains what the loser loses.

    Needs: utilities, which may change adversarially. A Condorcet winner that is not the Borda winner is not found.
    Horizon: needed only with gain.
    Regret: O(sqrt(K ln(K) T)) in expectation.
    Departs: the anytime form takes gamma at time t from the horizon t with Gmax = t/2 (the paper names no Gmax
    there; best of three readings measured); Gmin, never given, is 0; gamma is at most 1/2.
    Ties: no move; a graded outcome moves the weights in proportion.

    >>> policy = REX3(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    learns = "drawn"

    name = "rex3"

    gamma: float = parameter(0.0, "fixed exploration rate; 0 takes it from gain", low=0, high=0.5)
    gain: float = parameter(
        0.0, "Gmax as a share of the horizon (paper: 0.5, 0.1); 0 for the anytime form", low=0, high=1
    )
    horizon: int = parameter(0, "the number of duels planned; used with gain", low=0)
    weights: Weights = holds(Weights)

    def start(self, rng: np.random.Generator) -> None:
        start_weights(self.weights)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        mix = rate(self, t)
        left = draw(self.weights, mix, rng)
        right = draw(self.weights, mix, rng)
        return Duel(left, right, t, chance(self.weights, left, mix), chance(self.weights, right, mix))

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.left == duel.right or outcome == 0.5:
            return
        step = rate(self, duel.t) * (outcome - 0.5) / self.n_arms  # gamma psi / (2 K), psi = 2 outcome - 1
        move(self.weights, duel.left, step / duel.left_p)
        move(self.weights, duel.right, -step / duel.right_p)

    def best_arm(self) -> int:
        return int(self.weights.log.argmax())

    def check_parameters(self) -> None:
        if self.gain > 0 and self.horizon == 0:
            raise BadInput(f"REX3 with gain={self.gain} needs horizon=...: the number of duels planned")


@kernel
def rate(self: REX3, t: int) -> float:
    """gamma: eq. (6) with tau = e Gmax."""
    if self.gamma > 0.0:
        return self.gamma
    most_gain = self.gain * self.horizon if self.gain > 0.0 else 0.5 * t
    return min(0.5, math.sqrt(self.n_arms * math.log(self.n_arms) / (math.e * most_gain)))
