"""Doubler and MultiSBM: dueling bandits reduced to ordinary bandits.

Ailon, Karnin, Joachims. Reducing Dueling Bandits to Cardinal Bandits. ICML 2014.
(Sparring, of the same paper, has a file of its own.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, holds, parameter, per_arm, per_pair, single
from duelist.core.sampling import below, highest_bound
from duelist.dueling.bandits import UCB1, Pull, inner_pull, inner_reset, inner_reward
from duelist.dueling.policy import Duel, Policy


class Doubler(Policy):
    """A bandit plays the right arms against the left arms it played in the epoch before, half as long.

    Needs: utilities with a linear link.
    Horizon: not needed.
    Regret: O(H ln^2 T), H a sum of 1 / gap.
    Departs: the bandit is UCB1, where the paper takes any; the first epoch's left arm is a random one. A tell
    from an epoch that is over is ignored. The paper was checked by its abstract and two public implementations,
    both of which draw left arms from the set of arms played; ours draws from the multiset, as the proof needs.
    Ties: half a gain.

    >>> policy = Doubler(n_arms=3, seed=0)
    >>> for _ in range(4000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "doubler"

    bandit: Any = holds(UCB1)
    opponents: Ints = per_arm(int)  # how often each arm was played in the last epoch; set by start
    played: Ints = per_arm(int)  # and in this one
    last: Ints = single(int, 1)  # duels in the last epoch; this one has twice as many
    duels: Ints = single(int)  # told in this epoch
    begun: Ints = single(int)  # tells before this epoch

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.bandit, rng)
        self.opponents[below(self.n_arms, rng)] = 1

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        left, rest = 0, below(self.last[0], rng) - self.opponents[0]
        while rest >= 0:
            left += 1
            rest -= self.opponents[left]
        # The bandit's time starts anew with it.
        right = inner_pull(self.bandit, t - self.begun[0], rng)
        return Duel(left, right.arm, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.t <= self.begun[0]:
            return
        inner_reward(self.bandit, Pull(duel.right, 1.0), 1.0 - outcome, t - self.begun[0])
        self.played[duel.right] += 1
        self.duels[0] += 1
        if self.duels[0] == 2 * self.last[0]:
            begin_epoch(self, t)
            inner_reset(self.bandit, rng)

    def best_arm(self) -> int:
        return int(self.opponents.argmax())


@kernel
def begin_epoch(self: Doubler, t: int) -> None:
    """The arms played become the opponents."""
    self.last[0] = self.duels[0]
    self.duels[0] = 0
    self.begun[0] = t
    for arm in range(self.n_arms):
        self.opponents[arm] = self.played[arm]
        self.played[arm] = 0


class MultiSBM(Policy):
    """Each arm has a bandit that picks its opponents; the arm picked is the next to be dueled.

    Needs: utilities with a linear link.
    Horizon: not needed.
    Regret: O(H ln T), H a sum of 1 / gap, and smaller terms.
    Departs: nowhere known; alpha = 3 and a clock of its own for each bandit agree with the C++ of Komiyama et al.
    (that of Wu and Liu uses one clock for all). An arm picked unplayed is a random one.
    Ties: half a gain; an arm that duels itself learns from the coin.

    >>> policy = MultiSBM(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "multisbm"

    alpha: float = parameter(3.0, "robustness: the index is mean + sqrt((alpha + 2) ln t / (2 n))", above=0)
    current: Ints = single(int)  # the next left arm
    clock: Ints = per_arm(int)  # duels told to each arm's bandit
    plays: Floats = per_pair()  # plays[i, j]: how often the bandit of arm i played arm j
    gains: Floats = per_pair()
    mean: Floats = per_pair(fill=1e9)  # of the gains; an arm that was never played comes first
    width: Floats = per_pair()  # 1 / sqrt(plays)

    def start(self, rng: np.random.Generator) -> None:
        self.current[0] = below(self.n_arms, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        left = self.current[0]
        scale = math.sqrt(0.5 * (self.alpha + 2.0) * math.log(self.clock[left] + 1))
        return Duel(left, highest_bound(self.mean, self.width, left, scale, 0.0, 0, rng), t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        i, j = duel.left, duel.right
        self.clock[i] += 1
        self.plays[i, j] += 1.0
        self.gains[i, j] += 1.0 - outcome
        self.mean[i, j] = self.gains[i, j] / self.plays[i, j]
        self.width[i, j] = 1.0 / math.sqrt(self.plays[i, j])
        self.current[0] = j

    def best_arm(self) -> int:
        return int(self.plays.sum(0).argmax())
