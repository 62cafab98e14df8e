"""The contract notices what is broken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duelist.core.memory import Flags, Ints, single
from duelist.online.learners.pdgd import PDGD
from duelist.online.page import Page
from duelist.testing.learner import (
    check_beats_random,
    check_compiled_equals_plain,
    check_json,
    check_late_tells,
    check_lists,
    easy_fold,
)


class UpsideDown(PDGD, abstract=True):
    """Learns the opposite."""

    name = "upside-down"

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        for slot in range(impression.count[0]):
            away = -0.1 if clicked[slot] else 0.1
            for column in range(self.n_features):
                self.weights[0, column] += away * impression.features[slot, column]


class Stubborn(PDGD, abstract=True):
    """Learns nothing."""

    name = "stubborn"

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        self.current[0] *= self.decay


class Doubled(PDGD, abstract=True):
    """Shows its first document twice."""

    name = "doubled"

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        impression.count[0] = min(page.size, self.length)
        for slot in range(impression.count[0]):
            impression.shown[slot] = max(0, slot - 1)


class Wrapping(PDGD, abstract=True):
    """Counts in a way that only machine code can."""

    name = "wrapping"
    state: Ints = single(int, 1)

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        self.state[0] = (int(self.state[0]) * 6364136223846793005 + 1) % 1000003
        impression.count[0] = min(page.size, self.length)
        for slot in range(impression.count[0]):
            impression.shown[slot] = (slot + self.state[0]) % page.size


class Infinite(PDGD, abstract=True):
    """Divides by nothing."""

    name = "infinite"

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        self.weights[0, 0] = np.inf


@pytest.mark.parametrize("broken", [UpsideDown, Stubborn])
def test_a_learner_that_does_not_learn_is_noticed(broken: type[PDGD]) -> None:
    with pytest.raises(AssertionError, match="NDCG"):
        check_beats_random(broken, {}, easy_fold())
    with pytest.raises(AssertionError, match="late tells"):
        check_late_tells(lambda seed=0: broken(6, seed=seed), easy_fold())


def test_a_document_shown_twice_is_noticed() -> None:
    with pytest.raises(AssertionError, match="shown twice"):
        check_lists(lambda: Doubled(6, seed=0))


def test_what_only_machine_code_does_is_noticed() -> None:
    with pytest.raises(AssertionError, match="plain Python"):
        check_compiled_equals_plain(lambda: Wrapping(6, seed=0), easy_fold().train)


def test_infinite_weights_are_noticed() -> None:
    with pytest.raises(AssertionError, match="infinite"):
        check_lists(lambda: Infinite(6, seed=0))


def test_state_outside_the_tables_is_noticed() -> None:
    class Forgetful(PDGD, abstract=True):
        name = "pdgd"  # so that JSON makes the built-in learner

        def to_json(self) -> str:
            kept, self.weights[:] = self.weights.copy(), 0.0
            try:
                return super().to_json()
            finally:
                self.weights[:] = kept

    with pytest.raises(AssertionError, match=r"from_json made|instead of|another state"):
        check_json(lambda: Forgetful(6, seed=0), easy_fold().train)
