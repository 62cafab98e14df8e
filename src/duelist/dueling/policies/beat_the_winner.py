"""Beat the Winner, and its form that starts afresh when the winner is beaten.

Kolpaczki, Huellermeier, Bengs. Piecewise-Stationary Dueling Bandits. TMLR 2024.
The plain form there is the rule of Pekoez, Ross, Zhang. Dueling Bandit Problems.
Probability in the Engineering and Informational Sciences, 2022.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Ints, constant, parameter, single, table
from duelist.core.sampling import below, coin, shuffle
from duelist.dueling.policy import Duel, Policy


class BeatTheWinner(Policy):
    """The winner of a match stays, the loser queues up again; each match goes to one win more.

    Needs: a Condorcet winner.
    Horizon: not needed.
    Regret: constant in T in weak regret; it grows as K^2 (measured).
    Departs: nowhere from the code of Kolpaczki et al., the rule without its reset; the older paper could not be
    read. A duel asked before the current match began is ignored.
    Ties: a coin decides, biased by a graded outcome.

    >>> policy = BeatTheWinner(n_arms=3, seed=0)
    >>> for _ in range(200):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best(), int(policy.target[0])
    (0, 20)
    """

    name = "beat-the-winner"
    view = "weak"

    resets: bool = constant(False)
    gap: float = constant(0.0)
    champion: Ints = single(int)
    queue: Ints = table(lambda k: (k - 1,), int)  # a ring: the challenger, then who waits
    place: Ints = single(int)  # of the challenger in the ring
    round: Ints = single(int, 1)  # matches since the start or the last reset, this one included
    target: Ints = single(int)  # wins that end the match
    won: Ints = single(int)  # duels the champion won in this match
    lost: Ints = single(int)
    began: Ints = single(int)  # the time of the match's first duel

    def start(self, rng: np.random.Generator) -> None:
        self.champion[0] = below(self.n_arms, rng)
        for place in range(self.n_arms - 1):
            self.queue[place] = place + (place >= self.champion[0])
        shuffle(self.queue, self.n_arms - 1, rng)
        self.target[0] = match_length(1, self.gap)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return Duel(self.champion[0], self.queue[self.place[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        # A late duel, or that of another policy where this one is held, is not of this match.
        if duel.t < self.began[0] or duel.left != self.champion[0] or duel.right != self.queue[self.place[0]]:
            return
        if coin(outcome, rng):
            self.won[0] += 1
        else:
            self.lost[0] += 1
        if max(self.won[0], self.lost[0]) == self.target[0]:
            next_match(self, t)

    def best_arm(self) -> int:
        return int(self.champion[0])


class BeatTheWinnerReset(BeatTheWinner):
    """Beat the Winner whose matches go to one win again after the winner was beaten.

    So a wrong winner, or one that drifting preferences made wrong, is soon replaced.

    Needs: a Condorcet winner, which may change now and then.
    Horizon: not needed.
    Regret: O(K ln(K) / gap^2) in binary weak regret with the gap given, constant in T, while preferences stand still.
    Without it also constant in T, but exponential in 1 / gap^2: leads below 0.1 keep it growing for millions of duels.
    Departs: the default, matches to r wins in round r, is the authors' code, whose regret breaks the paper's bound; the
    lengths with a gap are the paper's from memory, and keep it. A duel asked before the current match is ignored.
    Ties: a coin decides, biased by a graded outcome.

    >>> policy = BeatTheWinnerReset(n_arms=3, seed=0)
    >>> for _ in range(200):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best(), int(policy.target[0])
    (0, 20)
    """

    name = "beat-the-winner-reset"

    resets: bool = constant(True)
    gap: float = parameter(
        0.0, "the winner's smallest lead over 1/2, if known; 0 for matches to as many wins as rounds", low=0, high=0.5
    )


@kernel
def next_match(self: BeatTheWinner, t: int) -> None:
    """The winner meets the head of the queue; the loser takes the place the head leaves."""
    place = self.place[0]
    beaten = self.lost[0] == self.target[0]
    if beaten:
        self.champion[0], self.queue[place] = self.queue[place], self.champion[0]
    self.place[0] = place + 1 if place + 1 < self.n_arms - 1 else 0
    self.round[0] = 1 if beaten and self.resets else self.round[0] + 1
    self.target[0] = match_length(self.round[0], self.gap)
    self.won[0] = self.lost[0] = 0
    self.began[0] = t + 1


@kernel
def match_length(round: int, gap: float) -> int:
    """The wins that end the match of this round."""
    if gap == 0.0:
        return round
    # By Hoeffding, an arm with this lead loses round r with probability (1 - 1/e) / (r (r + 1)) at most,
    # so that it stays for ever with probability 1/e or more.
    return math.ceil(math.log(round * (round + 1.0) / (1.0 - math.exp(-1.0))) / (4.0 * gap * gap))
