"""Regret figures that our policies must agree with, measured anew.

Each row says what somebody else's implementation, or the paper's authors, got. A row
agrees when the two means differ by less than 3.5 standard errors of their difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from duelist.core.memory import Floats
from duelist.dueling.environments import load_environment
from duelist.dueling.simulate import simulate


@dataclass(frozen=True)
class Figure:
    """A mean regret measured elsewhere. `error` is half its 95 % interval."""

    policy: str
    environment: str
    horizon: int
    mean: float
    error: float
    source: str
    parameters: dict[str, Any] = field(default_factory=dict)
    view: str = "strong"

    @property
    def label(self) -> str:
        settings = "".join(f" {n}={v:g}" for n, v in self.parameters.items())
        return f"{self.policy}{settings}, {self.environment}, T={self.horizon:.0e}".replace("e+0", "e")


MANY = "independent implementation, up to 2,000 runs"
THIRTY = "independent implementation, 30 runs"
NUMPY = "vectorised numpy, written apart from the policies for this comparison"

# The error of a 30-run figure printed without decimals is at least its rounding, 0.5.
FIGURES: tuple[Figure, ...] = (
    Figure("rucb", "arxiv", 100_000, 565, 14, MANY),
    Figure("savage", "arxiv", 100_000, 1641, 9, MANY),
    Figure("if2", "arxiv", 100_000, 4086, 45, MANY),
    Figure("btm", "arxiv", 100_000, 4571, 28, MANY, {"gamma": 1.2}),
    Figure("btm", "arxiv", 100_000, 3326, 38, MANY, {"gamma": 1.1}),
    Figure("btm", "arxiv", 100_000, 2249, 57, MANY, {"gamma": 1.0}),
    Figure("rex3", "arxiv", 100_000, 192, 4, MANY),
    Figure("rex3", "arxiv", 100_000, 688, 5, MANY, {"gain": 0.5}),
    Figure("rex3", "arxiv", 100_000, 419, 4, MANY, {"gain": 0.1}),
    Figure("sparring-exp3", "arxiv", 100_000, 1136, 16, MANY),
    Figure("rex3", "savage-30", 10_000, 632, 25, THIRTY),
    Figure("rex3", "savage-30", 100_000, 1703, 59, THIRTY),
    Figure("rex3", "savage-30", 100_000, 2621, 40, THIRTY, {"gain": 0.5}),
    Figure("rex3", "savage-30", 100_000, 2467, 34, THIRTY, {"gain": 0.1}),
    Figure("sparring-exp3", "savage-30", 100_000, 3972, 77, THIRTY),
    Figure("rucb", "savage-30", 10_000, 2038, 8, THIRTY),
    Figure("rucb", "savage-30", 100_000, 3220, 56, THIRTY),
    Figure("rex3", "bvs-20", 10_000, 99, 0.5, THIRTY),
    Figure("rex3", "bvs-20", 100_000, 993, 2, THIRTY),
    Figure("rex3", "bvs-20", 100_000, 947, 8, THIRTY, {"gain": 0.5}),
    Figure("rex3", "bvs-20", 100_000, 977, 5, THIRTY, {"gain": 0.1}),
    Figure("sparring-exp3", "bvs-20", 100_000, 946, 7, THIRTY),
    Figure("rucb", "bvs-20", 10_000, 65, 0.5, THIRTY),
    Figure("rucb", "bvs-20", 100_000, 520, 0.5, THIRTY),
    Figure("rex3", "deceptive", 100_000, 312, 13, THIRTY, view="bandit"),
    Figure("rex3", "deceptive", 100_000, 1995, 55, THIRTY, {"gain": 0.5}, "bandit"),
    Figure("sparring-exp3", "deceptive", 100_000, 3204, 93, THIRTY, view="bandit"),
    Figure("rucb", "deceptive", 100_000, 4845, 123, THIRTY, view="bandit"),
    Figure("rmed1", "arxiv", 100_000, 267, 4, MANY),
    Figure("rmed1", "savage-30", 100_000, 820, 8, MANY),
    Figure("rmed1", "bvs-20", 100_000, 292, 3, MANY),
    Figure("rcs", "arxiv", 100_000, 311, 7, MANY),
    Figure("d-ts", "arxiv", 100_000, 149, 5, MANY),
    Figure("rmed2", "arxiv", 100_000, 312, 8, NUMPY),
    Figure("rmed2fh", "arxiv", 100_000, 331, 10, NUMPY),
    Figure("ccb", "arxiv", 100_000, 539.5, 10.8, NUMPY),
    Figure("multisbm", "arxiv", 100_000, 2720.6, 8.8, NUMPY),
    Figure("doubler", "arxiv", 100_000, 2780, 17, NUMPY),
    Figure("d-exp3", "arxiv", 100_000, 4271, 26, NUMPY, view="borda"),
    Figure("dex3s", "arxiv", 100_000, 1347, 13, NUMPY),
    Figure("versatile-db", "arxiv", 20_000, 328, 12, NUMPY),
    Figure("versatile-db", "arxiv", 20_000, 129, 12, NUMPY, {"shared": True, "reduced_variance": True}),
    Figure("versatile-db", "arxiv", 20_000, 199, 12, NUMPY, {"reduced_variance": True}),
)


@dataclass(frozen=True)
class Measured:
    """A figure and what we got for it."""

    figure: Figure
    mean: float
    error: float  # standard error of the mean
    deviations: float  # of the difference, in its standard errors

    @property
    def agrees(self) -> bool:
        return abs(self.deviations) < 3.5


def measure(figure: Figure, runs: int, seed: int = 1) -> Measured:
    """Run the figure's policy and compare."""
    result = simulate(
        figure.policy, figure.environment, figure.horizon, runs, seed, figure.parameters, points=1, progress=False
    )
    sample = result.curve(figure.view)[:, -1]
    mean, error = float(sample.mean()), float(sample.std(ddof=1) / math.sqrt(runs))
    together = math.hypot(error, figure.error / 1.96)
    return Measured(figure, mean, error, (mean - figure.mean) / together)


