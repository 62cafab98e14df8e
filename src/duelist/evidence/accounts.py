"""What each user has added up to, in one pass: the evidence between two rankers, one impression after another.

An impression enters when it is closed, with a preference that never changes again; its user may
come back for as long as the experiment lasts. Nothing is waited for, and nothing counted is taken back.

What is assumed. Users are independent of each other, and a user's later preferences are not
negatively correlated with the earlier ones: a taste persists. The variance of the sum then grows at
least as fast as that of independent steps, and by Slepian's inequality such a sum crosses a boundary
in its own clock no more often than Brownian motion does. The order of closing does not depend on the
preferences: some time after being shown is good, "when it is clicked" is not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.record import reading
from duelist.evidence.deltas import check_share
from duelist.evidence.limits import effective_size, mean_limits
from duelist.evidence.sequential import LARGEST
from duelist.evidence.table import (
    BEGAN,
    CROSS,
    FOURTHS,
    FULLEST,
    HIGHEST,
    IMPRESSIONS,
    LOG_E,
    LOSSES,
    SIZES,
    SQUARES,
    SUMS,
    TOTAL,
    USERS,
    WINS,
    Counts,
    Hashes,
    compiled_enter,
    rehash,
)

SMALLEST = 1024  # slots of an empty table, a power of two
HUGEST = 1e30  # of a preference: its fourth power can still be added up
ARRAYS = {"keys": np.uint64, "totals": np.float64, "counts": np.uint32, "sums": np.float64}


class Accounts:
    """Users' totals between two rankers; positive numbers are for the first.

    `add` takes hashes of users and the preferences of closed impressions, in the order of closing.
    Memory is 20 bytes for a slot of the table, of which at least three eighths are in use.

    >>> accounts = Accounts()
    >>> users = np.arange(300, dtype=np.uint64) % 200  # half of them came twice
    >>> accounts.add(users, np.where(users % 10 < 6, 1.0, -0.5))
    >>> accounts.users, accounts.impressions, accounts.wins, accounts.losses, accounts.mean
    (200, 300, 120, 80, 0.4)
    >>> [round(limit, 3) for limit in accounts.limits(alpha=0.05)]
    [0.219, 0.581]
    """

    def __init__(self) -> None:
        self.keys: Hashes = np.zeros(SMALLEST, np.uint64)
        self.totals = np.zeros(SMALLEST)
        self.counts: Counts = np.zeros(SMALLEST, np.uint32)
        self.sums = np.zeros(len(SUMS))

    def add(self, users: Any, preferences: Any) -> None:
        """Enter closed impressions, one or many: a 64-bit hash of the user and the preference of each."""
        hashes = np.ascontiguousarray(np.atleast_1d(users), np.uint64)
        values = np.ascontiguousarray(np.atleast_1d(preferences), np.float64)
        if hashes.shape != values.shape or hashes.ndim != 1:
            raise BadInput(f"one user a preference, not {hashes.shape} and {values.shape}")
        if not (np.abs(values) <= HUGEST).all():
            bad = values[~(np.abs(values) <= HUGEST)][0]
            raise BadInput(f"a preference must be a number between -{HUGEST:g} and {HUGEST:g}, not {bad}")
        enter, done = compiled_enter(), 0
        while done < len(hashes):
            done += enter(self.keys, self.totals, self.counts, self.sums, hashes[done:], values[done:])
            if self.users >= FULLEST * len(self.keys):
                self._grow()

    def _grow(self) -> None:
        slots = 2 * len(self.keys)
        larger = np.zeros(slots, np.uint64), np.zeros(slots), np.zeros(slots, np.uint32)
        rehash(self.keys, self.totals, self.counts, *larger)
        self.keys, self.totals, self.counts = larger

    @property
    def users(self) -> int:
        """Users seen."""
        return int(self.sums[USERS])

    @property
    def impressions(self) -> int:
        """Impressions entered."""
        return int(self.sums[IMPRESSIONS])

    @property
    def wins(self) -> int:
        """Users whose total is for the first ranker."""
        return int(self.sums[WINS])

    @property
    def losses(self) -> int:
        """Users whose total is for the second."""
        return int(self.sums[LOSSES])

    @property
    def ties(self) -> int:
        """Users whose total is 0."""
        return self.users - self.wins - self.losses

    @property
    def total(self) -> float:
        """The sum of all preferences."""
        return float(self.sums[TOTAL])

    @property
    def squares(self) -> float:
        """The sum of users' squared totals: the variance of `total` if there is no difference."""
        return float(self.sums[SQUARES])

    @property
    def mean(self) -> float:
        """The mean preference of an impression."""
        return self.total / max(1, self.impressions)

    @property
    def effective(self) -> float:
        """How many users of equal weight there are in effect; limits begin at `START` of them."""
        return float(effective_size(self.squares, self.sums[FOURTHS]))

    @property
    def begun(self) -> bool:
        """Whether there are enough users for limits."""
        return bool(self.sums[BEGAN] > 0)

    def limits(self, alpha: float = 0.05) -> tuple[float, float]:
        """The confidence sequence of the mean now; infinite before it has begun."""
        check_share("alpha", alpha)
        sums = self.sums
        low, high = mean_limits(
            sums[IMPRESSIONS], sums[TOTAL], sums[SQUARES], sums[CROSS], sums[SIZES], sums[BEGAN], alpha
        )
        return float(low), float(high)

    @property
    def e_value(self) -> float:
        """Against "as many users turn first to the one as to the other": each enters by the first preference not 0."""
        return math.exp(min(float(self.sums[LOG_E]), LARGEST))

    @property
    def p_value(self) -> float:
        """It may be watched: one over the largest e-value so far."""
        return math.exp(-float(self.sums[HIGHEST]))

    def record(self) -> dict[str, Any]:
        """The whole state as arrays: `from_record` continues from it as if nothing had happened."""
        return {name: getattr(self, name).copy() for name in ARRAYS}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Accounts:
        """The accounts that a record was made of."""
        accounts = cls()
        with reading("accounts of users"):
            for name, kind in ARRAYS.items():
                setattr(accounts, name, np.array(record[name], kind))
        slots = len(accounts.keys)
        lengths = [len(getattr(accounts, name)) for name in ARRAYS]
        if lengths != [slots, slots, slots, len(SUMS)] or slots < SMALLEST or slots & (slots - 1):
            raise BadInput(f"not the record of accounts of users: its arrays have {lengths} entries")
        return accounts
