"""A best point that moves: the value function is shifted, v_t(w) = v(w - c_t)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from duelist.core.compile import kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.core.parallel import check_whole

TWO_PI = 2.0 * math.pi


class Path(NamedTuple):
    """Where the best point is, for kernels."""

    turns: float  # over the whole run; 0: it jumps
    away: float
    horizon: int
    times: Ints  # when each centre comes into force, counted from 1
    centres: Floats


@dataclass(frozen=True)
class Drift:
    """The centre c_t is `away` from 0 and turns around it in a plane, `turns` times in a run, or jumps.

    With `jumps` it is somewhere on the sphere of radius `away`, and at equally spaced times jumps to
    somewhere else on it; the places are drawn by `seed`. With neither it stays at (away, 0, ..., 0).

    >>> Drift(away=2.0, turns=1.0).length(horizon=1000, dimension=3)
    12.566370614359172
    """

    away: float
    turns: float = 0.0
    jumps: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(0, jumps=self.jumps, seed=self.seed)
        for name in ("away", "turns"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < math.inf:
                raise BadInput(f"{name} must be a number of at least 0, not {value!r}")
        if self.turns and self.jumps:
            raise BadInput(f"the best point turns or jumps, not both: turns={self.turns}, jumps={self.jumps}")

    def path(self, horizon: int, dimension: int) -> Path:
        """The centres of a run."""
        if self.turns and dimension < 2:
            raise BadInput(f"turning needs at least 2 dimensions, not {dimension}")
        if self.jumps >= horizon:
            raise BadInput(f"{self.jumps} jumps do not fit in {horizon} comparisons")
        centres = np.zeros((self.jumps + 1, dimension))
        centres[:, 0] = self.away
        if self.jumps:
            drawn = np.random.default_rng(self.seed).standard_normal(centres.shape)
            centres = self.away * drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
        times = 1 + np.arange(self.jumps + 1) * horizon // (self.jumps + 1)
        return Path(float(self.turns), float(self.away), horizon, times, centres)

    def length(self, horizon: int, dimension: int) -> float:
        """How far the best point goes in all (C_T)."""
        jumps = np.linalg.norm(np.diff(self.path(horizon, dimension).centres, axis=0), axis=1)
        return TWO_PI * self.turns * self.away + float(jumps.sum())


@kernel
def place(path: Any, t: int, segment: Ints, centre: Floats) -> bool:
    """Put the best point of time t into `centre`; whether it has moved since t - 1."""
    if path.turns > 0.0:
        angle = TWO_PI * path.turns * t / path.horizon
        centre[0], centre[1] = path.away * math.cos(angle), path.away * math.sin(angle)
        return True
    moved = False
    while segment[0] < path.times.size and path.times[segment[0]] <= t:
        for column in range(centre.size):
            centre[column] = path.centres[segment[0], column]
        segment[0] += 1
        moved = True
    return moved
