"""A round robin over pairs of arms, from which pairs can be dropped."""

from __future__ import annotations

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Declared, Ints, single, table
from duelist.core.sampling import below


class Pairs(Declared):
    """The pairs still to be dueled, in a random order that is gone through again and again."""

    first: Ints = table(lambda k: (k * (k - 1) // 2,), int)
    second: Ints = table(lambda k: (k * (k - 1) // 2,), int)
    left: Ints = single(int)  # how many pairs
    place: Ints = single(int)  # of the next pair


@kernel
def start_pairs(pairs: Pairs, rng: np.random.Generator) -> None:
    """All pairs, in a random order."""
    size = 0
    for i in range(pairs.n_arms):
        for j in range(i):
            place = below(size + 1, rng)
            pairs.first[size], pairs.second[size] = pairs.first[place], pairs.second[place]
            pairs.first[place], pairs.second[place] = (i, j) if rng.random() < 0.5 else (j, i)
            size += 1
    pairs.left[0] = size


@kernel
def advance(pairs: Pairs, i: int, j: int) -> None:
    """Go on to the next pair if (i, j) was the one waited for."""
    place = pairs.place[0]
    if pairs.first[place] == i and pairs.second[place] == j:
        pairs.place[0] = place + 1 if place + 1 < pairs.left[0] else 0


@kernel
def drop(pairs: Pairs) -> None:
    """Remove the pair whose turn it is; the last pair takes its turn."""
    pairs.left[0] -= 1
    last, place = pairs.left[0], pairs.place[0]
    pairs.first[place], pairs.second[place] = pairs.first[last], pairs.second[last]
    if place == last:
        pairs.place[0] = 0
