"""Cells that let a learner learn from simulated users of a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from duelist.core.intervals import Interval, student_quantile
from duelist.core.memory import Floats
from duelist.core.spec import Spec
from duelist.online.result import Learning, join_runs
from duelist.reproductions.reproduction import Measurable, Measured, Setting
from duelist.reproductions.verdicts import Reference, Row
from duelist.sweeps import LearnerRuns

FOLDS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class LearnerCell(Measurable):
    """What a learner shows (`online`, discounted NDCG) and learns (`final`, NDCG@10 on test queries).

    The folds are the same on both sides, so that the error of a mean is that of runs within a fold. Others give
    the number of their runs and not their spread: theirs deviate as ours do.
    """

    label: str
    learner: Spec
    clicks: str
    stop: str = "click"
    data: str = "mq2008"
    folds: tuple[int, ...] = FOLDS
    impressions: int = 10_000
    runs: int = 500  # all folds together
    quick_runs: int = 10
    references: Mapping[str, Reference] = field(default_factory=dict)  # of online and final
    their_runs: int = 0  # all folds together, where a reference has no error of its own
    seed: int = 5
    quick: bool = True

    def plan(self, setting: Setting) -> list[LearnerRuns]:
        """A cell a fold."""
        data, runs = str(setting.folder(self.data)), self.quick_runs if setting.quick else self.runs
        shared = (self.clicks, self.impressions, runs // len(self.folds), self.seed, self.stop)
        return [LearnerRuns(self.learner, data, fold, *shared) for fold in self.folds]

    def collect(self, results: Sequence[Learning]) -> Measured:
        """All folds as one."""
        learning = join_runs(results, self.seed)
        return Measured(learning.online[:, -1], learning)

    def rows(self, measured: Measured) -> list[Row]:
        """Each mean beside its reference."""
        found = []
        for measure, reference in self.references.items():
            sample = getattr(measured.curves, measure)[:, -1]
            if self.their_runs:
                reference = replace(reference, error=half_interval(sample, len(self.folds), self.their_runs))
            found.append(Row(f"{self.label}: {measure}", reference, within_folds(sample, len(self.folds))))
        return found


def half_interval(sample: Floats, folds: int, runs: int) -> float:
    """Half the 95 % interval of a mean over so many runs that deviate within their fold as `sample` does."""
    spread = sample.reshape(folds, -1).std(axis=1, ddof=1).mean()
    return float(student_quantile(sample.size - folds) * spread / np.sqrt(runs))


def within_folds(sample: Floats, folds: int) -> Interval:
    """The mean, with the interval that runs on the same folds would give again.

    >>> [round(float(number), 2) for number in within_folds(np.array([1.0, 3.0, 11.0, 13.0]), 2)]
    [7.0, 3.96, 10.04]
    """
    mean, half = float(sample.mean()), half_interval(sample, folds, sample.size)
    return Interval(mean, mean - half, mean + half)
