"""Interleaved Filter 1 and 2.

Yue, Broder, Kleinberg, Joachims. The K-armed Dueling Bandits Problem. COLT 2009.
Yue. New Learning Frameworks for Information Retrieval. Thesis, Cornell 2011, chapter 5.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, constant, parameter, per_arm, single
from duelist.core.sampling import shuffle
from duelist.dueling.policy import Duel, Policy


class IF2(Policy):
    """An incumbent duels all remaining arms in turn until one is confidently better.

    Explores until one arm is left, then exploits it. When the incumbent falls, every
    arm it was beating on average is pruned with it.

    Needs: a total order with SST and STI (see `duelist matrix`).
    Horizon: needed.
    Regret: O(K ln T / eps) in expectation, eps the smallest gap to the best arm.
    Departs: of several confident challengers the one with the largest margin takes over (the papers leave
    it open); the run is cut at the horizon; a duel told after its turn in the sweep has passed is ignored.
    Ties: half a win each.

    >>> policy = IF2(n_arms=4, horizon=1000, seed=0)
    >>> for _ in range(1000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best(), policy.ask().right
    (0, 0)
    """

    name = "if2"

    horizon: int = parameter(0, "the number of duels planned", low=1, required=True)
    radius_constant: float = parameter(
        4.0, "of the confidence radius: 4 is proved (thesis), 1 is the COLT paper", above=0
    )
    prune: bool = constant(True)
    evidence: Floats = single(float)  # radius(n)^2 n: the constant times ln(1/delta) = ln(T K^2)
    incumbent: Ints = single(int)
    waiting: Ints = per_arm(int)  # the remaining arms in the order of the sweep
    n_waiting: Ints = single(int)
    place: Ints = single(int)  # in the sweep
    sweeps: Ints = single(int)  # completed in this round
    won: Floats = per_arm()  # duels the incumbent won against each arm in this round

    def start(self, rng: np.random.Generator) -> None:
        self.evidence[0] = self.radius_constant * (math.log(self.horizon) + 2.0 * math.log(self.n_arms))
        for arm in range(self.n_arms):
            self.waiting[arm] = arm
        shuffle(self.waiting, self.n_arms, rng)
        self.n_waiting[0] = self.n_arms - 1
        self.incumbent[0] = self.waiting[self.n_arms - 1]

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.n_waiting[0] == 0:
            return Duel(self.incumbent[0], self.incumbent[0], t)
        return Duel(self.incumbent[0], self.waiting[self.place[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        place = self.place[0]
        if self.n_waiting[0] == 0 or duel.left != self.incumbent[0] or duel.right != self.waiting[place]:
            return
        self.won[duel.right] += outcome
        self.place[0] = place + 1
        if place + 1 == self.n_waiting[0]:
            self.place[0] = 0
            self.sweeps[0] += 1
            if self.sweeps[0] > 4.0 * self.evidence[0]:  # before that no share can leave the interval
                finish_sweep(self)

    def best_arm(self) -> int:
        return int(self.incumbent[0])


class IF1(IF2):
    """Interleaved Filter without pruning: an arm leaves only when it is confidently worse.

    Needs: a total order with SST and STI (see `duelist matrix`).
    Horizon: needed.
    Regret: O(K ln K ln T / eps) with high probability, eps the smallest gap to the best arm.
    Departs: as IF2. With one seed both start from the same incumbent and order, so that their
    regrets can be compared run by run, as the thesis does.
    Ties: half a win each.

    >>> IF1(n_arms=4, horizon=1000, seed=0).best() == IF2(n_arms=4, horizon=1000, seed=0).best()
    True
    """

    name = "if1"

    prune: bool = constant(False)


@kernel
def finish_sweep(self: IF2) -> None:
    """Drop the confidently worse; let the confidently better take over."""
    half = 0.5 * self.sweeps[0]
    margin = math.sqrt(self.evidence[0] * self.sweeps[0])
    keep_at_most(self, half + margin, -1)
    challenger = -1
    for place in range(self.n_waiting[0]):
        arm = self.waiting[place]
        if self.won[arm] < half - margin and (challenger < 0 or self.won[arm] < self.won[challenger]):
            challenger = arm
    if challenger >= 0:
        keep_at_most(self, half if self.prune else math.inf, challenger)
        self.incumbent[0] = challenger
        self.sweeps[0] = 0
        for place in range(self.n_waiting[0]):
            self.won[self.waiting[place]] = 0.0


@kernel
def keep_at_most(self: IF2, most: float, leaving: int) -> None:
    """Keep the waiting arms against which the incumbent won at most `most`, except `leaving`."""
    kept = 0
    for place in range(self.n_waiting[0]):
        arm = self.waiting[place]
        if self.won[arm] <= most and arm != leaving:
            self.waiting[kept] = arm
            kept += 1
    self.n_waiting[0] = kept
