"""A cell: runs of one policy, learner or search in one world, as data. Whoever runs it, run i is the same."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from duelist.core.memory import Floats, Ints
from duelist.core.parameters import write_value
from duelist.core.spec import Spec

RESULTS = 1  # raise when cells give other numbers than before though nothing that is compiled has changed


class Packed(NamedTuple):
    """A result taken apart: what JSON holds, and columns of numbers."""

    facts: dict[str, Any]
    times: Ints  # checkpoints
    arrays: Mapping[str, Any]  # runs x checkpoints, or one number a run


class Cell(ABC):
    """Runs 0, 1, ... of something; their number is not part of what it is, so that a plan can ask for more later."""

    kind: ClassVar[str]
    clock: ClassVar[str]  # what checkpoints count
    runs: int
    engine: str  # what computes it: cpu or cuda

    @property
    @abstractmethod
    def cost(self) -> float:
        """Seconds that one run takes on one core, roughly: tasks are cut by it."""

    @abstractmethod
    def axes(self) -> dict[str, Any]:
        """What tells it from other cells, as columns of a table."""

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """All that its numbers depend on, as JSON."""

    @abstractmethod
    def check(self) -> None:
        """An error now, for what would be one when it runs."""

    @abstractmethod
    def run(self, first: int, runs: int, cores: int | None = None) -> Any:
        """The runs from number `first` on."""

    @staticmethod
    @abstractmethod
    def join(parts: Sequence[Any]) -> Any:
        """The results of several runs as one."""

    @staticmethod
    @abstractmethod
    def pack(result: Any) -> Packed:
        """A result, taken apart."""

    @staticmethod
    @abstractmethod
    def unpack(packed: Packed) -> Any:
        """And put together."""

    @staticmethod
    @abstractmethod
    def curves(result: Any) -> dict[str, Floats]:
        """By measure, how it went: runs x checkpoints."""

    @property
    def key(self) -> str:
        """Of its content: the same text, code and files give the same key, wherever they are."""
        record = {"kind": self.kind, "results": RESULTS, **self.identity()}
        text = json.dumps(record, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.axes().items() if value is not None)


def settings_of(spec: Spec) -> dict[str, Any]:
    """The parameters that were set, as columns."""
    plain = (bool, int, float, str)
    return {f"set.{n}": v if isinstance(v, plain) else write_value(v) for n, v in spec.parameters.items()}


def canonical(spec: Spec) -> dict[str, Any]:
    """A spec with all its parameters in their types: however it was written, it is the same."""
    return spec.check().complete().to_dict()


@cache
def file_digest(path: str, size: int, time: int) -> str:
    """Of what is in a file; of its size and time too, so that a changed file is read again."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def digest_of(path: Path) -> str:
    """Of what is in a file."""
    facts = path.stat()
    return file_digest(str(path), facts.st_size, facts.st_mtime_ns)


def spread(values: Any, points: int) -> Any:
    """A column: one row a run and checkpoint; what is one number a run stands at each of its checkpoints."""
    array = np.asarray(values)
    return array.ravel() if array.ndim == 2 else np.repeat(array, points)
