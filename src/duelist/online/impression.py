"""One shown list and all that is needed to learn from its clicks later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Array, Declared, Flags, Floats, Ints, parameter, single, table
from duelist.core.record import frozen, read_record, reading, write_record
from duelist.core.registry import find_family
from duelist.core.spec import Spec

SCHEMA = 2


class Impression(Declared):
    """A value: it may be told late, out of order, by another process that loaded its JSON, or never.

    Learners that need to know more of a list than its documents declare more tables. Nothing is written
    into it after it was shown: clicks are told beside it.

    >>> from duelist.online import PDGD
    >>> impression = PDGD(n_features=1, seed=1).ask([[3.0], [1.0]], ids=["new", "old"])
    >>> Impression.from_json(impression.to_json()) == impression
    True
    """

    sized_by: ClassVar[str] = "n_features"
    n_features: int
    learner: str = ""  # the learner that asked, and what it holds: "pdgd", "dm2l:base=p-dbgd"
    id: str = ""
    documents: Sequence[Any] = ()  # the candidates, by number

    length: int = parameter(10, "documents shown", low=1)
    shown: Ints = table(lambda d, self: (self.length,), int, -1)  # numbers of the documents, -1 behind the last
    count: Ints = single(int)  # how many are shown
    features: Floats = table(lambda d, self: (self.length, d))  # of the documents shown
    keys: Ints = table(lambda d, self: (self.length,), int, -1)  # of the documents shown

    @property
    def ranking(self) -> tuple[Any, ...]:
        """The documents to show, best first."""
        return tuple(self.documents[number] for number in self.shown[: self.count[0]].tolist())

    def clicked(self, clicks: Iterable[int]) -> Flags:
        """Which slots are clicked, from positions counted from 0."""
        found = np.zeros(self.length, np.bool_)
        count = int(self.count[0])
        for position in clicks:
            if not isinstance(position, int | np.integer) or not 0 <= position < count:
                raise BadInput(f"a click must be a position from 0 to {count - 1} of the list, not {position!r}")
            found[position] = True
        return found

    def fresh(self) -> Self:
        """Another one with arrays of its own. Many are made a second, and reading the declaration takes long."""
        made = object.__new__(type(self))
        state, parts = self.__dict__.copy(), list(self.memory)
        for place, name in enumerate(self.memory._fields):
            if isinstance(parts[place], np.ndarray):
                parts[place] = state[name] = parts[place].copy()
        state["memory"] = self.memory._make(parts)
        made.__dict__ = state
        return made

    def fits(self, other: Impression) -> bool:
        """Whether its arrays are those of `other`, in kind and shape."""
        return type(self) is type(other) and all(
            getattr(self, n).shape == getattr(other, n).shape for n, f in self.fields.items() if isinstance(f, Array)
        )

    def to_json(self) -> str:
        """Everything needed to learn from it in another process. Documents must be things JSON knows."""
        record = {
            "schema": SCHEMA,
            "learner": self.learner,
            "id": self.id,
            "n_features": self.n_features,
            "parameters": self.parameter_values(),
            "documents": self.documents,
            "tables": self.tables(),
        }
        return write_record(record, f"impression {self.id!r}")

    @classmethod
    def from_json(cls, record: str | bytes | Mapping[str, Any]) -> Impression:
        """What `to_json` wrote; the learner that is named in it says what kind it is."""
        data = read_record(record, "an impression", SCHEMA)
        with reading("an impression"):
            asked = Spec.read("learner", data["learner"])
        kind: type[Impression] = find_family("learner").get(asked.name).resolve(asked.parameters).impression
        with reading("an impression"):
            made = kind(data["n_features"], data["parameters"])
            made.learner, made.id = data["learner"], data["id"]
            made.documents = [frozen(document) for document in data["documents"]]
            for name, array in made.tables().items():
                array[...] = data["tables"][name]
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Impression) or (self.learner, self.id) != (other.learner, other.id):
            return False
        same = self.fits(other) and list(self.documents) == list(other.documents)
        theirs = other.tables()
        return same and all(np.array_equal(array, theirs[name]) for name, array in self.tables().items())

    def __hash__(self) -> int:
        return hash((self.learner, self.id))
