"""Ordinary bandits, for policies that hold them (Sparring)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from duelist.core.memory import Declared, Floats, holds, parameter, per_arm
from duelist.core.sampling import beta_above
from duelist.dueling.weights import Weights, chance, draw, move, start_weights


class Pull(NamedTuple):
    """The arm a bandit plays, and the probability with which it was drawn."""

    arm: int
    p: float


class Bandit(Declared):
    """Plays one arm at a time and is rewarded for it, late perhaps, with a gain from 0 to 1."""

    kernels = ("reset", "pull", "reward")

    def pull(self, t: int, rng: np.random.Generator) -> Pull:
        """The arm to play."""
        raise TypeError(f"{type(self).__name__} has no pull")

    def reward(self, pull: Pull, gain: float, t: int) -> None:
        """Learn what `pull` gained."""
        raise TypeError(f"{type(self).__name__} has no reward")

    def best_arm(self) -> int:
        """The arm played most often of late, or the like; runs as plain Python."""
        raise TypeError(f"{type(self).__name__} has no best_arm")


def inner_reset(bandit: Any, rng: np.random.Generator) -> None:
    """Bound to the held bandit's kernel."""
    raise TypeError("unbound")


def inner_pull(bandit: Any, t: int, rng: np.random.Generator) -> Pull:
    """Bound to the held bandit's kernel."""
    raise TypeError("unbound")


def inner_reward(bandit: Any, pull: Pull, gain: float, t: int) -> None:
    """Bound to the held bandit's kernel."""
    raise TypeError("unbound")


class UCB1(Bandit):
    """Auer, Cesa-Bianchi, Fischer, Machine Learning 2002: the highest upper confidence bound."""

    exploration: float = parameter(2.0, "c in mean + sqrt(c ln t / n)", above=0)
    plays: Floats = per_arm()
    gains: Floats = per_arm()
    mean: Floats = per_arm(fill=1e9)  # an arm that was never played comes first
    width: Floats = per_arm()  # 1 / sqrt(plays)

    def pull(self, t: int, rng: np.random.Generator) -> Pull:
        scale = math.sqrt(self.exploration * math.log(t))
        best, highest, ties = 0, -1.0, 0
        for arm in range(self.n_arms):
            bound = self.mean[arm] + scale * self.width[arm]
            if bound > highest:
                best, highest, ties = arm, bound, 1
            elif bound == highest:
                ties += 1
                if rng.random() * ties < 1.0:
                    best = arm
        return Pull(best, 1.0)

    def reward(self, pull: Pull, gain: float, t: int) -> None:
        self.plays[pull.arm] += 1.0
        self.gains[pull.arm] += gain
        self.mean[pull.arm] = self.gains[pull.arm] / self.plays[pull.arm]
        self.width[pull.arm] = 1.0 / math.sqrt(self.plays[pull.arm])

    def best_arm(self) -> int:
        return int(self.plays.argmax())


class EXP3(Bandit):
    """Auer, Cesa-Bianchi, Freund, Schapire, SIAM J. Computing 2002: exponential weights."""

    horizon: int = parameter(0, "the number of duels planned", low=1, required=True)
    weights: Weights = holds(Weights)

    def start(self, rng: np.random.Generator) -> None:
        start_weights(self.weights)

    def pull(self, t: int, rng: np.random.Generator) -> Pull:
        # The gain of one side of a sparring match is about half the horizon.
        mix = min(1.0, math.sqrt(self.n_arms * math.log(self.n_arms) / ((math.e - 1.0) * 0.5 * self.horizon)))
        arm = draw(self.weights, mix, rng)
        return Pull(arm, chance(self.weights, arm, mix))

    def reward(self, pull: Pull, gain: float, t: int) -> None:
        mix = min(1.0, math.sqrt(self.n_arms * math.log(self.n_arms) / ((math.e - 1.0) * 0.5 * self.horizon)))
        move(self.weights, pull.arm, mix * gain / (self.n_arms * pull.p))

    def best_arm(self) -> int:
        return int(self.weights.log.argmax())


class ThompsonSampling(Bandit):
    """Thompson, Biometrika 1933: the best arm of a draw from the Beta posteriors."""

    won: Floats = per_arm(fill=1)  # the uniform prior counts as one gain and one loss
    lost: Floats = per_arm(fill=1)

    def pull(self, t: int, rng: np.random.Generator) -> Pull:
        best, highest = 0, -1.0
        for arm in range(self.n_arms):
            value = beta_above(self.won[arm], self.lost[arm], highest, rng)
            if value > highest:
                best, highest = arm, value
        return Pull(best, 1.0)

    def reward(self, pull: Pull, gain: float, t: int) -> None:
        self.won[pull.arm] += gain
        self.lost[pull.arm] += 1.0 - gain

    def best_arm(self) -> int:
        return int((self.won + self.lost).argmax())
