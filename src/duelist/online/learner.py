"""What a learner is: it ranks documents, is told the clicks, and moves its weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from duelist.core.compile import kernel, once, plain, specialise
from duelist.core.errors import AlreadyTold, BadInput, ForeignImpression
from duelist.core.memory import Declared, Floats, parameter, table
from duelist.core.registry import Registry
from duelist.online.impression import Impression
from duelist.online.page import Page, room

SCHEMA = 1
REMEMBERED = 100_000  # told impressions that are recognised when they are told again


class Learner(Declared):
    """Base of all learners: linear rankers over features that learn from clicks.

    A subclass declares its fields and writes `choose` and `update`, which compile. `choose` fills the
    impression's list and whatever the update will need; `update` moves the weights. Nothing is kept
    between the two but in the impression.
    """

    sized_by: ClassVar[str] = "n_features"
    n_features: int
    name: ClassVar[str] = ""
    impression: ClassVar[type[Impression]] = Impression
    kernels: ClassVar[tuple[str, ...]] = ("reset", "choose", "update")
    reserved: ClassVar[frozenset[str]] = Declared.reserved | {"rng", "asked", "told", "impression"}

    length: int = parameter(10, "documents shown", low=1)
    weights: Floats = table(lambda d: (1, d))  # of the ranker learnt so far, in row 0

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__()
        if cls.name and not abstract:
            LEARNERS.add(cls.name, cls)

    def __init__(self, n_features: int, *, seed: int | np.random.SeedSequence | None = None, **parameters: Any) -> None:
        who, known = type(self).__name__, self.parameters()
        if unknown := sorted(parameters.keys() - known.keys()):
            raise BadInput(f"{who} has no parameter {unknown[0]!r}; its parameters: {', '.join(known)}")
        if not isinstance(n_features, int | np.integer) or isinstance(n_features, bool) or n_features < 1:
            raise BadInput(f"{who}: n_features must be a whole number of at least 1, not {n_features!r}")
        super().__init__(int(n_features), parameters)
        self.rng = np.random.default_rng(seed)
        self.asked = self.told = 0
        self._recent: dict[int, None] = {}  # ids of told impressions, oldest first
        plain(self.method("start", plain))(self.memory, self.rng)

    # Written by each algorithm.

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        """Fill impression.shown and impression.count, and what `update` will need."""
        raise TypeError(f"{type(self).__name__} has no choose")

    def update(self, impression: Any, rng: np.random.Generator) -> None:
        """Learn from impression.clicked."""
        raise TypeError(f"{type(self).__name__} has no update")

    @classmethod
    def rankers(cls, parameters: Mapping[str, Any]) -> int:
        """How many rankings `choose` needs room for."""
        return 1

    @classmethod
    def resolve(cls, parameters: Mapping[str, Any]) -> type[Learner]:
        """The class that takes these parameters; a learner that holds another depends on which."""
        return cls

    # Used by everybody.

    def ask(
        self, documents: Floats | Sequence[Sequence[float]], ids: Sequence[Any] | None = None, keys: Any = None
    ) -> Impression:
        """A list to show of documents given by their features, one row each.

        `ids` are what the list is made of, row numbers unless given. `keys`, whole numbers of at least 0,
        say which document is the same as one of another impression of the same query, for learners
        that remember documents.
        """
        features = self._check_documents(documents)
        if ids is not None and len(ids) != len(features):
            raise BadInput(f"{len(ids)} ids for {len(features)} documents")
        made = self.new_impression()
        made.documents = ids if ids is not None else range(len(features))
        made.learner, made.id = self.name, self.asked
        self.asked += 1
        page = Page(
            features, _check_keys(keys, len(features)), 0, len(features), *room(max(1, len(features)), self.n_rankers)
        )
        if len(features):
            _live(type(self)).choose(self.memory, page, made.memory, self.rng)
        return made

    def tell(self, impression: Impression, clicks: Iterable[int]) -> None:
        """Learn from the clicked positions of a list, counted from 0."""
        if impression.learner != self.name or impression.n_features != self.n_features:
            raise ForeignImpression(
                f"an impression of {impression.learner!r} with {impression.n_features} features, "
                f"not of {self.name!r} with {self.n_features}"
            )
        if impression.id in self._recent:
            raise AlreadyTold(f"impression {impression.id} was told before")
        impression.click(clicks)
        _live(type(self)).update(self.memory, impression.memory, self.rng)
        self.told += 1
        self._recent[impression.id] = None
        if len(self._recent) > REMEMBERED:
            del self._recent[next(iter(self._recent))]

    def score(self, documents: Floats | Sequence[Sequence[float]]) -> Floats:
        """How the ranker learnt so far scores documents; higher is better."""
        return np.asarray(self._check_documents(documents) @ self.weights[0])

    def start_at(self, weights: Sequence[float] | Floats) -> Self:
        """Begin with the weights of another ranker, such as one trained offline, instead of zeros.

        >>> from duelist.online import PDGD
        >>> PDGD(n_features=2, seed=1).start_at([2.0, -1.0]).score([[1.0, 1.0]]).tolist()
        [1.0]
        """
        given = np.asarray(weights, np.float64)
        if given.shape != (self.n_features,) or not np.isfinite(given).all():
            raise BadInput(f"weights must be {self.n_features} finite numbers, not {weights!r}")
        self.place_at(given)
        return self

    def place_at(self, weights: Floats) -> None:
        """Put everything that learns where `weights` are; written by learners with more than one place."""
        self.weights[0] = weights

    def new_impression(self) -> Impression:
        """An empty impression of this learner's kind."""
        known = self.impression.parameters()
        return self.impression(self.n_features, {n: v for n, v in self.parameter_values().items() if n in known})

    @property
    def n_rankers(self) -> int:
        """How many rankings a page needs room for."""
        return self.rankers(self.parameter_values())

    def to_json(self) -> str:
        """Everything needed to go on, the generator included."""
        return json.dumps(
            {
                "schema": SCHEMA,
                "learner": self.name,
                "n_features": self.n_features,
                "parameters": self.parameter_values(),
                "asked": self.asked,
                "told": self.told,
                "recent": list(self._recent),
                "tables": {name: array.tolist() for name, array in self.tables().items()},
                "generator": self.rng.bit_generator.state,
            },
            allow_nan=False,
        )

    @classmethod
    def from_json(cls, record: str | bytes | Mapping[str, Any]) -> Self:
        """The learner that `to_json` described; it continues identically."""
        data = _load(record, "a learner")
        kind = LEARNERS.get(data["learner"])
        if not issubclass(kind, cls):
            raise BadInput(f"this JSON holds the learner {data['learner']!r}, not a {cls.__name__}")
        learner = kind(data["n_features"], seed=0, **data["parameters"])
        for name, array in learner.tables().items():
            array[...] = data["tables"][name]
        learner.rng.bit_generator.state = data["generator"]
        learner.asked, learner.told = data["asked"], data["told"]
        learner._recent = dict.fromkeys(data["recent"])
        return learner

    @staticmethod
    def impression_from_json(record: str | bytes | Mapping[str, Any]) -> Impression:
        """The impression that its `to_json` described."""
        data = _load(record, "an impression")
        return LEARNERS.get(data["learner"]).impression.from_record(data)

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value}" for name, value in self.parameter_values().items())
        return f"{type(self).__name__}(n_features={self.n_features}{settings}): {self.told} told"

    def _check_documents(self, documents: Any) -> Floats:
        try:
            features: Floats = np.ascontiguousarray(documents, np.float64)
        except (TypeError, ValueError) as error:
            raise BadInput(f"documents must be rows of numbers: {error}") from None
        if features.size == 0:
            return features.reshape(0, self.n_features)
        if features.ndim != 2 or features.shape[1] != self.n_features:
            raise BadInput(f"documents must have {self.n_features} features each, but their shape is {features.shape}")
        if not np.isfinite(features).all():
            row, column = np.argwhere(~np.isfinite(features))[0]
            raise BadInput(f"features must be finite, but documents[{row}, {column}] is {features[row, column]}")
        return features


