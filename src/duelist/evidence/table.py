"""Users and their totals, and the sums over users that evidence is made of, as compiled code over arrays.

The table is open addressing over 64-bit hashes of users, 20 bytes a slot. Every impression changes one user
and the sums by what that user changed, so that nothing is ever added up again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from duelist.core.compile import compiled, kernel, once, specialise
from duelist.core.hashes import EMPTY, FULLEST, MIX, Hashes, find
from duelist.core.memory import Floats
from duelist.evidence.limits import START
from duelist.evidence.sequential import PRIOR

Counts = npt.NDArray[np.uint32]

UNIT = 1 / (math.sqrt(1.5) - math.sqrt(0.5))  # a user's first impression weighs 1
DECIDED = np.uint32(1 << 31)  # of a user's count: some preference was not 0
COUNT = np.uint32((1 << 31) - 1)
SOON = 50  # impressions before the first look that is kept, and at least between two
PACE = 0.02  # the sums are kept at every so much more impressions, for the course of the limits

SUMS = (
    "users",
    "impressions",
    "wins",  # users whose total is positive
    "losses",
    "first_wins",  # users whose first preference that was not 0 was positive: frozen, for the e-value
    "first_losses",
    "highest",  # the largest logarithm of the e-value so far
    "log_e",
    "weight",  # of all impressions
    "total",  # of all preferences, weighed
    "squares",  # sums over users: of total^2,
    "fourths",  # total^4,
    "cross",  # total x weight,
    "sizes",  # weight^2,
    "third",  # total^3 x weight,
    "second",  # total^2 x weight^2,
    "first",  # total x weight^3,
    "zeroth",  # weight^4
    "began",  # squares when the confidence sequence began; 0 while it has not
)
(
    USERS,
    IMPRESSIONS,
    WINS,
    LOSSES,
    FIRST_WINS,
    FIRST_LOSSES,
    HIGHEST,
    LOG_E,
    WEIGHT,
    TOTAL,
    SQUARES,
    FOURTHS,
    CROSS,
    SIZES,
    THIRD,
    SECOND,
    FIRST,
    ZEROTH,
    BEGAN,
) = range(len(SUMS))


@kernel
def weight_of(count: float) -> float:
    """What so many impressions of one user weigh together."""
    return (math.sqrt(count + 0.5) - math.sqrt(0.5)) * UNIT


@kernel
def bet(sums: Floats, preference: float) -> None:
    """A user's first preference that is not 0 enters the e-value, as Beta(10, 10) bets."""
    side = FIRST_WINS if preference > 0 else FIRST_LOSSES
    seen = sums[FIRST_WINS] + sums[FIRST_LOSSES]
    sums[LOG_E] += math.log(2 * (sums[side] + PRIOR) / (seen + 2 * PRIOR))
    sums[HIGHEST] = max(sums[HIGHEST], sums[LOG_E])
    sums[side] += 1


@kernel
def move(sums: Floats, before: float, after: float, light: float, heavy: float) -> None:
    """A user's total and weight have moved by an impression."""
    sums[WINS] += (after > 0) - (before > 0)
    sums[LOSSES] += (after < 0) - (before < 0)
    old, new = before * before, after * after
    sums[IMPRESSIONS] += 1
    sums[SQUARES] += new - old
    sums[FOURTHS] += new * new - old * old
    sums[WEIGHT] += heavy - light
    sums[TOTAL] += after - before
    sums[CROSS] += after * heavy - before * light
    large, small = heavy * heavy, light * light
    sums[SIZES] += large - small
    sums[THIRD] += new * after * heavy - old * before * light
    sums[SECOND] += new * large - old * small
    sums[FIRST] += after * heavy * large - before * light * small
    sums[ZEROTH] += large * large - small * small
    enough = sums[SQUARES] * sums[SQUARES] >= START * sums[FOURTHS]
    if not enough or sums[WINS] + sums[LOSSES] < START:  # the second follows, but for what rounding leaves of zeros
        sums[BEGAN] = 0
    elif sums[BEGAN] == 0:
        sums[BEGAN] = sums[SQUARES]


@kernel
def look_after(last: float) -> float:
    """After how many impressions the sums are kept next, after a look at so many."""
    return max(last + SOON, float(math.ceil(last * (1 + PACE))))


@kernel
def keep(sums: Floats, looks: Floats, number: int) -> None:
    """Keep the sums as a look of this number."""
    for place in range(sums.size):
        looks[number, place] = sums[place]


def enter(
    keys: Hashes,
    totals: Floats,
    counts: Counts,
    sums: Floats,
    users: Hashes,
    preferences: Floats,
    last: float,
    looks: Floats,
) -> tuple[int, int]:
    """Enter impressions until all are in or the table is full; how many are in, and how many looks were kept.

    `last` is the number of impressions at the last look.
    """
    room, look, kept = FULLEST * keys.size, look_after(last), 0
    for i in range(users.size):
        if sums[IMPRESSIONS] >= look:
            keep(sums, looks, kept)
            look, kept = look_after(sums[IMPRESSIONS]), kept + 1
        if sums[USERS] >= room:
            return i, kept
        key = users[i] if users[i] != EMPTY else MIX
        slot = find(keys, key)
        if keys[slot] == EMPTY:
            keys[slot] = key
            sums[USERS] += 1
        before, preference = totals[slot], preferences[i]
        count = (counts[slot] & COUNT) + 1
        if preference != 0 and counts[slot] < DECIDED:
            bet(sums, preference)
            counts[slot] = DECIDED
        counts[slot] = (counts[slot] & DECIDED) | np.uint32(count)
        light, heavy = weight_of(count - 1.0), weight_of(float(count))
        totals[slot] = before + preference * (heavy - light)
        move(sums, before, totals[slot], light, heavy)
    if sums[IMPRESSIONS] >= look:
        keep(sums, looks, kept)
        kept += 1
    return users.size, kept


@compiled
def rehash(
    keys: Hashes, totals: Floats, counts: Counts, new_keys: Hashes, new_totals: Floats, new_counts: Counts
) -> None:
    """Move every user to a larger table."""
    for i in range(keys.size):
        if keys[i] != EMPTY:
            slot = find(new_keys, keys[i])
            new_keys[slot], new_totals[slot], new_counts[slot] = keys[i], totals[i], counts[i]


@once
def compiled_enter() -> Callable[..., Any]:
    """`enter` without the look-up by types, which takes far longer than one impression does."""
    hashes, numbers = np.zeros(1, np.uint64), np.zeros(1)
    table = hashes, numbers, np.zeros(1, np.uint32), numbers
    return specialise(enter, {}).entry(*table, hashes, numbers, 1.0, np.zeros((1, 1)))
