"""Directions to try: random ones. Other ways to find them are parts with the same kernels (nsgd.py has one)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.memory import Flags, Floats
from duelist.online.page import Page
from duelist.online.part import Part


class RandomDirections(Part):
    """A new direction for each candidate, whatever happened before.

    The three kernels are those of any part that finds directions: `propose` fills the directions to try,
    `decide` may change who won before the step is taken, `learn` is told how each candidate did.
    """

    kernels = ("reset", "propose", "decide", "learn")

    def propose(self, page: Page, directions: Floats, rng: np.random.Generator) -> None:
        draw_directions(directions, rng)

    def decide(
        self, impression: Any, clicked: Flags, weights: Floats, distance: float, wins: Floats, rng: np.random.Generator
    ) -> None:
        pass

    def learn(self, impression: Any, outcomes: Floats) -> None:
        pass


@kernel
def draw_directions(directions: Floats, rng: np.random.Generator) -> None:
    """A random direction in each row."""
    for row in range(directions.shape[0]):
        draw_direction(directions, row, rng)


@kernel
def draw_direction(directions: Floats, row: int, rng: np.random.Generator) -> None:
    """A vector of length 1, uniformly random on the sphere."""
    total = 0.0
    for column in range(directions.shape[1]):
        value = rng.standard_normal()
        directions[row, column] = value
        total += value * value
    scale = 1.0 / math.sqrt(total)
    for column in range(directions.shape[1]):
        directions[row, column] *= scale
