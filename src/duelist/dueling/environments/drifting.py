"""Utilities that change while the policy learns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.dueling.environment import BANDIT, DYNAMIC, STRONG, WEAK, Environment, pack
from duelist.dueling.environments.utility import check_means

# Arm i beats j with probability (1 + x_i - x_j) / 2, x being the utilities of the moment.
# Strong and bandit regret are against the best fixed arm of the whole run; dynamic regret
# is against the best arm of the moment.


@kernel
def add_regret(left: float, right: float, fixed: float, top: float, totals: Floats) -> bool:
    """Add the regrets of a duel, given the utilities of its arms and of the two references."""
    strong = 0.25 * (2.0 * fixed - left - right)
    totals[STRONG] += strong
    totals[WEAK] += 0.5 * (fixed - max(left, right))
    totals[BANDIT] += 2.0 * strong
    totals[DYNAMIC] += 0.25 * (2.0 * top - left - right)
    return left == top and right == top


class Drifting(Environment):
    """Utilities given at some times and constant, or with smooth=True linear, in between.

    >>> flip = Drifting(times=[1, 501], means=[[0.8, 0.2], [0.2, 0.8]])
    >>> flip.best_arms("strong", 400), flip.best_arms("strong", 1000)
    ([0], [1])
    """

    sums = ("strong", "weak", "bandit", "dynamic")

    def __init__(self, times: Any, means: Any, smooth: bool = False, name: str = "drifting") -> None:
        self.means = check_means(means, 2, f"{name}: means")
        given = np.asarray(times)
        whole = np.issubdtype(given.dtype, np.integer) and given.shape == self.means.shape[:1]
        if not whole or given[0] != 1 or (np.diff(given) <= 0).any():
            raise BadInput(
                f"{name}: times must rise from 1 in whole numbers, one for each row of means, not {given.tolist()}"
            )
        self.times = given.astype(np.int64)
        self.changes = self.times[1:].tolist()
        self.smooth, self.name, self.n_arms = bool(smooth), name, self.means.shape[1]

    def memory(self, horizon: int) -> Any:
        best = int(np.argmax(self._sum(horizon)))
        segment = np.zeros(1, np.int64)  # the row in force; moves with t
        return pack(times=self.times, means=self.means, smooth=self.smooth, best=best, segment=segment)

    def duel(self, t: int, left: int, right: int, rng: np.random.Generator) -> float:
        find_segment(self, t)
        chance = 0.5 * (1.0 + utility(self, t, left) - utility(self, t, right))
        return 1.0 if rng.random() < chance else 0.0

    def account(self, t: int, left: int, right: int, totals: Floats) -> bool:
        find_segment(self, t)
        top = 0.0
        for arm in range(self.means.shape[1]):
            top = max(top, utility(self, t, arm))
        return add_regret(utility(self, t, left), utility(self, t, right), utility(self, t, self.best), top, totals)

    def best_arms(self, view: str, horizon: int) -> list[int]:
        last = self._at(horizon)
        return [int(arm) for arm in np.flatnonzero(last == last.max())]

    def describe(self) -> str:
        return f"{self.name}, {self.n_arms} arms"

    def _at(self, t: int) -> Floats:
        row = int(np.searchsorted(self.times, t, side="right")) - 1
        if not self.smooth or row + 1 == len(self.times):
            return np.asarray(self.means[row])
        share = (t - self.times[row]) / (self.times[row + 1] - self.times[row])
        return np.asarray((1 - share) * self.means[row] + share * self.means[row + 1])

    def _sum(self, horizon: int) -> Floats:
        """Each arm's utilities added up; between two times they are a straight line."""
        ends = np.minimum(np.append(self.times[1:], horizon + 1), horizon + 1)
        stretches = [(a, b) for a, b in zip(self.times, ends, strict=True) if a < b]
        return np.asarray(sum((b - a) * (self._at(a) + self._at(b - 1)) / 2 for a, b in stretches))


@kernel
def find_segment(self: Any, t: int) -> None:
    """Move to the row of means in force at `t`."""
    if t < self.times[self.segment[0]]:
        self.segment[0] = 0
    while self.segment[0] + 1 < self.times.size and self.times[self.segment[0] + 1] <= t:
        self.segment[0] += 1


