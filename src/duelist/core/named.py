"""Functions that make things by name, and things that say by which name they were made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from duelist.core.errors import BadInput
from duelist.core.parameters import check_settings, parameters_of, write_value
from duelist.core.registry import Registry
from duelist.core.spec import Spec

P = ParamSpec("P")
N = TypeVar("N", bound="Named")


class Named:
    """Base of what `named` functions make."""

    made_by: Spec | None = None

    @property
    def spec(self) -> Spec:
        """Its name and all its parameters, as data."""
        if self.made_by is None:
            raise BadInput(f"this {type(self).__name__} was not made by a name, so that no spec makes it again")
        return self.made_by


def named(registry: Registry[Any], name: str) -> Callable[[Callable[P, N]], Callable[P, N]]:
    """Register a function: its parameters are checked at every call, and what it makes knows its spec.

    >>> from duelist.dueling.environments.instances import worst_case
    >>> str(worst_case(arms=5).spec)
    'worst-case:arms=5,epsilon=0.1'
    """

    def register(make: Callable[P, N]) -> Callable[P, N]:
        known, signature = parameters_of(make), inspect.signature(make)

        @wraps(make)
        def checked(*args: P.args, **kwargs: P.kwargs) -> N:
            call = signature.bind(*args, **kwargs)
            call.apply_defaults()
            settings = check_settings(name, known, {n: call.arguments[n] for n in known})
            call.arguments.update(settings)
            made = make(*call.args, **call.kwargs)
            object.__setattr__(made, "made_by", Spec(registry.family, name, settings))  # it may be frozen
            return made

        registry.add(name, checked)
        return checked

    return register


def tell_apart(specs: Sequence[Spec]) -> list[str]:
    """A text for each spec: its name, and as many parameters as tell it from the others of that name.

    >>> tell_apart([Spec("policy", "rucb", {"alpha": alpha, "size": 9}) for alpha in (0.6, 2.0)])
    ['rucb:alpha=0.6', 'rucb:alpha=2.0']
    """
    texts = [spec.name for spec in specs]
    for parameter in dict.fromkeys(name for spec in specs for name in spec.parameters):
        longer = [_with(text, spec, parameter) for text, spec in zip(texts, specs, strict=True)]
        split: dict[str, set[str]] = {text: set() for text in texts}
        for text, new in zip(texts, longer, strict=True):
            split[text].add(new)
        texts = [new if len(split[text]) > 1 else text for text, new in zip(texts, longer, strict=True)]
    return texts


def _with(text: str, spec: Spec, parameter: str) -> str:
    if parameter not in spec.parameters:
        return text
    return f"{text}{',' if '=' in text else ':'}{parameter}={write_value(spec.parameters[parameter])}"
