"""How many users an experiment needs, and how small a preference a number of users can show.

The effect is the mean delta that is to be found, the spread the standard deviation of deltas: for
users who each prefer one ranker, the first with probability p, the effect is 2p - 1 and the spread
sqrt(1 - effect^2), about 1. The planned test is the two-sided z-test; the watched one is the
confidence sequence, whose clock is the effective size: `kurtosis` is how many users make one of
equal weight, the mean fourth power over the squared mean square (1 where every user weighs the same, 3
for normal deltas, 1 over the share of users who prefer one where the others are tied).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.evidence.deltas import check_share
from duelist.evidence.limits import START, boundary
from duelist.evidence.watch import EVERY

PACE = 100  # a watcher of a long experiment looks when one in PACE more users has come, not every EVERY users
NODES = 120  # of the numerical integration between the limits


class Crossing(NamedTuple):
    """The chance that the confidence sequence has excluded 0 by each look."""

    looks: Ints
    chance: Floats


def users_needed(
    effect: float,
    spread: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
    watched: bool = True,
    kurtosis: float = 1.0,
) -> int:
    """Users after which the effect is found with probability `power`.

    `watched` is for the confidence sequence, looked at every 25 users; otherwise for the z-test at
    the end of an experiment of exactly that many users.

    >>> users_needed(0.1), users_needed(0.1, watched=False)
    (1375, 785)
    >>> users_needed(0.2, spread=0.98), users_needed(0.2, watched=False)
    (350, 197)
    """
    _check(effect, spread, power, alpha, kurtosis)
    planned = math.ceil((_z(1 - alpha / 2) + _z(power)) ** 2 * (spread / effect) ** 2)
    if not watched:
        return planned
    users = max(2 * planned, first_look(kurtosis) + EVERY)
    while (path := crossing(users, effect, spread, alpha, kurtosis=kurtosis)).chance[-1] < power:
        users *= 2
    return int(path.looks[(path.chance >= power).argmax()])


def detectable_effect(
    users: int,
    spread: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
    watched: bool = True,
    kurtosis: float = 1.0,
) -> float:
    """The smallest effect that so many users show with probability `power`.

    >>> round(detectable_effect(785, watched=False), 4), round(detectable_effect(1350), 3)
    (0.1, 0.1)
    """
    _check(1.0, spread, power, alpha, kurtosis)
    least = first_look(kurtosis) if watched else 1
    if users < least:
        raise BadInput(f"users must be at least {least}, not {users!r}")
    planned = (_z(1 - alpha / 2) + _z(power)) * spread / math.sqrt(users)
    if not watched:
        return planned
    high = planned

    def short(effect: float) -> float:
        return float(crossing(users, effect, spread, alpha, kurtosis=kurtosis).chance[-1] - power)

    while short(high) < 0:
        high *= 2
    return float(scipy.optimize.brentq(short, planned / 2, high, rtol=1e-4))


def crossing(
    users: int,
    effect: float,
    spread: float = 1.0,
    alpha: float = 0.05,
    every: int = EVERY,
    kurtosis: float = 1.0,
) -> Crossing:
    """The chance that a watched confidence sequence has excluded 0, look by look up to `users`.

    Carries the density of the sum of normal deltas of known spread from look to look, between the
    limits within which the sequence still covers 0 (Armitage, McPherson, Rowe 1969).

    >>> path = crossing(1000, effect=0.1)
    >>> int(path.looks[-1]), round(float(path.chance[-1]), 2)
    (1000, 0.64)
    """
    looks = _looks(users, first_look(kurtosis, every), every)
    drift, nodes, weights = effect / spread, *np.polynomial.legendre.leggauss(NODES)
    # The boundary is in units of the mean square of deltas, which an effect makes larger than the variance.
    limits = boundary(looks / kurtosis, alpha) * np.sqrt(looks * (1 + drift**2))
    inside = np.empty(len(looks))
    places = density = np.empty(0)
    for i, (n, limit) in enumerate(zip(looks.tolist(), limits, strict=True)):
        here = nodes * limit
        if i == 0:
            density = _normal(here - n * drift, n)
        else:
            step = int(n - looks[i - 1])
            density = _normal(here[:, None] - places - step * drift, step) @ (density * weights * limits[i - 1])
        places = here
        inside[i] = (density * weights).sum() * limit
    return Crossing(looks, 1 - inside)


def first_look(kurtosis: float = 1.0, every: int = EVERY) -> int:
    """The first of a watcher's looks at which the confidence sequence has begun.

    >>> first_look(), first_look(kurtosis=3)
    (75, 225)
    """
    return math.ceil(START * kurtosis / every) * every


def _looks(users: int, first: int, every: int) -> Ints:
    """`first`, every `every` users while that is a fair part of them, and at last all `users`.

    The last look takes the place of the one before: a much shorter step would be too sharp for the nodes.
    """
    looks = [first]
    while (following := looks[-1] + max(every, looks[-1] // PACE)) <= users:
        looks.append(following)
    return np.array([*looks[:-1], users])


def _normal(x: Floats, variance: float) -> Floats:
    return np.asarray(np.exp(-(x**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance))


def _z(share: float) -> float:
    return float(scipy.special.ndtri(share))


def _check(effect: float, spread: float, power: float, alpha: float, kurtosis: float) -> None:
    for name, value in {"effect": effect, "spread": spread}.items():
        if not (value > 0 and math.isfinite(value)):
            raise BadInput(f"{name} must be a finite number above 0, not {value!r}")
    if not (kurtosis >= 1 and math.isfinite(kurtosis)):
        raise BadInput(f"kurtosis must be a finite number of at least 1, not {kurtosis!r}")
    check_share("alpha", alpha)
    if not alpha < check_share("power", power):
        raise BadInput(f"power must be above alpha = {alpha}, not {power!r}")
