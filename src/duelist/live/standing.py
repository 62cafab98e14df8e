"""What a table of wins says of every arm: how often it wins, its chance of being the best, what it has cost.

These numbers are for looking. Whether an experiment may stop is decided by its evidence alone, which is right at every
look; a chance of 95 % that is looked at every day is not.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.memory import Floats


class Standing(NamedTuple):
    """Of K arms.

    >>> standing = Standing.of(np.array([[0, 30, 28], [10, 0, 22], [12, 18, 0.0]]))
    >>> standing.leader, [round(float(chance), 3) for chance in standing.chance]
    (0, [0.999, 0.0, 0.001])
    >>> round(standing.regret(np.array([50, 10, 10.0])), 2)
    4.29
    """

    rate: Floats  # K x K: how often the row beats the column, with one win and one loss imagined
    chance: Floats  # of each arm, to be the one that beats every other, if there is one
    leader: int  # whose chance is the largest

    @classmethod
    def of(cls, wins: Floats) -> Self:
        """Of a table of wins, row over column; ties half each."""
        duels = wins + wins.T
        rate = (wins + 1) / (duels + 2)
        above = (rate - 0.5) / np.sqrt(rate * (1 - rate) / (duels + 3))  # of Beta(wins + 1, losses + 1), as if normal
        np.fill_diagonal(above, np.inf)
        logs = scipy.special.log_ndtr(above).sum(1)
        chance: Floats = scipy.special.softmax(logs)
        return cls(rate, chance, int(chance.argmax()))

    def regret(self, traffic: Floats) -> float:
        """What was lost, about, by showing others than the leader: half the sum of the gaps of the two of a duel."""
        return float(traffic @ (self.rate[self.leader] - 0.5))
