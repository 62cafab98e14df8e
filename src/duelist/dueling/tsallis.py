"""Tsallis-INF: one bandit for stochastic and for adversarial gains.

Zimmert, Seldin. Tsallis-INF: An Optimal Algorithm for Stochastic and Adversarial
Bandits. JMLR 22(28), 2021.

Arm i is drawn with probability w_i = 4 / (eta (L_i - x))^2, where L_i is its estimated
loss so far, eta the learning rate, and x, the normaliser, makes the w_i sum to 1.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, parameter, per_arm, single
from duelist.dueling.bandits import Bandit, Pull


class TsallisINF(Bandit):
    """Follows the regularised leader with the Tsallis entropy of power 1/2.

    Losses are estimated by importance weighting (learning rate 2 / sqrt(t)) or with reduced
    variance (4 / sqrt(t)): an arm drawn with probability of at least the squared rate is
    taken to lose 1/2, and only the surprise is weighted. For a late reward the weights of
    the moment decide which arms these are; the estimates stay unbiased.
    """

    reduced_variance: bool = parameter(True, "estimate losses with reduced variance, not by importance weighting alone")
    loss: Floats = per_arm()  # estimated, up to what all arms share, which changes no weight
    weight: Floats = per_arm()  # probability of the next pull; set by start
    normaliser: Floats = single(float)  # x; the next search begins here

    def start(self, rng: np.random.Generator) -> None:
        for arm in range(self.n_arms):
            self.weight[arm] = 1.0 / self.n_arms
        self.normaliser[0] = -2.0 * math.sqrt(self.n_arms) / learning_rate(self, 1)

    def pull(self, t: int, rng: np.random.Generator) -> Pull:
        rest = rng.random()
        for arm in range(self.n_arms - 1):
            rest -= self.weight[arm]
            if rest < 0.0:
                return Pull(arm, self.weight[arm])
        return Pull(self.n_arms - 1, self.weight[self.n_arms - 1])

    def reward(self, pull: Pull, gain: float, t: int) -> None:
        add_loss(self, pull, 1.0 - gain, t, 1.0)
        find_weights(self, t + 1)

    def best_arm(self) -> int:
        return int(self.loss.argmin())


@kernel
def learning_rate(self: TsallisINF, t: int) -> float:
    """eta at time t."""
    return (4.0 if self.reduced_variance else 2.0) / math.sqrt(t)


@kernel
def add_loss(self: TsallisINF, pull: Pull, loss: float, t: int, share: float) -> None:
    """Count `share` of the estimates that the loss of `pull` gives; the weights are then to be found anew."""
    if self.reduced_variance:
        likely = learning_rate(self, t) ** 2  # B_i = 1/2 for the arms above
        if self.weight[pull.arm] >= likely:
            loss -= 0.5
        for arm in range(self.n_arms):  # they should gain 1/2 each; instead the others lose it
            if self.weight[arm] < likely:
                self.loss[arm] -= 0.5 * share
    self.loss[pull.arm] += loss * share / pull.p


@kernel
def find_weights(self: TsallisINF, t: int) -> None:
    """Newton's method for the normaliser, from the last one; bisection where it leaves the bracket.

    It is applied to 1 / sqrt(sum of the weights), which is nearly straight in x. The sum
    itself has a pole, across which Newton's method jumps when it starts too low.
    """
    rate, least = learning_rate(self, t), self.loss[0]
    for arm in range(1, self.n_arms):
        least = min(least, self.loss[arm])
    low, high = least - 2.0 * math.sqrt(self.n_arms) / rate, least - 2.0 / rate  # the sum is <= 1 and >= 1 there
    x = min(max(self.normaliser[0], low), high)
    for _ in range(60):
        total, slope = 0.0, 0.0
        for arm in range(self.n_arms):
            root = 2.0 / (rate * (self.loss[arm] - x))
            self.weight[arm] = root * root
            total += root * root
            slope += root * root * root
        if abs(total - 1.0) < 1e-11:
            break
        if total > 1.0:
            high = x
        else:
            low = x
        x += 2.0 * total * (1.0 - math.sqrt(total)) / (rate * slope)
        if not low < x < high:
            x = 0.5 * (low + high)
    self.normaliser[0] = x
