"""SAVAGE: sensitivity analysis of variables for generic exploration.

Urvoy, Clerot, Feraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013.

Every pair is dueled in turn until its probability can no longer change who wins. The
three policies differ in what winning means and so in when a pair can be dropped.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Flags, Floats, Ints, holds, parameter, per_arm, per_pair, single
from duelist.core.sampling import argmax
from duelist.dueling.answers import Certainty
from duelist.dueling.pairs import Pairs, advance, drop, start_pairs
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import borda_scores, empirical_best


class SAVAGE(Policy):
    """Duel all pairs of undefeated arms in turn; an arm that is confidently beaten once is out.

    Needs: a Condorcet winner.
    Horizon: needed.
    Regret: O(K^2 ln T), a sum over pairs of 1 / gap^2.
    Departs: pairs are taken in a random round robin instead of least-duelled first, which is the same up
    to one duel a pair; a late duel counts while both its arms are undefeated.
    Ties: half a win each.

    >>> policy = SAVAGE(n_arms=3, horizon=1000, seed=0)
    >>> for _ in range(1000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "savage"

    horizon: int = parameter(0, "the number of duels planned", low=1, required=True)
    delta: float = parameter(0.0, "probability of a wrong answer; 0 for 1 / horizon", low=0, high=1)
    log_term: Floats = single(float)  # of the radius sqrt(log_term / (2 n))
    pairs: Pairs = holds(Pairs)
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    defeated: Flags = per_arm(bool)
    n_undefeated: Ints = single(int)
    winner: Ints = single(int, -1)  # once it is decided
    decided: Ints = single(int)  # after how many duels

    def start(self, rng: np.random.Generator) -> None:
        self.log_term[0] = confidence(self.n_arms, self.horizon, self.delta)
        start_pairs(self.pairs, rng)
        self.n_undefeated[0] = self.n_arms

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.winner[0] >= 0:
            return Duel(self.winner[0], self.winner[0], t)
        return Duel(self.pairs.first[self.pairs.place[0]], self.pairs.second[self.pairs.place[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        i, j = duel.left, duel.right
        if i == j or self.defeated[i] or self.defeated[j]:
            return
        sign = add_duel(self.wins, i, j, outcome, self.log_term[0])
        advance(self.pairs, i, j)
        if sign != 0:
            self.defeated[j if sign > 0 else i] = True
            self.n_undefeated[0] -= 1
            if self.n_undefeated[0] == 1:
                self.winner[0] = i if sign > 0 else j
                self.decided[0] = t
        if self.winner[0] < 0:
            while (
                self.defeated[self.pairs.first[self.pairs.place[0]]]
                or self.defeated[self.pairs.second[self.pairs.place[0]]]
            ):
                drop(self.pairs)

    def best_arm(self) -> int:
        if self.winner[0] >= 0:
            return int(self.winner[0])
        undefeated = np.flatnonzero(~self.defeated)
        return int(undefeated[empirical_best(self.wins[np.ix_(undefeated, undefeated)])])

    def own_certainty(self) -> Certainty | None:
        return certainty(self)


class SAVAGECopeland(Policy):
    """Duel pairs in turn until their sign is known or both arms are out of reach of the best.

    Needs: no pair at exactly 1/2 among those that decide the Copeland winner.
    Horizon: needed.
    Regret: O(K^2 ln T), a sum over pairs of 1 / gap^2.
    Departs: round robin as in SAVAGE; a pair is also dropped when another arm's certain score reaches what
    both its arms can still hope for (>=, where public code has >, which never ends on tied scores).
    Ties: half a win each.

    >>> policy = SAVAGECopeland(n_arms=3, horizon=1000, seed=0)
    >>> for _ in range(1000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "savage-copeland"
    view = "copeland"

    horizon: int = parameter(0, "the number of duels planned", low=1, required=True)
    delta: float = parameter(0.0, "probability of a wrong answer; 0 for 1 / horizon", low=0, high=1)
    log_term: Floats = single(float)  # of the radius sqrt(log_term / (2 n))
    pairs: Pairs = holds(Pairs)
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    known: Flags = per_pair(bool)  # whether the sign of a pair is known
    beats: Ints = per_arm(int)  # how many arms an arm certainly beats
    hopes: Ints = per_arm(int)  # how many it may still turn out to beat
    most_beats: Ints = single(int)
    winner: Ints = single(int, -1)  # once it is decided
    decided: Ints = single(int)  # after how many duels

    def start(self, rng: np.random.Generator) -> None:
        self.log_term[0] = confidence(self.n_arms, self.horizon, self.delta)
        start_pairs(self.pairs, rng)
        for arm in range(self.n_arms):
            self.hopes[arm] = self.n_arms - 1

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.winner[0] >= 0:
            return Duel(self.winner[0], self.winner[0], t)
        return Duel(self.pairs.first[self.pairs.place[0]], self.pairs.second[self.pairs.place[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        i, j = duel.left, duel.right
        if i == j or self.winner[0] >= 0 or self.known[i, j]:
            return
        sign = add_duel(self.wins, i, j, outcome, self.log_term[0])
        advance(self.pairs, i, j)
        if sign != 0:
            self.known[i, j] = self.known[j, i] = True
            self.beats[i if sign > 0 else j] += 1
            self.hopes[j if sign > 0 else i] -= 1
            self.most_beats[0] = max(self.most_beats[0], self.beats[i], self.beats[j])
        while self.pairs.left[0] > 0 and settled(
            self, self.pairs.first[self.pairs.place[0]], self.pairs.second[self.pairs.place[0]]
        ):
            drop(self.pairs)
        if self.pairs.left[0] == 0:
            self.winner[0] = argmax(self.hopes, rng)
            self.decided[0] = t

    def best_arm(self) -> int:
        return int(self.winner[0]) if self.winner[0] >= 0 else empirical_best(self.wins)

    def own_certainty(self) -> Certainty | None:
        return certainty(self)


class SAVAGEBorda(Policy):
    """Duel pairs in turn until only one arm can still have the best average chance.

    Needs: nothing; the Borda winner always exists.
    Horizon: needed.
    Regret: O(K^2 ln T) in Borda regret.
    Departs: round robin as in SAVAGE; it ends when one arm is left, although that arm's pairs never settle
    by the paper's test.
    Ties: half a win each.

    >>> policy = SAVAGEBorda(n_arms=3, horizon=1000, seed=0)
    >>> for _ in range(1000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "savage-borda"
    view = "borda"

    horizon: int = parameter(0, "the number of duels planned", low=1, required=True)
    delta: float = parameter(0.0, "probability of a wrong answer; 0 for 1 / horizon", low=0, high=1)
    log_term: Floats = single(float)  # of the radius sqrt(log_term / (2 n))
    pairs: Pairs = holds(Pairs)
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    low: Floats = per_arm()  # sum over the other arms of the lower bounds, clipped to [0, 1]
    high: Floats = per_arm()  # and of the upper bounds
    out: Flags = per_arm(bool)  # arms that cannot have the best average chance
    n_in: Ints = single(int)
    winner: Ints = single(int, -1)  # once it is decided
    decided: Ints = single(int)  # after how many duels

    def start(self, rng: np.random.Generator) -> None:
        self.log_term[0] = confidence(self.n_arms, self.horizon, self.delta)
        start_pairs(self.pairs, rng)
        self.n_in[0] = self.n_arms
        for arm in range(self.n_arms):
            self.high[arm] = self.n_arms - 1.0

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.winner[0] >= 0:
            return Duel(self.winner[0], self.winner[0], t)
        return Duel(self.pairs.first[self.pairs.place[0]], self.pairs.second[self.pairs.place[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        i, j = duel.left, duel.right
        if i == j or self.winner[0] >= 0 or (self.out[i] and self.out[j]):
            return
        add_bounds(self, i, j, -1.0)
        add_duel(self.wins, i, j, outcome, self.log_term[0])
        add_bounds(self, i, j, 1.0)
        advance(self.pairs, i, j)
        best = self.low[0]
        for arm in range(self.n_arms):
            best = max(best, self.low[arm])
        for arm in range(self.n_arms):
            if not self.out[arm] and self.high[arm] < best:
                self.out[arm] = True
                self.n_in[0] -= 1
        if self.n_in[0] == 1:
            self.winner[0], self.decided[0] = 0, t
            while self.out[self.winner[0]]:
                self.winner[0] += 1
        else:
            while self.out[self.pairs.first[self.pairs.place[0]]] and self.out[self.pairs.second[self.pairs.place[0]]]:
                drop(self.pairs)

    def best_arm(self) -> int:
        if self.winner[0] >= 0:
            return int(self.winner[0])
        duels = self.wins + self.wins.T
        return int(borda_scores(np.where(duels > 0, self.wins / np.maximum(duels, 1e-300), 0.5)).argmax())

    def own_certainty(self) -> Certainty | None:
        return certainty(self)


def certainty(self: Any) -> Certainty | None:
    """The winner once it is decided; wrong with probability delta at the most."""
    if self.winner[0] < 0:
        return None
    return Certainty(self.best(), 1 - (self.delta or 1 / self.horizon), int(self.decided[0]))


@kernel
def confidence(n_arms: int, horizon: int, delta: float) -> float:
    """ln(eta / delta), eta = K (K - 1) T."""
    return math.log(n_arms * (n_arms - 1.0) * horizon / (delta if delta > 0.0 else 1.0 / horizon))


@kernel
def add_duel(wins: Floats, i: int, j: int, outcome: float, log_term: float) -> int:
    """Record a duel; 1 if arm i now confidently beats j, -1 if j beats i, else 0."""
    wins[i, j] += outcome
    wins[j, i] += 1.0 - outcome
    lead = wins[i, j] - wins[j, i]
    if lead * lead <= 2.0 * log_term * (wins[i, j] + wins[j, i]):
        return 0
    return 1 if lead > 0.0 else -1


@kernel
def settled(self: SAVAGECopeland, i: int, j: int) -> bool:
    """Whether the pair cannot change who the Copeland winner is."""
    if self.known[i, j]:
        return True
    hope = max(self.hopes[i], self.hopes[j])
    if self.most_beats[0] < hope:
        return False
    for arm in range(self.n_arms):
        if self.beats[arm] >= hope and arm != i and arm != j:
            return True
    return False


@kernel
def add_bounds(self: SAVAGEBorda, i: int, j: int, factor: float) -> None:
    """Add `factor` times the bounds of the pair to the sums of its arms."""
    n = self.wins[i, j] + self.wins[j, i]
    low, high = 0.0, 1.0
    if n > 0.0:
        radius = math.sqrt(self.log_term[0] / (2.0 * n))
        low = max(0.0, self.wins[i, j] / n - radius)
        high = min(1.0, self.wins[i, j] / n + radius)
    self.low[i] += factor * low
    self.high[i] += factor * high
    self.low[j] += factor * (1.0 - high)
    self.high[j] += factor * (1.0 - low)
