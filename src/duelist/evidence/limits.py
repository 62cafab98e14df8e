"""The confidence sequence of a mean preference, from sums over users.

The sum S of all preferences is compared with V, the sum of the squares of users' totals: the
variance of S if the mean is 0, whatever the preferences of one user have to do with each other. Measured in V
as its clock, S crosses the boundary of a normal mixture with probability at most alpha, ever
(Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas. Time-uniform central limit theory and asymptotic
confidence sequences. Annals of Statistics 2024).

That leans on the central limit theorem, which many users do not buy if few of them carry the
sum. So it begins at an *effective size*, not at a number of users: V^2 over the sum of fourth
powers, which is the number of users where all weigh the same, and small where a few outweigh the
rest. It must be `START`; when a rare large value shrinks it again there is no verdict again.
`START` is measured (`duelist reproduce nulls`): 50 fails where large values are rarest, 70 holds.
What no start can see is a large value of which none has come yet: one that comes less than once
for every 23 others needs a cap (`BettingSequence`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

START = 70.0  # effective size at which the sequence begins
TUNED = 500.0  # effective size at which it is narrowest


def effective_size(squares: Any, fourths: Any) -> Any:
    """How many users of equal weight the sums of squared and of fourth powers stand for.

    >>> float(effective_size(100 * 1.0, 100 * 1.0)), round(float(effective_size(100 + 50**2, 100 + 50**4)), 2)
    (100.0, 1.08)
    """
    squares, fourths = np.asarray(squares, np.float64), np.asarray(fourths, np.float64)
    return np.divide(squares * squares, fourths, out=np.zeros(np.shape(fourths)), where=fourths > 0)


def boundary(size: Any, alpha: float = 0.05, tuned: float = TUNED) -> Any:
    """How many standard deviations S may be from 0 when the clock is at `size` users of equal weight.

    >>> [round(float(boundary(size)), 2) for size in (100, 500, 5000)]
    [3.36, 3.04, 3.24]
    """
    rho = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / tuned
    time = np.asarray(size, np.float64) * rho
    return np.sqrt((time + 1) / time * (np.log1p(time) - 2 * math.log(alpha)))


def mean_limits(
    weight: Any,
    total: Any,
    squares: Any,
    fourths: Any,
    cross: Any,
    sizes: Any,
    began: Any,
    alpha: float = 0.05,
    start: float = START,
) -> tuple[Any, Any]:
    """The means of an impression that are within the boundary; infinite before the sequence has begun.

    `weight` is that of all impressions, their number where each weighs 1. `squares` is the sum over
    users of total^2, `fourths` of total^4, `cross` of total x weight, `sizes` of weight^2, and `began`
    the squares when the effective size reached `start`, 0 before. A mean m is inside if (total - m weight)^2
    is at most boundary^2 times the sum over users of (total - m weight)^2 (Fieller) and of one more user, who
    weighs as much as those that carry the sum: users who all agree are no certainty.

    >>> low, high = mean_limits(200, 80.0, 160.0, 160.0, 80.0, 200, began=70.0)  # 120 users win, 40 lose, 40 neither
    >>> round(float(low), 3), round(float(high), 3)
    (0.215, 0.585)
    """
    began = np.asarray(began, np.float64)
    with np.errstate(all="ignore"):  # what has not begun is replaced in the end
        wide = boundary(start * squares / began, alpha) ** 2
        most = wide * (squares + np.asarray(fourths) / squares)
        curve = weight * (weight * 1.0) - wide * sizes
        middle = (total * weight - wide * cross) / curve
        half = np.sqrt(np.maximum(middle**2 - (total * total - most) / curve, 0))
    known = (began > 0) & (curve > 0)  # otherwise few users have most impressions, and any mean is possible
    return np.where(known, middle - half, -math.inf), np.where(known, middle + half, math.inf)
