"""Who beat whom how often, of the pairs that met: kept beside a policy, and not in its compiled memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from duelist.core.memory import Floats


class PairCounts:
    """Wins of both arms of each pair that was told or applied; a duel of an arm with itself counts nothing.

    >>> counts = PairCounts()
    >>> counts.add(2, 0, 1.0)
    >>> counts.add(0, 2, 0.5)
    >>> counts.table(3)[2].tolist(), counts.duels
    ([1.5, 0.0, 0.0], 2)
    """

    def __init__(self, rows: Sequence[Sequence[float]] = ()) -> None:
        self.pairs = {(int(low), int(high)): [float(won), float(lost)] for low, high, won, lost in rows}

    @property
    def duels(self) -> int:
        """How many were counted."""
        return round(sum(won + lost for won, lost in self.pairs.values()))

    def add(self, left: int, right: int, outcome: float) -> None:
        """One more duel."""
        if left == right:
            return
        if left > right:
            left, right, outcome = right, left, 1.0 - outcome
        pair = self.pairs.get((left, right))
        if pair is None:
            pair = self.pairs[left, right] = [0.0, 0.0]
        pair[0] += outcome
        pair[1] += 1.0 - outcome

    def table(self, n_arms: int) -> Floats:
        """K x K, wins of row over column."""
        wins = np.zeros((n_arms, n_arms))
        for (low, high), (won, lost) in self.pairs.items():
            wins[low, high], wins[high, low] = won, lost
        return wins

    def record(self) -> list[list[float]]:
        """As plain values, in the order of the pairs."""
        return [[*pair, *self.pairs[pair]] for pair in sorted(self.pairs)]
