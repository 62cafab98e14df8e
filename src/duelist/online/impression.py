"""One shown list and all that is needed to learn from its clicks later."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Declared, Flags, Floats, Ints, parameter, single, table

SCHEMA = 1


class Impression(Declared):
    """A value: it may be told late, out of order, by another process that loaded its JSON, or never.

    Learners that need to know more of a list than its documents declare more tables.
    """

    sized_by: ClassVar[str] = "n_features"
    n_features: int
    learner = ""  # the name of the learner that asked
    id = 0
    documents: Sequence[Any] = ()  # the candidates, by number

    length: int = parameter(10, "documents shown", low=1)
    shown: Ints = table(lambda d, self: (self.length,), int, -1)  # numbers of the documents, -1 behind the last
    count: Ints = single(int)  # how many are shown
    clicked: Flags = table(lambda d, self: (self.length,), bool)
    features: Floats = table(lambda d, self: (self.length, d))  # of the documents shown
    keys: Ints = table(lambda d, self: (self.length,), int, -1)  # of the documents shown

    @property
    def ranking(self) -> tuple[Any, ...]:
        """The documents to show, best first."""
        return tuple(self.documents[number] for number in self.shown[: self.count[0]].tolist())

    def click(self, clicks: Iterable[int]) -> None:
        """Note the clicked positions, counted from 0."""
        positions = list(clicks)
        count = int(self.count[0])
        for position in positions:
            if not isinstance(position, int | np.integer) or not 0 <= position < count:
                raise BadInput(f"a click must be a position from 0 to {count - 1} of the list, not {position!r}")
        self.clicked[:] = False
        self.clicked[positions] = True

    def to_json(self) -> str:
        """Everything needed to learn from it in another process. Documents must be things JSON knows."""
        return json.dumps(
            {
                "schema": SCHEMA,
                "learner": self.learner,
                "id": self.id,
                "n_features": self.n_features,
                "parameters": self.parameter_values(),
                "documents": list(self.documents),
                "tables": {name: array.tolist() for name, array in self.tables().items()},
            }
        )

    @classmethod
    def from_record(cls, data: Mapping[str, Any]) -> Self:
        """The impression that `to_json` described, as a mapping; `Learner.impression_from_json` finds the class."""
        made = cls(data["n_features"], data["parameters"])
        made.learner, made.id, made.documents = data["learner"], data["id"], data["documents"]
        for name, array in made.tables().items():
            array[...] = data["tables"][name]
        return made
