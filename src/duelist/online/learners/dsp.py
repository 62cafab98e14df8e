"""Document space projection: learn nothing about features that nobody has seen.

Wang, Kim, McCord-Snook, Wu, Wang. Variance Reduction in Gradient Exploration for Online Learning
to Rank. SIGIR 2019.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import kernel, routine
from duelist.core.memory import Flags, Floats, constant, holds, parameter, scratch
from duelist.online.learners.dbgd import CANDIDATES, Descender, Drafted, add_winners
from duelist.online.page import dot
from duelist.online.part import Part

DEPENDENT = 1e-8  # a vector of which no more than this part is new adds nothing to a space


class Projected(Part):
    """A step of length 1: that towards the winners, projected onto the documents that people examined."""

    kernels = ("reset", "take")

    length: int = parameter(10, "documents shown", low=1)
    margin: int = parameter(3, "documents examined from the last click on, which is one of them (k)", low=1)
    random_winner: bool = parameter(False, "step towards one of the winners, not towards their mean")
    winning: Floats = scratch(lambda d: (1, d))  # the mean of the winners
    direction: Floats = scratch(lambda d: (1, d))  # the same, projected
    span: Floats = scratch(lambda d, self: (self.length, d))  # basis of what was examined

    def take(
        self,
        impression: Any,
        clicked: Flags,
        wins: Floats,
        rate: float,
        weights: Floats,
        rng: np.random.Generator,
    ) -> None:
        self.winning[:] = 0.0
        add_winners(impression.directions, wins, 1.0, self.random_winner, self.winning, rng)
        project(self, impression, clicked)
        for column in range(self.n_features):
            weights[0, column] += rate * self.direction[0, column]


class DBGDDSP(Descender):
    """DBGD whose step is projected onto the documents that people examined, and brought to length 1.

    Clicks say nothing about a direction in which these documents do not differ from 0. People examined what
    stands above the last click, and a few documents more.

    Departs: lists are made by team draft; the authors' public code makes them by probabilistic interleaving.
    Documents that depend on others are left out of the basis, where that code adds arbitrary directions. Its
    experiments add ten documents examined before; tried here, that was worse under all three click models.

    >>> learner = DBGDDSP(n_features=3, seed=1)
    >>> for _ in range(1000):
    ...     impression = learner.ask([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    ...     learner.tell(impression, [impression.ranking.index(0)])  # people want the first document
    >>> bool(learner.weights[0, 0] > learner.weights[0, 1]), float(learner.weights[0, 2])
    (True, 0.0)
    """

    name = "dbgd-dsp"
    impression = Drafted

    queries: int = constant(1)
    step: Any = holds(Projected)


class MGDDSP(Descender):
    """DBGD-DSP with nine candidates at once; the mean of those that win is projected.

    Departs: as DBGDDSP.

    >>> MGDDSP(n_features=2).candidates
    9
    """

    name = "mgd-dsp"
    impression = Drafted

    candidates: int = parameter(9, CANDIDATES, low=1)
    queries: int = constant(1)
    step: Any = holds(Projected)


@routine
def project(self: Projected, impression: Any, clicked: Flags) -> None:
    """self.direction: self.winning as far as it lies in the space of the examined documents, of length 1.

    It is 0 if nothing of it lies there; without clicks nobody has won, either.
    """
    seen, size = count_examined(impression, clicked, self.margin), 0
    for slot in range(seen):
        size = extend_basis(self.span, size, impression.features, slot)
    self.direction[:] = 0.0
    for row in range(size):
        share = dot(self.winning, 0, self.span, row)
        for column in range(self.n_features):
            self.direction[0, column] += share * self.span[row, column]
    set_length(self.direction, DEPENDENT * math.sqrt(dot(self.winning, 0, self.winning, 0)))


@kernel
def set_length(direction: Floats, least: float) -> None:
    """Bring row 0 to length 1, or to 0 if it is no longer than `least`: then it is a rounding error."""
    size = math.sqrt(dot(direction, 0, direction, 0))
    for column in range(direction.shape[1]):
        direction[0, column] = direction[0, column] / size if size > least else 0.0


@kernel
def count_examined(impression: Any, clicked: Flags, margin: int) -> int:
    """How many documents people examined: `margin` from the last click on; 0 without a click."""
    seen = 0
    for slot in range(impression.count[0]):
        if clicked[slot]:
            seen = min(slot + margin, impression.count[0])
    return int(seen)


@kernel
def extend_basis(basis: Floats, size: int, vectors: Floats, row: int) -> int:
    """Add what is new in a vector to the first `size` rows, which are orthonormal; returns how many there are then.

    Modified Gram-Schmidt, once more if most was taken away: what is left is orthogonal up to rounding errors of
    what was there before.
    """
    before = math.sqrt(dot(vectors, row, vectors, row))
    least, after = before * DEPENDENT, before
    if size >= basis.shape[0] or before == 0.0:
        return size
    for column in range(basis.shape[1]):
        basis[size, column] = vectors[row, column]
    for again in range(2):
        if again == 0 or after < 0.1 * before:
            for other in range(size):
                share = dot(basis, size, basis, other)
                for column in range(basis.shape[1]):
                    basis[size, column] -= share * basis[other, column]
            after = math.sqrt(dot(basis, size, basis, size))
    if after <= least:
        return size
    for column in range(basis.shape[1]):
        basis[size, column] /= after
    return size + 1
