"""What can be chosen by name, as data: it is printed, stored, sent elsewhere, checked, and made there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from duelist.core.errors import BadInput
from duelist.core.parameters import read_settings, write_value
from duelist.core.record import frozen
from duelist.core.registry import find_family


@dataclass(frozen=True)
class Spec:
    """A policy, learner, environment, method, ranker, click model or drift: its name and its parameters.

    >>> spec = Spec.read("policy", "window:base=rucb,size=1000")
    >>> spec.make(n_arms=6, seed=1).spec == spec.check().complete()
    True
    >>> str(spec), Spec.from_dict(spec.to_dict()) == spec
    ('window:base=rucb,size=1000', True)
    """

    family: str
    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, family: str, given: Any) -> Self:
        """From NAME, NAME:KEY=VALUE,..., a mapping (TOML, JSON), a thing made, what makes it, or a spec.

        A name may be "module:Class" of the user's own. Nothing is looked up yet but for things and makers.
        """
        if isinstance(given, Spec):
            if given.family != family:
                raise BadInput(f"a {family} is needed here, not the {given.family} {str(given)!r}")
            return cls(family, given.name, given.parameters)
        if isinstance(given, str):
            return cls._from_text(family, given)
        if isinstance(given, Mapping):
            return cls.read(family, cls.from_dict({"family": family, **given}))
        if isinstance(given, type) and hasattr(given, "class_spec"):
            return cls.read(family, given.class_spec())
        if isinstance(spec := getattr(given, "spec", None), Spec):
            return cls.read(family, spec)
        return cls(family, find_family(family).name_of(given))

    @classmethod
    def _from_text(cls, family: str, text: str) -> Self:
        name, colon, rest = text.rpartition(":")
        if not colon or "=" not in rest:  # "rucb", or "module:Class"
            return cls(family, text)
        settings = {n: v[0] if len(v) == 1 else tuple(v) for n, v in read_settings(rest).items()}
        return cls(family, name, settings)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """What `to_dict` gave; parameters may also stand beside the name: {"name": "rucb", "alpha": 0.6}."""
        data = dict(record)
        family, name, inner = data.pop("family", None), data.pop("name", None), data.pop("parameters", {})
        if not isinstance(family, str) or not isinstance(name, str) or not isinstance(inner, Mapping):
            raise BadInput(f"a spec needs a family, a name and parameters, not {dict(record)!r}")
        return cls(family, name, {n: frozen(value) for n, value in {**inner, **data}.items()})

    def to_dict(self) -> dict[str, Any]:
        """For JSON and TOML."""
        return {"family": self.family, "name": self.name, "parameters": dict(self.parameters)}

    def check(self) -> Self:
        """The same with values in their parameters' types; an error says what does not fit, and what would."""
        return type(self)(self.family, self.name, find_family(self.family).check(self.name, self.parameters))

    def complete(self) -> Self:
        """The same with the defaults of all other parameters, as a thing made gives it back."""
        known = find_family(self.family).parameters(self.name, self.parameters)
        defaults = {n: p.default for n, p in known.items() if not p.required}
        return type(self)(self.family, self.name, defaults | dict(self.parameters))

    def make(self, *args: Any, **more: Any) -> Any:
        """The thing; what is not a parameter (how many arms, a seed) is passed on."""
        checked = self.check()
        return find_family(self.family).make(self.name, *args, **checked.parameters, **more)

    def __str__(self) -> str:
        written = {name: write_value(value) for name, value in self.parameters.items()}
        settings = ",".join(f"{name}={value}" for name, value in written.items() if value)  # nobody types nothing
        return f"{self.name}:{settings}" if settings else self.name

    def __hash__(self) -> int:
        # By names alone: values may be lists, and 1 equals 1.0.
        return hash((self.family, self.name, frozenset(self.parameters)))
