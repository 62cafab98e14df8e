"""A quicksort that goes on duel by duel and believes each one."""

from __future__ import annotations

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Declared, Ints, per_arm, single, table
from duelist.core.sampling import below, shuffle


class Sorting(Declared):
    """Arms in an order, and the part of it whose arms meet their pivot."""

    order: Ints = per_arm(int)
    low: Ints = single(int)  # the part is order[low:high], its pivot first, then those that won against it
    high: Ints = single(int)
    last: Ints = single(int)  # place of the last of those that won; of the pivot, once all have met it
    at: Ints = single(int)  # whose turn it is to duel the pivot
    waiting: Ints = table(lambda k: (2 * k,), int)  # both ends of each part that waits to be sorted
    n_waiting: Ints = single(int)


@kernel
def start_sorting(sorting: Sorting, rng: np.random.Generator) -> None:
    """All arms, in a random order, are one part."""
    for arm in range(sorting.n_arms):
        sorting.order[arm] = arm
    shuffle(sorting.order, sorting.n_arms, rng)
    begin_part(sorting, 0, sorting.n_arms, rng)


@kernel
def begin_part(sorting: Sorting, low: int, high: int, rng: np.random.Generator) -> None:
    """Sort another part, around a pivot drawn from it."""
    swap(sorting, low, low + below(high - low, rng))
    sorting.low[0] = sorting.last[0] = low
    sorting.high[0] = high
    sorting.at[0] = low + 1


@kernel
def waits_for(sorting: Sorting, left: int, right: int) -> bool:
    """Whether this duel is the next comparison, and not one that is over."""
    return bool(left == sorting.order[sorting.at[0]] and right == sorting.order[sorting.low[0]])


@kernel
def tell_part(sorting: Sorting, won: bool) -> bool:
    """Whose turn it was has won against the pivot or lost; whether all have met it.

    Then those who won stand before the pivot, and the others behind.
    """
    if won:
        sorting.last[0] += 1
        swap(sorting, sorting.last[0], sorting.at[0])
    sorting.at[0] += 1
    if sorting.at[0] < sorting.high[0]:
        return False
    swap(sorting, sorting.low[0], sorting.last[0])
    return True


@kernel
def next_part(sorting: Sorting, rng: np.random.Generator) -> bool:
    """Go on with one side of the pivot, the other side waits; False if all is sorted."""
    add_part(sorting, sorting.low[0], sorting.last[0])
    add_part(sorting, sorting.last[0] + 1, sorting.high[0])
    if sorting.n_waiting[0] == 0:
        return False
    sorting.n_waiting[0] -= 1
    place = 2 * sorting.n_waiting[0]
    begin_part(sorting, sorting.waiting[place], sorting.waiting[place + 1], rng)
    return True


@kernel
def add_part(sorting: Sorting, low: int, high: int) -> None:
    """One arm alone is sorted."""
    if high - low > 1:
        sorting.waiting[2 * sorting.n_waiting[0]] = low
        sorting.waiting[2 * sorting.n_waiting[0] + 1] = high
        sorting.n_waiting[0] += 1


@kernel
def swap(sorting: Sorting, a: int, b: int) -> None:
    """Exchange two places of the order."""
    sorting.order[a], sorting.order[b] = sorting.order[b], sorting.order[a]