LEARNERS: Registry[type[Learner]] = Registry("learner", "duelist.online.learners")


def list_learners() -> str:
    """Every learner with the first line of what it says about itself."""
    return "\n".join(f"{name:<14} {(LEARNERS.get(name).__doc__ or '').strip().splitlines()[0]}" for name in LEARNERS)


def _load(record: str | bytes | Mapping[str, Any], what: str) -> Mapping[str, Any]:
    try:
        data = record if isinstance(record, Mapping) else json.loads(record)
    except ValueError as error:
        raise BadInput(f"not the JSON of {what}: {error}") from None
    schema = data.get("schema") if isinstance(data, Mapping) else None
    if schema != SCHEMA:
        raise BadInput(f"not the JSON of {what} of schema {SCHEMA}: schema is {schema!r}")
    assert isinstance(data, Mapping)
    return data


def _check_keys(keys: Any, size: int) -> Any:
    if keys is None:
        return np.full(max(1, size), -1)
    given = np.asarray(keys)
    if given.shape != (size,) or given.dtype.kind not in "iu" or (given < 0).any():
        raise BadInput(f"keys must be {size} whole numbers of at least 0, one a document, not {keys!r}")
    return given.astype(np.int64)


def choose(memory: Any, page: Page, impression: Any, rng: np.random.Generator) -> None:
    """Bound to the learner's kernel."""
    raise TypeError("unbound")


def update(memory: Any, impression: Any, rng: np.random.Generator) -> None:
    """Bound to the learner's kernel."""
    raise TypeError("unbound")


@kernel
def keep_shown(page: Page, impression: Any) -> None:
    """Copy what is shown: the update knows nothing else of the page."""
    for slot in range(impression.count[0]):
        row = page.first + impression.shown[slot]
        impression.keys[slot] = page.keys[row]
        for column in range(page.features.shape[1]):
            impression.features[slot, column] = page.features[row, column]


def _ask(memory: Any, page: Page, impression: Any, rng: np.random.Generator) -> None:
    choose(memory, page, impression, rng)
    keep_shown(page, impression)


def _tell(memory: Any, impression: Any, rng: np.random.Generator) -> None:
    update(memory, impression, rng)


class Live(NamedTuple):
    """The compiled functions behind ask and tell."""

    choose: Any
    update: Any


@once
def _live(kind: type[Learner]) -> Live:
    return Live(
        specialise(_ask, {"choose": kind.method("choose", kernel)}),
        specialise(_tell, {"update": kind.method("update", kernel)}),
    )
