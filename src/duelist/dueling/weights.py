"""Exponential weights that are drawn from and moved in a few operations."""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Declared, Floats, Ints, per_arm, single
from duelist.core.sampling import below


class Weights(Declared):
    """One weight an arm, kept as its logarithm; the exponentials are cached."""

    log: Floats = per_arm()
    value: Floats = per_arm(fill=1)  # exp(log - base)
    base: Floats = single(float)
    total: Floats = single(float)  # of the values; set by start_weights
    moves: Ints = single(int)  # since the values were last computed afresh


@kernel
def start_weights(weights: Weights) -> None:
    """All arms weigh the same."""
    weights.total[0] = weights.n_arms


@kernel
def draw(weights: Weights, mix: float, rng: np.random.Generator) -> int:
    """An arm: uniform with probability `mix`, else in proportion to its weight."""
    u = rng.random()
    if u < mix:
        return below(weights.n_arms, rng)
    rest = (u - mix) / (1.0 - mix) * weights.total[0]
    for arm in range(weights.n_arms - 1):
        rest -= weights.value[arm]
        if rest < 0.0:
            return arm
    return weights.n_arms - 1


@kernel
def chance(weights: Weights, arm: int, mix: float) -> float:
    """The probability that `draw` gives `arm`."""
    return float((1.0 - mix) * weights.value[arm] / weights.total[0] + mix / weights.n_arms)


@kernel
def move(weights: Weights, arm: int, step: float) -> None:
    """Multiply the weight of `arm` by exp(step)."""
    weights.log[arm] += step
    weights.moves[0] += 1
    if weights.moves[0] >= 1024 or weights.log[arm] - weights.base[0] > 50.0:
        refresh(weights)  # or rounding errors pile up and exponentials overflow
    else:
        value = math.exp(weights.log[arm] - weights.base[0])
        weights.total[0] += value - weights.value[arm]
        weights.value[arm] = value


@kernel
def refresh(weights: Weights) -> None:
    """Compute every value afresh, the largest being 1."""
    weights.moves[0] = 0
    weights.base[0] = weights.log[0]
    for arm in range(weights.n_arms):
        weights.base[0] = max(weights.base[0], weights.log[arm])
    weights.total[0] = 0.0
    for arm in range(weights.n_arms):
        weights.value[arm] = math.exp(weights.log[arm] - weights.base[0])
        weights.total[0] += weights.value[arm]
