"""DEX3.S: Sparring for preferences whose winner switches now and then.

Saha, Gupta. Optimal and Efficient Dynamic Regret Algorithms for Non-Stationary Dueling
Bandits. ICML 2022.
Auer, Cesa-Bianchi, Freund, Schapire. The Nonstochastic Multiarmed Bandit Problem. SIAM
J. Computing 32(1), 2002: EXP3.S, section 8.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, holds, parameter, per_arm, single
from duelist.core.sampling import below
from duelist.dueling.bandits import Bandit, Pull
from duelist.dueling.policies.sparring import Sparring


class EXP3S(Bandit):
    """Exponential weights that share a little with each other all the time, so that no arm is ever lost.

    Each arm's weight is its own part and a floor that all arms have: what sharing adds to every
    weight is then one addition.
    """

    horizon: int = parameter(0, "the number of duels planned", low=1, required=True)
    switches: int = parameter(1, "how often the best arm is expected to change", low=0)
    own: Floats = per_arm(fill=1)  # each arm's weight above the floor
    total: Floats = single(float)  # of the own parts; set by start
    floor: Floats = single(float)
    mix: Floats = single(float)  # gamma, the share of uniform draws; set by start
    moves: Ints = single(int)  # since the weights were last brought back to a sum of 1

    def start(self, rng: np.random.Generator) -> None:
        self.total[0] = self.n_arms
        stretches = self.switches + 1  # Auer's hardness, S in Corollary 8.2
        effort = self.n_arms * (stretches * math.log(self.n_arms * self.horizon) + math.e)
        self.mix[0] = min(1.0, math.sqrt(effort / ((math.e - 1.0) * self.horizon)))

    def pull(self, t: int, rng: np.random.Generator) -> Pull:
        everything = self.total[0] + self.n_arms * self.floor[0]
        u = rng.random()
        alike = self.mix[0] + (1.0 - self.mix[0]) * self.n_arms * self.floor[0] / everything
        if u < alike:  # by gamma or by the floor: uniform in both cases
            arm = below(self.n_arms, rng)
        else:
            arm, rest = 0, (u - alike) / (1.0 - alike) * self.total[0] - self.own[0]
            while rest >= 0.0 and arm < self.n_arms - 1:
                arm += 1
                rest -= self.own[arm]
        weight = (self.own[arm] + self.floor[0]) / everything
        return Pull(arm, (1.0 - self.mix[0]) * weight + self.mix[0] / self.n_arms)

    def reward(self, pull: Pull, gain: float, t: int) -> None:
        growth = math.exp(self.mix[0] * gain / (self.n_arms * pull.p)) - 1.0
        grown = growth * (self.own[pull.arm] + self.floor[0])
        # Of the weights before they grow, as in the paper; alpha = 1 / T.
        self.floor[0] += math.e / (self.horizon * self.n_arms) * (self.total[0] + self.n_arms * self.floor[0])
        self.own[pull.arm] += grown
        self.total[0] += grown
        self.moves[0] += 1
        if self.moves[0] >= 1024 or self.total[0] > 1e100:
            shrink(self)  # or rounding errors pile up and the weights overflow

    def best_arm(self) -> int:
        return int(self.own.argmax())


@kernel
def shrink(self: EXP3S) -> None:
    """Divide all weights by their sum."""
    everything = self.total[0] + self.n_arms * self.floor[0]
    self.moves[0] = 0
    self.floor[0] /= everything
    self.total[0] = 0.0
    for arm in range(self.n_arms):
        self.own[arm] /= everything
        self.total[0] += self.own[arm]


class DEX3S(Sparring):
    """Sparring of two EXP3.S bandits, which follow a best arm that switches.

    Needs: utilities or a Condorcet winner at each moment, which may switch at any time.
    Horizon: needed.
    Regret: O(sqrt(S K T ln(K T))) in dynamic regret, for S stretches between switches.
    Departs: the paper was checked by its abstract, EXP3.S against other accounts of Auer et al.; alpha = 1 / T and
    gamma are Auer's Corollary 8.2, where S counts stretches: one more than switches, which is 1 if not given.
    Ties: half a gain each; an arm that duels itself learns from the coin.

    >>> policy = DEX3S(n_arms=3, horizon=4000, switches=1, seed=0)
    >>> for step in range(4000):
    ...     duel = policy.ask()
    ...     likes = min if step < 2000 else max
    ...     policy.tell(duel, winner=likes(duel.left, duel.right))
    >>> policy.best()
    2
    """

    name = "dex3s"

    left: Any = holds(EXP3S)
    right: Any = holds(EXP3S)
