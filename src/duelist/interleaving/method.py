"""What an interleaving method is."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, ClassVar

import numpy as np

from duelist.core.compile import once
from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.parameters import Parameter, check_settings, parameters_of, read_settings
from duelist.core.registry import Registry
from duelist.core.spec import Spec

# A method is written with names from this module.
from duelist.interleaving.shown import Ranking as Ranking
from duelist.interleaving.shown import Rankings as Rankings
from duelist.interleaving.shown import Shown as Shown
from duelist.interleaving.shown import whole as whole

METHODS: Registry[type[Method]] = Registry("method")
RANKS = range(1, 1 << 62)


class Method:
    """Combines rankings to one list and credits the clicks on it to them.

    Nothing is remembered between calls: all that `credit` needs is in the shown list. A
    method of your own is a subclass with `combine`, and with `credit` unless a click counts for
    the team that owns its slot; with `distribution` as well, the auditor answers exactly. Parameters
    are the fields of a dataclass.
    """

    name: ClassVar[str] = ""  # on the command line; made from the class name when empty
    only_two: ClassVar[bool] = False  # it compares exactly two rankings
    extends: ClassVar[bool] = False  # the same luck makes a longer list that begins with the shorter one

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        METHODS.add(cls.name, cls)

    def __post_init__(self) -> None:
        for name, value in check_settings(self.name, declared_of(type(self)), self.spec.parameters).items():
            object.__setattr__(self, name, value)  # a method may be frozen

    def __str__(self) -> str:
        declared: tuple[Any, ...] = fields(self) if is_dataclass(self) else ()
        changed = [field.name for field in declared if getattr(self, field.name) != field.default]
        return ", ".join([self.name, *(f"{name} {getattr(self, name)}" for name in changed)])

    @property
    def spec(self) -> Spec:
        """Its name and all its parameters, as data."""
        return Spec("method", self.name, {name: getattr(self, name) for name in declared_of(type(self))})

    @cached_property
    def text(self) -> str:
        """Its name and the parameters that are not as usual: what a list must know to be credited anywhere."""
        known = declared_of(type(self))
        changed = {n: value for n, value in self.spec.parameters.items() if value != known[n].default}
        return str(Spec("method", self.name, changed))

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        """A list of `length` documents, or of all there are if these are fewer."""
        raise TypeError(f"{type(self).__name__} has no combine")

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        """A score for each ranker from the clicked positions of the shown list, counted from 0.

        The preference of one ranker over another is the difference of their scores. Unless a method
        says otherwise, a score is how many of the clicked slots a ranker owns.
        """
        slots = check_clicks(self, shown, clicks)
        if slots and not shown.teams:
            raise TypeError(f"{type(self).__name__} has no credit, and its list no teams")
        return shown.team_clicks(slots)

    @property
    def credits_teams(self) -> bool:
        """Whether a ranker's score is the clicks on its slots, which teams alone tell."""
        return type(self).credit is Method.credit

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        """Every list that `combine` can make, with its probability; for small inputs."""
        raise TypeError(f"{type(self).__name__} has no distribution")

    def proceed(self, shown: Shown, rankings: Sequence[Ranking], length: int, rng: np.random.Generator) -> Shown:
        """`shown`, continued to `length`; written by methods that can credit more than the beginning.

        `rankings` are those of now and may have changed. No document of theirs is lost or comes twice.
        """
        raise TypeError(f"{type(self).__name__} has no proceed")


@once
def declared_of(kind: type[Method]) -> dict[str, Parameter]:
    """The parameters of a kind of method. They are read once: a method may be made for every list."""
    return parameters_of(kind)


def make_method(given: str | Spec, settings: Iterable[str] = ()) -> Method:
    """A method from its name, or "module:Class" of the user's own, with parameters, each NAME=VALUE.

    >>> print(make_method("probabilistic", ["tau=1"]), "|", make_method("pairwise-preference:pairing=all"))
    probabilistic, tau 1.0 | pairwise-preference, pairing all
    """
    spec = Spec.read("method", given)
    for setting in settings:
        for name, values in read_settings(setting).items():
            spec = Spec("method", spec.name, {**spec.parameters, name: values[0] if len(values) == 1 else values})
    try:
        method: Method = spec.make()
    except TypeError as error:  # a method of the user's own may need more
        raise BadInput(f"{spec.name} cannot be made with {dict(spec.parameters)}: {error}") from None
    return method


def speaks(method: Method, name: str) -> bool:
    """Whether `distribution` or `proceed` speaks for `combine`: an inherited one not for a combine of one's own."""
    kinds = type(method).__mro__
    own = {n: next((k for k in kinds if n in vars(k)), Method) for n in ("combine", name)}
    return own[name] is not Method and kinds.index(own[name]) <= kinds.index(own["combine"])


def has_distribution(method: Method) -> bool:
    """Whether the lists that a method makes can be enumerated."""
    return speaks(method, "distribution")


def check_rankings(method: Method, rankings: Rankings, length: int) -> list[Ranking]:
    """The rankings as tuples, or an error that names what is wrong with them."""
    try:
        checked = list(map(tuple, rankings))
        for ranking in checked:
            if len({*ranking}) != len(ranking):
                raise BadInput(_repetition(checked))
    except TypeError as error:
        raise BadInput(f"rankings must be sequences of hashable documents: {error}") from None
    _check_numbers(method, checked, length)
    return checked


def _check_numbers(method: Method, checked: list[Ranking], length: int) -> None:
    if len(checked) != 2 and (method.only_two or len(checked) < 2):
        allowed = "exactly two rankings" if method.only_two else "two rankings or more"
        raise BadInput(f"{method.name} combines {allowed}, not {len(checked)}")
    if length.__class__ is not int:
        length = whole(length, "length")
    if length < 1:
        raise BadInput(f"length must be a whole number of at least 1, not {length!r}")


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
    if shown.method != method.name and shown.method.partition(":")[0] not in ("", method.name):
        raise BadInput(f"the list was made by {shown.method}, which must credit it, not {method.name}")
    below = -1
    try:
        slots = [*clicks]
        for slot in slots:  # most come from the top, which is seen in less time than sorting takes
            if slot.__class__ is not int or slot <= below:
                slots = _in_order(slots)
                break
            below = slot
    except TypeError:
        raise BadInput(f"clicks must be positions in the shown list, counted from 0, not {clicks!r}") from None
    if slots and (slots[0] < 0 or slots[-1] >= len(shown.ranking)):
        bad = slots[0] if slots[0] < 0 else slots[-1]
        raise BadInput(f"there is no position {bad} in a shown list of {len(shown.ranking)}, counted from 0")
    return slots


def _in_order(clicks: Iterable[int]) -> list[int]:
    slots = sorted(set(clicks))
    for slot in slots:
        if slot.__class__ is not int:
            return sorted({whole(slot, "a click") for slot in slots})
    return slots


def ranks_of(rankings: Sequence[Ranking], documents: Iterable[Hashable]) -> tuple[tuple[int, ...], ...]:
    """For each document its rank, from 1, in every ranking; a ranking without it puts it just below its last.

    >>> ranks_of([("a", "b"), ("c",)], ["b", "c"])
    ((2, 2), (3, 1))
    """
    tables = [dict(zip(ranking, RANKS, strict=False)) for ranking in rankings]
    named = tuple(documents)
    return tuple(zip(*(map(table.get, named, repeat(len(table) + 1)) for table in tables), strict=True))


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
