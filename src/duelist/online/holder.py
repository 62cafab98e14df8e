"""Learners that hold another learner, which shows lists and finds directions for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Holds
from duelist.online.learner import Learner
from duelist.online.page import Page


class Holder(Learner, abstract=True):
    """Base of them: a subclass declares `base`, which the user may name, and `inner` with `holds(...)`.

    Impressions are the held learner's, whose parameters are set like one's own. A subclass writes `update`.
    """

    inner: Any

    def __init_subclass__(cls, abstract: bool = False) -> None:
        if isinstance(field := vars(cls).get("inner"), Holds):
            if not issubclass(field.part, Learner):
                raise BadInput(f"{cls.__name__}: inner must hold a learner, not {field.part.__name__}")
            cls.impression = field.part.impression
        super().__init_subclass__(abstract=abstract)

    @classmethod
    def rankers(cls, parameters: Mapping[str, Any]) -> int:
        held: Any = cls.held()["inner"]
        return int(held.rankers(parameters))

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.inner, rng)

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        inner_choose(self.inner, page, impression, rng)

    def place_at(self, weights: Floats) -> None:
        self.weights[0] = weights
        self.inner.place_at(weights)


def inner_reset(learner: Any, rng: np.random.Generator) -> None:
    """Bound to the held learner's kernel."""
    raise TypeError("unbound")


def inner_choose(learner: Any, page: Page, impression: Any, rng: np.random.Generator) -> None:
    """Bound to the held learner's kernel."""
    raise TypeError("unbound")


def inner_update(learner: Any, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
    """Bound to the held learner's kernel."""
    raise TypeError("unbound")
