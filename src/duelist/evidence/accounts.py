"""What each user has added up to, in one pass: the evidence between two rankers, one impression after another.

An impression enters when it is closed, with a preference that never changes again; its user may
come back for as long as the experiment lasts. Nothing is waited for, and nothing counted is taken back.

The k-th impression of a user weighs about 1/sqrt(k): 1, 0.69, 0.56, 0.48, ... A weight depends on nothing but the
number of earlier ones, so it is frozen too. Where tastes persist, a user's hundredth visit says little
that the others did not, and without weights a few heavy users outweigh the crowd.

What is assumed. Users are independent of each other, and a user's later preferences are not
negatively correlated with the earlier ones: a taste persists. The variance of the sum then grows at
least as fast as that of independent steps, and by Slepian's inequality such a sum crosses a boundary
in its own clock no more often than Brownian motion does. The order of closing does not depend on the
preferences: some time after being shown is good, "when it is clicked" is not.

Where preferences have a `bound` (values under a cap), one user more is imagined from the beginning, whose total is half
of it. Limits then begin when what has come outweighs twice the square of the bound, so that a value that is too rare to
have come yet cannot turn them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.hashes import FULLEST, SMALLEST, Hashes
from duelist.core.memory import Floats, Ints
from duelist.core.record import reading
from duelist.evidence.deltas import check_share
from duelist.evidence.limits import IMAGINED, START, Moments, effective_size, mean_limits, way_to_verdict
from duelist.evidence.sequential import LARGEST
from duelist.evidence.table import (
    BEGAN,
    COUNT,
    CROSS,
    FIRST,
    FIRST_LOSSES,
    FIRST_WINS,
    FOURTHS,
    HIGHEST,
    IMPRESSIONS,
    LOG_E,
    LOSSES,
    SECOND,
    SIZES,
    SOON,
    SQUARES,
    SUMS,
    THIRD,
    TOTAL,
    UNIT,
    USERS,
    WEIGHT,
    WINS,
    ZEROTH,
    Counts,
    compiled_enter,
    rehash,
)

HUGEST = 1e30  # of a preference: its fourth power can still be added up
ARRAYS = {"keys": np.uint64, "totals": np.float64, "counts": np.uint32, "sums": np.float64, "looks": np.float64}


def user_hash(name: str) -> int:
    """A user's name as 64 bits, the same in every process.

    >>> hex(user_hash("ann"))
    '0x8d3adf6abf23f3a5'
    """
    return int.from_bytes(blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest(), "big")


# Which powers of a user's total and weight are added up where, in the order of `Moments`.
POWERS = {
    WEIGHT: (0, 1),
    TOTAL: (1, 0),
    SQUARES: (2, 0),
    CROSS: (1, 1),
    SIZES: (0, 2),
    FOURTHS: (4, 0),
    THIRD: (3, 1),
    SECOND: (2, 2),
    FIRST: (1, 3),
    ZEROTH: (0, 4),
}


class Course(NamedTuple):
    """A mean and its confidence sequence at each look; infinitely wide before it has begun."""

    n: Ints  # users
    mean: Floats
    low: Floats
    high: Floats
    impressions: Ints


class Accounts:
    """Users' totals between two rankers; positive numbers are for the first.

    `add` takes hashes of users and the preferences of closed impressions, in the order of closing.
    Memory is 20 bytes for a slot of the table, of which at least three eighths are in use. A `bound` is of every
    preference: see above.

    >>> accounts = Accounts()
    >>> users = np.arange(300, dtype=np.uint64) % 200  # half of them came twice
    >>> accounts.add(users, np.where(users % 10 < 6, 1.0, -0.5))
    >>> accounts.users, accounts.impressions, accounts.wins, accounts.losses, round(accounts.mean, 3)
    (200, 300, 120, 80, 0.4)
    >>> [round(limit, 3) for limit in accounts.limits(alpha=0.05)]
    [0.231, 0.569]
    """

    def __init__(self, bound: float | None = None) -> None:
        if bound is not None and not 0 < bound <= HUGEST:
            raise BadInput(f"bound must be a number above 0, at most {HUGEST:g}, not {bound!r}")
        self.bound = HUGEST if bound is None else float(bound)
        self.keys: Hashes = np.zeros(SMALLEST, np.uint64)
        self.totals = np.zeros(SMALLEST)
        self.counts: Counts = np.zeros(SMALLEST, np.uint32)
        self.sums = np.zeros(len(SUMS))
        if bound is not None:
            self.sums[[SQUARES, FOURTHS]] = (IMAGINED * bound) ** 2, (IMAGINED * bound) ** 4
        self.looks = np.zeros((0, len(SUMS)))  # the sums at earlier looks
        self._shared = False  # whether others read the same table

    def add(self, users: Any, preferences: Any) -> None:
        """Enter closed impressions, one or many: a 64-bit hash of the user and the preference of each."""
        hashes = np.ascontiguousarray(np.atleast_1d(np.asarray(users, np.uint64)))
        values = np.ascontiguousarray(np.atleast_1d(np.asarray(preferences, np.float64)))
        if hashes.shape != values.shape or hashes.ndim != 1:
            raise BadInput(f"one user a preference, not {hashes.shape} and {values.shape}")
        if not (np.abs(values) <= self.bound).all():
            bad = values[~(np.abs(values) <= self.bound)][0]
            raise BadInput(f"a preference must be a number between -{self.bound:g} and {self.bound:g}, not {bad}")
        self._own()
        enter, done = compiled_enter(), 0
        looks = np.empty((len(hashes) // SOON + 2, len(SUMS)))
        while done < len(hashes):
            table = self.keys, self.totals, self.counts, self.sums
            last = float(self.looks[-1, IMPRESSIONS]) if len(self.looks) else 0.0
            entered, kept = enter(*table, hashes[done:], values[done:], last, looks)
            done += entered
            if kept:
                self.looks = np.concatenate([self.looks, looks[:kept]])
            if self.users >= FULLEST * len(self.keys):
                self._grow()

    def rename(self, old: int, new: int) -> None:
        """Let a user go on under another hash; nothing else changes."""
        if (self.keys == np.uint64(old)).any():
            self._own()
            self.keys[self.keys == np.uint64(old)] = np.uint64(new)
            self._move(len(self.keys))

    def _own(self) -> None:
        """Have a table of one's own before it is written."""
        if self._shared:
            self.keys, self.counts, self._shared = self.keys.copy(), self.counts.copy(), False

    def _grow(self) -> None:
        self._move(2 * len(self.keys))

    def _move(self, slots: int) -> None:
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
        """The sum of all preferences, weighed."""
        return float(self.sums[TOTAL])

    @property
    def squares(self) -> float:
        """The sum of users' squared totals (and the imagined one's): the variance of `total` without a difference."""
        return float(self.sums[SQUARES])

    @property
    def mean(self) -> float:
        """The mean preference of an impression, weighed."""
        return self.total / (self.weight or 1.0)

    @property
    def weight(self) -> float:
        """What all impressions weigh."""
        return float(self.sums[WEIGHT])

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
        low, high = limits_of(self.sums, check_share("alpha", alpha))
        return float(low), float(high)

    def course(self, alpha: float = 0.05) -> Course:
        """The confidence sequence at earlier looks and now."""
        sums = np.vstack([self.looks, self.sums]).T
        impressions = sums[IMPRESSIONS].astype(np.int64)
        mean = np.divide(sums[TOTAL], sums[WEIGHT], out=np.zeros(len(impressions)), where=sums[WEIGHT] > 0)
        return Course(sums[USERS].astype(np.int64), mean, *limits_of(sums, check_share("alpha", alpha)), impressions)

    @property
    def e_value(self) -> float:
        """Against "as many users turn first to the one as to the other": each enters by the first preference not 0."""
        return math.exp(min(float(self.sums[LOG_E]), LARGEST))

    @property
    def p_value(self) -> float:
        """It may be watched: one over the largest e-value so far."""
        return math.exp(-float(self.sums[HIGHEST]))

    def per_user(self) -> tuple[Floats, Floats]:
        """Each user's total and weight, in no order that means anything."""
        used = self.keys != 0
        counts = (self.counts[used] & COUNT).astype(np.float64)
        return self.totals[used], (np.sqrt(counts + 0.5) - math.sqrt(0.5)) * UNIT

    def after(self, users: int, total: float, weight: float) -> Accounts:
        """What the sums would be after so many more users of this total and weight each."""
        more = Accounts()
        more.sums = self.sums.copy()
        more.sums[WINS if total > 0 else LOSSES] += users
        more.sums[USERS] += users
        for place, (of_total, of_weight) in POWERS.items():
            more.sums[place] += users * total**of_total * weight**of_weight
        enough = more.effective >= START
        more.sums[BEGAN] = (more.sums[BEGAN] or more.sums[SQUARES]) if enough else 0.0
        return more

    def turned(self) -> Accounts:
        """The same with the second ranker named first."""
        other = Accounts()
        other.keys, other.counts, other.totals = self.keys, self.counts, -self.totals
        other.sums, other.looks, other.bound = self.sums.copy(), self.looks.copy(), self.bound
        self._shared = other._shared = True
        for sums in (other.sums, other.looks.T):
            sums[[WINS, LOSSES, FIRST_WINS, FIRST_LOSSES]] = sums[[LOSSES, WINS, FIRST_LOSSES, FIRST_WINS]]
            sums[[TOTAL, CROSS, THIRD, FIRST]] *= -1
        return other

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
            accounts.looks = accounts.looks.reshape(-1, len(SUMS))
        slots = len(accounts.keys)
        lengths = [len(getattr(accounts, name)) for name in ARRAYS][:4]
        if lengths != [slots, slots, slots, len(SUMS)] or slots < SMALLEST or slots & (slots - 1):
            raise BadInput(f"not the record of accounts of users: its arrays have {lengths} entries")
        return accounts


def limits_of(sums: Floats, alpha: float) -> tuple[Any, Any]:
    """The confidence sequence of the mean: of the sums of one pair, or of many, each a column."""
    return mean_limits(_moments(sums), alpha)


def way_of(sums: Floats, alpha: float) -> Floats:
    """How far many pairs are on their way to a verdict (`way_to_verdict`): the sums of each are a column."""
    way: Floats = way_to_verdict(_moments(sums), alpha)
    return way


def _moments(sums: Floats) -> Moments:
    return Moments(*(sums[place] for place in (*POWERS, BEGAN)))
