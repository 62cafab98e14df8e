"""Knockout tournament.

Falahatgar, Orlitsky, Pichapati, Suresh. Maximum Selection and Ranking under Noisy
Comparisons. ICML 2017.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, parameter, per_arm, single
from duelist.core.sampling import shuffle
from duelist.dueling.answers import Certainty
from duelist.dueling.policy import Duel, Policy


class Knockout(Policy):
    """Random pairs play matches; winners go on to the next round, until one arm is left.

    Needs: gamma-relaxed SST and STI (see `duelist matrix`).
    Horizon: not needed.
    Regret: none claimed; O(K gamma^4 / epsilon^2 ln(1 / delta)) duels find an arm at most epsilon worse than the best.
    Departs: duels within a match are told one after the other: a late one counts while its match is on.
    After the answer, the arm found duels itself.
    Ties: half a win each.

    >>> policy = Knockout(n_arms=4, epsilon=0.2, delta=0.1, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain().arm
    0
    """

    name = "knockout"

    epsilon: float = parameter(0.1, "how much worse than the best the answer may be", above=0, high=0.5)
    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    gamma: float = parameter(1.0, "how far transitivity may be violated; 1 for not at all", low=1)
    players: Ints = per_arm(int)  # of this round, matched two by two, then the winners so far
    n_players: Ints = single(int)
    n_winners: Ints = single(int)  # matches decided in this round; winners stand at the front
    round: Ints = single(int, 1)
    duels: Ints = single(int)  # of the match that is on
    won: Floats = single(float)  # by its first arm
    decided: Ints = single(int)  # after how many duels one arm was left

    def start(self, rng: np.random.Generator) -> None:
        for arm in range(self.n_arms):
            self.players[arm] = arm
        shuffle(self.players, self.n_arms, rng)
        self.n_players[0] = self.n_arms

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0] > 0:
            return Duel(self.players[0], self.players[0], t)
        match = 2 * self.n_winners[0]
        return Duel(self.players[match], self.players[match + 1], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        match = 2 * self.n_winners[0]
        late = duel.left != self.players[match] or duel.right != self.players[match + 1]
        if self.decided[0] > 0 or late:
            return
        self.duels[0] += 1
        self.won[0] += outcome
        if match_is_over(self):
            # Alg. 1 of the paper: the first arm needs more than half.
            winner = duel.left if self.won[0] > 0.5 * self.duels[0] else duel.right
            self.players[self.n_winners[0]] = winner
            self.n_winners[0] += 1
            self.duels[0] = 0
            self.won[0] = 0.0
            if 2 * self.n_winners[0] + 1 >= self.n_players[0]:
                next_round(self, t, rng)

    def best_arm(self) -> int:
        if self.decided[0] > 0:
            return int(self.players[0])
        match = 2 * self.n_winners[0]
        return int(self.players[match if 2 * self.won[0] > self.duels[0] else match + 1])

    def own_certainty(self) -> Certainty | None:
        return Certainty(self.best(), 1 - self.delta, int(self.decided[0])) if self.decided[0] > 0 else None


@kernel
def match_is_over(self: Knockout) -> bool:
    """Whether the leader is certain, or as many duels were made as ever needed."""
    error = (2.0 ** (1.0 / 3.0) - 1.0) * self.epsilon / (self.gamma * 2.0 ** (self.round[0] / 3.0))
    doubt = self.delta / 2.0 ** self.round[0]
    n = self.duels[0]
    if n > math.log(2.0 / doubt) / (2.0 * error * error):
        return True
    radius = math.sqrt(math.log(4.0 * n * n / doubt) / (2.0 * n))
    return bool(abs(self.won[0] / n - 0.5) > radius - error)


@kernel
def next_round(self: Knockout, t: int, rng: np.random.Generator) -> None:
    """The winners, and the arm without a match if the number was odd, play on."""
    if 2 * self.n_winners[0] < self.n_players[0]:
        self.players[self.n_winners[0]] = self.players[self.n_players[0] - 1]
        self.n_winners[0] += 1
    self.n_players[0] = self.n_winners[0]
    self.n_winners[0] = 0
    self.round[0] += 1
    shuffle(self.players, self.n_players[0], rng)
    if self.n_players[0] == 1:
        self.decided[0] = t
