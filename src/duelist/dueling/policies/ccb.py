"""CCB: Copeland confidence bound.

Zoghi, Karnin, Whiteson, de Rijke. Copeland Dueling Bandits. NIPS 2015.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Flags, Floats, Ints, holds, parameter, per_arm, per_pair, scratch, single
from duelist.core.sampling import below
from duelist.dueling.clock import Clock, advance, start_clock, tell_clock
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import empirical_best


class CCB(Policy):
    """Duel an arm that may beat the most others against its most hopeful challenger.

    Three hypotheses narrow the search: arms that may be winners, how many arms a winner
    loses to, and for each arm just so many rivals that keep it from winning.

    Needs: no pair at exactly 1/2.
    Horizon: not needed.
    Regret: O((K^2 + (C + L) K ln T) / gap^2) in Copeland regret, of C winners that lose to L arms each.
    Departs: all arms may challenge when the champion has no rival that it may still beat; the paper does not
    say. Its text was not at hand: Algorithm 1 is as three public programs agree on it, slips of each apart.
    Ties: half a win each.

    >>> policy = CCB(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best()
    0
    """

    learns = "all"

    name = "ccb"
    view = "copeland"

    alpha: float = parameter(0.51, "exploration; the regret bound needs more than 1/2", above=0.5)
    clock: Clock = holds(Clock)  # wins, and who is confidently beaten
    mean: Floats = per_pair(fill=2)  # mean[i, j]: share of duels arm j won against arm i
    width: Floats = per_pair()  # 1 / sqrt(duels of i and j); an unseen pair has the bound 2 at any time
    beats: Ints = scratch(lambda k: (k,), int)  # how many arms each arm confidently beats
    hopeful: Flags = per_arm(bool, True)  # B: arms that may be winners
    losses: Ints = single(int)  # how many arms a winner loses to, as far as known; set by start
    rivals: Ints = per_pair(int)  # rivals[i, :n_rivals[i]]: B^i, arms that keep arm i from winning
    n_rivals: Ints = per_arm(int)
    stale: Flags = single(bool)  # whether the hypotheses must be looked at again

    def start(self, rng: np.random.Generator) -> None:
        start_clock(self.clock)
        self.losses[0] = self.n_arms
        for i in range(self.n_arms):
            self.mean[i, i] = 0.0  # an arm is its own challenger only when no other is left

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if rng.random() < 0.25:
            arm, rival = pick_open_rivalry(self, rng)
            if arm >= 0:
                return Duel(arm, rival, t)
        champion = pick_champion(self, rng)
        scale = math.sqrt(self.alpha * math.log(t))
        pool = self.n_rivals[champion] if rng.random() < 0.5 else 0
        challenger = -1
        while challenger < 0:
            challenger = pick_challenger(self, champion, pool, scale, rng)
            pool = 0  # all arms, when no rival may still lose
        return Duel(champion, challenger, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        i, j = duel.left, duel.right
        decided = self.clock.size[0]
        if i != j:
            tell_clock(self.clock, i, j, outcome, self.alpha)
            n = self.clock.wins[i, j] + self.clock.wins[j, i]
            self.mean[i, j] = self.clock.wins[j, i] / n
            self.mean[j, i] = self.clock.wins[i, j] / n
            self.width[i, j] = self.width[j, i] = 1.0 / math.sqrt(n)
        self.stale[0] |= self.clock.size[0] != decided
        decided = self.clock.size[0]
        advance(self.clock, math.log(t + 1.0))  # the bounds of the next choice
        if self.stale[0] or self.clock.size[0] != decided:
            revise(self, rng)

    def best_arm(self) -> int:
        return empirical_best(self.clock.wins)


@kernel
def surely(self: CCB, winner: int, loser: int) -> bool:
    """Whether one arm confidently beats another: U of the loser, or 1 - L of the winner, is below 1/2."""
    return bool(self.clock.place[winner * self.n_arms + loser] >= 0)


@kernel
def fewest_losses(self: CCB) -> int:
    """By how many arms an arm that may beat the most is surely beaten."""
    fewest = self.n_arms
    for arm in range(self.n_arms):
        fewest = min(fewest, self.clock.beaten_by[arm])
    return fewest


@kernel
def revise(self: CCB, rng: np.random.Generator) -> None:
    """Line 9: bring the hypotheses in agreement with the bounds."""
    count_beats(self)
    self.stale[0] = False
    if disproven(self):  # 9A
        forget(self)
    drop_losers(self)  # 9B
    fewest = fewest_losses(self)
    for arm in range(self.n_arms):  # 9C
        if self.clock.beaten_by[arm] == fewest and self.beats[arm] == self.n_arms - 1 - fewest:
            self.hopeful[arm] = True
            self.n_rivals[arm] = 0
            self.losses[0] = fewest
            trim_rivals(self, rng)


@kernel
def count_beats(self: CCB) -> None:
    """The heap of the clock holds exactly the pairs where one arm confidently beats the other."""
    for arm in range(self.n_arms):
        self.beats[arm] = 0
    for place in range(self.clock.size[0]):
        self.beats[self.clock.heap[place] // self.n_arms] += 1


@kernel
def disproven(self: CCB) -> bool:
    """Whether an arm confidently beats one of its rivals."""
    for arm in range(self.n_arms):
        for place in range(self.n_rivals[arm]):
            if surely(self, arm, self.rivals[arm, place]):
                return True
    return False


@kernel
def forget(self: CCB) -> None:
    """Start the hypotheses afresh."""
    self.losses[0] = self.n_arms
    for arm in range(self.n_arms):
        self.hopeful[arm] = True
        self.n_rivals[arm] = 0


@kernel
def drop_losers(self: CCB) -> None:
    """An arm that cannot beat as many as another surely does is no winner; those who beat it are its rivals."""
    most, left = 0, 0
    for arm in range(self.n_arms):
        most = max(most, self.beats[arm])
    for arm in range(self.n_arms):
        if self.hopeful[arm] and self.n_arms - 1 - self.clock.beaten_by[arm] < most:
            self.hopeful[arm] = False
            if self.n_rivals[arm] != self.losses[0] + 1:
                self.n_rivals[arm] = 0
                for other in range(self.n_arms):
                    if surely(self, other, arm):
                        self.rivals[arm, self.n_rivals[arm]] = other
                        self.n_rivals[arm] += 1
        left += self.hopeful[arm]
    if left == 0:
        forget(self)
        self.stale[0] = True  # everyone is hopeful again, also who is to be dropped next time


@kernel
def trim_rivals(self: CCB, rng: np.random.Generator) -> None:
    """One rival more than a winner has keeps an arm from winning: keep so many, or none if there are fewer."""
    enough = self.losses[0] + 1
    for arm in range(self.n_arms):
        if self.n_rivals[arm] < enough:
            self.n_rivals[arm] = 0
        while self.n_rivals[arm] > enough:
            self.n_rivals[arm] -= 1
            out = below(self.n_rivals[arm] + 1, rng)
            self.rivals[arm, out] = self.rivals[arm, self.n_rivals[arm]]


@kernel
def pick_open_rivalry(self: CCB, rng: np.random.Generator) -> tuple[int, int]:
    """Line 10: an arm and a rival, uniform among those whose duel is undecided; or (-1, -1)."""
    chosen, rival, found = -1, -1, 0
    for arm in range(self.n_arms):
        for place in range(self.n_rivals[arm]):
            other = self.rivals[arm, place]
            if not surely(self, other, arm):
                found += 1
                if rng.random() * found < 1.0:
                    chosen, rival = arm, other
    return chosen, rival


@kernel
def pick_champion(self: CCB, rng: np.random.Generator) -> int:
    """Lines 11 and 12: uniform among the arms that may beat the most; two times of three, the hopeful of these."""
    fewest = fewest_losses(self)
    best, hopeful = 0, 0
    for arm in range(self.n_arms):
        if self.clock.beaten_by[arm] == fewest:
            best += 1
            hopeful += self.hopeful[arm]
    narrow = hopeful > 0 and rng.random() < 2.0 / 3.0
    skip = below(hopeful if narrow else best, rng)
    for arm in range(self.n_arms):
        if self.clock.beaten_by[arm] == fewest and (self.hopeful[arm] or not narrow):
            if skip == 0:
                return arm
            skip -= 1
    return 0


@kernel
def pick_challenger(self: CCB, champion: int, pool: int, scale: float, rng: np.random.Generator) -> int:
    """Line 13: the arm with the highest bound of those that do not surely beat the champion.

    Among its rivals, -1 if there is none; among all arms, if `pool` is 0, the champion itself
    if every other's bound is below 1/2.
    """
    chosen, highest, ties = (champion, 0.5, 0) if pool == 0 else (-1, -1.0, 0)
    for place in range(self.n_arms if pool == 0 else pool):
        j = place if pool == 0 else self.rivals[champion, place]
        bound = self.mean[champion, j] + scale * self.width[champion, j]
        if bound >= highest and not surely(self, j, champion):
            ties = ties + 1 if bound == highest else 1
            if rng.random() * ties < 1.0:
                chosen, highest = j, bound
    return chosen
