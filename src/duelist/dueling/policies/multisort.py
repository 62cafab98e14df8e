"""Multisort: sort again and again, one duel a comparison, and take the majority of the orders.

Maystre, Grossglauser. Just Sort It! A Simple and Effective Approach to Active Preference Learning. ICML 2017.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, holds, parameter, per_pair, single
from duelist.core.sampling import coin
from duelist.dueling.answers import rank_by_wins
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best
from duelist.dueling.sorting import Sorting, begin_part, next_part, start_sorting, tell_part, waits_for


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
    sorting: Sorting = holds(Sorting)
    sorts: Ints = single(int)
    duels: Ints = single(int)
    winner: Ints = single(int, -1)  # once the budget is spent

    def start(self, rng: np.random.Generator) -> None:
        start_sorting(self.sorting, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.winner[0] >= 0:
            return Duel(self.winner[0], self.winner[0], t)
        return Duel(self.sorting.order[self.sorting.at[0]], self.sorting.order[self.sorting.low[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if self.winner[0] >= 0 or not waits_for(self.sorting, duel.left, duel.right):
            return
        self.duels[0] += 1
        won = coin(outcome, rng)
        if won:
            self.wins[duel.left, duel.right] += 1.0
        else:
            self.wins[duel.right, duel.left] += 1.0
        if tell_part(self.sorting, won) and not next_part(self.sorting, rng):
            note_order(self)
            begin_part(self.sorting, 0, self.n_arms, rng)
        if self.duels[0] == self.budget:
            self.winner[0] = most_before(self, rng)

    def best_arm(self) -> int:
        return int(self.winner[0]) if self.winner[0] >= 0 else int(self.rank_arms()[0])

    def rank_arms(self) -> Sequence[int]:
        table = self.before if self.sorts[0] > 0 else self.wins
        return rank_by_wins(table, int(self.winner[0]) if self.winner[0] >= 0 else empirical_best(table))


@kernel
def note_order(self: Multisort) -> None:
    """A sort has ended."""
    self.sorts[0] += 1
    for place in range(self.n_arms):
        for behind in range(place + 1, self.n_arms):
            self.before[self.sorting.order[place], self.sorting.order[behind]] += 1.0


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
