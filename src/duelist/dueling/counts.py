"""Who beat whom how often, of the pairs that met: kept beside a policy, and not in its compiled memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from duelist.core.memory import Floats

ROUNDING = 1e-9  # of sums of grades


class PairCounts:
    """Wins of both arms of each pair that was told or applied; a duel of an arm with itself counts nothing.

    >>> counts = PairCounts()
    >>> counts.add(2, 0, 1.0)
    >>> counts.add(0, 2, 0.5)
    >>> counts.table(3)[2].tolist(), counts.duels
    ([1.5, 0.0, 0.0], 2)
    """

    def __init__(self, rows: Sequence[Sequence[float]] = ()) -> None:
        self._pairs = {(int(low), int(high)): [float(won), float(lost)] for low, high, won, lost in rows}

    @property
    def pairs(self) -> dict[tuple[int, int], list[float]]:
        """Wins of both arms, by their numbers, the lower one first."""
        return self._pairs

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
        pair = self._pairs.get((left, right))
        if pair is None:
            pair = self._pairs[left, right] = [0.0, 0.0]
        pair[0] += outcome
        pair[1] += 1.0 - outcome

    def table(self, n_arms: int) -> Floats:
        """K x K, wins of row over column."""
        wins = np.zeros((n_arms, n_arms))
        for (low, high), (won, lost) in self.pairs.items():
            wins[low, high], wins[high, low] = won, lost
        return wins

    def duels_again(self) -> Iterator[tuple[int, int, float]]:
        """Duels that come to these counts: wins, losses, and what ties and grades leave as equal outcomes.

        >>> list(PairCounts([[0, 1, 2.5, 1.5]]).duels_again())
        [(0, 1, 1.0), (0, 1, 1.0), (0, 1, 0.0), (0, 1, 0.5)]
        """
        for (low, high), (won, lost) in sorted(self.pairs.items()):
            wins, losses = int(won + ROUNDING), int(lost + ROUNDING)
            mixed = round(won + lost) - wins - losses
            outcomes = [1.0] * wins + [0.0] * losses + [(won - wins) / max(1, mixed)] * mixed
            yield from ((low, high, outcome) for outcome in outcomes)

    def record(self) -> list[list[float]]:
        """As plain values, in the order of the pairs."""
        return [[*pair, *counts] for pair, counts in sorted(self.pairs.items())]
