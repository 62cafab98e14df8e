"""How an experiment came to be what it is: a bounded number of points, as a part of the fold.

A point is taken after every `step` events of the experiment. When there are too many, every other one goes and the
step doubles. Only the number of events says when, so the same events give the same points in chunks, one by one, from
a snapshot and in another process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from duelist.core.memory import Floats

MOST, LEAST = 256, 16  # points
NUMBERS = 65_536  # in all points together: where a point is wide there are fewer of them
AT, EVENTS = 0, 1  # the first columns; then come the values of the kind


class History:
    """The points of one experiment.

    >>> history = History(width=1)
    >>> for event in range(1, 1001):
    ...     if history.left(event - 1) == 1:
    ...         history.add(at=event, events=event, values=[event / 2])
    >>> history.step, history.table()[:3].tolist()
    (4, [[4.0, 4.0, 2.0], [8.0, 8.0, 4.0], [12.0, 12.0, 6.0]])
    """

    def __init__(self, width: int, step: int = 1) -> None:
        self.width, self.step = 2 + width, step
        self.most = max(LEAST, min(MOST, NUMBERS // self.width))
        self.rows: list[Floats] = []

    def left(self, events: int) -> int:
        """How many more events there are until a point is taken, after so many."""
        return self.step - events % self.step

    def add(self, at: int, events: int, values: Sequence[float] | Floats) -> None:
        """Take a point."""
        self.rows.append(np.concatenate([[at, events], values]))
        if len(self.rows) >= self.most:
            self.step *= 2
            self.rows = [row for row in self.rows if row[EVENTS] % self.step == 0]

    def table(self) -> Floats:
        """All points, a row each."""
        return np.array(self.rows).reshape(len(self.rows), self.width)

    def record(self) -> dict[str, Any]:
        """As plain values and arrays."""
        return {"step": self.step, "points": self.table()}

    def restore(self, record: dict[str, Any]) -> None:
        """Go on from a record."""
        self.step, self.rows = record["step"], list(record["points"])
