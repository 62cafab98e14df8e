"""The papers' step sizes and regret bound, from the horizon T, the radius R, the dimension d and Lipschitz constants.

L is that of the chance to be preferred: the link's constant times the value's.
"""

from __future__ import annotations

import math


def proven_distance(horizon: int, reach: float, dimension: int, lipschitz: float) -> float:
    """delta of Theorem 2 of Yue and Joachims: sqrt(2 R d / 13 L) / T^(1/4)."""
    return math.sqrt(2 * reach * dimension / (13 * lipschitz)) / math.pow(horizon, 0.25)


def practical_distance(horizon: int, reach: float, dimension: int, factor: float) -> float:
    """delta of their experiments, where L is unknown: delta_L sqrt(0.4 R d) / T^(1/4).

    With the factor delta_L = 1 / sqrt(L) it is that of Corollary 2.
    """
    return factor * math.sqrt(0.4 * reach * dimension) / math.pow(horizon, 0.25)


def proven_rate(horizon: int, reach: float) -> float:
    """gamma: R / sqrt(T)."""
    return reach / math.sqrt(horizon)


def informed_rate(horizon: int, reach: float, path: float) -> float:
    """gamma of Theorem 1 of Lu et al. for an optimum that moves, if one knew how far it goes in all."""
    return math.sqrt((5 * reach**2 + 2 * reach * path) / horizon)


def regret_bound(
    horizon: int, reach: float, dimension: int, value_slope: float, link_slope: float, link_curvature: float
) -> float:
    """Theorem 2 of Yue and Joachims: 2 lambda T^(3/4) sqrt(26 R d L), for a start at 0; infinite where it says nothing.

    >>> round(regret_bound(10**6, 1.0, 2, 3.2, 0.25, 0.0962) / 10**6, 3)  # a duel
    0.418
    """
    lipschitz = value_slope * link_slope
    near = link_slope - proven_distance(horizon, reach, dimension, lipschitz) * value_slope * link_curvature
    if near <= 0:
        return math.inf
    return 2 * link_slope / near * math.pow(horizon, 0.75) * math.sqrt(26 * reach * dimension * lipschitz)
