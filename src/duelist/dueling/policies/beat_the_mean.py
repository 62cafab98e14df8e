"""Beat the Mean.

Yue, Joachims. Beat the Mean Bandit. ICML 2011.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, constant, parameter, per_arm, per_pair, single
from duelist.core.sampling import below
from duelist.dueling.answers import Certainty
from duelist.dueling.policy import Duel, Policy


class BeatTheMean(Policy):
    """Drop the arm that does worst against the average of the others; repeat.

    Needs: a total order with gamma-relaxed SST, and STI (see `duelist matrix`).
    Horizon: needed.
    Regret: O(gamma^7 K ln T / eps) with high probability, for radius 3.
    Departs: the radius is 1, not the proved 3, which drops nobody within 100,000 duels on real rankers;
    an arm does not duel itself while others are left. gamma 1.2 is the choice of Komiyama's code.
    Ties: half a win each.

    >>> policy = BeatTheMean(n_arms=3, horizon=2000, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "btm"

    horizon: int = parameter(0, "the number of duels planned", low=1, required=True)
    gamma: float = parameter(1.2, "how far transitivity may be violated; 1 for not at all", low=1)
    radius: float = parameter(1.0, "of the confidence radius; 3 is proved", above=0)
    lenient: bool = parameter(False, "allow a wrong drop the chance 1 / T, as REX3's authors did, not 1 / (2 T K)")
    evidence: Floats = single(float)  # gap^2 n at which the worst arm is dropped
    members: Ints = per_arm(int)  # the remaining arms, those duelled least often first
    place: Ints = per_arm(int)  # of each arm in members, or -1
    n_members: Ints = single(int)
    n_least: Ints = single(int)  # how many members have been duelled least often
    duels: Ints = per_arm(int)  # in which an arm was the one tested, against remaining arms
    won: Floats = per_arm()  # of those
    share: Floats = per_arm(fill=0.5)  # won / duels
    duels_against: Ints = per_pair(int)  # the same, by opponent
    won_against: Floats = per_pair()
    limit: Ints = single(int)  # duels of every member after which it ends anyway; 0 for never
    decided: Ints = single(int)  # after how many duels it ended
    lowest: Ints = single(int)  # members with the lowest and the highest share
    highest: Ints = single(int)

    def start(self, rng: np.random.Generator) -> None:
        # share[lowest] + c <= share[highest] - c with c = radius gamma^2 sqrt(ln(1/delta) / n), delta = 1/(2TK)
        width = 2.0 * self.radius * self.gamma**2
        chances = 1.0 if self.lenient else 2.0 * self.n_arms
        self.evidence[0] = width * width * math.log(chances * self.horizon)
        for arm in range(self.n_arms):
            self.members[arm] = self.place[arm] = arm
        self.n_members[0] = self.n_least[0] = self.n_arms

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0] > 0:
            return Duel(self.highest[0], self.highest[0], t)
        tested = below(self.n_least[0], rng)
        other = below(self.n_members[0] - 1, rng)
        return Duel(self.members[tested], self.members[other + (other >= tested)], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        arm, other = duel.left, duel.right
        if self.decided[0] > 0 or self.place[arm] < 0 or self.place[other] < 0:
            return
        self.duels[arm] += 1
        self.won[arm] += outcome
        self.duels_against[arm, other] += 1
        self.won_against[arm, other] += outcome
        if self.place[arm] < self.n_least[0]:
            self.n_least[0] -= 1
            swap(self, self.place[arm], self.n_least[0])
            if self.n_least[0] == 0:
                find_least(self)
        note_share(self, arm)
        gap = self.share[self.highest[0]] - self.share[self.lowest[0]]
        if gap * gap * self.duels[self.members[0]] >= self.evidence[0]:
            drop_worst(self, rng)
        if self.n_members[0] == 1 or 0 < self.limit[0] <= self.duels[self.members[0]]:
            self.decided[0] = t

    def best_arm(self) -> int:
        return int(self.highest[0])


class BeatTheMeanPAC(BeatTheMean):
    """Beat the Mean that stops as soon as it knows an arm that is good enough.

    Needs: a total order with gamma-relaxed SST, and STI (see `duelist matrix`).
    Horizon: not needed.
    Regret: none claimed; O(K gamma^6 / epsilon^2 ln(K N / delta)) duels find an arm within epsilon of the best.
    Departs: as Beat the Mean, but for the radius, which is the proved 3. The constants of N come from public
    descriptions of the paper's PAC form, not from the paper itself. After the answer, the arm found duels itself.
    Ties: half a win each.

    >>> policy = BeatTheMeanPAC(n_arms=2, epsilon=0.4, delta=0.1, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain().arm
    0
    """

    name = "btm-pac"

    horizon: int = constant(1)  # of the regret form only, as is the next
    lenient: bool = constant(False)
    gamma: float = parameter(1.0, "how far transitivity may be violated; 1 for not at all", low=1)
    radius: float = parameter(3.0, "of the confidence radius; 3 is proved", above=0)
    epsilon: float = parameter(0.1, "how much worse than the best the answer may be", above=0, high=0.5)
    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)

    def start(self, rng: np.random.Generator) -> None:
        # N is the smallest whole number with N >= 36 gamma^6 / epsilon^2 ln(K^3 N / delta)
        scale = 36.0 * self.gamma**6 / self.epsilon**2
        limit, before = scale, 0.0
        while abs(limit - before) > 1e-9 * limit:
            limit, before = scale * math.log(self.n_arms**3 * limit / self.delta), limit
        self.limit[0] = math.ceil(limit)
        width = 2.0 * self.radius * self.gamma**2
        self.evidence[0] = width * width * math.log(self.n_arms**3 * self.limit[0] / self.delta)
        for arm in range(self.n_arms):
            self.members[arm] = self.place[arm] = arm
        self.n_members[0] = self.n_least[0] = self.n_arms

    def own_certainty(self) -> Certainty | None:
        return Certainty(self.best(), 1 - self.delta, int(self.decided[0])) if self.decided[0] > 0 else None


