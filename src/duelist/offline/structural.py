"""Structural SVMs by cutting planes, in the form with one slack.

Joachims, Finley, Yu. Cutting-plane training of structural SVMs. Machine Learning 77(1), 2009.

Minimise |w|^2 / 2 + C risk(w), where risk is the mean over queries of the largest
loss(y) - w.(Psi(truth) - Psi(y)) over all rankings y. An oracle finds the largest at a given w, which
is a plane below the risk everywhere. The dual over the planes known so far bounds the optimum from
below, the objective at w bounds it from above, so the gap that is reported is certain, however well
the quadratic programs were solved.

How small a gap is enough depends on what there is to gain. No weights at all have the objective
C risk(0), and the lower C is, the closer to it is the best one: in the limit they differ by C^2, while
both are as large as C. So the gap is compared with that difference, neither with C nor with the
objective; else small C would end at no weights.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput, MissingExtra, Unsolved
from duelist.core.memory import Floats, Ints
from duelist.core.progress import progress_bar

IDLE_ROUNDS = 50  # a plane without weight for so many rounds is dropped
SUPPORT = 1e-9  # the share of C from which a plane has weight
LONG = 2.0  # seconds from which a progress bar is worth its flicker
STALLED = 500  # rounds in which the gap should become smaller by 1 %
NOTHING = 1e-5  # the share of the first bound on the gain below which there is nothing to gain


class Plane(NamedTuple):
    """risk(w) >= loss - w.direction for all w, with equality at the w it was made for."""

    direction: Floats
    loss: float


class Planes(NamedTuple):
    """Planes as arrays, to start another fit of the same data from."""

    directions: Floats  # a row a plane
    losses: Floats


Oracle = Callable[[Floats], Plane]


@dataclass(frozen=True, eq=False)
class Solution:
    """Weights whose objective, `primal`, is within primal - dual of the best there is."""

    weights: Floats
    primal: float
    dual: float
    nothing: float  # the objective of no weights
    rounds: int  # how many planes were made
    planes: Planes  # those that were left

    @property
    def gap(self) -> float:
        return max(0.0, self.primal - self.dual)  # rounding may put the bound a little above


def solve(
    oracle: Oracle,
    n_features: int,
    cost: float,
    tolerance: float = 5e-3,
    max_planes: int = 10_000,
    *,
    enough: float = 0.0,
    start: Planes | None = None,
    nonnegative: bool = False,
    progress: bool | None = None,
) -> Solution:
    """Weights with primal - dual <= tolerance * (nothing - dual); `cost` is C.

    So `tolerance` is the share that may be missed of what weights can gain over none; `enough` is a gap
    that will do whatever the gain is. Where there is nothing to gain, the weights are 0. `start` are
    planes of an earlier solution with the same oracle, at any cost. `nonnegative` keeps all weights at 0
    or above. More than `max_planes` new planes are an error.

    >>> def hinge(weights):  # one pair of documents whose scores should differ by 1
    ...     return Plane(np.array([2.0]), 1.0) if weights[0] < 0.5 else Plane(np.zeros(1), 0.0)
    >>> solution = solve(hinge, 1, cost=10.0)
    >>> solution.weights.round(3), round(solution.primal, 3), solution.nothing
    (array([0.5]), 0.125, 10.0)
    """
    check_settings(cost, tolerance, max_planes)
    working = _WorkingSet(n_features, cost, nonnegative)
    if start is not None:
        for direction, loss in zip(*start, strict=True):
            working.add(Plane(direction, float(loss)))
    weights = best = none = np.zeros(n_features)
    primal, dual, nothing, reach = math.inf, 0.0, 0.0, 0.0
    with ExitStack() as stack:
        watch = _Watch(stack, progress, tolerance)
        for rounds in range(1, max_planes + 1):
            plane = oracle(weights)
            value = float(weights @ weights / 2 + cost * max(0.0, float(plane.loss - weights @ plane.direction)))
            if rounds == 1:
                reach = _most_gain(plane, cost)
            nothing = max(nothing, cost * plane.loss)  # of all planes: an oracle may have overlooked the worst at 0
            if value < primal:
                best, primal = weights, value
            if primal - dual <= max(enough, tolerance * (nothing - dual)):
                return Solution(best, primal, dual, nothing, rounds, working.planes())
            if nothing - dual <= NOTHING * reach:
                return Solution(none, nothing, dual, nothing, rounds, working.planes())
            watch(primal - dual, nothing - dual)
            working.add(plane)
            weights, bound = working.solve()
            dual = max(dual, bound)
    raise Unsolved(
        f"no solution within {max_planes} planes: {(primal - dual) / (nothing - dual):.2g} of the gain may still be "
        f"missed; lower C (now {cost:g}), or raise tolerance ({tolerance:g}) or max_planes"
    )


def _most_gain(plane: Plane, cost: float) -> float:
    """No weights have an objective so much below that of none, by the plane made for none."""
    return min(cost * plane.loss, cost**2 * float(plane.direction @ plane.direction) / 2)


def check_settings(cost: float, tolerance: float, max_planes: int) -> None:
    """What `solve` refuses, said before any work is done."""
    if isinstance(cost, str) or not 0 < cost < math.inf:
        raise BadInput(f"C must be a number above 0, not {cost!r}")
    if isinstance(tolerance, str) or not 0 < tolerance < 1:
        raise BadInput(f"tolerance must be a number above 0 and below 1, not {tolerance!r}")
    if not isinstance(max_planes, int | np.integer) or max_planes < 1:
        raise BadInput(f"max_planes must be a whole number of at least 1, not {max_planes!r}")


class _Watch:
    """A progress bar in the logarithm of the share missed, once a fit takes long; an error when the gap stays."""

    def __init__(self, stack: ExitStack, show: bool | None, tolerance: float) -> None:
        self.stack, self.show, self.tolerance = stack, show, tolerance
        self.started = time.perf_counter()
        self.advance: Callable[[int], None] | None = None
        self.done = 0
        self.least, self.idle = math.inf, 0

    def __call__(self, gap: float, gain: float) -> None:
        self.idle = 0 if gap < 0.99 * self.least else self.idle + 1
        self.least = gap if self.idle == 0 else self.least
        if self.idle > STALLED:
            raise Unsolved(
                f"the gap has stayed at {gap:.3g} for {STALLED} planes, as it does when numbers become too large; "
                "bring features to a range such as 0 to 1, lower C or raise tolerance"
            )
        if self.advance is None:
            if time.perf_counter() - self.started < LONG:
                return
            self.advance = self.stack.enter_context(progress_bar("closing the gap", 100, self.show))
        closed = int(100 * math.log(gap / gain) / math.log(self.tolerance))  # the share begins at 1
        self.advance(max(0, closed - self.done))
        self.done = max(self.done, closed)


class _WorkingSet:
    """The planes in use, their inner products and the dual over them.

    The dual's variables are shares of C: maximise losses.a - C/2 |directions^T a|^2 with a >= 0 and
    sum a <= 1; then w = C directions^T a. Weights that may not be negative add one free direction a
    feature, which has no loss and no part in the sum.
    """

    def __init__(self, n_features: int, cost: float, nonnegative: bool) -> None:
        self.cost, self.size, self.free = cost, 0, 0
        self.solver = _load_piqp()
        self.nonnegative = nonnegative
        self.directions, self.losses = np.zeros((16, n_features)), np.zeros(16)
        self.kernel, self.idle = np.zeros((16, 16)), np.zeros(16, np.int64)
        if nonnegative:
            for axis in np.eye(n_features):
                self.add(Plane(axis, 0.0))
            self.free = n_features

    def add(self, plane: Plane) -> None:
        """One more row of the kernel matrix; planes long idle are dropped first."""
        self.keep(np.flatnonzero(self.idle[: self.size] < IDLE_ROUNDS))
        if self.size == len(self.losses):
            self.grow()
        last = self.size
        self.size += 1
        self.directions[last], self.losses[last], self.idle[last] = plane.direction, plane.loss, 0
        products = self.directions[: self.size] @ plane.direction
        self.kernel[last, : self.size] = self.kernel[: self.size, last] = products

    def keep(self, rows: Ints) -> None:
        if len(rows) < self.size:
            self.size = len(rows)
            for array in (self.directions, self.losses, self.idle):
                array[: self.size] = array[rows]
            self.kernel[: self.size, : self.size] = self.kernel[np.ix_(rows, rows)]

    def grow(self) -> None:
        room, width = 2 * self.size, self.directions.shape[1]
        try:
            directions, kernel = np.zeros((room, width)), np.zeros((room, room))
        except MemoryError:
            raise Unsolved(f"no memory for {room} planes of {width} features; lower C or raise tolerance") from None
        directions[: self.size], kernel[: self.size, : self.size] = self.directions, self.kernel
        self.directions, self.kernel = directions, kernel
        self.losses, self.idle = np.resize(self.losses, room), np.resize(self.idle, room)

    def solve(self) -> tuple[Floats, float]:
        """The weights of the dual's solution and its value, which no objective is below."""
        n = self.size
        if n == self.free:
            return np.zeros(self.directions.shape[1]), 0.0
        shares = self.solve_program()
        used = shares > SUPPORT
        used[: self.free] = True
        self.idle[:n] = np.where(used, 0, self.idle[:n] + 1)
        weights = self.cost * (shares @ self.directions[:n])
        bound = self.cost * float(shares @ self.losses[:n]) - float(weights @ weights) / 2
        return (np.maximum(weights, 0.0) if self.nonnegative else weights), bound

    def solve_program(self) -> Floats:
        """Shares that satisfy the constraints exactly, and nearly maximise the dual."""
        n = self.size
        summed = np.ones((1, n), order="F")
        summed[0, : self.free] = 0.0
        program = self.solver()
        matrix = np.asfortranarray(self.cost * self.kernel[:n, :n])
        program.setup(matrix, -self.losses[:n], G=summed, h_u=np.ones(1), x_l=np.zeros(n))
        program.solve()
        shares: Floats = np.maximum(program.result.x, 0.0)
        shares[self.free :] /= max(1.0, shares[self.free :].sum())
        return shares

    def planes(self) -> Planes:
        own = slice(self.free, self.size)
        return Planes(self.directions[own].copy(), self.losses[own].copy())


def _load_piqp() -> Any:
    try:
        from piqp import DenseSolver
    except ImportError:
        raise MissingExtra("structural SVMs need piqp: pip install 'duelist[offline]'") from None
    return DenseSolver
