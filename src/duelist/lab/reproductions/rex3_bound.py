"""REX3, Figure 1: regret against the exploration rate, beside the bound of Corollary 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.charts import Series, draw_lines
from duelist.dueling.environments import Matrix
from duelist.dueling.simulate import simulate
from duelist.lab.reproduction import Report, Reproduction, Row, Setting

HORIZON = 100_000
MISSING = (
    "The paper uses LETOR NP2004, which was not released, and MSLR30K restricted to 64 rankers without saying which: "
    "here the first 63 navigational rankers and the Condorcet winner, 109. It prints curves without numbers."
)


def bound(gamma: Any, arms: int, most_gain: float) -> Any:
    """Half the bound K ln K / gamma + gamma tau, tau = e Gmax (Gmin, never given, is 0)."""
    return 0.5 * (arms * math.log(arms) / gamma + gamma * math.e * most_gain)


def run(setting: Setting) -> Report:
    """Regret for a grid of fixed rates."""
    chosen = [*range(63), 109]
    world = Matrix(
        setting.matrix("MSLR_Navigational_PMat.npz").preference[np.ix_(chosen, chosen)], "navigational, 64 rankers"
    )
    gammas = np.geomspace(0.002, 0.5, 7 if setting.quick else 15)
    samples = []
    for gamma in gammas:
        result = simulate(
            "rex3", world, HORIZON, 8 if setting.quick else 100, 1, {"gamma": float(gamma)}, points=1, progress=False
        )
        samples.append(result.curve()[:, -1])
        setting.advance(1)
    means = np.array([sample.mean() for sample in samples])
    conservative, riskier = (bound(gammas, 64, HORIZON / part) for part in (2, 4))
    luck = np.random.default_rng(0)
    draws = [np.array([luck.choice(s, len(s)).mean() for s in samples]) for _ in range(1000)]

    def row(cell: str, value: Callable[[Any], float], holds: Callable[[float, float], bool]) -> Row:
        low, high = (float(q) for q in np.quantile([value(draw) for draw in draws], (0.025, 0.975)))
        return Row(cell, None, value(means), low, high, holds(low, high))

    guess = math.log(math.sqrt(64 * math.log(64) / (math.e * HORIZON / 2)))  # gamma* of eq. (6)
    rows = [
        row(
            "largest regret / bound, Gmax = T/2: below 1", lambda m: float((m / conservative).max()), lambda a, b: b < 1
        ),
        row(
            "best rate: inside the grid",
            lambda m: float(gammas[m.argmin()]),
            lambda a, b: bool(gammas[0] < a and b < gammas[-1]),
        ),
        row(
            "regret at gamma* / lowest: a good guess, below 1.5",
            lambda m: float(np.interp(guess, np.log(gammas), m) / m.min()),
            lambda a, b: b < 1.5,
        ),
    ]

    def draw(path: Path) -> Any:
        lines = [
            Series(
                "REX3, lowest to highest run",
                gammas,
                means,
                np.array([s.min() for s in samples]),
                np.array([s.max() for s in samples]),
            ),
            Series("bound, Gmax = T/2", gammas, conservative),
            Series("bound, Gmax = T/4", gammas, riskier),
        ]
        title = "REX3 Figure 1: regret at T = 1e5 against gamma"
        return draw_lines([("cumulative strong regret", lines, True)], "gamma", title, path)

    return Report(rows, draw)


BOUND = Reproduction("rex3-1", "REX3 Figure 1", MISSING, 15, run)
