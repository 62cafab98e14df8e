"""One number per user, frozen when the user's window closes.

A delta is a user's mean preference for the first ranker over the second: the mean, over the
user's impressions, of the difference of the two scores. A test that may be watched needs every
user to enter once, with a number that never changes again. Recomputing users' totals as clicks
arrive breaks it: that gives two to four times as many false alarms as promised.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from duelist.core.errors import BadInput
from duelist.core.growing import Growing
from duelist.core.memory import Floats


class Frozen(NamedTuple):
    """Users whose windows have closed, in the order of closing."""

    users: tuple[Any, ...]  # as they were given, names or hashes
    deltas: Floats  # a user's mean preference within the window
    closes: Floats  # when the user's window closed
    open: int  # users whose window has not closed: they enter later
    late: int  # impressions of users that came after their window: they never count


def check_deltas(deltas: Any) -> Floats:
    """Deltas as floats, or an error that names the first bad one."""
    try:
        values = np.array(deltas, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(f"every delta must be a number: {error}") from None
    if values.ndim != 1:
        raise BadInput(f"deltas are one number a user, not an array of shape {values.shape}")
    if not (finite := np.isfinite(values)).all():
        raise BadInput(f"delta {int((~finite).argmax())} must be a finite number, not {values[~finite][0]}")
    return values


def check_share(name: str, value: float) -> float:
    """A probability strictly between 0 and 1, or an error that says so."""
    if not 0 < value < 1:
        raise BadInput(f"{name} must be above 0 and below 1, not {value!r}")
    return float(value)


def freeze(
    users: Sequence[Any] | npt.NDArray[Any], times: Any, preferences: Any, window: float, now: float | None = None
) -> Frozen:
    """The deltas of users whose windows have closed by `now`.

    A user's window opens with the first impression and closes `window` later, in the unit of `times`; impressions
    before that count, and the first always does. `now` is the time of the last impression unless
    it is given; `math.inf` says that the experiment has ended, so that every window is closed.
    Looking later only appends users: nothing that was seen before changes.

    >>> times = [0, 10, 20, 30, 95]
    >>> freeze(["ann", "ann", "bob", "ann", "cy"], times, [1, 0, -1, 1, 1], window=25)
    Frozen(users=('ann', 'bob'), deltas=array([ 0.5, -1. ]), closes=array([25., 45.]), open=1, late=1)
    """
    preferences, times = check_deltas(preferences), check_deltas(times)
    if not len(users) == len(times) == len(preferences):
        raise BadInput(
            f"one user, time and preference an impression, not {len(users)}, {len(times)}, {len(preferences)}"
        )
    if not window >= 0:
        raise BadInput(f"window must be at least 0, not {window!r}")
    # Sorted by name, so that users whose windows close together keep one order whatever the log's.
    given = users if isinstance(users, np.ndarray) else np.array(users, dtype=object)
    names, of_impression = np.unique(given, return_inverse=True)
    freezer, order = Freezer(window), np.argsort(times, kind="stable")
    freezer.add(of_impression[order], times[order], preferences[order])
    frozen = freezer.frozen(float(times.max(initial=-math.inf)) if now is None else now)
    return frozen._replace(users=tuple(names[np.array(frozen.users, np.intp)].tolist()))


class Freezer:
    """The same, one portion of impressions after another in the order of time; users are numbers from 0.

    Nothing is kept but three numbers a user.

    >>> freezer = Freezer(window=25)
    >>> freezer.add(np.array([0, 0, 1]), np.array([0.0, 10, 20]), np.array([1.0, 0, -1]))
    >>> freezer.add(np.array([0, 2]), np.array([30.0, 95]), np.array([1.0, 1]))
    >>> freezer.frozen(now=95)
    Frozen(users=(0, 1), deltas=array([ 0.5, -1. ]), closes=array([25., 45.]), open=1, late=1)
    """

    def __init__(self, window: float) -> None:
        self.window, self.late = window, 0
        self.first, self.number, self.total = Growing(math.inf), Growing(), Growing()

    def add(self, users: Any, times: Floats, preferences: Floats) -> None:
        """Enter impressions."""
        self.first.lower(users, times)
        age = times - self.first.values[users]
        counted = (age < self.window) | (age == 0)
        self.number.add(users[counted], 1.0)
        self.total.add(users[counted], preferences[counted])
        self.late += int((~counted).sum())

    def closed(self, now: float) -> int:
        """How many users' windows have closed."""
        return int((self.first.values + self.window <= now)[np.isfinite(self.first.values)].sum())

    def frozen(self, now: float) -> Frozen:
        """Users whose windows have closed."""
        known = np.flatnonzero(np.isfinite(self.first.values))
        closes = self.first.values[known] + self.window
        order = np.argsort(closes, kind="stable")
        order = order[closes[order] <= now]
        users = known[order]
        deltas = self.total.values[users] / self.number.values[users]
        return Frozen(tuple(users.tolist()), deltas, closes[order], len(known) - len(users), self.late)
