"""What a learner is: it ranks documents, is told the clicks, and moves its weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from duelist.core.agent import MAX_OPEN, Agent, Live
from duelist.core.compile import kernel, specialise
from duelist.core.errors import BadInput, ExpiredImpression, ForeignImpression
from duelist.core.memory import Flags, Floats, parameter, table
from duelist.core.registry import Registry
from duelist.core.spec import Spec
from duelist.data.linear import Linear, ranker_of
from duelist.online.impression import Impression
from duelist.online.page import Page, room

LEARNERS: Registry[type[Learner]] = Registry("learner")
Documents = Floats | Sequence[Sequence[float]]


class Learner(Agent, abstract=True):
    """Base of all learners: linear rankers over features that learn from clicks.

    A subclass declares its fields and writes `choose` and `update`, which compile. `choose` fills the
    impression's list and whatever the update will need; `update` moves the weights. Nothing is kept
    between the two but in the impression.
    """

    registry = LEARNERS
    asks, foreign, expired = "impression", ForeignImpression, ExpiredImpression
    sized_by: ClassVar[str] = "n_features"
    n_features: int
    impression: ClassVar[type[Impression]] = Impression
    reserved: ClassVar[frozenset[str]] = Agent.reserved | {"impression", "blank", "n_rankers", "ranker"}

    length: int = parameter(10, "documents shown", low=1)
    weights: Floats = table(lambda d: (1, d))  # of the ranker learnt so far, in row 0

    def __new__(cls, n_features: int | None = None, **given: Any) -> Self:
        return super().__new__(cls, n_features, **given)

    def __init__(
        self,
        n_features: int,
        *,
        seed: int | np.random.SeedSequence | None = None,
        max_open: int = MAX_OPEN,
        **parameters: Any,
    ) -> None:
        if not isinstance(n_features, int | np.integer) or isinstance(n_features, bool) or n_features < 1:
            who = type(self).__name__
            raise BadInput(f"{who}: n_features must be a whole number of at least 1, not {n_features!r}")
        super().__init__(int(n_features), parameters, seed, max_open)
        settings = self.parameter_values()
        known = self.impression.parameters()
        self.blank = self.impression(self.n_features, {n: v for n, v in settings.items() if n in known})
        held = {"base": settings["base"]} if "base" in settings else {}
        self.blank.learner = str(Spec("learner", self.name, held))
        self.n_rankers = self.rankers(settings)

    # Written by each algorithm.

    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        """Fill impression.shown and impression.count, and what `update` will need."""
        raise TypeError(f"{type(self).__name__} has no choose")

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        """Learn from the clicks: clicked[slot] says whether the document shown there was."""
        raise TypeError(f"{type(self).__name__} has no update")

    @classmethod
    def rankers(cls, parameters: Mapping[str, Any]) -> int:
        """How many rankings `choose` needs room for."""
        return 1

    # Used by everybody.

    def ask(
        self, documents: Documents, ids: Sequence[Any] | None = None, keys: Any = None, *, id: str | None = None
    ) -> Impression:
        """A list to show of documents given by their features, one row each.

        `ids` are what the list is made of, row numbers unless given. `keys`, whole numbers of at least 0,
        say which document is the same as one of another impression of the same query, for learners
        that remember documents. `id` is a new one of your own for the impression.
        """
        number = self._issue(id)
        made = self.draw(documents, ids, keys, luck=self.rng)
        made.id = number
        self._remember(number, ())
        return made

    def tell(self, impression: Impression, clicks: Iterable[int]) -> None:
        """Learn from the clicked positions of a list, counted from 0."""
        self._check_kind(impression)
        clicked = impression.clicked(clicks)
        if impression.id not in self._open:
            raise self._refuse(impression.id)
        self.live().update(self.memory, impression.memory, clicked, self.rng)
        self._close(impression.id, "told")
        self.told += 1

    def draw(
        self,
        documents: Documents,
        ids: Sequence[Any] | None = None,
        keys: Any = None,
        *,
        luck: np.random.Generator,
    ) -> Impression:
        """A list drawn with the caller's luck. Nobody remembers it: it has no id, and goes to `apply`."""
        features = self._check_shape(documents)
        if ids is not None and len(ids) != len(features):
            raise BadInput(f"{len(ids)} ids for {len(features)} documents")
        made = self.blank.fresh()
        made.documents = ids if ids is not None else range(len(features))
        numbers = _check_keys(keys, len(features))
        if len(features):
            page = Page(features, numbers, 0, len(features), *room(len(features), self.n_rankers))
            if not self.live().choose(self.memory, page, made.memory, luck):
                _check_finite(features)
        return made

    def apply(self, impression: Impression, clicks: Iterable[int]) -> None:
        """Learn from an impression that was drawn here or elsewhere, open or not.

        What is learnt depends on the impressions applied alone, whatever was drawn in between.
        """
        self._check_kind(impression)
        self.live().update(self.memory, impression.memory, impression.clicked(clicks), self.rng)
        self.told += 1

    def score(self, documents: Documents) -> Floats:
        """How the ranker learnt so far scores documents; higher is better."""
        return np.asarray(_check_finite(self._check_shape(documents)) @ self.weights[0])

    @property
    def ranker(self) -> Linear:
        """What was learnt so far, as a value: to be saved, exported to a search engine, or started at."""
        return Linear(self.weights[0].copy(), source=str(self.spec))

    def start_at(self, ranker: Any) -> Self:
        """Begin at another ranker, such as one trained offline, instead of zeros: weights, or what has learnt them.

        >>> from duelist.online import PDGD
        >>> PDGD(n_features=2, seed=1).start_at([2.0, -1.0]).score([[1.0, 1.0]]).tolist()
        [1.0]
        """
        given = ranker_of(ranker).values
        if given.shape != (self.n_features,):
            raise BadInput(f"weights must be {self.n_features} finite numbers, not {given.tolist()!r}")
        self.place_at(given)
        return self

    def place_at(self, weights: Floats) -> None:
        """Put everything that learns where `weights` are; written by learners with more than one place."""
        self.weights[0] = weights

    def identity(self) -> dict[str, Any]:
        return {"n_features": self.n_features}

    @classmethod
    def revive(cls, data: Mapping[str, Any], spec: Spec) -> Self:
        learner = cls(data["n_features"], seed=0, max_open=data["max_open"], **spec.parameters)
        learner._open = dict.fromkeys(data["open"], ())
        return learner

    def _check_kind(self, impression: Impression) -> None:
        if not isinstance(impression, Impression):
            raise BadInput(f"tell needs an impression that ask returned, not {impression!r}")
        if impression.learner != self.blank.learner or not impression.fits(self.blank):
            raise ForeignImpression(
                f"an impression of {impression.learner!r} with {impression.n_features} features and "
                f"{impression.length} slots, not of {self.blank.learner!r} with {self.n_features} and {self.length}"
            )

    def _check_shape(self, documents: Any) -> Floats:
        try:
            features: Floats = np.ascontiguousarray(documents, np.float64)
        except (TypeError, ValueError) as error:
            raise BadInput(f"documents must be rows of numbers: {error}") from None
        if features.size == 0:
            return features.reshape(0, self.n_features)
        if features.ndim != 2 or features.shape[1] != self.n_features:
            raise BadInput(f"documents must have {self.n_features} features each, but their shape is {features.shape}")
        return features

    def _compile(self) -> Live:
        kind = type(self)
        choose = specialise(_ask, {"choose": kind.method("choose", kernel)}, kind.name, releasing=True)
        update = specialise(_tell, {"update": kind.method("update", kernel)}, kind.name, releasing=True)
        page = Page(np.zeros((1, self.n_features)), np.zeros(1, np.int64), 0, 1, *room(1, self.n_rankers))
        shown, clicked = self.blank.memory, np.zeros(self.length, np.bool_)
        return Live(
            choose.entry(self.memory, page, shown, self.rng), update.entry(self.memory, shown, clicked, self.rng)
        )


