"""Two plain ways for any learner to follow wishes that change: start again, or forget bit by bit. No paper."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.memory import Ints, parameter, single
from duelist.online.holder import Holder, inner_reset, inner_update
from duelist.online.learners.dbgd import DBGD, MGD
from duelist.online.learners.pdgd import PDGD


class Restart(Holder, abstract=True):
    """The held learner forgets everything after every `period` impressions told."""

    period: int = parameter(2000, "impressions after which it starts again", low=1)
    age: Ints = single(int)  # impressions told since the start

    def update(self, impression: Any, rng: np.random.Generator) -> None:
        inner_update(self.inner, impression, rng)
        self.age[0] += 1
        for column in range(self.n_features):
            self.weights[0, column] = self.inner.weights[0, column]
        # What was learnt is kept until there is something to learn anew from.
        if self.age[0] == self.period:
            inner_reset(self.inner, rng)
            self.age[0] = 0


class Window(Holder, abstract=True):
    """The held learner's weights shrink a little at every impression told, so that they rest on about the last `size`.

    For learners whose weights are a sum of steps: each step fades like exp(-age / size).
    """

    size: int = parameter(2000, "impressions that the weights rest on, about", low=1)

    def update(self, impression: Any, rng: np.random.Generator) -> None:
        inner_update(self.inner, impression, rng)
        for column in range(self.n_features):
            self.inner.weights[0, column] *= 1.0 - 1.0 / self.size
            self.weights[0, column] = self.inner.weights[0, column]


RestartDBGD, RestartMGD, RestartPDGD = (Restart.around(learner) for learner in (DBGD, MGD, PDGD))
WindowDBGD, WindowMGD, WindowPDGD = (Window.around(learner) for learner in (DBGD, MGD, PDGD))
