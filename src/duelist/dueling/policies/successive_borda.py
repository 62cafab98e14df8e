"""Successive elimination for the Borda winner.

Jamieson, Katariya, Deshpande, Nowak. Sparse Dueling Bandits. AISTATS 2015.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, parameter, per_arm, single
from duelist.core.sampling import below, shuffle
from duelist.dueling.answers import Certainty
from duelist.dueling.policy import Duel, Policy


class SuccessiveBorda(Policy):
    """In each round an arm is drawn and all that are left duel it; who is confidently behind the best is out.

    Needs: one Borda winner, and nothing else.
    Horizon: not needed.
    Regret: none claimed; the Borda winner with probability 1 - delta after O(sum over arms of ln(K / delta) / gap^2).
    Departs: the second test of the paper's SECS, for arms that differ against few others, is left out: its constant,
    6 (k + 1), lets it act only after more duels than anybody makes. After the answer, the arm found duels itself.
    Ties: half a win each.

    >>> policy = SuccessiveBorda(n_arms=4, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=0, confidence=0.95, duels=1155)
    """

    name = "successive-borda"
    view = "borda"

    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    members: Ints = per_arm(int)  # arms that are left
    n_members: Ints = single(int)
    won: Floats = per_arm()  # rounds in which an arm beat the one that was drawn
    rounds: Ints = single(int)
    drawn: Ints = single(int)  # the arm of this round
    place: Ints = single(int)  # of the member whose turn it is to duel it
    decided: Ints = single(int)  # after how many duels one arm was left

    def start(self, rng: np.random.Generator) -> None:
        for arm in range(self.n_arms):
            self.members[arm] = arm
        shuffle(self.members, self.n_arms, rng)
        self.n_members[0] = self.n_arms
        begin_round(self, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0] > 0:
            return Duel(self.members[0], self.members[0], t)
        return Duel(self.members[self.place[0]], self.drawn[0], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if self.decided[0] > 0 or duel.left != self.members[self.place[0]] or duel.right != self.drawn[0]:
            return
        self.won[duel.left] += outcome
        self.place[0] += 1
        skip_drawn(self)
        if self.place[0] >= self.n_members[0]:
            self.rounds[0] += 1
            drop_behind(self)
            if self.n_members[0] == 1:
                self.decided[0] = t
            else:
                begin_round(self, rng)

    def best_arm(self) -> int:
        left = self.members[: self.n_members[0]]
        return int(left[np.argmax(self.won[left])])

    def own_certainty(self) -> Certainty | None:
        return Certainty(self.best(), 1 - self.delta, int(self.decided[0])) if self.decided[0] > 0 else None


@kernel
def begin_round(self: SuccessiveBorda, rng: np.random.Generator) -> None:
    """Draw an arm that all others duel."""
    self.drawn[0] = below(self.n_arms, rng)
    self.place[0] = 0
    skip_drawn(self)


@kernel
def skip_drawn(self: SuccessiveBorda) -> None:
    """An arm does not duel itself."""
    if self.place[0] < self.n_members[0] and self.members[self.place[0]] == self.drawn[0]:
        self.place[0] += 1


@kernel
def drop_behind(self: SuccessiveBorda) -> None:
    """Scores are K / (K - 1) won / rounds; those that are further apart than two radii are apart."""
    t, most = self.rounds[0], 0.0
    for place in range(self.n_members[0]):
        most = max(most, self.won[self.members[place]])
    width = math.sqrt(2.0 * math.log(4.0 * self.n_arms * t * t / self.delta) / t)  # times K / (K - 1), as the scores
    left = 0
    for place in range(self.n_members[0]):
        arm = self.members[place]
        if most / t <= self.won[arm] / t + width:
            self.members[left] = arm
            left += 1
    self.n_members[0] = left
