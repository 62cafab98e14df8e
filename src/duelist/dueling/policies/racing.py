"""Preference-based racing: all pairs race until the k best arms are known, whatever the preferences are like.

Busa-Fekete, Szoerenyi, Cheng, Weng, Huellermeier. Top-k Selection based on Adaptive Sampling of Noisy Preferences.
ICML 2013. (PBR with the Copeland ranking.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from duelist.core.compile import kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints, holds, parameter, per_arm, per_pair, single
from duelist.dueling.answers import Certainty, rank_by_wins
from duelist.dueling.pairs import Pairs, advance, drop, start_pairs
from duelist.dueling.policies.savage import add_duel
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best


class Racing(Policy):
    """Duel all pairs in turn; an arm that surely beats more others than enough rivals can is in, in the other case out.

    Best is who beats most others. A pair is dropped once it is known who wins it, or both its arms are in or out.

    Needs: nothing of the order; no pair at exactly 1/2 among those that matter. Of arms that beat equally many, any.
    Horizon: not needed; `most` ends a pair that is too close, and then nothing is promised.
    Regret: none claimed; O(sum over pairs of ln(K most / delta) / gap^2) duels.
    Departs: pairs are taken in a random round robin, which is the same up to one duel a pair. An arm is in if K - k
    others cannot beat as many as it does, and out if k arms surely beat more than it can; public accounts of the
    paper's two conditions are off by one there. After the answer, the best arm duels itself.
    Ties: half a win each.

    >>> policy = Racing(n_arms=4, k=2, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=(0, 1), confidence=0.95, duels=215)
    """

    name = "racing"
    answers = "top-k"
    view = "copeland"

    k: int = parameter(1, "how many of the best arms to find", low=1)
    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    most: int = parameter(100_000, "duels of a pair after which it is left open", low=1)
    pairs: Pairs = holds(Pairs)
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    known: Flags = per_pair(bool)  # whether it is known who wins a pair, or it was left open
    left_open: Ints = single(int)  # pairs that were
    beats: Ints = per_arm(int)  # how many arms an arm certainly beats
    hopes: Ints = per_arm(int)  # how many it may still turn out to beat
    placed: Ints = per_arm(int)  # 1 for arms that are in, -1 for those out
    n_in: Ints = single(int)
    n_out: Ints = single(int)
    decided: Ints = single(int)  # after how many duels k arms were in, or no pair was left

    def check_parameters(self) -> None:
        if self.k >= self.n_arms:
            raise BadInput(f"{self.name}: k must be below the number of arms, {self.n_arms}, not {self.k}")

    def start(self, rng: np.random.Generator) -> None:
        start_pairs(self.pairs, rng)
        for arm in range(self.n_arms):
            self.hopes[arm] = self.n_arms - 1

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0] > 0:
            best = most_beating(self)
            return Duel(best, best, t)
        return Duel(self.pairs.first[self.pairs.place[0]], self.pairs.second[self.pairs.place[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        i, j = duel.left, duel.right
        if i == j or self.decided[0] > 0 or self.known[i, j]:
            return
        sign = add_duel(self.wins, i, j, outcome, math.log(2.0 * self.n_arms**2 * self.most / self.delta))
        advance(self.pairs, i, j)
        if sign != 0:
            self.beats[i if sign > 0 else j] += 1
            self.hopes[j if sign > 0 else i] -= 1
            place_arms(self)
        elif self.wins[i, j] + self.wins[j, i] >= self.most:
            self.left_open[0] += 1
        if sign != 0 or self.wins[i, j] + self.wins[j, i] >= self.most:
            self.known[i, j] = self.known[j, i] = True
        while self.pairs.left[0] > 0 and is_over(
            self, self.pairs.first[self.pairs.place[0]], self.pairs.second[self.pairs.place[0]]
        ):
            drop(self.pairs)
        if self.pairs.left[0] == 0 or self.n_in[0] == self.k or self.n_out[0] == self.n_arms - self.k:
            self.decided[0] = t

    def best_arm(self) -> int:
        return int(self.rank_arms()[0])

    def rank_arms(self) -> Sequence[int]:
        by_wins = rank_by_wins(self.wins, empirical_best(self.wins))
        return sorted(by_wins, key=lambda arm: -int(self.placed[arm]))

    def own_certainty(self) -> Certainty | None:
        ended = self.n_in[0] == self.k or self.n_out[0] == self.n_arms - self.k or self.left_open[0] == 0
        if self.decided[0] == 0 or not ended:
            return None
        found = self.best() if self.k == 1 else self.top(self.k)
        return Certainty(found, 1 - self.delta, int(self.decided[0]))


@kernel
def place_arms(self: Racing) -> None:
    """Arms that are surely better than K - k others are in, those that k others are surely better than are out."""
    for arm in range(self.n_arms):
        better = worse = 0
        for other in range(self.n_arms):
            better += self.beats[arm] > self.hopes[other]
            worse += self.beats[other] > self.hopes[arm]
        if self.placed[arm] == 0 and better >= self.n_arms - self.k:
            self.placed[arm] = 1
            self.n_in[0] += 1
        elif self.placed[arm] == 0 and worse >= self.k:
            self.placed[arm] = -1
            self.n_out[0] += 1


@kernel
def is_over(self: Racing, i: int, j: int) -> bool:
    """Whether a pair needs no more duels."""
    return bool(self.known[i, j] or (self.placed[i] != 0 and self.placed[j] != 0))


@kernel
def most_beating(self: Racing) -> int:
    """Of those that are not out, the arm that beats most others."""
    best, highest = 0, -1
    for arm in range(self.n_arms):
        if self.placed[arm] >= 0 and self.beats[arm] + self.n_arms * self.placed[arm] > highest:
            best, highest = arm, self.beats[arm] + self.n_arms * self.placed[arm]
    return best
