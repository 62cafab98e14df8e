"""Experts with different step sizes over one learner, for people whose wishes change: DM2L, M3L and NM2L.

Lu, Miao, Yang, Hu, Zhang. Non-stationary Dueling Bandits for Online Learning to Rank. APWeb-WAIM 2022.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.agent import Agent
from duelist.core.compile import kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, holds, parameter, scratch, table
from duelist.online.continuous.dm2l import expert_count, first_share, share_out
from duelist.online.continuous.domains import project_ball
from duelist.online.holder import Holder, inner_reset, inner_update
from duelist.online.learners.dbgd import DBGD, MGD, Descender
from duelist.online.learners.nsgd import NSGDDSP

BASE = "the learner that shows lists and says which way won; one that tries directions"


class Meta(Holder, abstract=True):
    """Base of the three: the held learner shows lists around the mean of the experts, and says which way won.

    The way that won is the held learner's own step divided by its rate: the direction of the winner for
    DBGD, the mean of the winning ones for MGD, the projected one for NSGD-DSP. Every expert goes that way by
    its own step. Their shares follow a surrogate loss: how far each stood against the way that won.
    """

    horizon: int = parameter(10_000, "impressions planned (T)", low=1)
    rate: float = parameter(0.01, "smallest step of the paper's grid; there R sqrt(5/T)", above=0)
    radius: float = parameter(10.0, "of the ball that experts stay in (R)", above=0)
    smaller: int = parameter(0, "experts with steps below the paper's smallest, each half the one above", low=0)
    printed: bool = parameter(False, "alpha as the paper prints it, 4 / sqrt(T), not by the range of the loss")
    experts: Floats = table(lambda d, self: (expert_count(self.horizon) + self.smaller, d))  # w^i, smallest step first
    scores: Floats = table(lambda d, self: (len(self.experts),))  # log of the shares, up to a constant
    shares: Floats = table(lambda d, self: (len(self.experts),))  # pi_i
    way: Floats = scratch(lambda d: (1, d))  # the direction that won

    @classmethod
    def base_class(cls, base: Any) -> type[Agent]:
        found = super().base_class(base)
        if not issubclass(found, Descender):
            raise BadInput(f"{cls.name}: base must be a learner that tries directions, such as dbgd, not {base!r}")
        return found

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.inner, rng)
        for expert in range(self.shares.size):
            self.scores[expert] = math.log(first_share(expert, self.shares.size))
        share_out(self.scores, self.shares)

    def place_at(self, weights: Floats) -> None:
        super().place_at(weights)
        self.experts[:] = weights

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        inner_update(self.inner, impression, clicked, rng)
        if find_way(self):
            judge(self)
            step = self.rate * 0.5**self.smaller
            for expert in range(self.shares.size):
                for column in range(self.n_features):
                    self.experts[expert, column] += step * self.way[0, column]
                project_ball(self.experts, expert, self.radius)
                step *= 2.0
            combine(self)


class DM2L(Meta):
    """DBGD with many step sizes at once, combined by how well each would have done.

    Departs: the paper prints alpha = 4 / sqrt(T), but its surrogate loss ranges over +-2 R d / delta: by default
    alpha is divided by that range (`printed` does not). Its theory starts the grid at R sqrt(5/T), more than
    twice its step for wishes that stay; rankings know no natural R, so that here `rate`, the literature's
    for DBGD, is the smallest step, `smaller` adds more below it, and `radius` is for the ball and the range alone.
    The distance is DBGD's, lists are interleaved by team draft, and experts start at 0.

    >>> learner = DM2L(n_features=2, seed=1)
    >>> for _ in range(1000):
    ...     impression = learner.ask([[1.0, 0.0], [0.0, 1.0]])
    ...     learner.tell(impression, [impression.ranking.index(0)])  # people want the first document
    >>> bool(learner.score([[1.0, 0.0]]) > learner.score([[0.0, 1.0]])), len(learner.experts)
    (True, 8)
    """

    name = "dm2l"
    base: str = parameter("dbgd", BASE, family="learner")
    inner: Any = holds(DBGD)


class M3L(Meta):
    """MGD with many step sizes at once. The way that won is the mean of the winning directions, shorter than 1.

    Departs: as DM2L.

    >>> M3L(n_features=2).n_rankers
    10
    """

    name = "m3l"
    base: str = parameter("mgd", BASE, family="learner")
    inner: Any = holds(MGD)


class NM2L(Meta):
    """NSGD-DSP with many step sizes at once.

    Departs: as DM2L and NSGDDSP.

    >>> NM2L(n_features=2).n_rankers
    10
    """

    name = "nm2l"
    base: str = parameter("nsgd-dsp", BASE, family="learner")
    inner: Any = holds(NSGDDSP)


@kernel
def find_way(self: Any) -> bool:
    """self.way: the held learner's step, from the mean of the experts, in units of its rate; whether there is one."""
    moved = False
    for column in range(self.n_features):
        self.way[0, column] = (self.inner.weights[0, column] - self.weights[0, column]) / self.inner.rate
        moved |= self.way[0, column] != 0.0
    return moved


@kernel
def judge(self: Any) -> None:
    """Give each expert the share that the surrogate loss of where it is says, eq. (9)."""
    scale = 4.0 / math.sqrt(self.horizon)
    scale *= self.n_features / self.inner.distance if self.printed else 0.5 / self.radius
    for expert in range(self.shares.size):
        ahead = 0.0
        for column in range(self.n_features):
            ahead += self.way[0, column] * (self.experts[expert, column] - self.weights[0, column])
        self.scores[expert] += scale * ahead
    share_out(self.scores, self.shares)


@kernel
def combine(self: Any) -> None:
    """The ranker shown: the mean of the experts by their shares."""
    for column in range(self.n_features):
        total = 0.0
        for expert in range(self.shares.size):
            total += self.shares[expert] * self.experts[expert, column]
        self.weights[0, column] = self.inner.weights[0, column] = total
