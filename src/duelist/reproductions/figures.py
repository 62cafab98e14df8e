"""Every number of other implementations that regret has to agree with. Nowhere else are they typed.

`duelist bench figures` measures all of them; reproductions take those of their figure.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from duelist.core.memory import Floats
from duelist.core.spec import Spec
from duelist.reproductions.policy_cells import PolicyCell
from duelist.reproductions.reproduction import Found
from duelist.reproductions.samples import median_of
from duelist.reproductions.verdicts import HALF, OBSERVATION, Reference, Row

MANY = "another implementation, up to 2,000 runs"
THIRTY = "another implementation, 30 runs"
NUMPY = "vectorised numpy, written apart from the policies for this comparison"


def figure(
    policy: str, world: str, horizon: int, mean: float, error: float, source: str, view: str = "strong"
) -> PolicyCell:
    """A mean regret measured elsewhere, with half its 95 % interval."""
    spec = Spec.read("policy", policy)
    label = f"{spec}, {world}, T={horizon:.0e}".replace("e+0", "e")
    return PolicyCell(
        label, spec, world, horizon, view=view, reference=Reference("independent", source, mean, error=error)
    )


# The error of a 30-run figure printed without decimals is at least its rounding, 0.5.
FIGURES: tuple[PolicyCell, ...] = (
    figure("rucb", "arxiv", 100_000, 565, 14, MANY),
    figure("savage", "arxiv", 100_000, 1641, 9, MANY),
    figure("if2", "arxiv", 100_000, 4086, 45, MANY),
    figure("btm:gamma=1.2", "arxiv", 100_000, 4571, 28, MANY),
    figure("btm:gamma=1.1", "arxiv", 100_000, 3326, 38, MANY),
    figure("btm:gamma=1.0", "arxiv", 100_000, 2249, 57, MANY),
    figure("rex3", "arxiv", 100_000, 192, 4, MANY),
    figure("rex3:gain=0.5", "arxiv", 100_000, 688, 5, MANY),
    figure("rex3:gain=0.1", "arxiv", 100_000, 419, 4, MANY),
    figure("sparring-exp3", "arxiv", 100_000, 1136, 16, MANY),
    figure("rex3", "savage-30", 10_000, 632, 25, THIRTY),
    figure("rex3", "savage-30", 100_000, 1703, 59, THIRTY),
    figure("rex3:gain=0.5", "savage-30", 100_000, 2621, 40, THIRTY),
    figure("rex3:gain=0.1", "savage-30", 100_000, 2467, 34, THIRTY),
    figure("sparring-exp3", "savage-30", 100_000, 3972, 77, THIRTY),
    figure("rucb", "savage-30", 10_000, 2038, 8, THIRTY),
    figure("rucb", "savage-30", 100_000, 3220, 56, THIRTY),
    figure("rex3", "bvs-20", 10_000, 99, 0.5, THIRTY),
    figure("rex3", "bvs-20", 100_000, 993, 2, THIRTY),
    figure("rex3:gain=0.5", "bvs-20", 100_000, 947, 8, THIRTY),
    figure("rex3:gain=0.1", "bvs-20", 100_000, 977, 5, THIRTY),
    figure("sparring-exp3", "bvs-20", 100_000, 946, 7, THIRTY),
    figure("rucb", "bvs-20", 10_000, 65, 0.5, THIRTY),
    figure("rucb", "bvs-20", 100_000, 520, 0.5, THIRTY),
    figure("rex3", "deceptive", 100_000, 312, 13, THIRTY, "bandit"),
    figure("rex3:gain=0.5", "deceptive", 100_000, 1995, 55, THIRTY, "bandit"),
    figure("sparring-exp3", "deceptive", 100_000, 3204, 93, THIRTY, "bandit"),
    figure("rucb", "deceptive", 100_000, 4845, 123, THIRTY, "bandit"),
    figure("rmed1", "arxiv", 100_000, 267, 4, MANY),
    figure("rmed1", "savage-30", 100_000, 820, 8, MANY),
    figure("rmed1", "bvs-20", 100_000, 292, 3, MANY),
    figure("rcs", "arxiv", 100_000, 311, 7, MANY),
    figure("d-ts", "arxiv", 100_000, 149, 5, MANY),
    figure("btm:gamma=1.1,lenient=true", "arxiv", 100_000, 2731, 30, NUMPY),
    figure("rmed2", "arxiv", 100_000, 312, 8, NUMPY),
    figure("rmed2fh", "arxiv", 100_000, 331, 10, NUMPY),
    figure("ccb", "arxiv", 100_000, 539.5, 10.8, NUMPY),
    figure("multisbm", "arxiv", 100_000, 2720.6, 8.8, NUMPY),
    figure("doubler", "arxiv", 100_000, 2780, 17, NUMPY),
    figure("d-exp3", "arxiv", 100_000, 4271, 26, NUMPY, "borda"),
    figure("dex3s", "arxiv", 100_000, 1347, 13, NUMPY),
    figure("versatile-db", "arxiv", 20_000, 328, 12, NUMPY),
    figure("versatile-db:shared=true,reduced_variance=true", "arxiv", 20_000, 129, 12, NUMPY),
    figure("versatile-db:reduced_variance=true", "arxiv", 20_000, 199, 12, NUMPY),
)


def reference_for(policy: Spec, world: str, horizon: int, view: str) -> Reference | None:
    """The reference of a cell, if somebody has measured it."""
    for cell in FIGURES:
        if (cell.policy.complete(), cell.world, cell.horizon, cell.view) == (policy.complete(), world, horizon, view):
            return cell.reference
    return None


class Ratio(NamedTuple):
    """Thesis Figures 5.1 and 5.2: regret of IF1 over IF2, a median over runs, for K arms."""

    instance: str  # worst-case or bradley-terry
    arms: int
    median: float | None = None  # of another implementation, where there is one
    quartiles: tuple[float, float] = (math.nan, math.nan)
    regrets: tuple[float, float] = (math.nan, math.nan)  # median regret of IF1 and IF2

    @property
    def cells(self) -> tuple[PolicyCell, PolicyCell]:
        """IF1 and IF2 from the same incumbent and order; a new random instance for each Bradley-Terry run.

        Both plan for 1e7 duels. After the last elimination no regret is added (the right arm is found), so a
        smaller horizon gives the same regrets as long as every run ends before it: at 200 arms all do before 4e6.
        """
        world = f"{self.instance}:arms={self.arms},epsilon=0.1" + ",seed={run}" * (self.instance == "bradley-terry")
        first, second = (
            PolicyCell(
                label=self.label(name),
                policy=Spec.read("policy", f"{name}:horizon=10000000,radius_constant=1"),
                world=world,
                horizon=10_000_000,
                runs=500,
                quick_runs=30,
                quick_horizon=4_000_000,
                seed=0,
                quick=self.arms <= 200,
            )
            for name in ("if1", "if2")
        )
        return first, second

    def label(self, policy: str) -> str:
        """Of a cell."""
        return f"{policy}, {self.instance}, {self.arms} arms"

    def sample(self, found: Found) -> Floats:
        """The ratio of regrets, run by run."""
        first, second = (found[self.label(name)].sample for name in ("if1", "if2"))
        return np.asarray(first / second)

    def row(self, found: Found) -> Row:
        """The median of ours, beside theirs if there is one."""
        cell = f"IF1 / IF2, {self.instance}, {self.arms} arms, median"
        if self.median is None:
            return Row(cell, OBSERVATION, median_of(self.sample(found)))
        # A median's standard error is about 1.2533 sd / sqrt(n), and sd about the quartile range / 1.349.
        error = HALF * 1.2533 / 1.349 * (self.quartiles[1] - self.quartiles[0]) / math.sqrt(RATIO_RUNS)
        reference = Reference("independent", RATIO_SOURCE, self.median, error=error)
        return Row(cell, reference, median_of(self.sample(found)))


RATIO_RUNS = 100
RATIO_SOURCE = f"another implementation, {RATIO_RUNS} runs: T = 1e7, epsilon .1, radius constant 1"
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
