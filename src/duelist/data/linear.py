"""A linear ranker as a value: the weights of features, whoever learnt them.

What learns weights, from labels or from clicks, has them as `ranker`. Whatever has a `ranker` can be exported to
search engines (export.py), saved and loaded, and a learner can start at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.core.record import read_record, reading, write_record

SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Linear:
    """One weight a feature. Documents are rows of features; the higher a document's score, the better.

    >>> ranker = Linear(np.array([2.0, -1.0]), names=("title", "age"))
    >>> ranker.score([[1.0, 1.0], [3.0, 0.0]]).tolist(), ranker.rank([[1.0, 1.0], [3.0, 0.0]]).tolist()
    ([1.0, 6.0], [1, 0])
    """

    values: Floats
    names: tuple[str, ...] = ()  # of the features; empty if nobody said
    source: str = ""  # what learnt them, such as "pdgd:rate=0.1"

    def __post_init__(self) -> None:
        if self.values.ndim != 1 or not np.isfinite(self.values).all():
            raise BadInput(f"weights must be finite numbers, one a feature, not {self.values!r}")
        if self.names and (len(self.names) != len(self.values) or len(set(self.names)) != len(self.names)):
            raise BadInput(f"names must be {len(self.values)} different ones, one a feature, not {self.names!r}")

    def score(self, documents: Any) -> Floats:
        """One score a document."""
        features = np.asarray(documents, np.float64)
        if features.ndim != 2 or features.shape[1] != len(self.values):
            raise BadInput(f"documents must have {len(self.values)} features each, but their shape is {features.shape}")
        return np.asarray(features @ self.values)

    def rank(self, documents: Any) -> Ints:
        """The rows, best first; documents with equal scores keep their order."""
        return np.argsort(-self.score(documents), kind="stable")

    def save(self, path: str | Path) -> None:
        """To a file that `load` reads, as JSON."""
        record = {"schema": SCHEMA, "weights": self.values, "names": self.names, "source": self.source}
        Path(path).write_text(write_record(record, "these weights") + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Linear:
        """What `save` wrote."""
        data = read_record(Path(path).read_text(encoding="utf-8"), f"a ranker in {str(path)!r}", SCHEMA)
        with reading(f"a ranker in {str(path)!r}"):
            return cls(np.array(data["weights"], np.float64), tuple(data["names"]), data["source"])


def ranker_of(thing: Any) -> Linear:
    """The ranker of whatever has one: weights, what learnt them, or just numbers.

    >>> ranker_of([0.5, 2]).values.tolist()
    [0.5, 2.0]
    """
    if isinstance(thing, Linear):
        return thing
    found = getattr(thing, "ranker", None)
    if isinstance(found, Linear):
        return found
    numbers = None if isinstance(thing, str) else _numbers(thing)
    if numbers is not None:
        return Linear(numbers)
    raise BadInput(f"{thing!r} has no weights: allowed are a learner, a fitted linear ranker, Linear or numbers")


def _numbers(thing: Any) -> Floats | None:
    try:
        return np.array(thing, np.float64) if isinstance(thing, Sequence | np.ndarray) else None
    except (TypeError, ValueError):
        return None
