"""Cells that simulate a policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from duelist.core.spec import Spec
from duelist.dueling.environment import Environment
from duelist.dueling.result import Result
from duelist.reproductions.reproduction import Measurable, Measured, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.verdicts import Reference, Row
from duelist.sweeps import PolicyRuns

# One world for all runs, or a world for each of so many.
Worlds = Callable[[Setting, int], Sequence[Environment]]


@dataclass(frozen=True)
class PolicyCell(Measurable):
    """Cumulative regret of a policy at a horizon, one number a run.

    `world` is an instance by name, a matrix of the data folder by its file (*.npz), or a function that makes worlds.
    A name with {run} in it means another world for each run.

    >>> cell = PolicyCell("RANDOM", Spec.read("policy", "uniform"), "cyclic", horizon=1000, runs=3)
    >>> [round(float(regret)) for regret in cell.measure(Setting()).sample]
    [75, 75, 76]
    """

    label: str
    policy: Spec
    world: str | Worlds
    horizon: int = 100_000
    runs: int = 100
    quick_runs: int = 10
    quick_horizon: int = 0  # 0: the same
    view: str = "strong"
    reference: Reference | None = None
    points: int = 1  # of the curve
    seed: int = 1
    quick: bool = True

    def plan(self, setting: Setting) -> list[PolicyRuns]:
        """All runs in one world, or each in its own."""
        runs, horizon = self.runs, self.horizon
        if setting.quick:
            runs, horizon = self.quick_runs, self.quick_horizon or self.horizon
        worlds = self.worlds(setting, runs)
        if len(worlds) == 1:
            return [PolicyRuns(self.policy, worlds[0], horizon, runs, self.seed, self.points, setting.engine)]
        # A GPU is for many runs in one world.
        return [PolicyRuns(self.policy, world, horizon, 1, seed, self.points) for seed, world in enumerate(worlds)]

    def collect(self, results: Sequence[Result]) -> Measured:
        """The regret of every run, and the curves of the first world."""
        sample = np.concatenate([result.curve(self.view)[:, -1] for result in results])
        return Measured(sample, results[0])

    def worlds(self, setting: Setting, runs: int) -> Sequence[str | Environment]:
        """What the policy duels in; a name where it has one, because a thousand large matrices would fill memory."""
        if not isinstance(self.world, str):
            return self.world(setting, runs)
        if self.world.endswith(".npz"):
            return [setting.matrix(self.world)]
        if "{run}" in self.world:
            return [self.world.format(run=run) for run in range(runs)]
        return [self.world]

    def rows(self, measured: Measured) -> list[Row]:
        """The mean beside the reference, if it has one."""
        if self.reference is None:
            return []
        return [Row(f"{self.label}, {self.view} regret", self.reference, mean_of(measured.sample))]
