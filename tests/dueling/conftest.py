"""A policy whose duels are known beforehand, to check what simulations make of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from duelist.core.compile import plain
from duelist.core.memory import Floats, Ints, parameter
from duelist.dueling import Duel, Environment, Policy, Result, simulate


class Walk(Policy):
    """Plays every ordered pair in turn, again and again, and answers what it was told to."""

    view = "none"

    answer: int = parameter(0, "the arm that best() names", low=0)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        place = (t - 1) % (self.n_arms * self.n_arms)
        return Duel(place // self.n_arms, place % self.n_arms, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        pass

    def best_arm(self) -> int:
        return self.answer


@pytest.fixture
def walk() -> type[Policy]:
    """The policy class."""
    return Walk


@pytest.fixture
def walked() -> Callable[[Environment, int], tuple[Result, Ints, Ints]]:
    """Walks through an environment; gives the curves at every duel, and the arms left and right."""

    def run(environment: Environment, horizon: int) -> tuple[Result, Ints, Ints]:
        # So many log-spaced checkpoints that each duel has one.
        result = simulate(Walk, environment, horizon, runs=2, points=100 * horizon)
        assert result.checkpoints.tolist() == list(range(1, horizon + 1))
        place = np.arange(horizon) % environment.n_arms**2
        return result, place // environment.n_arms, place % environment.n_arms

    return run


@pytest.fixture
def outcomes() -> Callable[..., Floats]:
    """Many outcomes of one duel, from the environment's kernel run as plain Python."""

    def draw(environment: Environment, t: int, left: int, right: int, n: int = 4000) -> Floats:
        duel, memory, rng = plain(type(environment).duel), environment.memory(t), np.random.default_rng(0)
        return np.array([duel(memory, t, left, right, rng) for _ in range(n)])

    return draw
