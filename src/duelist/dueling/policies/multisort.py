"""Multisort: sort again and again, one duel a comparison, and take the majority of the orders.

Maystre, Grossglauser. Just Sort It! A Simple and Effective Approach to Active Preference Learning. ICML 2017.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, parameter, per_arm, per_pair, single, table
from duelist.core.sampling import below, coin, shuffle
from duelist.dueling.answers import rank_by_wins
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best


class Multisort(Policy):
    """Quicksort that believes each duel; an order of all arms within a budget, from the orders of many sorts.

    Needs: strengths behind the preferences, as of Bradley and Terry.
    Horizon: not needed; `budget` ends it, and without one it goes on.
    Regret: none claimed; with strengths evenly spread, O(K ln^6 K) duels place nearly all arms rightly.
    Departs: until the first sort ends, the order is that of single duels. Late duels are ignored once their comparison
    is over. After the budget, the best arm duels itself.
    Ties: a coin decides.

    >>> policy = Multisort(n_arms=5, budget=60, seed=0)
    >>> while policy.told < 60:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.ranking()
    (0, 1, 2, 3, 4)
    """

    name = "multisort"
    answers = "ranking"
    view = "none"

    budget: int = parameter(0, "duels in all; 0 for no end", low=0)
    before: Floats = per_pair()  # in how many sorts i came before j
    wins: Floats = per_pair()  # wins[i, j]: duels arm i won against arm j
    order: Ints = per_arm(int)  # of the sort that is on
    low: Ints = single(int)  # the part that is sorted: order[low:high], its pivot first, then those that won against it
    high: Ints = single(int)
    last: Ints = single(int)  # of those that won
    at: Ints = single(int)  # whose turn it is to duel the pivot
    waiting: Ints = table(lambda k: (2 * k,), int)  # both ends of each part that waits to be sorted
    n_waiting: Ints = single(int)
    sorts: Ints = single(int)
    duels: Ints = single(int)
    winner: Ints = single(int, -1)  # once the budget is spent

    def start(self, rng: np.random.Generator) -> None:
        for arm in range(self.n_arms):
            self.order[arm] = arm
        shuffle(self.order, self.n_arms, rng)
        begin_part(self, 0, self.n_arms, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.winner[0] >= 0:
            return Duel(self.winner[0], self.winner[0], t)
        return Duel(self.order[self.at[0]], self.order[self.low[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        arm, pivot = self.order[self.at[0]], self.order[self.low[0]]
        if self.winner[0] >= 0 or duel.left != arm or duel.right != pivot:
            return
        self.duels[0] += 1
        if coin(outcome, rng):
            self.wins[arm, pivot] += 1.0
            self.last[0] += 1
            swap(self, self.last[0], self.at[0])
        else:
            self.wins[pivot, arm] += 1.0
        self.at[0] += 1
        if self.at[0] == self.high[0]:
            end_part(self, rng)
        if self.duels[0] == self.budget:
            self.winner[0] = most_before(self, rng)

    def best_arm(self) -> int:
        return int(self.winner[0]) if self.winner[0] >= 0 else int(self.rank_arms()[0])

    def rank_arms(self) -> Sequence[int]:
        table = self.before if self.sorts[0] > 0 else self.wins
        return rank_by_wins(table, int(self.winner[0]) if self.winner[0] >= 0 else empirical_best(table))


@kernel
def begin_part(self: Multisort, low: int, high: int, rng: np.random.Generator) -> None:
    """Sort another part, around a pivot drawn from it."""
    swap(self, low, low + below(high - low, rng))
    self.low[0] = self.last[0] = low
    self.high[0] = high
    self.at[0] = low + 1


@kernel
def end_part(self: Multisort, rng: np.random.Generator) -> None:
    """All have met the pivot: those who won stand before it, the others behind, and both parts wait."""
    middle = self.last[0]
    swap(self, self.low[0], middle)
    add_part(self, self.low[0], middle)
    add_part(self, middle + 1, self.high[0])
    if self.n_waiting[0] == 0:
        note_order(self)
        add_part(self, 0, self.n_arms)
    self.n_waiting[0] -= 1
    begin_part(self, self.waiting[2 * self.n_waiting[0]], self.waiting[2 * self.n_waiting[0] + 1], rng)


@kernel
def add_part(self: Multisort, low: int, high: int) -> None:
    """One arm alone is sorted."""
    if high - low > 1:
        self.waiting[2 * self.n_waiting[0]] = low
        self.waiting[2 * self.n_waiting[0] + 1] = high
        self.n_waiting[0] += 1


@kernel
def note_order(self: Multisort) -> None:
    """A sort has ended."""
    self.sorts[0] += 1
    for place in range(self.n_arms):
        for behind in range(place + 1, self.n_arms):
            self.before[self.order[place], self.order[behind]] += 1.0


@kernel
def most_before(self: Multisort, rng: np.random.Generator) -> int:
    """The arm that comes before most others in most sorts; of equal ones, any."""
    best, highest, ties = 0, -1.0, 0
    for arm in range(self.n_arms):
        score = 0.0
        for other in range(self.n_arms):
            ahead = self.before[arm, other] - self.before[other, arm]
            score += 1.0 if ahead > 0.0 else 0.5 if ahead == 0.0 else 0.0
        if score > highest:
            best, highest, ties = arm, score, 1
        elif score == highest:
            ties += 1
            if rng.random() * ties < 1.0:
                best = arm
    return best


@kernel
def swap(self: Multisort, a: int, b: int) -> None:
    """Exchange two places of the order."""
    self.order[a], self.order[b] = self.order[b], self.order[a]
