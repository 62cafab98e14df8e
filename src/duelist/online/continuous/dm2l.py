"""DM2L: many DBGDs with different step sizes, combined by how well they would have done.

Lu, Miao, Yang, Hu, Zhang. Non-stationary Dueling Bandits for Online Learning to Rank. APWeb-WAIM 2022.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from duelist.core.compile import kernel, python_function
from duelist.core.memory import Floats, constant, parameter, table
from duelist.online.continuous.dbgd import Searcher, project


def expert_count(horizon: int) -> int:
    """N = ceil(log2 sqrt(1 + 4T/5)) + 1, eq. (6)."""
    return math.ceil(0.5 * math.log2(1 + 0.8 * horizon)) + 1


@kernel
def first_share(expert: int, experts: int) -> float:
    """The share of an expert, counted from 0, before anything is known, eq. (8)."""
    return (experts + 1) / ((expert + 1.0) * (expert + 2.0) * experts)


@kernel
def share_out(scores: Floats, shares: Floats) -> None:
    """shares: exp(scores), made to sum to 1."""
    top = -math.inf
    for expert in range(scores.size):
        top = max(top, scores[expert])
    total = 0.0
    for expert in range(scores.size):
        scores[expert] -= top
        shares[expert] = math.exp(scores[expert])
        total += shares[expert]
    for expert in range(scores.size):
        shares[expert] /= total


class PointDM2L(Searcher):
    """Experts with steps gamma_i share one comparison; the point shown is their mean, weighted by a surrogate loss.

    Departs: the paper prints alpha = 4 / sqrt(T), but its surrogate loss ranges over +-2 R d / delta, which
    grows like T^(1/4), so that nearly all weight goes to one expert early, by luck; the term of its bound for
    alpha has no room for that range. By default alpha is divided by it; `printed` takes it as it stands. The
    paper's grid starts at R sqrt(5/T), more than twice DBGD's R / sqrt(T), too large a step for a best point that
    stays; `smaller` experts are added below it, 0 is the paper's grid. Theorem 2's delta lacks R and needs
    constants nobody knows: the distance is chosen as for DBGD. All experts start at the same point.

    >>> from duelist.online.continuous import Drift, descend
    >>> moving = Drift(away=2.0, turns=20.0)
    >>> found = [descend(name, "p1", 10, 100_000, drift=moving, seed=1) for name in ("dm2l", "dbgd")]
    >>> [round(float(result.average.mean), 1) for result in found]
    [0.8, 0.9]
    """

    name = "dm2l"

    path: float = constant(0.0)  # what it does without
    alpha: float = parameter(0.0, "learning rate of the shares; 0: 4 / sqrt(T), by the range of the loss", low=0)
    printed: bool = parameter(False, "take 4 / sqrt(T) as the paper prints it, not by the range of the loss")
    smaller: int = parameter(4, "experts with steps below the paper's smallest, each half the one above", low=0)
    experts: Floats = table(lambda d, self: (expert_count(self.horizon) + self.smaller, d))  # w^i, smallest step first
    scores: Floats = table(lambda d, self: (len(self.experts),))  # log of the shares, up to a constant
    shares: Floats = table(lambda d, self: (len(self.experts),))  # pi_i

    def begin(self, point: Floats) -> None:
        self.points[0] = point
        self.experts[:] = point
        for expert in range(len(self.experts)):
            self.scores[expert] = math.log(first_share(expert, len(self.experts)))
        python_function(share_out)(self.scores, self.shares)

    @classmethod
    def steps(cls, reach: float, dimension: int, settings: Mapping[str, Any]) -> dict[str, float]:
        """The rate is the smallest of the paper's steps, R sqrt(5/T), eq. (7); and alpha."""
        distance = super().steps(reach, dimension, settings)["distance"]
        rate = settings["rate"] or math.sqrt(5 / settings["horizon"]) * reach
        share = 1.0 if settings["printed"] else distance / (2 * reach * dimension)
        alpha = settings["alpha"] or 4 / math.sqrt(settings["horizon"]) * share
        return {"distance": distance, "rate": rate, "alpha": alpha}

    def move(self, won: bool, chance: float) -> bool:
        if won:
            judge(self)
            step = self.rate * 0.5**self.smaller
            for expert in range(self.shares.size):
                for column in range(self.dimension):
                    self.experts[expert, column] += step * self.direction[0, column]
                project(self.experts, expert, self.radius)
                step *= 2.0
            combine(self)
        return won


@kernel
def judge(self: Any) -> None:
    """Give each expert the share that the surrogate loss of where it is says, eq. (9)."""
    scale = self.alpha * self.dimension / self.distance
    for expert in range(self.shares.size):
        ahead = 0.0
        for column in range(self.dimension):
            ahead += self.direction[0, column] * (self.experts[expert, column] - self.points[0, column])
        self.scores[expert] += scale * ahead
    share_out(self.scores, self.shares)


@kernel
def combine(self: Any) -> None:
    """The point shown: the mean of the experts by their shares."""
    for column in range(self.dimension):
        total = 0.0
        for expert in range(self.shares.size):
            total += self.shares[expert] * self.experts[expert, column]
        self.points[0, column] = total
