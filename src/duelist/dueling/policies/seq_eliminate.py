"""Sequential elimination: an anchor meets one arm after the other, and the better one is the next anchor.

Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar. Maxing and Ranking with Few Assumptions. NeurIPS 2017.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.memory import Floats, Ints, parameter, per_arm, single
from duelist.core.sampling import shuffle
from duelist.dueling.answers import Certainty
from duelist.dueling.policy import Duel, Policy


class SeqEliminate(Policy):
    """An arm that is better than the anchor by about epsilon / 2 takes its place; who was met is out.

    The paper's Opt-Max, which is optimal for any number of arms, is this up to 1 / delta^3 arms (8,000 for 0.05).

    Needs: strong stochastic transitivity (see `duelist matrix`); it need not satisfy STI, as knockout's must.
    Horizon: not needed.
    Regret: none claimed; O(K / epsilon^2 ln(K / delta)) duels find an arm that no other beats by more than epsilon.
    Departs: a late duel counts while its pair is on. After the answer, the arm found duels itself.
    Ties: half a win each.

    >>> policy = SeqEliminate(n_arms=4, epsilon=0.2, seed=0)
    >>> while policy.certain() is None:
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.certain()
    Certainty(arm=0, confidence=0.95, duels=74)
    """

    name = "seq-eliminate"

    epsilon: float = parameter(0.1, "how much worse than the best the answer may be", above=0, high=0.5)
    delta: float = parameter(0.05, "probability of a wrong answer", above=0, high=0.5)
    players: Ints = per_arm(int)  # the anchor, and those not yet met behind it
    n_met: Ints = single(int, 1)  # players that were
    duels: Ints = single(int)  # of the pair that is on
    won: Floats = single(float)  # by the arm that meets the anchor
    decided: Ints = single(int)  # after how many duels all were met

    def start(self, rng: np.random.Generator) -> None:
        for arm in range(self.n_arms):
            self.players[arm] = arm
        shuffle(self.players, self.n_arms, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.decided[0] > 0:
            return Duel(self.players[0], self.players[0], t)
        return Duel(self.players[self.n_met[0]], self.players[0], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if self.decided[0] > 0 or duel.left != self.players[self.n_met[0]] or duel.right != self.players[0]:
            return
        self.duels[0] += 1
        self.won[0] += outcome
        # Compare: is the arm not better at all, or better by epsilon? In between, either answer will do.
        n, doubt = self.duels[0], self.delta / self.n_arms
        lead = self.won[0] / n - 0.5 - 0.5 * self.epsilon
        enough = 2.0 * math.log(2.0 / doubt) / (self.epsilon * self.epsilon)
        if n >= enough or abs(lead) > math.sqrt(math.log(4.0 * n * n / doubt) / (2.0 * n)):
            if lead > 0.0:
                self.players[self.n_met[0]], self.players[0] = duel.right, duel.left
            self.n_met[0] += 1
            self.duels[0] = 0
            self.won[0] = 0.0
            if self.n_met[0] == self.n_arms:
                self.decided[0] = t

    def best_arm(self) -> int:
        return int(self.players[0])

    def own_certainty(self) -> Certainty | None:
        return Certainty(self.best(), 1 - self.delta, int(self.decided[0])) if self.decided[0] > 0 else None
