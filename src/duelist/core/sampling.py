"""Small random helpers shared by kernels."""

from __future__ import annotations

import math
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


@kernel
def beta_above(won: float, lost: float, least: float, rng: np.random.Generator) -> float:
    """A draw of Beta(won, lost) if it is above `least`, else -1: exact, and a draw that is not above costs a fifth.

    A Beta variate is above m with probability B at most (Chernoff), and an exponential one above -ln B with B. Where
    it is, two Gamma variates are drawn as the bound takes them, with m as the mean of their ratio, and kept with the
    probability that makes up for it: what is kept is what a draw above m would be, as often. Pinsker saves logarithms.
    """
    total = won + lost
    behind = least * total - won
    if behind <= 0.0:
        value = float(rng.beta(won, lost))
        return value if value > least else -1.0
    tail = rng.standard_exponential()
    if tail * total <= 2.0 * behind * behind or least >= 1.0:
        return -1.0
    mean = won / total
    if tail <= won * math.log(mean / least) + lost * math.log((1.0 - mean) / (1.0 - least)):
        return -1.0
    first, second = rng.standard_gamma(won) / mean, rng.standard_gamma(lost) / (1.0 - mean)
    if first <= second or rng.standard_exponential() <= (least - mean) * (first - second):
        return -1.0
    first, second = least * first, (1.0 - least) * second
    return float(first / (first + second))
