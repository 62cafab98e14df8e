"""Monitored Dueling Bandits: any policy, restarted when preferences change.

Kolpaczki, Huellermeier, Bengs. Piecewise-Stationary Dueling Bandits. TMLR 2024.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, holds, parameter, single, table
from duelist.dueling.holder import inner_choose, inner_reset, inner_update
from duelist.dueling.pairs import Pairs, start_pairs
from duelist.dueling.policies.rucb import RUCB
from duelist.dueling.policy import Duel, Policy


def log_term(n_arms: int, self: Monitored) -> float:
    """C of the paper."""
    return math.log((4 * self.horizon + 2) * math.sqrt(self.horizon) / (math.sqrt(self.segments) * n_arms))


def window_length(n_arms: int, self: Monitored) -> int:
    """w of the paper: the next even number above 8 C / change^2."""
    return 2 * math.ceil(4 * log_term(n_arms, self) / self.change**2)


class Monitored(Policy):
    """Now and then duel every pair for its own sake; when a pair has changed, the base policy starts afresh.

    Needs: preferences that are fixed for long stretches; in each, what the base policy needs.
    Horizon: needed, with the number of stretches and the smallest change.
    Regret: O(sqrt(M T) K ln T / change) beside that of the base policy in each stretch.
    Departs: monitoring takes at most half of the duels, where the paper's rate exceeds 1 for short horizons;
    constants are those of the authors' code. Windows take K^2 / 2 times their length in memory.
    Ties: half a win each, in the windows.

    >>> policy = Monitored(n_arms=3, base="rucb", horizon=20_000, change=0.5, seed=0)
    >>> for step in range(8000):
    ...     duel = policy.ask()
    ...     likes = min if step < 4000 else max
    ...     policy.tell(duel, winner=likes(duel.left, duel.right))
    >>> policy.best(), int(policy.restarts[0])
    (2, 1)
    """

    name = "monitored"
    view = "none"  # monitoring never stops

    horizon: int = parameter(0, "the number of duels planned", low=1, required=True)
    segments: int = parameter(2, "stretches of fixed preferences expected", low=1)
    change: float = parameter(0.3, "the smallest change of a probability to be noticed", above=0, high=1)
    base: str = parameter("rucb", "the policy that is restarted", family="policy")
    policy: Any = holds(RUCB)
    pairs: Pairs = holds(Pairs)  # the order in which pairs are monitored
    cycle: Ints = single(int)  # duels from one round of monitoring to the next
    threshold: Floats = single(float)
    # The last outcomes of each pair in a ring, and the sums over their older and newer half.
    recent: Floats = table(lambda k, self: (k * (k - 1) // 2, window_length(k, self)), np.float32)
    older: Floats = table(lambda k: (k * (k - 1) // 2,))
    newer: Floats = table(lambda k: (k * (k - 1) // 2,))
    seen: Ints = table(lambda k: (k * (k - 1) // 2,), int)
    begun: Ints = single(int)  # tells at the last restart
    steps: Ints = single(int)  # duels of the base policy since then
    restarts: Ints = single(int)

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.policy, rng)
        start_pairs(self.pairs, rng)
        n_pairs, length = self.recent.shape
        term = math.log((4.0 * self.horizon + 2.0) * math.sqrt(self.horizon) / (math.sqrt(self.segments) * self.n_arms))
        rate = math.sqrt(self.segments * length / self.horizon) * (self.n_arms - 1.0) / 2.0
        self.threshold[0] = math.sqrt(0.5 * length * term)
        self.cycle[0] = max(2 * n_pairs, int(n_pairs / rate))

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        turn = (t - self.begun[0] - 1) % self.cycle[0]
        if turn < self.recent.shape[0]:
            return Duel(self.pairs.first[turn], self.pairs.second[turn], t)
        duel = inner_choose(self.policy, self.steps[0] + 1, rng)
        return Duel(duel.left, duel.right, t, duel.left_p, duel.right_p)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.t <= self.begun[0]:
            return  # asked before the last restart
        turn = (duel.t - self.begun[0] - 1) % self.cycle[0]
        if turn >= self.recent.shape[0]:
            # The base policy counts its own duels only; how many it had made when this one was asked
            # follows from the time.
            cycles = (duel.t - self.begun[0] - 1) // self.cycle[0]
            asked = cycles * (self.cycle[0] - self.recent.shape[0]) + turn - self.recent.shape[0] + 1
            own = Duel(duel.left, duel.right, min(asked, self.steps[0] + 1), duel.left_p, duel.right_p)
            inner_update(self.policy, own, outcome, self.steps[0] + 1, rng)
            self.steps[0] += 1
        elif changed(self, turn, outcome):
            inner_reset(self.policy, rng)
            self.recent[:] = 0.0
            self.older[:] = 0.0
            self.newer[:] = 0.0
            self.seen[:] = 0
            self.steps[0] = 0
            self.begun[0] = t
            self.restarts[0] += 1

    def best_arm(self) -> int:
        return int(self.policy.best_arm())


@kernel
def changed(self: Monitored, pair: int, outcome: float) -> bool:
    """Add an outcome to the pair's window; whether its halves differ by more than chance allows."""
    length = self.recent.shape[1]
    newest = self.seen[pair] % length
    middle = (newest + length // 2) % length  # leaves the newer half as the newest enters it
    self.older[pair] += self.recent[pair, middle] - self.recent[pair, newest]
    self.newer[pair] += outcome - self.recent[pair, middle]
    self.recent[pair, newest] = outcome
    self.seen[pair] += 1
    return bool(self.seen[pair] >= length and abs(self.older[pair] - self.newer[pair]) > self.threshold[0])