@dataclass(frozen=True)
class Ratio:
    """Thesis Figures 5.1 and 5.2: regret of IF1 over IF2, a median over runs, for K arms."""

    instance: str  # worst-case or bradley-terry
    arms: int
    median: float
    quartiles: tuple[float, float]
    regrets: tuple[float, float]  # median regret of IF1 and IF2


# 100 runs each of an independent implementation: T = 1e7, epsilon 0.1, radius constant 1.
RATIOS: tuple[Ratio, ...] = (
    Ratio("worst-case", 100, 2.20, (1.72, 2.82), (60_216, 29_364)),
    Ratio("worst-case", 200, 2.54, (1.95, 3.53), (162_255, 61_393)),
    Ratio("worst-case", 300, 3.06, (2.39, 3.70), (289_353, 91_637)),
    Ratio("worst-case", 400, 3.19, (2.56, 4.07), (392_773, 123_910)),
    Ratio("worst-case", 500, 3.40, (2.63, 4.17), (554_755, 151_817)),
    Ratio("bradley-terry", 100, 1.14, (1.05, 1.26), (16_699, 13_648)),
    Ratio("bradley-terry", 200, 1.11, (1.00, 1.25), (33_973, 30_919)),
    Ratio("bradley-terry", 300, 1.13, (1.03, 1.29), (57_182, 47_358)),
    Ratio("bradley-terry", 400, 1.12, (1.04, 1.27), (75_573, 63_255)),
    Ratio("bradley-terry", 500, 1.09, (0.99, 1.24), (99_783, 84_042)),
)


@dataclass(frozen=True)
class MeasuredRatio:
    """A ratio and what we got for it."""

    ratio: Ratio
    median: float
    quartiles: tuple[float, float]
    regrets: tuple[float, float]
    deviations: float  # of the medians' difference, in its standard errors

    @property
    def agrees(self) -> bool:
        return abs(self.deviations) < 3.5


def ratio_sample(ratio: Ratio, runs: int, horizon: int = 10_000_000) -> Floats:
    """Regret of IF1 over that of IF2, run by run."""
    regrets = filter_regrets(ratio, runs, horizon)
    return np.asarray(regrets[:, 0] / regrets[:, 1])


def filter_regrets(ratio: Ratio, runs: int, horizon: int = 10_000_000) -> Floats:
    """IF1 and IF2 from the same incumbent and order; a new random instance for each Bradley-Terry run.

    Both plan for 1e7 duels. After the last elimination no regret is added (the right arm is
    found), so a smaller `horizon` gives the same regrets as long as every run ends before it.
    """
    name = f"{ratio.instance}:arms={ratio.arms},epsilon=0.1"
    if ratio.instance == "bradley-terry":
        worlds, runs_each = [load_environment(f"{name},seed={run}") for run in range(runs)], 1
    else:
        worlds, runs_each = [load_environment(name)], runs
    settings = {"horizon": 10_000_000, "radius_constant": 1.0}
    regrets = np.empty((runs, 2))
    for column, policy in enumerate(("if1", "if2")):
        results = [simulate(policy, w, horizon, runs_each, seed, settings, points=1) for seed, w in enumerate(worlds)]
        regrets[:, column] = np.concatenate([result.curve()[:, -1] for result in results])
    return regrets


def measure_ratio(ratio: Ratio, runs: int, horizon: int = 10_000_000) -> MeasuredRatio:
    """Run both filters and compare the median ratio."""
    regrets = filter_regrets(ratio, runs, horizon)
    ratios = regrets[:, 0] / regrets[:, 1]
    low, median, high = np.quantile(ratios, (0.25, 0.5, 0.75))
    # A median's standard error is about 1.2533 sd / sqrt(n), and sd about the quartile range / 1.349.
    ours, theirs = high - low, ratio.quartiles[1] - ratio.quartiles[0]
    together = 1.2533 / 1.349 * math.hypot(ours / math.sqrt(runs), theirs / math.sqrt(100))
    medians = np.median(regrets, axis=0)
    return MeasuredRatio(
        ratio,
        float(median),
        (float(low), float(high)),
        (float(medians[0]), float(medians[1])),
        float((median - ratio.median) / together),
    )
