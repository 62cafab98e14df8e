"""Winner Stays, for weak and for strong regret.

Chen, Frazier. Dueling Bandits with Weak Regret. ICML 2017.
"""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Declared, Floats, Ints, holds, parameter, per_arm, single, table
from duelist.core.sampling import below, coin, shuffle
from duelist.dueling.policy import Duel, Policy


class Rounds(Declared):
    """A champion who meets all other arms once a round: first the last loser, then the others at random."""

    score: Ints = per_arm(int)  # wins minus losses, never reset
    champion: Ints = single(int)
    others: Ints = table(lambda k: (k - 1,), int)  # all other arms in the order of the round
    place: Ints = single(int)  # of the challenger among the others
    round: Ints = single(int, 1)  # its number; who falls to a score of minus this has lost the match
    began: Ints = single(int)  # the time of the match's first duel


class WinnerStaysWeak(Policy):
    """The winner of a match stays and meets the next arm; a long record takes long to lose.

    Needs: a Condorcet winner.
    Horizon: not needed.
    Regret: O(K^2) in weak regret, constant in T; O(K ln K) under a total order.
    Departs: nowhere; the argmax over scores that the paper prints chooses the same pairs as these rounds. A duel
    asked before the current match began is ignored.
    Ties: a coin decides, biased by a graded outcome.

    >>> policy = WinnerStaysWeak(n_arms=3, seed=0)
    >>> for _ in range(200):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best(), int(policy.rounds.round[0])
    (0, 100)
    """

    name = "winner-stays-weak"
    view = "weak"

    rounds: Rounds = holds(Rounds)

    def start(self, rng: np.random.Generator) -> None:
        start_rounds(self.rounds, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return Duel(self.rounds.champion[0], self.rounds.others[self.rounds.place[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if of_this_match(self.rounds, duel):
            tell_rounds(self.rounds, coin(outcome, rng), t, rng)

    def best_arm(self) -> int:
        return int(self.rounds.score.argmax())


class WinnerStaysStrong(Policy):
    """Winner Stays, and after each round its winner duels itself, longer every time.

    Needs: a Condorcet winner.
    Horizon: not needed.
    Regret: O(K^2 + K ln T); O(K ln K + K ln T) under a total order. Both need beta below p / (1 - p), p the winner's
    smallest chance: the rounds' winners are wrong ever less often, and faster than their reward grows.
    Departs: nowhere (beta from the paper's experiments; its limit is from memory). A duel asked before the current
    match or reward began is ignored.
    Ties: a coin decides, biased by a graded outcome.

    >>> policy = WinnerStaysStrong(n_arms=3, seed=0)
    >>> for _ in range(2000):
    ...     duel = policy.ask()
    ...     policy.tell(duel, winner=min(duel.left, duel.right))
    >>> policy.best(), int(policy.rounds.round[0])
    (0, 56)
    """

    name = "winner-stays-strong"

    beta: float = parameter(1.1, "the winner of round n duels itself beta^n times", above=1)
    rounds: Rounds = holds(Rounds)
    reward: Floats = single(float)  # duels that the last round's winner still has with itself

    def start(self, rng: np.random.Generator) -> None:
        start_rounds(self.rounds, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        if self.reward[0] > 0.0:
            return Duel(self.rounds.champion[0], self.rounds.champion[0], t)
        return Duel(self.rounds.champion[0], self.rounds.others[self.rounds.place[0]], t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if self.reward[0] > 0.0:
            if duel.left == duel.right and duel.t >= self.rounds.began[0]:
                self.reward[0] -= 1.0
        elif of_this_match(self.rounds, duel) and tell_rounds(self.rounds, coin(outcome, rng), t, rng):
            self.reward[0] = math.floor(self.beta ** (self.rounds.round[0] - 1.0))

    def best_arm(self) -> int:
        return int(self.rounds.score.argmax())


@kernel
def start_rounds(rounds: Rounds, rng: np.random.Generator) -> None:
    """A random champion, and the others in a random order."""
    rounds.champion[0] = below(rounds.n_arms, rng)
    for place in range(rounds.n_arms - 1):
        rounds.others[place] = place + (place >= rounds.champion[0])
    shuffle(rounds.others, rounds.n_arms - 1, rng)


@kernel
def of_this_match(rounds: Rounds, duel: Duel) -> bool:
    """Whether a duel was asked in the current match; a held policy is told duels of others too."""
    challenger = rounds.others[rounds.place[0]]
    return bool(duel.t >= rounds.began[0] and duel.left == rounds.champion[0] and duel.right == challenger)


@kernel
def tell_rounds(rounds: Rounds, champion_won: bool, t: int, rng: np.random.Generator) -> bool:
    """Record a duel of the current match; whether it ended the round."""
    place = rounds.place[0]
    winner, loser = rounds.champion[0], rounds.others[place]
    if not champion_won:
        winner, loser = loser, winner
    rounds.score[winner] += 1
    rounds.score[loser] -= 1
    if rounds.score[loser] > -rounds.round[0]:
        return False
    rounds.champion[0], rounds.others[place] = winner, loser
    rounds.began[0] = t + 1
    last = rounds.n_arms - 2
    if place < last:
        rounds.place[0] = place + 1
        return False
    rounds.place[0] = 0
    rounds.round[0] += 1
    shuffle(rounds.others, last, rng)
    rounds.others[0], rounds.others[last] = rounds.others[last], rounds.others[0]
    return True