def list_learners() -> str:
    """Every learner with the first line of what it says about itself."""
    summaries = {name: (LEARNERS.get(name).__doc__ or "").strip().partition("\n")[0] for name in LEARNERS}
    return "\n".join(f"{name:<14} {summary}".rstrip() for name, summary in summaries.items())


def _check_finite(features: Floats) -> Floats:
    if not np.isfinite(features).all():
        row, column = np.argwhere(~np.isfinite(features))[0]
        raise BadInput(f"features must be finite, but documents[{row}, {column}] is {features[row, column]}")
    return features


def _check_keys(keys: Any, size: int) -> Any:
    if keys is None:
        return np.full(max(1, size), -1)
    given = np.asarray(keys)
    if given.shape != (size,) or given.dtype.kind not in "iu" or (given < 0).any():
        raise BadInput(f"keys must be {size} whole numbers of at least 0, one a document, not {keys!r}")
    return given.astype(np.int64)


# The kernels of a learner, bound when its class is compiled.


def choose(memory: Any, page: Page, impression: Any, rng: np.random.Generator) -> None:
    """Bound to the learner's kernel."""
    raise TypeError("unbound")


def update(memory: Any, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
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


def _ask(memory: Any, page: Page, impression: Any, rng: np.random.Generator) -> bool:
    """Whether all features are finite; if not, nothing is chosen."""
    for row in range(page.features.shape[0]):
        for column in range(page.features.shape[1]):
            if not math.isfinite(page.features[row, column]):
                return False
    choose(memory, page, impression, rng)
    keep_shown(page, impression)
    return True


def _tell(memory: Any, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
    update(memory, impression, clicked, rng)
