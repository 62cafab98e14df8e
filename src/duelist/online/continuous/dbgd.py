"""Dueling bandit gradient descent in a space of points, and bandit gradient descent, which is told more.

Yue, Joachims. Interactively Optimizing Information Retrieval Systems as a Dueling Bandits
Problem. ICML 2009.
Flaxman, Kalai, McMahan. Online Convex Optimization in the Bandit Setting: Gradient Descent Without
a Gradient. SODA 2005.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Declared, Floats, constant, parameter, table
from duelist.online.continuous.steps import informed_rate, practical_distance, proven_distance, proven_rate
from duelist.online.directions import draw_direction


def project(points: Floats, row: int, radius: float) -> None:
    """Bound to the domain's kernel."""
    raise TypeError("unbound")


class Searcher(Declared):
    """Base of the algorithms: `aim` sets the point to compare with, `move` learns from the comparison.

    Both compile. The current point is points[0], the one tried points[1].
    """

    sized_by: ClassVar[str] = "dimension"
    dimension: int
    name: ClassVar[str] = ""

    horizon: int = parameter(1, "comparisons in the run (T)", low=1, required=True)
    radius: float = parameter(10.0, "of the domain (R); of a box, half its side", above=0)
    factor: float = parameter(1.0, "delta_L, scales the practical distance", above=0)
    lipschitz: float = parameter(0.0, "L, for the distance of Theorem 2; 0: unknown, the practical one", low=0)
    distance: float = parameter(0.0, "from the point to the one tried (delta); 0: from T, R and d", low=0)
    rate: float = parameter(0.0, "step towards a winner (gamma); 0: R / sqrt(T)", low=0)
    path: float = parameter(0.0, "how far the best point goes in all (C_T), for Lu et al.'s rate; 0: it stays", low=0)
    points: Floats = table(lambda d: (2, d))
    direction: Floats = table(lambda d: (1, d))

    def aim(self, rng: np.random.Generator) -> None:
        draw_direction(self.direction, 0, rng)
        for column in range(self.dimension):
            self.points[1, column] = self.points[0, column] + self.distance * self.direction[0, column]
        project(self.points, 1, self.radius)

    def move(self, won: bool, chance: float) -> bool:
        """`won`: the point tried was preferred; `chance` that it would not be. Whether points[0] has changed."""
        raise TypeError(f"{type(self).__name__} has no move")

    def begin(self, point: Floats) -> None:
        """Start at a point."""
        self.points[0] = point

    @classmethod
    def steps(cls, reach: float, dimension: int, settings: Mapping[str, Any]) -> dict[str, float]:
        """The distance and the rate to use, those that are 0 chosen for a domain within a ball of radius `reach`."""
        horizon, lipschitz = settings["horizon"], settings["lipschitz"]
        if lipschitz:
            distance = proven_distance(horizon, reach, dimension, lipschitz)
        else:
            distance = practical_distance(horizon, reach, dimension, settings["factor"])
        path = settings.get("path", 0.0)
        rate = informed_rate(horizon, reach, path) if path else proven_rate(horizon, reach)
        chosen = {"distance": distance, "rate": rate}
        return {name: settings[name] or chosen[name] for name in chosen}


class PointDBGD(Searcher):
    """Compare a point with a random neighbour; step towards the neighbour if it is preferred.

    Departs: nowhere known. The step is along the direction drawn even where the neighbour was projected, as printed.

    >>> from duelist.online.continuous import descend
    >>> result = descend("dbgd", "p1", dimension=10, horizon=100_000, runs=2, seed=1)
    >>> round(float(result.average.mean), 2)
    0.23
    """

    name = "dbgd"

    def move(self, won: bool, chance: float) -> bool:
        if won:
            shift(self, self.rate)
            project(self.points, 0, self.radius)
        return won


class BGD1(Searcher):
    """Step against the direction by the chance that the current point is preferred, which is told.

    Departs: the paper does not print its step sizes; gamma is DBGD's, which gives the paper's order of the three.
    """

    name = "bgd1"
    offset: float = constant(0.0)

    def move(self, won: bool, chance: float) -> bool:
        shift(self, self.rate * (self.offset - chance))
        project(self.points, 0, self.radius)
        return True


class BGD2(BGD1):
    """BGD1 told the chance less 1/2, whose sign says which of the two points is better.

    Departs: as BGD1.
    """

    name = "bgd2"
    offset: float = constant(0.5)


@kernel
def shift(self: Any, size: float) -> None:
    """Move the current point along the direction."""
    for column in range(self.dimension):
        self.points[0, column] += size * self.direction[0, column]
