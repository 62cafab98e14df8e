"""Cells of searches of a continuous space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from duelist.core.memory import Floats
from duelist.online.continuous import VALUES, Descent, Drift, descend
from duelist.online.continuous.descend import find_algorithm, find_space
from duelist.online.continuous.loop import compiled_run
from duelist.sweeps.cell import Cell, Packed

COST = 2e-6  # seconds a comparison


@dataclass(frozen=True)
class DescentRuns(Cell):
    """Runs of an algorithm on a value function, both by name."""

    kind: ClassVar[str] = "descent"
    clock: ClassVar[str] = "comparisons"

    algorithm: str
    value: str
    dimension: int
    horizon: int
    runs: int
    seed: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    start: float | None = None
    drift: Drift | None = None
    points: int = 20
    engine: str = "cpu"

    @property
    def cost(self) -> float:
        return self.horizon * COST

    def axes(self) -> dict[str, Any]:
        names = ("algorithm", "value", "dimension", "horizon", "seed", "start")
        return {name: getattr(self, name) for name in names} | {f"set.{n}": v for n, v in self.parameters.items()}

    def identity(self) -> dict[str, Any]:
        names = ("algorithm", "value", "dimension", "horizon", "seed", "start", "points")
        moving = None if self.drift is None else asdict(self.drift)
        kind, value = find_algorithm(self.algorithm, self.parameters), VALUES[self.value].function
        code = compiled_run(kind, value, *find_space("logistic", "ball")).digest  # as `descend` has it by default
        settings = {"parameters": dict(self.parameters), "drift": moving, "code": code}
        return {**{n: getattr(self, n) for n in names}, **settings}

    def check(self) -> None:
        self._descend(0, 1, 1, horizon=1)

    def run(self, first: int, runs: int, cores: int | None = None) -> Descent:
        return self._descend(first, runs, cores, self.horizon)

    def _descend(self, first: int, runs: int, cores: int | None, horizon: int) -> Descent:
        return descend(
            self.algorithm,
            self.value,
            self.dimension,
            horizon,
            runs,
            self.seed,
            self.parameters,
            first=first,
            start=self.start,
            drift=self.drift,
            points=self.points,
            cores=cores,
            progress=False,
        )

    @staticmethod
    def join(parts: Sequence[Descent]) -> Descent:
        regret, last = (np.concatenate([getattr(part, name) for part in parts]) for name in ("regret", "last"))
        speed = len(regret) / sum(len(part.regret) / part.comparisons_per_second for part in parts)
        return replace(parts[0], regret=regret, last=last, comparisons_per_second=speed)

    @staticmethod
    def pack(result: Descent) -> Packed:
        facts = {name: value for name, value in vars(result).items() if not isinstance(value, np.ndarray)}
        points = {f"last.{place}": column for place, column in enumerate(result.last.T)}
        return Packed(facts, result.checkpoints, {"regret": result.regret, **points})

    @staticmethod
    def unpack(packed: Packed) -> Descent:
        arrays = dict(packed.arrays)
        regret = arrays.pop("regret")
        last = np.stack([column[:, -1] for column in arrays.values()], axis=1)
        return Descent(**packed.facts, checkpoints=packed.times, regret=regret, last=last)

    @staticmethod
    def curves(result: Descent) -> dict[str, Floats]:
        return {"regret": result.curve}