@kernel
def utility(self: Any, t: int, arm: int) -> float:
    """The utility of `arm` at `t`, whose row of means has been found."""
    row = self.segment[0]
    if not self.smooth or row + 1 == self.times.size:
        return float(self.means[row, arm])
    share = (t - self.times[row]) / (self.times[row + 1] - self.times[row])
    return float((1.0 - share) * self.means[row, arm] + share * self.means[row + 1, arm])


class Deceptive(Environment):
    """REX3's Figure 8: arm 0 is better by sqrt(K ln t / t), too little for stochastic policies.

    The other arms have utility 1/2. The gap is clipped at 1/2 (it would exceed it early on).

    >>> Deceptive(10).best_arms("strong", 1000)
    [0]
    """

    sums = ("strong", "weak", "bandit", "dynamic")

    def __init__(self, n_arms: int = 10, name: str = "deceptive") -> None:
        if not isinstance(n_arms, int | np.integer) or n_arms < 2:
            raise BadInput(f"{name}: n_arms must be a whole number of at least 2, not {n_arms!r}")
        self.n_arms, self.name = n_arms, name

    def memory(self, horizon: int) -> Any:
        return pack(n_arms=self.n_arms)

    def duel(self, t: int, left: int, right: int, rng: np.random.Generator) -> float:
        chance = 0.5 * (1.0 + deceptive_utility(self, t, left) - deceptive_utility(self, t, right))
        return 1.0 if rng.random() < chance else 0.0

    def account(self, t: int, left: int, right: int, totals: Floats) -> bool:
        top = deceptive_utility(self, t, 0)
        add_regret(deceptive_utility(self, t, left), deceptive_utility(self, t, right), top, top, totals)
        return left == 0 and right == 0

    def best_arms(self, view: str, horizon: int) -> list[int]:
        return [0]

    def describe(self) -> str:
        return f"{self.name}, {self.n_arms} arms"


@kernel
def deceptive_utility(self: Any, t: int, arm: int) -> float:
    """1/2, and more for arm 0."""
    return 0.5 if arm > 0 else 0.5 + min(0.5, math.sqrt(self.n_arms * math.log(t) / t))


class Adversarial(Environment):
    """Utilities chosen beforehand for every duel, one row each, begun again after the last.

    The higher utility wins and a fair coin decides ties; with graded=True the policy is
    told (1 + x_left - x_right) / 2 instead.

    >>> Adversarial([[1, 0], [0, 1], [1, 0]]).memory(3).best
    0
    """

    sums = ("strong", "weak", "bandit", "dynamic")

    def __init__(self, utilities: Any, graded: bool = False, name: str = "adversarial") -> None:
        self.utilities = check_means(utilities, 2, f"{name}: utilities")
        self.graded, self.name, self.n_arms = bool(graded), name, self.utilities.shape[1]

    def memory(self, horizon: int) -> Any:
        times_shown = horizon // len(self.utilities) + (np.arange(len(self.utilities)) < horizon % len(self.utilities))
        best = int((self.utilities * times_shown[:, None]).sum(0).argmax())
        return pack(utilities=self.utilities, graded=self.graded, best=best)

    def duel(self, t: int, left: int, right: int, rng: np.random.Generator) -> float:
        row = (t - 1) % self.utilities.shape[0]
        lead = self.utilities[row, left] - self.utilities[row, right]
        if self.graded:
            return float(0.5 * (1.0 + lead))
        if lead == 0.0:
            return 1.0 if rng.random() < 0.5 else 0.0
        return 1.0 if lead > 0.0 else 0.0

    def account(self, t: int, left: int, right: int, totals: Floats) -> bool:
        row = (t - 1) % self.utilities.shape[0]
        top = 0.0
        for arm in range(self.utilities.shape[1]):
            top = max(top, self.utilities[row, arm])
        fixed = float(self.utilities[row, self.best])
        add_regret(self.utilities[row, left], self.utilities[row, right], fixed, top, totals)
        return left == self.best and right == self.best

    def best_arms(self, view: str, horizon: int) -> list[int]:
        return [int(self.memory(horizon).best)]

    def describe(self) -> str:
        return f"{self.name}, {self.n_arms} arms"
