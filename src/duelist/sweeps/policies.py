"""Cells of policies that duel."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.parallel import check_whole
from duelist.core.record import write_record
from duelist.core.spec import Spec
from duelist.dueling.environment import Environment
from duelist.dueling.environments import load_environment
from duelist.dueling.loop import compiled_run
from duelist.dueling.result import Result, join_runs
from duelist.dueling.simulate import ENGINES, prepare, simulate
from duelist.sweeps.cell import Cell, Packed, canonical, digest_of, settings_of

COST = {"cpu": 5e-8, "cuda": 1e-10}  # seconds a duel, at up to FEW arms
FEW = 8  # with more, it takes longer: most policies look at all arms now and then


@dataclass(frozen=True)
class PolicyRuns(Cell):
    """Runs of a policy in an environment, which is a name, a file or a world itself.

    >>> cell = PolicyRuns(Spec.read("policy", "uniform"), "cyclic", horizon=1000, runs=3, seed=1)
    >>> cell.run(0, 3).curve()[:, -1].round().tolist(), cell.run(2, 1).curve()[:, -1].round().tolist()
    ([75.0, 75.0, 76.0], [76.0])
    """

    kind: ClassVar[str] = "policy"
    clock: ClassVar[str] = "duels"

    policy: Spec
    environment: str | Environment
    horizon: int = 100_000
    runs: int = 100
    seed: int = 0
    points: int = 50
    engine: str = "cpu"

    @property
    def cost(self) -> float:
        return self.horizon * COST[self.engine] * max(1.0, self._world().n_arms / FEW)

    def axes(self) -> dict[str, Any]:
        world = self.environment if isinstance(self.environment, str) else self.environment.describe()
        place = {"environment": world, "horizon": self.horizon, "seed": self.seed, "engine": self.engine}
        return {"policy": str(self.policy), **place, **settings_of(self.policy)}

    def identity(self) -> dict[str, Any]:
        rest = {name: getattr(self, name) for name in ("horizon", "seed", "points", "engine")}
        if isinstance(self.environment, str):  # cells with other seeds share all of it
            return {**_known(write_record(self.policy.to_dict(), "it"), self.environment, self.horizon), **rest}
        return {**_identity(self.policy, self.environment, self.horizon), **rest}

    def check(self) -> None:
        check_whole(1, runs=self.runs, points=self.points)
        check_whole(0, seed=self.seed)
        if self.engine not in ENGINES:
            raise BadInput(f"engine must be one of {', '.join(ENGINES)}, not {self.engine!r}")
        check_whole(1, horizon=self.horizon)
        self.identity()

    def _world(self) -> Environment:
        return load_once(self.environment) if isinstance(self.environment, str) else self.environment

    def run(self, first: int, runs: int, cores: int | None = None) -> Result:
        options: dict[str, Any] = {"points": self.points, "engine": self.engine, "progress": False}
        if self.engine == "cpu":
            options["cores"] = cores
        return simulate(self.policy, self._world(), self.horizon, runs, self.seed, first=first, **options)

    @staticmethod
    def join(parts: Sequence[Result]) -> Result:
        return join_runs(parts)

    @staticmethod
    def pack(result: Result) -> Packed:
        arrays = {**result.sums, "hit": result.hits, "found": result.found}
        return Packed(result.facts(), result.checkpoints, arrays)

    @staticmethod
    def unpack(packed: Packed) -> Result:
        arrays = dict(packed.arrays)
        hits, found = (np.asarray(arrays.pop(name), np.bool_) for name in ("hit", "found"))
        return Result(**packed.facts, checkpoints=packed.times, sums=arrays, hits=hits, found=found[:, -1])

    @staticmethod
    def curves(result: Result) -> dict[str, Floats]:
        return {view: result.curve(view) for view in result.views}


@lru_cache(maxsize=64)
def load_once(text: str) -> Environment:
    """The environment of a text, which many cells share."""
    return load_environment(text)


@lru_cache(maxsize=4096)
def _known(policy: str, environment: str, horizon: int) -> dict[str, Any]:
    return _identity(Spec.from_dict(json.loads(policy)), environment, horizon)


def _identity(policy: Spec, environment: str | Environment, horizon: int) -> dict[str, Any]:
    """Of a policy in an environment: their names with all parameters, and the code that both compile to."""
    template, world = prepare(policy, load_once(environment) if isinstance(environment, str) else environment, horizon)
    code = compiled_run(type(template), type(world)).digest
    return {"policy": canonical(policy), "environment": _world_identity(environment, horizon), "code": code}


def _world_identity(environment: str | Environment, horizon: int) -> Any:
    """Of an environment: a name with its parameters, or what is in the file or in its memory."""
    if not isinstance(environment, str):
        return [type(environment).__qualname__, environment.describe(), _memory_digest(environment.memory(horizon))]
    if Path(environment).is_file():
        return digest_of(Path(environment))
    spec = Spec.read("environment", environment)
    path = spec.parameters.get("path")
    return [canonical(spec), digest_of(Path(path))] if path else canonical(spec)


def _memory_digest(memory: Any) -> str:
    """Of numbers and arrays in tuples."""
    if isinstance(memory, tuple):
        inner = "".join(map(_memory_digest, memory))
        return hashlib.sha256(inner.encode()).hexdigest()
    value = np.ascontiguousarray(memory)
    return hashlib.sha256(f"{value.dtype}{value.shape}".encode() + value.tobytes()).hexdigest()
