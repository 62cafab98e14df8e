"""The most probable item and the most probable ranking of a Mallows model: selection and merge sort, pair by pair.

Busa-Fekete, Huellermeier, Szoerenyi. Preference-Based Rank Elicitation using Statistical Models: The Case of
Mallows. ICML 2014. (MallowsMPI and MallowsMPR.)

Of the model they use only that an order stands behind the preferences: under it each pair has a side above 1/2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, holds, parameter, per_arm, per_pair, single
from duelist.core.sampling import shuffle
from duelist.dueling.answers import Certainty, rank_by_wins
from duelist.dueling.comparing import Comparison, next_comparison, tell_comparison
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best


class MallowsMPI(Policy):
    """The best so far duels one arm after the other, each pair until it is known who is better.

    Needs: a total order, no pair at 1/2.
    Horizon: not needed.
    Regret: none claimed; the best arm with probability 1 - delta after O(K / gap^2 ln(K / (delta gap))) duels.
    Departs: with `bets` a pair is decided by bets instead of the paper's radius, with the same promise and a third of
    the duels. A late duel counts while its pair is on. After the answer, the arm found duels itself.
    Ties: half a win each.

    >>> policy = MallowsMPI(n_arms=4, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=0, confidence=0.95, duels=75)
    """

    name = "mallows-mpi"

    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    bets: bool = parameter(False, "decide a pair by bets, which takes fewer duels than the paper's radius")
    comparison: Comparison = holds(Comparison)
    players: Ints = per_arm(int)  # the best so far, and those not yet compared behind it
    n_compared: Ints = single(int, 1)  # players that were
    decided: Ints = single(int)  # after how many duels all were

    def start(self, rng: np.random.Generator) -> None:
        for arm in range(self.n_arms):
            self.players[arm] = arm
        shuffle(self.players, self.n_arms, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0] > 0:
            return Duel(self.players[0], self.players[0], t)
        return Duel(self.players[0], self.players[self.n_compared[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if self.decided[0] > 0 or duel.left != self.players[0] or duel.right != self.players[self.n_compared[0]]:
            return
        better = tell_comparison(self.comparison, outcome, self.delta / self.n_arms, self.bets)
        if better != 0:
            next_comparison(self.comparison)
            if better < 0:
                self.players[self.n_compared[0]], self.players[0] = duel.left, duel.right
            self.n_compared[0] += 1
            if self.n_compared[0] == self.n_arms:
                self.decided[0] = t

    def best_arm(self) -> int:
        return int(self.players[0])

    def own_certainty(self) -> Certainty | None:
        return Certainty(self.best(), 1 - self.delta, int(self.decided[0])) if self.decided[0] > 0 else None


class MallowsMPR(Policy):
    """Merge sort, each pair dueled until it is known who is better.

    Needs: a total order, no pair at 1/2.
    Horizon: not needed.
    Regret: none claimed; the order with probability 1 - delta after O(K ln K / gap^2 ln(K ln K / (delta gap))) duels.
    Departs: runs are merged first come, first served, which takes no more comparisons than halving does; `bets`, late
    duels and what comes after the answer as in mallows-mpi.
    Ties: half a win each.

    >>> policy = MallowsMPR(n_arms=4, bets=True, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=(0, 1, 2, 3), confidence=0.95, duels=60)
    """

    name = "mallows-mpr"
    answers = "ranking"

    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    bets: bool = parameter(False, "decide a pair by bets, which takes fewer duels than the paper's radius")
    comparison: Comparison = holds(Comparison)
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    doubt: Floats = single(float)  # delta shared out over the comparisons of a merge sort
    behind: Ints = per_arm(int, -1)  # the next arm of the same run, or -1
    runs: Ints = per_arm(int)  # the first arm of each run that waits to be merged, as a ring
    oldest: Ints = single(int)  # place of the run that waits longest
    n_runs: Ints = single(int)
    first: Ints = single(int)  # best arms of the two runs that are merged
    second: Ints = single(int)
    head: Ints = single(int, -1)  # of what was merged of them, or -1
    tail: Ints = single(int)
    decided: Ints = single(int)  # after how many duels one run was left

    def start(self, rng: np.random.Generator) -> None:
        self.doubt[0] = self.delta / most_comparisons(self.n_arms)
        for arm in range(self.n_arms):
            self.runs[arm] = arm
        shuffle(self.runs, self.n_arms, rng)
        self.n_runs[0] = self.n_arms
        take_runs(self)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0] > 0:
            return Duel(self.first[0], self.first[0], t)
        return Duel(self.first[0], self.second[0], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if self.decided[0] > 0 or duel.left != self.first[0] or duel.right != self.second[0]:
            return
        self.wins[duel.left, duel.right] += outcome
        self.wins[duel.right, duel.left] += 1.0 - outcome
        better = tell_comparison(self.comparison, outcome, self.doubt[0], self.bets)
        if better != 0:
            next_comparison(self.comparison)
            winner = duel.left if better > 0 else duel.right
            append(self, winner)
            if better > 0:
                self.first[0] = self.behind[winner]
            else:
                self.second[0] = self.behind[winner]
            if self.first[0] < 0 or self.second[0] < 0:
                end_merge(self, t)

    def best_arm(self) -> int:
        return int(self.first[0]) if self.decided[0] > 0 else empirical_best(self.wins)

    def rank_arms(self) -> Sequence[int]:
        if self.decided[0] == 0:
            return rank_by_wins(self.wins, self.best_arm())
        order = [int(self.first[0])]
        while self.behind[order[-1]] >= 0:
            order.append(int(self.behind[order[-1]]))
        return order

    def own_certainty(self) -> Certainty | None:
        return Certainty(self.ranking(), 1 - self.delta, int(self.decided[0])) if self.decided[0] > 0 else None


@kernel
def most_comparisons(n_arms: int) -> int:
    """Of a merge sort, at most: K ceil(log2 K) - 2^ceil(log2 K) + 1; the paper rounds it up to a closed form."""
    height, leaves = 0, 1
    while leaves < n_arms:
        height, leaves = height + 1, 2 * leaves
    return n_arms * height - leaves + 1


@kernel
def append(self: MallowsMPR, arm: int) -> None:
    """Put a run's best arm behind what was merged."""
    if self.head[0] < 0:
        self.head[0] = arm
    else:
        self.behind[self.tail[0]] = arm
    self.tail[0] = arm


@kernel
def end_merge(self: MallowsMPR, t: int) -> None:
    """One run is used up: the rest of the other follows, and the next two are merged."""
    self.behind[self.tail[0]] = max(self.first[0], self.second[0])
    self.runs[(self.oldest[0] + self.n_runs[0]) % self.n_arms] = self.head[0]
    self.n_runs[0] += 1
    if self.n_runs[0] == 1:
        self.first[0] = self.head[0]
        self.decided[0] = t
    else:
        take_runs(self)


@kernel
def take_runs(self: MallowsMPR) -> None:
    """Begin to merge the two runs that wait longest."""
    self.first[0] = self.runs[self.oldest[0]]
    self.second[0] = self.runs[(self.oldest[0] + 1) % self.n_arms]
    self.oldest[0] = (self.oldest[0] + 2) % self.n_arms
    self.n_runs[0] -= 2
    self.head[0] = -1
