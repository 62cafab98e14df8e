"""Active ranking: arms are placed one by one as their chances against a random other arm come apart.

Heckel, Shah, Ramchandran, Wainwright. Active Ranking from Pairwise Comparisons and When Parametric Assumptions Do Not
Help. Annals of Statistics 2019.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from duelist.core.compile import kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints, parameter, per_arm, scratch, single
from duelist.core.sampling import below, shuffle
from duelist.dueling.answers import Certainty
from duelist.dueling.policy import Duel, Policy


class ActiveRanking(Policy):
    """In each round all arms without a place duel random others; who is far enough from its neighbours gets a place.

    The order is that of Borda scores, a chance to win against a random other arm. With `k` arms are placed among the k
    best or the others only.

    Needs: Borda scores that differ (with `k` those at the border), and nothing else.
    Horizon: not needed.
    Regret: none claimed; O(sum over arms of ln(K / delta) / gap^2) duels, the gap being that to the nearest neighbour.
    Departs: the radius sqrt(ln(125 K ln(1.12 t) / delta) / t) is that of the report of 2016; a later text has another
    one. Neighbours must be `radii` apart: 4 in the paper, while 2 is enough for its promise. A late duel counts
    while its arm's turn lasts. After the answer, the best arm duels itself.
    Ties: half a win each.

    >>> policy = ActiveRanking(n_arms=3, radii=2, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=(0, 1, 2), confidence=0.95, duels=568)
    """

    name = "active-ranking"
    answers = "ranking"
    view = "none"

    k: int = parameter(0, "find the k best arms; 0 for the whole order", low=0)
    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    radii: float = parameter(4.0, "how far apart neighbours must be; the paper has 4, 2 is enough", low=2)
    members: Ints = per_arm(int)  # arms that are not placed
    n_members: Ints = single(int)
    ranks: Ints = per_arm(int, -1)  # of each arm, from 0, or -1; with k 0 for the best and k for the others
    free: Ints = per_arm(int)  # ranks that nobody has, in order
    n_top: Ints = single(int)  # of the k best, how many are not placed
    won: Floats = per_arm()
    duels: Ints = per_arm(int)  # an arm made: one in each round until it is placed
    rounds: Ints = single(int)
    place: Ints = single(int)  # of the member whose turn it is
    decided: Ints = single(int)  # after how many duels all were placed
    rank_now: Ints = scratch(lambda k: (k,), int)  # what each member would be given

    def check_parameters(self) -> None:
        if self.k >= self.n_arms:
            raise BadInput(f"{self.name}: k must be below the number of arms, {self.n_arms}, not {self.k}")

    def start(self, rng: np.random.Generator) -> None:
        for arm in range(self.n_arms):
            self.members[arm] = self.free[arm] = arm
        shuffle(self.members, self.n_arms, rng)
        self.n_members[0] = self.n_arms
        self.n_top[0] = self.k

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0] > 0:
            best = first_of(self)
            return Duel(best, best, t)
        other = below(self.n_arms - 1, rng)
        arm = self.members[self.place[0]]
        return Duel(arm, other + (other >= arm), t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if self.decided[0] > 0 or duel.left != self.members[self.place[0]] or duel.left == duel.right:
            return
        self.won[duel.left] += outcome
        self.duels[duel.left] += 1
        self.place[0] += 1
        if self.place[0] == self.n_members[0]:
            self.place[0] = 0
            self.rounds[0] += 1
            sort_members(self)
            place_members(self)
            if self.n_members[0] == 0:
                self.decided[0] = t

    def best_arm(self) -> int:
        return int(self.rank_arms()[0])

    def rank_arms(self) -> Sequence[int]:
        # Of equal ranks, and of those without one, the one who won more often comes first.
        last = np.where(self.ranks < 0, self.k or self.n_arms, self.ranks)
        order = np.lexsort((-self.won / np.maximum(self.duels, 1), last))
        if self.k > 0 or self.decided[0] > 0:
            return [int(arm) for arm in order]
        waiting = iter([arm for arm in order if self.ranks[arm] < 0])
        placed = {int(self.ranks[arm]): int(arm) for arm in order if self.ranks[arm] >= 0}
        return [placed[rank] if rank in placed else int(next(waiting)) for rank in range(self.n_arms)]

    def own_certainty(self) -> Certainty | None:
        if self.decided[0] == 0:
            return None
        found = self.ranking() if self.k == 0 else self.best() if self.k == 1 else self.top(self.k)
        return Certainty(found, 1 - self.delta, int(self.decided[0]))


@kernel
def first_of(self: ActiveRanking) -> int:
    """The arm of rank 0; of several, the one that won the largest share."""
    best, highest = 0, -1.0
    for arm in range(self.n_arms):
        if self.ranks[arm] == 0 and self.won[arm] / self.duels[arm] > highest:
            best, highest = arm, self.won[arm] / self.duels[arm]
    return best


@kernel
def sort_members(self: ActiveRanking) -> None:
    """By wins, most first: they have made as many duels each."""
    for place in range(1, self.n_members[0]):
        arm, at = self.members[place], place
        while at > 0 and self.won[self.members[at - 1]] < self.won[arm]:
            self.members[at] = self.members[at - 1]
            at -= 1
        self.members[at] = arm


@kernel
def place_members(self: ActiveRanking) -> None:
    """Give ranks to those who are far enough from whoever may not have them."""
    t, size, top = self.rounds[0], self.n_members[0], self.n_top[0]
    radius = math.sqrt(math.log(125.0 * self.n_arms * math.log(1.12 * t) / self.delta) / t)
    apart = self.radii * radius * t
    for place in range(size):
        above = place - 1 if self.k == 0 else -1 if place < top else top - 1
        below_it = place + 1 if self.k == 0 else top if place < top else size
        won = self.won[self.members[place]]
        clear = above < 0 or self.won[self.members[above]] - won > apart
        clear = clear and (below_it >= size or won - self.won[self.members[below_it]] > apart)
        rank = self.free[place] if self.k == 0 else 0 if place < top else self.k
        self.rank_now[place] = rank if clear else -1
    left = 0
    for place in range(size):
        arm, rank = self.members[place], self.free[place]
        if self.rank_now[place] >= 0:
            self.ranks[arm] = self.rank_now[place]
            self.n_top[0] -= place < top
        else:
            self.members[left] = arm
            self.free[left] = rank
            left += 1
    self.n_members[0] = left
