"""Links: how a difference of values becomes the chance to be preferred.

A link rises from 0 to 1, is symmetric, link(x) = 1 - link(-x), and steepest at 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from duelist.core.compile import kernel

SQRT_HALF = math.sqrt(0.5)


@kernel
def logistic(x: float) -> float:
    """1 / (1 + exp(-x)), the paper's; its steepest slope is 1/4."""
    tail = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else tail) / (1.0 + tail)


@kernel
def normal(x: float) -> float:
    """The normal distribution function (Thurstone's model); its steepest slope is 1 / sqrt(2 pi)."""
    return 0.5 * math.erfc(-x * SQRT_HALF)


LINKS: dict[str, Callable[[float], float]] = {"logistic": logistic, "normal": normal}
