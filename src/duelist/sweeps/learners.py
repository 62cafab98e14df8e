"""Cells of learners that learn from simulated users of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from duelist.clicks.cascade import cascade
from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.parallel import check_whole
from duelist.core.spec import Spec
from duelist.data.folds import Fold, find_parts
from duelist.data.load import SYNTHETIC, describe_data, load_fold
from duelist.online.intents import DriftLearning
from duelist.online.loop import compiled_run
from duelist.online.result import Learning, join_runs
from duelist.online.simulate import ENGINES, learn
from duelist.sweeps.cell import Cell, Packed, canonical, digest_of, settings_of

COST = {"cpu": 3e-6, "cuda": 3e-8}  # seconds an impression, with some tens of documents and features


@dataclass(frozen=True)
class LearnerRuns(Cell):
    """Runs of a learner on one fold of a data set: a folder, or "synthetic" with its parameters."""

    kind: ClassVar[str] = "learner"
    clock: ClassVar[str] = "impressions"

    learner: Spec
    data: str
    fold: int = 1
    clicks: str = "navigational"
    impressions: int = 10_000
    runs: int = 5
    seed: int = 0
    stop: str = "click"
    drift: str | None = None
    points: int = 20
    engine: str = "cpu"

    @property
    def cost(self) -> float:
        return self.impressions * COST[self.engine]

    @property
    def synthetic(self) -> bool:
        """Whether the data is made on the spot."""
        return self.data.partition(":")[0] == SYNTHETIC

    def axes(self) -> dict[str, Any]:
        names = ("fold", "clicks", "stop", "drift", "seed", "engine")
        where = {"data": describe_data(self.data), **{name: getattr(self, name) for name in names}}
        return {"learner": str(self.learner), **where, "horizon": self.impressions, **settings_of(self.learner)}

    def identity(self) -> dict[str, Any]:
        names = ("fold", "clicks", "stop", "drift", "impressions", "seed", "points", "engine")
        kind = type(self.learner.make(2, seed=0))
        return {
            "learner": canonical(self.learner),
            "data": self.data if self.synthetic else self._files(),
            "code": compiled_run(kind).digest,
            **{name: getattr(self, name) for name in names},
        }

    def _files(self) -> list[list[str]]:
        return [[digest_of(path) for path in part] for part in find_parts(Path(self.data), self.fold)]

    def check(self) -> None:
        check_whole(1, impressions=self.impressions, runs=self.runs, points=self.points, fold=self.fold)
        check_whole(0, seed=self.seed)
        if self.engine not in ENGINES:
            raise BadInput(f"engine must be one of {', '.join(ENGINES)}, not {self.engine!r}")
        self.learner.make(2, seed=0)
        cascade(self.clicks, 3, self.stop)
        if self.drift is not None:
            Spec.read("drift", self.drift).check()
        if self.synthetic:
            load_once(self.data, self.fold)
        else:
            self._files()

    def run(self, first: int, runs: int, cores: int | None = None) -> Learning:
        return learn(
            self.learner,
            load_once(self.data, self.fold),
            self.clicks,
            self.impressions,
            runs,
            [self.seed, self.fold],  # as `learn_folds` has it: a fold runs the same whichever others run too
            first=first,
            stop=self.stop,
            drift=self.drift,
            points=self.points,
            engine=self.engine,
            cores=cores if self.engine == "cpu" else None,
            progress=False,
        )

    @staticmethod
    def join(parts: Sequence[Learning]) -> Learning:
        return join_runs(parts, parts[0].seed)

    @staticmethod
    def pack(result: Learning) -> Packed:
        facts = {name: value for name, value in vars(result).items() if not isinstance(value, np.ndarray)}
        return Packed(facts, result.checkpoints, LearnerRuns.curves(result))

    @staticmethod
    def unpack(packed: Packed) -> Learning:
        arrays = {name.removesuffix("_ndcg"): values for name, values in packed.arrays.items()}
        kind = DriftLearning if "lost" in arrays else Learning
        return kind(**packed.facts, checkpoints=packed.times, **arrays)

    @staticmethod
    def curves(result: Learning) -> dict[str, Floats]:
        lost = {"lost": result.lost} if isinstance(result, DriftLearning) else {}
        return {"final_ndcg": result.final, "online_ndcg": result.online, **lost}


@lru_cache(maxsize=2)
def load_once(data: str, fold: int) -> Fold:
    """A fold that many cells share; few are kept, because they may be large."""
    return load_fold(data, fold)
