"""Two plain ways for any learner to follow wishes that change: start again, or forget bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.memory import Ints, holds, parameter, single
from duelist.online.holder import Holder, inner_choose, inner_reset, inner_update
from duelist.online.learners.dbgd import DBGD, MGD
from duelist.online.learners.pdgd import PDGD
from duelist.online.page import Page


class Restart(Holder, abstract=True):
    """The held learner forgets everything after every `period` impressions told."""

    period: int = parameter(2000, "impressions after which it starts again", low=1)
    age: Ints = single(int)  # impressions told since the start

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.inner, rng)

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        inner_choose(self.inner, page, impression, rng)

    def update(self, impression: Any, rng: np.random.Generator) -> None:
        inner_update(self.inner, impression, rng)
        self.age[0] += 1
        for column in range(self.n_features):
            self.weights[0, column] = self.inner.weights[0, column]
        if self.age[0] == self.period:
            inner_reset(self.inner, rng)
            self.age[0] = 0


class Window(Holder, abstract=True):
    """The held learner's weights shrink a little at every impression told, so that they rest on about the last `size`.

    For learners whose weights are a sum of steps: each step fades like exp(-age / size).
    """

    size: int = parameter(2000, "impressions that the weights rest on, about", low=1)

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.inner, rng)

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        inner_choose(self.inner, page, impression, rng)

    def update(self, impression: Any, rng: np.random.Generator) -> None:
        inner_update(self.inner, impression, rng)
        for column in range(self.n_features):
            self.inner.weights[0, column] *= 1.0 - 1.0 / self.size
            self.weights[0, column] = self.inner.weights[0, column]


class RestartDBGD(Restart):
    """DBGD that starts again after every `period` impressions.

    Departs: no paper.

    >>> RestartDBGD(n_features=2).parameter_values()["period"]
    2000
    """

    name = "restart-dbgd"
    inner: Any = holds(DBGD)


class RestartMGD(Restart):
    """MGD that starts again after every `period` impressions.

    Departs: no paper.

    >>> RestartMGD(n_features=2).n_rankers
    10
    """

    name = "restart-mgd"
    inner: Any = holds(MGD)


class RestartPDGD(Restart):
    """PDGD that starts again after every `period` impressions.

    Departs: no paper.

    >>> RestartPDGD(n_features=2).n_rankers
    1
    """

    name = "restart-pdgd"
    inner: Any = holds(PDGD)


class WindowDBGD(Window):
    """DBGD whose steps fade.

    Departs: no paper.

    >>> WindowDBGD(n_features=2).parameter_values()["size"]
    2000
    """

    name = "window-dbgd"
    inner: Any = holds(DBGD)


class WindowMGD(Window):
    """MGD whose steps fade.

    Departs: no paper.

    >>> WindowMGD(n_features=2).n_rankers
    10
    """

    name = "window-mgd"
    inner: Any = holds(MGD)


class WindowPDGD(Window):
    """PDGD whose steps fade.

    Departs: no paper.

    >>> WindowPDGD(n_features=2).n_rankers
    1
    """

    name = "window-pdgd"
    inner: Any = holds(PDGD)
