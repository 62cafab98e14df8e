"""Small random helpers shared by kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints


@kernel
def below(n: int, rng: np.random.Generator) -> int:
    """A uniformly random whole number from 0 to n - 1."""
    return int(rng.random() * n)


@kernel
def shuffle(items: Ints, size: int, rng: np.random.Generator) -> None:
    """Put the first `size` items in a uniformly random order."""
    for last in range(size - 1, 0, -1):
        other = below(last + 1, rng)
        items[last], items[other] = items[other], items[last]


@kernel
def coin(outcome: float, rng: np.random.Generator) -> bool:
    """Whether the left arm won; a graded outcome is decided by a coin of that bias."""
    return outcome == 1.0 or (outcome > 0.0 and rng.random() < outcome)


@kernel
def argmax(values: Any, rng: np.random.Generator) -> int:
    """The index of the largest value, uniformly random among ties."""
    best, ties = 0, 1
    for i in range(1, values.size):
        if values[i] > values[best]:
            best, ties = i, 1
        elif values[i] == values[best]:
            ties += 1
            if rng.random() * ties < 1.0:
                best = i
    return best


@kernel
def highest_bound(
    mean: Floats, width: Floats, row: int, scale: float, least: float, otherwise: int, rng: np.random.Generator
) -> int:
    """The column of a row with the highest mean + scale * width, uniformly random among ties.

    `otherwise` if none reaches `least`.
    """
    best, highest, ties = otherwise, least, 0
    for column in range(mean.shape[1]):
        bound = mean[row, column] + scale * width[row, column]
        if bound > highest or (bound == highest and ties == 0):
            best, highest, ties = column, bound, 1
        elif bound == highest:
            ties += 1
    if (
        ties > 1
    ):  # one draw for all: where many runs go in step, luck inside the loop would make each wait for every other
        skip = below(ties, rng)
        for column in range(best + 1, mean.shape[1]):
            if skip > 0 and mean[row, column] + scale * width[row, column] == highest:
                best, skip = column, skip - 1
    return best
