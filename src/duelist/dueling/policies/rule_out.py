"""Rule out: bets rule arms out until the best ones are left. No paper; what it costs: docs/which-policy.md."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from duelist.core.compile import kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints, parameter, per_arm, per_pair, scratch, single
from duelist.dueling.answers import Certainty
from duelist.dueling.bets import log_growth
from duelist.dueling.policy import Duel, Policy


class RuleOut(Policy):
    """Duel those ahead with those who may still catch up; an arm against which enough was won in bets is out.

    If an arm is among the k best, at least K - k others lose to it. Stakes on these others grow on average by nothing,
    multiplied as well. So an arm is out once the smallest product of K - k stakes reaches k / delta: each of the k best
    is ever ruled out with a probability of at most delta / k. For the one best arm nothing is shared out over pairs or
    arms at all, and whatever beats an arm helps to rule it out. Who is ahead is drawn from one posterior an arm, and
    the challenger is who is drawn best in a pair with one of them; it meets the arm ahead that has won least from it.

    Needs: k arms that each beat each of the others; for k = 1 that is a Condorcet winner.
    Horizon: not needed.
    Regret: none claimed; a wrong answer with probability at most delta, at whatever time it comes.
    Departs: no paper. After the answer, the best arm duels itself.
    Ties: half a win each.

    >>> policy = RuleOut(n_arms=4, k=2, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=(0, 1), confidence=0.95, duels=45)
    """

    learns = "all"

    name = "rule-out"
    answers = "top-k"

    k: int = parameter(1, "how many of the best arms to find", low=1)
    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    imagined: float = parameter(2.0, "wins and losses of a pair that bets begin with", above=0)
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    stakes: Floats = per_pair()  # logarithm of what bets that i beats j have come to
    won: Floats = per_arm()  # duels an arm won, against whomever
    lost: Floats = per_arm()
    out: Flags = per_arm(bool)
    n_left: Ints = single(int)  # arms that are not out
    decided: Ints = single(int)  # after how many duels k arms were left
    drawn: Floats = scratch(lambda k: (k,))  # rates of arms; above 1 for those ahead

    def check_parameters(self) -> None:
        if self.k >= self.n_arms:
            raise BadInput(f"{self.name}: k must be below the number of arms, {self.n_arms}, not {self.k}")

    def start(self, rng: np.random.Generator) -> None:
        self.n_left[0] = self.n_arms

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        draw_rates(self, rng)
        if self.decided[0] > 0:
            best = leader(self)
            return Duel(best, best, t)
        for _ in range(self.k):
            self.drawn[leader(self)] += 2.0
        other = challenger(self, rng)
        return Duel(opponent(self, other), other, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        i, j = duel.left, duel.right
        if i == j:
            return
        growth = log_growth(self.wins[i, j], self.wins[j, i], outcome, self.imagined)
        other_growth = log_growth(self.wins[j, i], self.wins[i, j], 1.0 - outcome, self.imagined)
        self.stakes[i, j] += growth
        self.stakes[j, i] += other_growth
        self.wins[i, j] += outcome
        self.wins[j, i] += 1.0 - outcome
        self.won[i] += outcome
        self.lost[i] += 1.0 - outcome
        self.won[j] += 1.0 - outcome
        self.lost[j] += outcome
        if self.decided[0] == 0:
            loser = j if growth > 0.0 else i
            if not self.out[loser] and evidence_against(self, loser) >= math.log(self.k / self.delta):
                self.out[loser] = True
                self.n_left[0] -= 1
            if self.n_left[0] == self.k:
                self.decided[0] = t

    def best_arm(self) -> int:
        return int(self.rank_arms()[0])

    def rank_arms(self) -> Sequence[int]:
        rate = (self.won + 1.0) / (self.won + self.lost + 2.0)
        return [int(arm) for arm in np.lexsort((-rate, self.out))]

    def own_certainty(self) -> Certainty | None:
        if self.decided[0] == 0:
            return None
        found = self.best() if self.k == 1 else self.top(self.k)
        return Certainty(found, 1 - self.delta, int(self.decided[0]))


@kernel
def draw_rates(self: RuleOut, rng: np.random.Generator) -> None:
    """How often each arm might win on the whole; less than never for one that is out."""
    for arm in range(self.n_arms):
        self.drawn[arm] = -1.0 if self.out[arm] else rng.beta(self.won[arm] + 1.0, self.lost[arm] + 1.0)


@kernel
def leader(self: RuleOut) -> int:
    """Who was drawn highest and is not yet counted among those ahead."""
    best, highest = 0, -2.0
    for arm in range(self.n_arms):
        if self.drawn[arm] <= 1.0 and self.drawn[arm] > highest:
            best, highest = arm, self.drawn[arm]
    return best


@kernel
def challenger(self: RuleOut, rng: np.random.Generator) -> int:
    """The arm that is drawn to win most often against one of those ahead."""
    best, highest = 0, -1.0
    for arm in range(self.n_arms):
        if 0.0 <= self.drawn[arm] <= 1.0:
            for ahead in range(self.n_arms):
                if self.drawn[ahead] > 1.0:
                    chance = rng.beta(self.wins[arm, ahead] + 1.0, self.wins[ahead, arm] + 1.0)
                    if chance > highest:
                        best, highest = arm, chance
    return best


@kernel
def opponent(self: RuleOut, arm: int) -> int:
    """Of those ahead, the one on whom the least was won in bets against this arm; the best drawn of equal ones."""
    best = -1
    for ahead in range(self.n_arms):
        if self.drawn[ahead] > 1.0:
            fewer = best < 0 or self.stakes[ahead, arm] < self.stakes[best, arm]
            if fewer or (self.stakes[ahead, arm] == self.stakes[best, arm] and self.drawn[ahead] > self.drawn[best]):
                best = ahead
    return best


@kernel
def evidence_against(self: RuleOut, arm: int) -> float:
    """The logarithm of the smallest product of K - k stakes on the other arms: all but the k - 1 largest."""
    total = 0.0
    for other in range(self.n_arms):
        self.drawn[other] = self.stakes[other, arm] if other != arm else -math.inf
        if other != arm:
            total += self.stakes[other, arm]
    for _ in range(self.k - 1):
        largest = 0
        for other in range(self.n_arms):
            if self.drawn[other] > self.drawn[largest]:
                largest = other
        total -= self.drawn[largest]
        self.drawn[largest] = -math.inf
    return total
