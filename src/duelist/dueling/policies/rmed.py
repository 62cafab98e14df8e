"""Relative Minimum Empirical Divergence.

Komiyama, Honda, Kashima, Nakagawa. Regret Lower Bound and Optimal Algorithm in Dueling
Bandit Problem. COLT 2015.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Flags, Floats, Ints, constant, parameter, per_arm, per_pair, single
from duelist.core.sampling import shuffle
from duelist.dueling.policy import Duel, Policy


class RMED1(Policy):
    """Duel every arm that may still be the winner in turn, against the favourite if that beats it.

    The divergence of an arm says how unlikely its duels are if it beats everybody. The arms whose
    divergence exceeds the favourite's, the least, by at most ln t + c K^1.01 take turns.

    Needs: a Condorcet winner.
    Horizon: not needed.
    Regret: O(K ln T + K^2.01), with the best constant of ln T where every arm is best told by the winner.
    Departs: where the paper fixes any order, a sweep draws one and ties are broken by one drawn at the start;
    a favourite stays until another arm is better.
    Ties: half a win each.

    >>> policy = RMED1(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best(), policy.ask().right
    (0, 0)
    """

    learns = "all"

    name = "rmed1"

    slack: float = parameter(0.3, "c in the allowance f(K) = c K^1.01", low=0)
    alpha: float = constant(0.0)
    horizon: int = constant(0)
    allowance: Floats = single(float)  # f(K)
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    mean: Floats = per_pair(fill=0.5)  # mean[i, j]: share of them
    against: Floats = per_pair()  # n d(mean, 1/2) where the mean is at most 1/2, else 0
    divergence: Floats = per_arm()  # I_i: the sum over j of against[i, j]
    superiors: Ints = per_arm(int)  # arms against which the mean is at most 1/2
    favourite: Ints = single(int)  # i*, of the least divergence
    line: Ints = per_arm(int)  # all arms in a random order, which breaks ties
    quota: Ints = single(int, 1)  # duels that every pair gets before a sweep
    first: Ints = single(int)  # place in the line of the pair that lacks duels;
    second: Ints = single(int, 1)  # when none does, the first is the end of the line
    sweep: Ints = per_arm(int)  # LC, the arms of this sweep in order
    n_sweep: Ints = single(int)
    place: Ints = single(int)  # in the sweep; from here on it is LR
    coming: Ints = per_arm(int)  # LN, the arms of the next sweep
    n_coming: Ints = single(int)
    resting: Flags = per_arm(bool)  # in neither LR nor LN
    nearest: Floats = single(float, 1e300)  # at most the divergence of each resting arm
    hardest: Ints = per_arm(int, -1)  # of RMED2FH: each arm's cheapest opponent, once it is found

    def start(self, rng: np.random.Generator) -> None:
        self.allowance[0] = self.slack * self.n_arms**1.01
        if self.horizon > 0:
            self.quota[0] = needed(self.alpha, self.horizon)
        for arm in range(self.n_arms):
            self.line[arm] = self.sweep[arm] = arm
            self.superiors[arm] = self.n_arms - 1
        shuffle(self.line, self.n_arms, rng)
        shuffle(self.sweep, self.n_arms, rng)
        self.n_sweep[0] = self.n_arms
        self.favourite[0] = self.line[0]

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.first[0] < self.n_arms - 1:
            return Duel(self.line[self.first[0]], self.line[self.second[0]], t)
        arm = self.sweep[self.place[0]]
        return Duel(arm, pick_opponent(self, arm, t), t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.left != duel.right:
            learn(self, duel.left, duel.right, outcome)
        if self.first[0] < self.n_arms - 1:
            seek_waiting_pair(self)
            if self.horizon > 0 and self.first[0] == self.n_arms - 1:
                for arm in range(self.n_arms):
                    self.hardest[arm] = find_hardest(self, arm)
        elif duel.left == self.sweep[self.place[0]]:
            leave_sweep(self, duel.left, math.log(t))
            if self.place[0] == self.n_sweep[0]:
                start_sweep(self, t, rng)

    def best_arm(self) -> int:
        return int(self.favourite[0])


class RMED2(RMED1):
    """RMED1 that duels an arm against the one that rules it out at the least regret.

    Needs: a Condorcet winner.
    Horizon: not needed.
    Regret: no proof; RMED2FH's in the paper's experiments.
    Departs: as RMED1; the regret of a duel counts at least 0.01, as in the authors' code. That code also
    waives the test of Alg. 3 where the favourite does not beat the arm; no effect on regret was seen.
    Ties: half a win each.

    >>> RMED2(n_arms=3, seed=0).parameter_values()
    {'slack': 0.3, 'alpha': 3.0}
    """

    name = "rmed2"

    alpha: float = parameter(3.0, "every pair is dueled at least alpha ln ln t times", above=0)


class RMED2FH(RMED1):
    """RMED2 for a fixed horizon: the cheapest opponents are found once, after some duels of every pair.

    Needs: a Condorcet winner.
    Horizon: needed.
    Regret: O(K ln T) with the best constant there can be, as T grows.
    Departs: as RMED2.
    Ties: half a win each.

    >>> RMED2FH(n_arms=3, horizon=1000, seed=0).parameter_values()
    {'slack': 0.3, 'alpha': 3.0, 'horizon': 1000}
    """

    name = "rmed2fh"

    alpha: float = parameter(3.0, "every pair is dueled at least alpha ln ln T times", above=0)
    horizon: int = parameter(0, "the number of duels planned", low=1, required=True)


@kernel
def needed(alpha: float, t: int) -> int:
    """How many duels every pair must have at time t: alpha ln ln t, and one."""
    return int(max(1.0, math.ceil(alpha * math.log(math.log(max(t, 3))))))


@kernel
def learn(self: RMED1, i: int, j: int, outcome: float) -> None:
    """Record a duel between two different arms, and who is the favourite then."""
    self.wins[i, j] += outcome
    self.wins[j, i] += 1.0 - outcome
    n = self.wins[i, j] + self.wins[j, i]
    evidence = surprise(self.wins[i, j], n) + surprise(self.wins[j, i], n)  # n d(mean, 1/2)
    least = self.divergence[self.favourite[0]]
    set_mean(self, i, j, self.wins[i, j] / n, evidence)
    set_mean(self, j, i, self.wins[j, i] / n, evidence)
    if self.divergence[self.favourite[0]] > least:
        self.favourite[0] = find_favourite(self)
    else:
        for arm in (i, j):
            if self.divergence[arm] < self.divergence[self.favourite[0]]:
                self.favourite[0] = arm


@kernel
def surprise(wins: float, n: float) -> float:
    """What `wins` of n duels add to the divergence from a fair coin; 0 ln 0 = 0."""
    return wins * math.log(2.0 * wins / n) if wins > 0.0 else 0.0


@kernel
def set_mean(self: RMED1, i: int, j: int, mean: float, evidence: float) -> None:
    """Note the share of duels arm i won against arm j, and what that says against arm i."""
    self.superiors[i] += int(mean <= 0.5) - int(self.mean[i, j] <= 0.5)
    self.mean[i, j] = mean
    against = evidence if mean <= 0.5 else 0.0
    self.divergence[i] += against - self.against[i, j]
    self.against[i, j] = against
    if self.resting[i]:
        self.nearest[0] = min(self.nearest[0], self.divergence[i])


@kernel
def find_favourite(self: RMED1) -> int:
    """i*: the arm of the least divergence."""
    favourite = self.line[0]
    for place in range(1, self.n_arms):
        if self.divergence[self.line[place]] < self.divergence[favourite]:
            favourite = self.line[place]
    return int(favourite)


@kernel
def seek_waiting_pair(self: RMED1) -> None:
    """Go on to the next pair that lacks duels, if this one does not."""
    last = self.n_arms - 1
    while self.first[0] < last:
        i, j = self.line[self.first[0]], self.line[self.second[0]]
        if self.wins[i, j] + self.wins[j, i] < self.quota[0] - 0.5:  # sums of graded outcomes are not whole
            return
        self.second[0] += 1
        if self.second[0] > last:
            self.first[0] += 1
            self.second[0] = self.first[0] + 1


@kernel
def leave_sweep(self: RMED1, arm: int, log_t: float) -> None:
    """Alg. 1, lines 14 and 15: `arm` had its turn; whoever is likely enough comes again."""
    self.place[0] += 1
    limit = self.divergence[self.favourite[0]] + log_t + self.allowance[0]
    if self.divergence[arm] <= limit:
        self.coming[self.n_coming[0]] = arm
        self.n_coming[0] += 1
    else:
        self.resting[arm] = True
        self.nearest[0] = min(self.nearest[0], self.divergence[arm])
    if self.nearest[0] <= limit:
        wake(self, limit)


@kernel
def wake(self: RMED1, limit: float) -> None:
    """Let every resting arm whose divergence is within the limit come to the next sweep."""
    self.nearest[0] = 1e300
    for arm in range(self.n_arms):
        if self.resting[arm]:
            if self.divergence[arm] <= limit:
                self.resting[arm] = False
                self.coming[self.n_coming[0]] = arm
                self.n_coming[0] += 1
            else:
                self.nearest[0] = min(self.nearest[0], self.divergence[arm])


@kernel
def start_sweep(self: RMED1, t: int, rng: np.random.Generator) -> None:
    """Alg. 1, lines 18 and 9: the arms that come are shuffled; RMED2 first duels neglected pairs."""
    for place in range(self.n_coming[0]):
        self.sweep[place] = self.coming[place]
    self.n_sweep[0], self.n_coming[0], self.place[0] = self.n_coming[0], 0, 0
    shuffle(self.sweep, self.n_sweep[0], rng)
    if self.alpha > 0.0 and self.horizon == 0 and needed(self.alpha, t) > self.quota[0]:
        self.quota[0] = needed(self.alpha, t)
        self.first[0], self.second[0] = 0, 1
        seek_waiting_pair(self)


@kernel
def pick_opponent(self: RMED1, arm: int, t: int) -> int:
    """Alg. 3, and Alg. 2 where it does not decide."""
    if self.alpha > 0.0:
        hardest = self.hardest[arm] if self.horizon > 0 else find_hardest(self, arm)
        if hardest >= 0 and self.mean[arm, hardest] <= 0.5:
            duels = self.wins[arm, hardest] + self.wins[hardest, arm]
            with_favourite = self.wins[arm, self.favourite[0]] + self.wins[self.favourite[0], arm]
            if with_favourite * math.log(math.log(max(t, 3))) >= duels:
                return int(hardest)
    favourite = self.favourite[0]
    if self.superiors[arm] == 0 or (favourite != arm and self.mean[arm, favourite] <= 0.5):
        return int(favourite)
    return find_strongest(self, arm)


@kernel
def find_strongest(self: RMED1, arm: int) -> int:
    """The other arm against which `arm` won the smallest share."""
    strongest, least = arm, 2.0
    for place in range(self.n_arms):
        other = self.line[place]
        if self.mean[arm, other] < least and other != arm:
            strongest, least = other, self.mean[arm, other]
    return int(strongest)


@kernel
def find_hardest(self: RMED1, arm: int) -> int:
    """Eq. (5): the arm against which divergence costs `arm` the least regret, or -1."""
    hardest, least, favourite = -1, math.inf, self.favourite[0]
    for place in range(self.n_arms):
        other = self.line[place]
        if self.against[arm, other] > 0.0:
            regret = max(self.mean[favourite, arm] + self.mean[favourite, other] - 1.0, 0.01)
            price = regret * (self.wins[arm, other] + self.wins[other, arm]) / self.against[arm, other]
            if price < least:
                hardest, least = other, price
    return hardest
