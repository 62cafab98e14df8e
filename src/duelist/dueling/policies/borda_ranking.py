"""Borda ranking: so many duels of each arm with random others that the order is right up to epsilon.

Falahatgar, Jain, Orlitsky, Pichapati, Ravindrakumar. The Limits of Maxing, Ranking, and Preference Learning. ICML 2018.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from duelist.core.memory import Floats, Ints, parameter, per_arm, single
from duelist.core.sampling import argmax, below, shuffle
from duelist.dueling.answers import Certainty
from duelist.dueling.policy import Duel, Policy


class BordaRanking(Policy):
    """Each arm duels random others equally often; the order is that of their wins.

    Needs: nothing. An arm may come before one whose Borda score, the chance to win against a random other arm, is
    higher by up to epsilon.
    Horizon: not needed.
    Regret: none claimed; 2 K / epsilon^2 ln(2 K / delta) duels.
    Departs: arms take turns, and none duels itself, so that scores are those against others. A late duel counts while
    its arm's turn lasts. After the answer, the best arm duels itself.
    Ties: half a win each.

    >>> policy = BordaRanking(n_arms=3, epsilon=0.3, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=(0, 1, 2), confidence=0.95, duels=321)
    """

    name = "borda-ranking"
    answers = "ranking"
    view = "none"

    epsilon: float = parameter(0.1, "by how much Borda scores may be in the wrong order", above=0, below=1)
    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    turns: Ints = per_arm(int)  # arms in the order in which they take turns
    place: Ints = single(int)  # of the arm whose turn it is
    rounds: Ints = single(int)  # in which every arm had a turn
    won: Floats = per_arm()
    winner: Ints = single(int)
    decided: Ints = single(int)  # after how many duels every arm had enough of them

    def start(self, rng: np.random.Generator) -> None:
        for arm in range(self.n_arms):
            self.turns[arm] = arm
        shuffle(self.turns, self.n_arms, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0] > 0:
            return Duel(self.winner[0], self.winner[0], t)
        arm, other = self.turns[self.place[0]], below(self.n_arms - 1, rng)
        return Duel(arm, other + (other >= arm), t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if self.decided[0] > 0 or duel.left != self.turns[self.place[0]] or duel.left == duel.right:
            return
        self.won[duel.left] += outcome
        self.place[0] += 1
        if self.place[0] == self.n_arms:
            self.place[0] = 0
            self.rounds[0] += 1
            # Each score is within epsilon / 2 then, by Hoeffding's inequality.
            if self.rounds[0] >= 2.0 / (self.epsilon * self.epsilon) * math.log(2.0 * self.n_arms / self.delta):
                self.decided[0] = t
                self.winner[0] = argmax(self.won, rng)

    def best_arm(self) -> int:
        return int(self.winner[0] if self.decided[0] > 0 else np.argmax(self.won))

    def rank_arms(self) -> Sequence[int]:
        first = np.arange(self.n_arms) != self.best_arm()
        return [int(arm) for arm in np.lexsort((first, -self.won))]

    def own_certainty(self) -> Certainty | None:
        return Certainty(self.ranking(), 1 - self.delta, int(self.decided[0])) if self.decided[0] > 0 else None
