"""Policies that hold another policy, whichever the user names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from duelist.core.compile import once
from duelist.core.errors import BadInput
from duelist.core.memory import Holds
from duelist.dueling.policy import POLICIES, Duel, Policy


class Holder(Policy, abstract=True):
    """Base of wrappers: Window(n_arms=6, base="rucb"), and on the command line --set base=rucb.

    A subclass declares what it holds with `holds(...)` and a default; `over` makes the same
    class hold another policy. The held policy's parameters are set like one's own.
    """

    def __new__(cls, *args: Any, base: str | type[Policy] | None = None, **rest: Any) -> Self:
        return object.__new__(cls.over(_find(base)) if base is not None else cls)

    def __init__(self, n_arms: int | None = None, *, base: str | type[Policy] | None = None, **rest: Any) -> None:
        super().__init__(n_arms, **rest)

    @classmethod
    @once
    def over(cls, base: type[Policy]) -> type[Self]:
        """This wrapper around `base`."""
        if cls.held() is base:
            return cls
        fields = {name: Holds(base) for name, field in cls.fields.items() if _is_policy(field)}
        space = {**fields, "__doc__": cls.__doc__, "__module__": cls.__module__, "name": cls.name}
        return type(f"{cls.__name__}_{base.__name__}", (cls,), space, abstract=True)

    @classmethod
    def resolve(cls, parameters: Mapping[str, Any]) -> type[Policy]:
        return cls.over(_find(parameters["base"])) if "base" in parameters else cls

    def parameter_values(self) -> dict[str, Any]:
        base = self.held()
        assert base is not None
        return {"base": base.name, **super().parameter_values()}  # type: ignore[attr-defined]


def _is_policy(field: Any) -> bool:
    return isinstance(field, Holds) and issubclass(field.part, Policy)


def _find(base: Any) -> type[Policy]:
    found = POLICIES.get(base) if isinstance(base, str) else base
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise BadInput(f"base must be a policy's name or class, not {base!r}")
    return found


def inner_reset(policy: Any, rng: np.random.Generator) -> None:
    """Bound to the held policy's kernel."""
    raise TypeError("unbound")


def inner_choose(policy: Any, t: int, rng: np.random.Generator) -> Duel:
    """Bound to the held policy's kernel."""
    raise TypeError("unbound")


def inner_update(policy: Any, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
    """Bound to the held policy's kernel."""
    raise TypeError("unbound")
