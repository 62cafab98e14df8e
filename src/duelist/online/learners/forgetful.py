"""Two plain ways for any learner to follow wishes that change: start again, or forget bit by bit. No paper."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.memory import Flags, Ints, holds, parameter, single
from duelist.online.holder import Holder, inner_reset, inner_update
from duelist.online.learner import LEARNERS
from duelist.online.learners.dbgd import DBGD, MGD
from duelist.online.learners.pdgd import PDGD


class Restart(Holder):
    """The held learner forgets everything after every `period` impressions told.

    >>> Restart(n_features=2, base="mgd").spec.parameters["base"]
    'mgd'
    """

    name = "restart"

    base: str = parameter("pdgd", "the learner that starts again", family="learner")
    period: int = parameter(2000, "impressions after which it starts again", low=1)
    inner: Any = holds(PDGD)
    age: Ints = single(int)  # impressions told since the start

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        inner_update(self.inner, impression, clicked, rng)
        self.age[0] += 1
        for column in range(self.n_features):
            self.weights[0, column] = self.inner.weights[0, column]
        # What was learnt is kept until there is something to learn anew from.
        if self.age[0] == self.period:
            inner_reset(self.inner, rng)
            self.age[0] = 0


class Fading(Holder):
    """The held learner's weights shrink a little at every impression told, so that they rest on about the last `size`.

    For learners whose weights are a sum of steps: each step fades like exp(-age / size).

    >>> Fading(n_features=2, base="dbgd", size=500).size
    500
    """

    name = "fading"

    base: str = parameter("pdgd", "the learner that forgets", family="learner")
    size: int = parameter(2000, "impressions that the weights rest on, about", low=1)
    inner: Any = holds(PDGD)

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        inner_update(self.inner, impression, clicked, rng)
        for column in range(self.n_features):
            self.inner.weights[0, column] *= 1.0 - 1.0 / self.size
            self.weights[0, column] = self.inner.weights[0, column]


# The names of these as they are compared in drift experiments.
for _held in (DBGD, MGD, PDGD):
    for _kind, _name in ((Restart, f"restart-{_held.name}"), (Fading, f"window-{_held.name}")):
        LEARNERS.add(_name, _kind.over(_held, _name))