@kernel
def swap(self: BeatTheMean, a: int, b: int) -> None:
    """Exchange two places of the members."""
    self.members[a], self.members[b] = self.members[b], self.members[a]
    self.place[self.members[a]] = a
    self.place[self.members[b]] = b


@kernel
def find_least(self: BeatTheMean) -> None:
    """Move the members duelled least often to the front."""
    least = self.duels[self.members[0]]
    for place in range(self.n_members[0]):
        least = min(least, self.duels[self.members[place]])
    self.n_least[0] = 0
    for place in range(self.n_members[0]):
        if self.duels[self.members[place]] == least:
            swap(self, place, self.n_least[0])
            self.n_least[0] += 1


@kernel
def note_share(self: BeatTheMean, arm: int) -> None:
    """Refresh the share of `arm`, and the extremes if it was one and moved inwards."""
    before = self.share[arm]
    self.share[arm] = self.won[arm] / self.duels[arm]
    inwards = (arm == self.highest[0] and self.share[arm] < before) or (
        arm == self.lowest[0] and self.share[arm] > before
    )
    if inwards:
        find_extremes(self)
    elif self.share[arm] > self.share[self.highest[0]]:
        self.highest[0] = arm
    elif self.share[arm] < self.share[self.lowest[0]]:
        self.lowest[0] = arm


@kernel
def find_extremes(self: BeatTheMean) -> None:
    """The members with the lowest and the highest share."""
    self.lowest[0] = self.highest[0] = self.members[0]
    for place in range(self.n_members[0]):
        arm = self.members[place]
        if self.share[arm] < self.share[self.lowest[0]]:
            self.lowest[0] = arm
        if self.share[arm] > self.share[self.highest[0]]:
            self.highest[0] = arm


@kernel
def drop_worst(self: BeatTheMean, rng: np.random.Generator) -> None:
    """Remove the member with the lowest share, and the duels against it from all records."""
    worst, ties = self.lowest[0], 0
    for place in range(self.n_members[0]):
        if self.share[self.members[place]] == self.share[self.lowest[0]]:
            ties += 1
            if rng.random() * ties < 1.0:
                worst = self.members[place]
    self.n_members[0] -= 1
    swap(self, self.place[worst], self.n_members[0])
    self.place[worst] = -1
    for place in range(self.n_members[0]):
        arm = self.members[place]
        self.duels[arm] -= self.duels_against[arm, worst]
        self.won[arm] -= self.won_against[arm, worst]
        self.share[arm] = self.won[arm] / self.duels[arm] if self.duels[arm] > 0 else 0.5
    find_least(self)
    find_extremes(self)
