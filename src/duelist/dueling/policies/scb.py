"""SCB: scalable Copeland bandits.

Zoghi, Karnin, Whiteson, de Rijke. Copeland Dueling Bandits. NIPS 2015.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Flags, Floats, Ints, per_arm, per_pair, single
from duelist.core.sampling import below, shuffle
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best


class SCB(Policy):
    """In rounds of squared length, find a winner by the elimination of an ordinary bandit, then play it.

    To pull an arm is to draw an opponent and duel it until it is known who wins; the arm gains
    one if it does. So the mean gain of an arm is its Copeland score.

    Needs: no pair at exactly 1/2.
    Horizon: not needed.
    Regret: O(K (ln K + L) ln T / gap^2) in Copeland regret, of winners that lose to L arms; the constant is
    large, and a round that meets a pair near 1/2 may be spent on it.
    Departs: the paper leaves the test of a pair open; ours is a likelihood ratio that is right at all times at
    once. A pair that is known is not dueled again in the round, and the round is decided too when one arm is
    left, or when all pairs of those left are known, since winners of equal score never part. The paper's text
    was not at hand: Algorithms 2 to 4 are as two public programs agree on them.
    Ties: half a win each.

    >>> policy = SCB(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    name = "scb"
    view = "copeland"

    rounds: Ints = single(int)  # r: the round is the r-th and lasts 2^(2^r) duels
    ends: Floats = single(float)  # the time of its last duel
    log_odds: Floats = single(float)  # ln(1 / delta) of the round
    wins: Floats = per_pair()  # wins[i, j]: duels of this round arm i won against arm j
    known: Ints = per_pair(int)  # 1 if arm i beats j, -1 if it loses, 0 if that is not known yet
    unknown: Ints = per_arm(int)  # how many opponents of an arm are not known yet
    left: Ints = per_arm(int)  # the arms that are not eliminated: the first n_left of these
    n_left: Ints = single(int)
    turn: Ints = single(int)  # the place in `left` of the arm that is pulled
    opponent: Ints = single(int)  # whom it duels
    pulls: Floats = single(float)  # of each arm that is left, those of this turn not counted
    gains: Floats = per_arm()
    winner: Ints = single(int, -1)  # of this round, or of an earlier one
    decided: Flags = single(bool)  # whether it is of this one

    def start(self, rng: np.random.Generator) -> None:
        start_round(self, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0]:
            return Duel(self.winner[0], self.winner[0], t)
        return Duel(self.left[self.turn[0]], self.opponent[0], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if t >= self.ends[0]:
            start_round(self, rng)
        elif duel.left != duel.right and not self.decided[0]:
            self.wins[duel.left, duel.right] += outcome
            self.wins[duel.right, duel.left] += 1.0 - outcome
            pull_on(self, rng)

    def best_arm(self) -> int:
        return int(self.winner[0]) if self.winner[0] >= 0 else empirical_best(self.wins)


@kernel
def start_round(self: SCB, rng: np.random.Generator) -> None:
    """Algorithm 3: T = 2^(2^r) duels, delta = ln T / T."""
    self.rounds[0] += 1
    length = 2.0 ** (2.0 ** self.rounds[0])
    self.ends[0] += length
    self.log_odds[0] = math.log(length / math.log(length))
    for i in range(self.n_arms):
        self.left[i] = i
        self.unknown[i] = self.n_arms - 1
        self.gains[i] = 0.0
        for j in range(self.n_arms):
            self.known[i, j] = 0
            self.wins[i, j] = 0.0
    self.n_left[0] = self.n_arms
    self.turn[0] = 0
    self.pulls[0] = 0.0
    self.decided[0] = False
    shuffle(self.left, self.n_arms, rng)
    draw_opponent(self, rng)


@kernel
def draw_opponent(self: SCB, rng: np.random.Generator) -> None:
    """A uniformly random other arm."""
    other = below(self.n_arms - 1, rng)
    self.opponent[0] = other + (other >= self.left[self.turn[0]])


@kernel
def pull_on(self: SCB, rng: np.random.Generator) -> None:
    """Algorithm 2: pull the arms in turn, until one needs another duel or the round is decided."""
    while not self.decided[0]:
        arm, other = self.left[self.turn[0]], self.opponent[0]
        if self.known[arm, other] == 0:
            sign = judge(self, arm, other)
            if sign == 0:
                return
            self.known[arm, other], self.known[other, arm] = sign, -sign
            self.unknown[arm] -= 1
            self.unknown[other] -= 1
        self.gains[arm] += self.known[arm, other] == 1
        self.turn[0] += 1
        if self.turn[0] == self.n_left[0]:
            self.turn[0] = 0
            self.pulls[0] += 1.0
            eliminate(self)
            decide(self, rng)
        draw_opponent(self, rng)


@kernel
def judge(self: SCB, i: int, j: int) -> int:
    """1 if arm i beats j and -1 if it loses, wrong with a probability of at most delta / K^2; 0 if open.

    If the pair were level, its duels would never be K^2 / delta times likelier under a chance drawn
    from [0, 1] than under 1/2, but for a probability of delta / K^2 (Ville's inequality).
    """
    won, lost = self.wins[i, j], self.wins[j, i]
    log_ratio = math.lgamma(won + 1.0) + math.lgamma(lost + 1.0) - math.lgamma(won + lost + 2.0)
    if log_ratio + (won + lost) * math.log(2.0) < 2.0 * math.log(self.n_arms) + self.log_odds[0]:
        return 0
    return 1 if won > lost else -1


@kernel
def eliminate(self: SCB) -> None:
    """Algorithm 4: drop the arms whose upper bound is below another's lower bound."""
    n = self.pulls[0]
    if n < 2.0:
        return
    budget = (math.log(4.0 * n * self.n_arms) + self.log_odds[0] + 2.0 * math.log(math.log(n))) / n
    most = 0.0
    for place in range(self.n_left[0]):
        most = max(most, self.gains[self.left[place]])
    # All were pulled equally often, so the highest mean has the highest lower bound.
    low, bar = 0.0, most / n
    for _ in range(50):
        middle = 0.5 * (low + bar)
        if exceeds(most / n, middle, budget):
            low = middle
        else:
            bar = middle
    kept = 0
    for place in range(self.n_left[0]):
        arm = self.left[place]
        if self.gains[arm] / n >= bar or not exceeds(self.gains[arm] / n, bar, budget):
            self.left[kept] = arm
            kept += 1
    self.n_left[0] = kept


@kernel
def exceeds(mean: float, chance: float, budget: float) -> bool:
    """Whether the Kullback-Leibler divergence of two coins is above the budget."""
    if chance <= 0.0 or chance >= 1.0:
        return mean != chance
    divergence = mean * math.log(mean / chance) if mean > 0.0 else 0.0
    if mean < 1.0:
        divergence += (1.0 - mean) * math.log((1.0 - mean) / (1.0 - chance))
    return divergence > budget


@kernel
def decide(self: SCB, rng: np.random.Generator) -> None:
    """The winner is the only arm left, or the best of those left when all their pairs are known."""
    for place in range(self.n_left[0]):
        if self.unknown[self.left[place]] > 0 and self.n_left[0] > 1:
            return
    most, ties = -1, 0
    for place in range(self.n_left[0]):
        arm, score = self.left[place], 0
        for other in range(self.n_arms):
            score += self.known[arm, other] == 1
        if score >= most:
            ties = ties + 1 if score == most else 1
            if rng.random() * ties < 1.0:
                self.winner[0], most = arm, score
    self.decided[0] = True
