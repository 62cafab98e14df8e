"""What an interleaving method is, and the list it shows."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.registry import Registry

METHODS: Registry[type[Method]] = Registry("method", "duelist.interleaving")

Ranking = tuple[Any, ...]  # documents, any hashable kind
Rankings = Iterable[Iterable[Any]]


class Shown(NamedTuple):
    """A list as it was shown, with all that crediting its clicks will need.

    A value: many may be open at once, and one that was stored as JSON is credited the same.
    A slot beyond the rows of `teams`, `ranks` or `weights` is neutral.

    >>> shown = Shown(("d7", "d2"), rankers=2, teams=(1, 0))
    >>> Shown.from_json(shown.to_json()) == shown
    True
    """

    ranking: Ranking  # the documents, best first
    rankers: int  # how many rankings were combined
    method: str = ""  # the name of the method that made it, which alone can credit it
    teams: tuple[int, ...] = ()  # the ranker that owns each slot, -1 for a neutral one
    ranks: tuple[tuple[int, ...], ...] = ()  # ranks[slot][ranker], from 1; one more than its length if it has it not
    weights: tuple[tuple[float, ...], ...] = ()  # weights[slot][ranker]: what a click is worth, or who chose the slot
    choices: tuple[int, ...] = ()  # out of how many documents each slot was drawn

    def to_json(self) -> str:
        """The list as text; its documents must be text, numbers, true, false, null or tuples of these."""
        try:
            return json.dumps(self._asdict(), default=operator.methodcaller("item"))
        except (TypeError, ValueError, AttributeError):
            raise BadInput(f"JSON has no form for every one of the documents {self.ranking!r}") from None

    @staticmethod
    def from_json(text: str) -> Shown:
        """What `to_json` wrote."""
        try:
            return Shown(**{name: _frozen(value) for name, value in json.loads(text).items()})
        except (TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"not the JSON of a shown list: {error}") from None


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


class Method:
    """Combines rankings to one list and credits the clicks on it to them.

    Nothing is remembered between calls: all that `credit` needs is in the shown list. A
    method of your own is a subclass with `combine` and `credit`; with `distribution` as
    well, the auditor answers exactly.
    """

    name: ClassVar[str] = ""  # on the command line; made from the class name when empty
    only_two: ClassVar[bool] = False  # it compares exactly two rankings
    extends: ClassVar[bool] = False  # the same luck makes a longer list that begins with the shorter one

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        METHODS.add(cls.name, cls)

    def __str__(self) -> str:
        declared: tuple[Any, ...] = fields(self) if is_dataclass(self) else ()
        changed = [field.name for field in declared if getattr(self, field.name) != field.default]
        return ", ".join([self.name, *(f"{name} {getattr(self, name)}" for name in changed)])

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        """A list of `length` documents, or of all there are if these are fewer."""
        raise TypeError(f"{type(self).__name__} has no combine")

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        """A score for each ranker from the clicked positions of the shown list, counted from 0.

        The preference of one ranker over another is the difference of their scores.
        """
        raise TypeError(f"{type(self).__name__} has no credit")

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        """Every list that `combine` can make, with its probability; for small inputs."""
        raise TypeError(f"{type(self).__name__} has no distribution")


def make_method(name: str, settings: Iterable[str] = ()) -> Method:
    """The method of that name, or "module:Class" of the user's own, with parameters written NAME=VALUE.

    >>> print(make_method("probabilistic", ["tau=1"]))
    probabilistic, tau 1
    """
    kind: Any = METHODS.get(name)
    known = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    parameters = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or key not in known:
            raise BadInput(f"{setting!r}: {name} takes NAME=VALUE for {', '.join(known) or 'no parameter'}")
        try:
            parameters[key] = _frozen(json.loads(text))
        except ValueError:
            parameters[key] = text
    try:
        method: Method = kind(**parameters)
    except TypeError as error:
        raise BadInput(f"{name} cannot be made with {parameters}: {error}") from None
    return method


def has_distribution(method: Method) -> bool:
    """Whether `distribution` speaks for `combine`: an inherited one does not for a combine of one's own."""
    kinds = type(method).__mro__
    own = {name: next((k for k in kinds if name in vars(k)), Method) for name in ("combine", "distribution")}
    return own["distribution"] is not Method and kinds.index(own["distribution"]) <= kinds.index(own["combine"])


def check_rankings(method: Method, rankings: Rankings, length: int) -> list[Ranking]:
    """The rankings as tuples, or an error that names what is wrong with them."""
    try:
        checked = list(map(tuple, rankings))
        for ranking in checked:
            if len({*ranking}) != len(ranking):
                raise BadInput(_repetition(checked))
    except TypeError as error:
        raise BadInput(f"rankings must be sequences of hashable documents: {error}") from None
    if len(checked) != 2 and (method.only_two or len(checked) < 2):
        allowed = "exactly two rankings" if method.only_two else "two rankings or more"
        raise BadInput(f"{method.name} combines {allowed}, not {len(checked)}")
    if length.__class__ is not int:
        length = whole(length, "length")
    if length < 1:
        raise BadInput(f"length must be a whole number of at least 1, not {length!r}")
    return checked


def _repetition(rankings: list[Ranking]) -> str:
    for number, ranking in enumerate(rankings):
        for document in ranking:
            if ranking.count(document) > 1:
                return (
                    f"ranking {number} has the document {document!r} {ranking.count(document)} times; allowed is once"
                )
    raise AssertionError("no ranking has a repetition")


def check_clicks(method: Method, shown: Shown, clicks: Iterable[int]) -> list[int]:
    """The clicked positions from the top, each once, or an error that names the bad one."""
    if shown.method != method.name and shown.method:
        raise BadInput(f"the list was made by {shown.method}, which must credit it, not {method.name}")
    try:
        slots = sorted(set(clicks))
    except TypeError:
        raise BadInput(f"clicks must be positions in the shown list, counted from 0, not {clicks!r}") from None
    for slot in slots:
        if slot.__class__ is not int:
            slots = sorted({whole(slot, "a click") for slot in slots})
            break
    if slots and (slots[0] < 0 or slots[-1] >= len(shown.ranking)):
        bad = slots[0] if slots[0] < 0 else slots[-1]
        raise BadInput(f"there is no position {bad} in a shown list of {len(shown.ranking)}, counted from 0")
    return slots


def whole(value: Any, what: str) -> int:
    """`value` as an int, if it is a whole number and not a truth value."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    raise BadInput(f"{what} must be a whole number, not {value!r}")


def ranks_of(rankings: Sequence[Ranking], documents: Iterable[Hashable]) -> tuple[tuple[int, ...], ...]:
    """For each document its rank, from 1, in every ranking; a ranking without it puts it just below its last.

    >>> ranks_of([("a", "b"), ("c",)], ["b", "c"])
    ((2, 2), (3, 1))
    """
    tables = [dict(zip(ranking, range(1, len(ranking) + 1), strict=True)) for ranking in rankings]
    ends = [len(ranking) + 1 for ranking in rankings]
    return tuple(tuple(t.get(d, end) for t, end in zip(tables, ends, strict=True)) for d in documents)


def credited(rankings: Sequence[Ranking], length: int) -> int:
    """How many slots can be credited: those beyond the shortest ranking are neutral."""
    for ranking in rankings:
        if len(ranking) < length:
            length = len(ranking)
    return length


def sum_weights(shown: Shown, slots: list[int]) -> Floats:
    """The weights of the clicked slots, added up for each ranker."""
    rows = [shown.weights[slot] for slot in slots if slot < len(shown.weights)]
    return np.array(rows).sum(0) if rows else np.zeros(shown.rankers)
