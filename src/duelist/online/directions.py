"""Random directions to try."""

from __future__ import annotations

import math

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Floats


@kernel
def draw_direction(directions: Floats, row: int, rng: np.random.Generator) -> None:
    """A vector of length 1, uniformly random on the sphere."""
    total = 0.0
    for column in range(directions.shape[1]):
        value = rng.standard_normal()
        directions[row, column] = value
        total += value * value
    scale = 1.0 / math.sqrt(total)
    for column in range(directions.shape[1]):
        directions[row, column] *= scale
