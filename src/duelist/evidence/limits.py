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
for every 23 others needs a cap. Then one user more is imagined, whose total is half of it (`IMAGINED`): it weighs in
the effective size until what has come outweighs it. (Measured: 0.3 is enough, half costs hardly more.) Where each user
enters once, betting needs no size at all (`BettingSequence`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

START = 70.0  # effective size at which the sequence begins
IMAGINED = 0.5  # of a cap: the total of a user who is imagined where there is one
TUNED = 500.0  # effective size at which it is narrowest
DOUBLINGS, HALVINGS = 20, 40  # of the search for limits


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


class Moments(NamedTuple):
    """Sums over users of powers of their totals T and weights W (1 where each enters once), as numbers or arrays."""

    weight: Any  # W
    total: Any  # T
    squares: Any  # T^2
    cross: Any  # T W
    sizes: Any  # W^2
    fourths: Any  # T^4
    third: Any  # T^3 W
    second: Any  # T^2 W^2
    first: Any  # T W^3
    zeroth: Any  # W^4
    began: Any  # the squares when the effective size reached the start; 0 before

    def spread(self, mean: Any) -> Any:
        """The sum over users of (T - mean W)^2."""
        return self.squares - 2 * mean * self.cross + mean**2 * self.sizes

    def enough(self, mean: Any, start: float) -> Any:
        """Whether the effective size of T - mean W is at least `start`."""
        odd = 4 * mean * self.third + 4 * mean**3 * self.first
        fourths = self.fourths + 6 * mean**2 * self.second + mean**4 * self.zeroth - odd
        return self.spread(mean) ** 2 >= start * np.maximum(fourths, 0)


def once(users: Any, total: Any, squares: Any, cubes: Any, fourths: Any, began: Any) -> Moments:
    """The moments of users who each enter once."""
    return Moments(users, total, squares, total, users, fourths, cubes, squares, total, users, began)


def is_beyond(sums: Moments, alpha: float = 0.05, start: float = START) -> Any:
    """Whether a mean of 0 is outside the limits."""
    with np.errstate(all="ignore"):  # what has not begun is not beyond
        wide = boundary(start * sums.squares / sums.began, alpha) ** 2
        far = sums.total**2 > wide * (sums.squares + sums.fourths / sums.squares)
        return (np.asarray(sums.began) > 0) & far & (sums.weight * (sums.weight * 1.0) > wide * sums.sizes)


def way_to_verdict(sums: Moments, alpha: float = 0.05, start: float = START) -> Any:
    """How far it is from no difference (0) to a mean of 0 being outside the limits (more than 1).

    It grows about as the number of users does while their preference stays: users / way are needed in all.

    >>> sums = once(200, 40.0, 160.0, 40.0, 160.0, began=70.0)
    >>> round(float(way_to_verdict(sums)), 2), bool(is_beyond(sums))
    (0.98, False)
    """
    sums = Moments(*(np.asarray(part, np.float64) for part in sums))
    begun = sums.began > 0
    with np.errstate(all="ignore"):  # where there is nothing yet the way is 0
        clock = np.where(begun, start * sums.squares / sums.began, start)
        way = sums.total**2 / (boundary(clock, alpha) ** 2 * (sums.squares + sums.fourths / sums.squares))
        most = np.where(begun, 1.0, effective_size(sums.squares, sums.fourths) / start)
        way = np.where(is_beyond(sums, alpha, start), way, np.minimum(way, np.minimum(most, 1.0)))
    return np.nan_to_num(way, nan=0.0)


def mean_limits(sums: Moments, alpha: float = 0.05, start: float = START) -> tuple[Any, Any]:
    """The means of an impression that may be; infinite before the sequence has begun.

    A mean m is excluded if (total - m weight)^2 is more than boundary^2 times the sum over users of
    (T - m W)^2 (Fieller) and of one more user, who weighs as much as those that carry the sum: users who all agree
    are no certainty. And only if the effective size of T - m W is half the start: outcomes that are nearly all the
    same are far from 0 for sure, but how far, the few others decide. (Measured: half is enough, less is not.)

    >>> low, high = mean_limits(once(200, 80.0, 160.0, 80.0, 160.0, began=70.0))  # 120 users win, 40 lose, 40 neither
    >>> round(float(low), 3), round(float(high), 3)
    (0.215, 0.585)
    """
    sums = Moments(*(np.asarray(part, np.float64) for part in sums))
    with np.errstate(all="ignore"):  # what has not begun is replaced in the end
        wide = boundary(start * sums.squares / sums.began, alpha) ** 2
        most = wide * (sums.squares + sums.fourths / sums.squares)
        curve = sums.weight**2 - wide * sums.sizes
        middle = (sums.total * sums.weight - wide * sums.cross) / curve
        half = np.sqrt(np.maximum(middle**2 - (sums.total**2 - most) / curve, 0))
        known = (sums.began > 0) & (curve > 0)  # otherwise few users have most impressions, and any mean is possible
        low, high = (_until_enough(middle + side * half, side, sums, start / 2, known) for side in (-1, 1))
    return np.where(known, low, -math.inf), np.where(known, high, math.inf)


def _until_enough(limit: Any, side: int, sums: Moments, start: float, known: Any) -> Any:
    """The limit, or where going outwards from it (to `side`) the effective size is enough; without end if nowhere."""
    enough = sums.enough(limit, start)
    if (enough | ~known).all():
        return limit
    near, far = limit, np.where(side * limit < 0, 0.0, limit)  # at 0 it is enough
    step = np.abs(limit) + np.sqrt(sums.squares) / sums.weight
    for _ in range(DOUBLINGS):
        short = ~sums.enough(far, start)
        near, far, step = np.where(short, far, near), np.where(short, far + side * step, far), 2 * step
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        fine = sums.enough(middle, start)
        near, far = np.where(fine, near, middle), np.where(fine, middle, far)
    return np.where(enough, limit, np.where(sums.enough(far, start), far, side * math.inf))
