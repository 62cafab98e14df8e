"""Value functions v: a point w is preferred to w' with the probability link(v(w) - v(w')).

Yue, Joachims. Interactively Optimizing Information Retrieval Systems as a Dueling Bandits
Problem. ICML 2009. Its settings P1 to P5 (section 5.1) are "p1" to "p5" here; it counts coordinates from 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from duelist.core.compile import kernel
from duelist.core.memory import Floats


@kernel
def squares(w: Floats) -> float:
    """v1: less the sum of squares."""
    total = 0.0
    for i in range(w.size):
        total += w[i] * w[i]
    return -total


@kernel
def magnitudes(w: Floats) -> float:
    """v2: less the sum of magnitudes. The paper prints |w|; only this norm gives its table."""
    total = 0.0
    for i in range(w.size):
        total += abs(w[i])
    return -total


@kernel
def alternating(w: Floats) -> float:
    """v3: squares of the odd coordinates, magnitudes of the even ones."""
    total = 0.0
    for i in range(w.size):
        total += w[i] * w[i] if i % 2 == 0 else abs(w[i])
    return -total


@kernel
def steep(w: Floats) -> float:
    """v4: exponentials on both sides."""
    total = 0.0
    for i in range(w.size):
        grown = math.exp(w[i])
        total += grown + 1.0 / grown
    return -total


@kernel
def lopsided(w: Floats) -> float:
    """v5: v3, and an exponential on one side of two coordinates in three."""
    total = 0.0
    for i in range(w.size):
        total += w[i] * w[i] if i % 2 == 0 else abs(w[i])
        if i % 3 == 0:
            total += math.exp(max(w[i], 0.0))
        elif i % 3 == 1:
            total += math.exp(max(-w[i], 0.0))
    return -total


class Value(NamedTuple):
    """A function of a point, written so that numba compiles it, and its best point: `best`, or 0."""

    function: Callable[[Floats], float]
    best: Any = None
    name: str = "own"


VALUES = {
    name: Value(function, None, name)
    for name, function in (
        ("p1", squares),
        ("p2", magnitudes),
        ("p3", alternating),
        ("p4", steep),
        ("p5", lopsided),
    )
}
