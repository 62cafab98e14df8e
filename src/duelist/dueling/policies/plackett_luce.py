"""The best arm and the order of a Plackett-Luce model: quicksorts that believe each duel, counted pair by pair.

Szoerenyi, Busa-Fekete, Paul, Huellermeier. Online Rank Elicitation for Plackett-Luce: A Dueling Bandits Approach.
NIPS 2015. (PLPAC and PLPAC-AMPR.)

Each arm has a strength v, and i beats j with probability v_i / (v_i + v_j). Whatever pivot comes between the two puts i
first v_i / v_j times as often as j, as their own duel does. So each pair that a sort has put in order, by a duel or a
pivot, is one more duel of that pair. Of n such, all independent, the share is never further from the truth than
sqrt(ln(4 K^2 n^2 / delta) / (2 n)), at no n and in no pair, but for a probability of 0.42 delta (Hoeffding).

Under SST alone the better of two arms comes first in half of what decides their pair, or more. Then `epsilon` has no
meaning, and what is found without it is right all the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, holds, parameter, per_pair, single
from duelist.core.sampling import coin
from duelist.dueling.answers import Certainty, rank_by_wins
from duelist.dueling.blocks import Blocks, arrange, learn, split, start_blocks
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best
from duelist.dueling.sorting import Sorting, begin_part, next_part, start_sorting, swap, tell_part, waits_for


class PLPAC(Policy):
    """All arms that may be the best duel one of them, drawn as the pivot; who is surely worse than another is out.

    Needs: strengths, as of Plackett and Luce; with epsilon at 0 SST is enough, and no other arm may be as good.
    Horizon: not needed.
    Regret: none claimed; an arm that no other beats by epsilon, by accounts of the paper after
    O(K / gap^2 ln(K / (delta gap))) duels.
    Departs: the paper's text was not at hand. Steps and radius are as accounts and a public program have them; the
    program sorts with K - 1 pivots, where K - 1 comparisons are meant, which are those of one pivot. Late duels are
    ignored once their comparison is over. After the answer, the arm found duels itself.
    Ties: a coin decides.

    >>> policy = PLPAC(n_arms=4, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=0, confidence=0.95, duels=112)
    """

    name = "pl-pac"

    epsilon: float = parameter(0.0, "how much worse than the best the answer may be", low=0, high=0.5)
    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    sorting: Sorting = holds(Sorting)
    before: Floats = per_pair()  # how often arm i was put before arm j
    n_left: Ints = single(int)  # arms that may be the best: the first ones of the order
    decided: Ints = single(int)  # after how many duels the first arm of the order was good enough

    def start(self, rng: np.random.Generator) -> None:
        start_sorting(self.sorting, rng)
        self.n_left[0] = self.n_arms

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return next_duel(self, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if self.decided[0] > 0 or not waits_for(self.sorting, duel.left, duel.right):
            return
        if tell_part(self.sorting, coin(outcome, rng)):
            note_pivot(self)
            drop_worse(self)
            place = good_enough(self)
            if place >= 0:
                swap(self.sorting, 0, place)
                self.decided[0] = t
            else:
                begin_part(self.sorting, 0, self.n_left[0], rng)

    def best_arm(self) -> int:
        left = self.sorting.order[: self.n_left[0]]
        return int(left[0] if self.decided[0] > 0 else left[empirical_best(self.before[np.ix_(left, left)])])

    def own_certainty(self) -> Certainty | None:
        return Certainty(self.best(), 1 - self.delta, int(self.decided[0])) if self.decided[0] > 0 else None


class PLAMPR(Policy):
    """Sort again and again; arms fall into blocks, each surely better than the next, which are then sorted apart.

    Who is better than a second arm that is better than a third is known to be better than the third. A block is settled
    once each of its pairs is known or surely within epsilon of 1/2; its order agrees with all that is known.

    Needs: strengths, as of Plackett and Luce; with epsilon at 0 SST is enough, and no two arms may be equally good.
    Horizon: not needed.
    Regret: none claimed; an order in which nobody beats by epsilon one that stands before, by accounts of the paper
    after O(K ln K / gap^2 ln(K / (delta gap))) duels.
    Departs: the paper's text was not at hand. A public program parts arms once the ranks they may have do not overlap;
    here they part then too, or sooner, and for good. Its limit to the comparisons of a sort, 3 (K + 1) ln K, which is
    hardly ever reached, is left out. Late duels and what comes after the answer as in pl-pac.
    Ties: a coin decides.

    >>> policy = PLAMPR(n_arms=4, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=(0, 1, 2, 3), confidence=0.95, duels=139)
    """

    name = "pl-ampr"
    answers = "ranking"

    epsilon: float = parameter(0.0, "how far from 1/2 pairs in the wrong order may be", low=0, high=0.5)
    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    sorting: Sorting = holds(Sorting)  # blocks follow each other in its order
    before: Floats = per_pair()  # how often arm i was put before arm j
    blocks: Blocks = holds(Blocks)
    block: Ints = single(int)  # where the one that is sorted begins
    decided: Ints = single(int)  # after how many duels all blocks were settled

    def start(self, rng: np.random.Generator) -> None:
        start_sorting(self.sorting, rng)
        start_blocks(self.blocks)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return next_duel(self, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if self.decided[0] > 0 or not waits_for(self.sorting, duel.left, duel.right):
            return
        if tell_part(self.sorting, coin(outcome, rng)) and not next_part(self.sorting, rng):
            low, high = self.block[0], self.blocks.ends[self.block[0]]
            note_sort(self, low, high)
            arrange(self.blocks, self.sorting.order, self.before, low, high)
            split(self.blocks, self.sorting.order, low, high)
            begin_block(self, high, t, rng)

    def best_arm(self) -> int:
        return int(self.rank_arms()[0])

    def rank_arms(self) -> Sequence[int]:
        order: list[int] = self.sorting.order.tolist()
        low = self.n_arms if self.decided[0] > 0 else 0
        while low < self.n_arms:
            high = int(self.blocks.ends[low])
            if high - low > 1:  # by how its arms came out so far
                wins = self.before[np.ix_(order[low:high], order[low:high])]
                order[low:high] = [order[low + place] for place in rank_by_wins(wins, empirical_best(wins))]
            low = high
        return order

    def own_certainty(self) -> Certainty | None:
        return Certainty(self.ranking(), 1 - self.delta, int(self.decided[0])) if self.decided[0] > 0 else None


@kernel
def next_duel(self: PLPAC | PLAMPR, t: int) -> Duel:
    """Whose turn it is, and the pivot; after the answer, its first arm and itself."""
    if self.decided[0] > 0:
        return Duel(self.sorting.order[0], self.sorting.order[0], t)
    return Duel(self.sorting.order[self.sorting.at[0]], self.sorting.order[self.sorting.low[0]], t)


@kernel
def sure_lead(self: PLPAC | PLAMPR, i: int, j: int) -> float:
    """How much above 1/2 the chance that arm i beats arm j surely is, at least."""
    n = self.before[i, j] + self.before[j, i]
    if n == 0.0:
        return -1.0
    radius = math.sqrt(math.log(4.0 * (self.n_arms * n) ** 2 / self.delta) / (2.0 * n))
    return float(self.before[i, j] / n - 0.5 - radius)


@kernel
def note_pivot(self: PLPAC) -> None:
    """Those who won against the pivot stand before it and before those who lost."""
    pivot = self.sorting.last[0]
    for place in range(pivot + 1):
        for other in range(max(pivot, place + 1), self.n_left[0]):
            self.before[self.sorting.order[place], self.sorting.order[other]] += 1.0


@kernel
def drop_worse(self: PLPAC) -> None:
    """Who is surely worse than another that was left is out; one stays, even if preferences run in a circle."""
    were_left = self.n_left[0]
    for place in range(were_left - 1, -1, -1):
        arm = self.sorting.order[place]
        for other in range(were_left):
            if self.n_left[0] > 1 and sure_lead(self, self.sorting.order[other], arm) > 0.0:
                self.n_left[0] -= 1
                swap(self.sorting, place, self.n_left[0])
                break


@kernel
def good_enough(self: PLPAC) -> int:
    """The place of an arm that surely no other beats by epsilon, or -1."""
    for place in range(self.n_left[0]):
        least = 1.0
        for other in range(self.n_left[0]):
            if other != place and least > -self.epsilon:
                least = min(least, sure_lead(self, self.sorting.order[place], self.sorting.order[other]))
        if least > -self.epsilon:
            return place
    return -1


@kernel
def note_sort(self: PLAMPR, low: int, high: int) -> None:
    """The arms of a block have been sorted."""
    for place in range(low, high):
        for behind in range(place + 1, high):
            i, j = self.sorting.order[place], self.sorting.order[behind]
            self.before[i, j] += 1.0
            if not (self.blocks.known[i, j] or self.blocks.known[j, i]) and sure_lead(self, i, j) > 0.0:
                learn(self.blocks, i, j)


@kernel
def is_settled(self: PLAMPR, low: int, high: int) -> bool:
    """Whether each pair of a block is known or close."""
    for place in range(low, high):
        for behind in range(place + 1, high):
            i, j = self.sorting.order[place], self.sorting.order[behind]
            if not self.blocks.known[i, j] and min(sure_lead(self, i, j), sure_lead(self, j, i)) <= -self.epsilon:
                return False
    return True


@kernel
def begin_block(self: PLAMPR, low: int, t: int, rng: np.random.Generator) -> None:
    """Sort the next block that is not settled, from this place on and round."""
    for _ in range(self.n_arms):
        low = 0 if low == self.n_arms else low
        if not is_settled(self, low, self.blocks.ends[low]):
            self.block[0] = low
            begin_part(self.sorting, low, self.blocks.ends[low], rng)
            return
        low = self.blocks.ends[low]
    self.decided[0] = t
