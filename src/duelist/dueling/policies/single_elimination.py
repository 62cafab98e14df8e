"""Single elimination: a tournament of matches of a fixed length, and again along the way of each winner.

Mohajer, Suh, Elmahdy. Active Learning for Top-K Rank Aggregation from Noisy Comparisons. ICML 2017.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from duelist.core.compile import kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints, parameter, per_arm, per_pair, single, table
from duelist.core.sampling import shuffle
from duelist.dueling.answers import Certainty, rank_by_wins
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best


class SingleElimination(Policy):
    """Arms meet in a tournament, each match so many duels long; for the next best, the winner's matches are replayed.

    Needs: k arms that beat each of the others by at least `gap`; or, with `budget`, an end to what may be spent.
    Horizon: not needed.
    Regret: none claimed; with k = 1 O(K ln(ln K / delta) / gap^2) duels.
    Departs: the length of a match follows from Hoeffding's inequality for all matches in which one of the k best arms
    can meet another, (2 k - 1) ceil(log2 K) at the most; the paper's constants hold in the limit of many arms. Its
    short list of the best arms of k groups is a heap, here it is the upper part of the same tournament. A match ends
    once its winner is known. With `budget` matches are as long as that allows, and nothing is promised. A late duel
    counts while its match is on; after the answer, the best arm duels itself.
    Ties: half a win each; the second arm wins a match that ends level.

    >>> policy = SingleElimination(n_arms=4, k=2, gap=0.3, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=(0, 1), confidence=0.95, duels=56)
    """

    name = "single-elimination"
    answers = "top-k"

    k: int = parameter(1, "how many of the best arms to find", low=1)
    gap: float = parameter(0.1, "how far the best arms' chances are from 1/2, at least", above=0, high=0.5)
    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    budget: int = parameter(0, "duels in all, whatever the gap; 0 for as many as delta asks for", low=0)
    length: Ints = single(int)  # duels of a match
    leaves: Ints = single(int)  # of the tree of matches: a power of two
    tree: Ints = table(lambda k: (4 * k,), int, -1)  # who won match n, of those of 2 n and 2 n + 1; or -1 for nobody
    place: Ints = per_arm(int)  # of each arm among the leaves
    at: Ints = single(int)  # the match that is on
    found: Ints = per_arm(int, -1)  # the best arms, the first one first
    n_found: Ints = single(int)
    duels: Ints = single(int)  # of the match
    won: Floats = single(float)  # by its first arm
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    decided: Ints = single(int)  # after how many duels k arms were found

    def check_parameters(self) -> None:
        if self.k >= self.n_arms:
            raise BadInput(f"{self.name}: k must be below the number of arms, {self.n_arms}, not {self.k}")
        matches = self.n_arms - 1 + (self.k - 1) * math.ceil(math.log2(self.n_arms))
        if 0 < self.budget < matches:
            raise BadInput(f"{self.name}: budget must be at least {matches}, one duel a match, not {self.budget}")

    def start(self, rng: np.random.Generator) -> None:
        height, self.leaves[0] = 0, 1
        while self.leaves[0] < self.n_arms:
            height, self.leaves[0] = height + 1, 2 * self.leaves[0]
        if self.budget > 0:
            self.length[0] = self.budget // (self.n_arms - 1 + (self.k - 1) * height)
        else:
            doubt = self.delta / ((2 * self.k - 1) * height)
            self.length[0] = math.ceil(-math.log(doubt) / (2.0 * self.gap * self.gap))
        for arm in range(self.n_arms):
            self.place[arm] = self.leaves[0] + arm
        shuffle(self.place, self.n_arms, rng)
        for arm in range(self.n_arms):
            self.tree[self.place[arm]] = arm
        self.at[0] = self.leaves[0] - 1
        find_match(self, 0)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0] > 0:
            return Duel(self.found[0], self.found[0], t)
        return Duel(self.tree[2 * self.at[0]], self.tree[2 * self.at[0] + 1], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        first, second = self.tree[2 * self.at[0]], self.tree[2 * self.at[0] + 1]
        if self.decided[0] > 0 or duel.left != first or duel.right != second:
            return
        self.wins[first, second] += outcome
        self.wins[second, first] += 1.0 - outcome
        self.duels[0] += 1
        self.won[0] += outcome
        lost = self.duels[0] - self.won[0]
        if 2.0 * max(self.won[0], lost) > self.length[0] or self.duels[0] == self.length[0]:
            self.tree[self.at[0]] = first if self.won[0] > lost else second
            self.duels[0] = 0
            self.won[0] = 0.0
            go_on(self)
            find_match(self, t)

    def best_arm(self) -> int:
        if self.n_found[0] > 0:
            return int(self.found[0])
        return empirical_best(self.wins)

    def rank_arms(self) -> Sequence[int]:
        found = [int(arm) for arm in self.found[: self.n_found[0]]]
        return found + [arm for arm in rank_by_wins(self.wins, self.best_arm()) if arm not in found]

    def own_certainty(self) -> Certainty | None:
        if self.decided[0] == 0 or self.budget > 0:
            return None
        found = self.best() if self.k == 1 else self.top(self.k)
        return Certainty(found, 1 - self.delta, int(self.decided[0]))


@kernel
def go_on(self: SingleElimination) -> None:
    """To the next match: all from the last one on the first time, later those above the one that was."""
    self.at[0] = self.at[0] - 1 if self.n_found[0] == 0 else self.at[0] // 2


@kernel
def find_match(self: SingleElimination, t: int) -> None:
    """Go on until two arms meet; whoever has nobody to meet wins, and whoever wins the last match is found."""
    while self.decided[0] == 0:
        if self.at[0] == 0:
            winner = self.tree[1]
            self.found[self.n_found[0]] = winner
            self.n_found[0] += 1
            self.tree[self.place[winner]] = -1
            self.at[0] = self.place[winner] // 2
            if self.n_found[0] == self.k:
                self.decided[0] = t
        else:
            first, second = self.tree[2 * self.at[0]], self.tree[2 * self.at[0] + 1]
            if first >= 0 and second >= 0:
                break
            self.tree[self.at[0]] = max(first, second)
            go_on(self)
