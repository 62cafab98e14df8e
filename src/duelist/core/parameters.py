"""Parameters: declared once, checked in one place, read from text in one way.

A class whose memory is declared has `alpha: float = parameter(0.51, "exploration", above=0.5)`. A function or
a dataclass has `arms: Annotated[int, limits("how many", low=2)] = 100`. Both become a `Parameter`.
"""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from duelist.core.errors import BadInput

KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text", tuple: "numbers"}
WORDS = {"true": True, "false": False, "none": None, "null": None}


@dataclass(frozen=True)
class Parameter:
    """A number, a text or several numbers chosen by the user and fixed afterwards; its type is the default's."""

    default: Any = None
    help: str = ""
    low: float = -math.inf
    high: float = math.inf
    above: float = -math.inf  # a strict lower limit
    below: float = math.inf
    choices: tuple[str, ...] = ()
    family: str = ""  # the text is the name of one of this family, such as "policy"
    each: type = int  # what each of several numbers is
    required: bool = False
    settable: bool = True

    @property
    def compiles(self) -> bool:
        """Whether kernels can read it: numbers, not text."""
        return isinstance(self.default, bool | int | float)

    def check(self, owner: str, name: str, value: Any) -> Any:
        """`value` in the parameter's own type, or an error that names what is allowed."""
        kind = type(self.default)
        if kind not in KINDS:
            return value  # of a type that only its owner knows
        if kind is tuple:
            given = value if isinstance(value, list | tuple) else (value,)
            return tuple(replace(self, default=self.each()).check(owner, name, item) for item in given)
        if kind is str:
            if isinstance(value, str) and (value in self.choices or not self.choices):
                return value
            raise BadInput(f"{owner}: {name} must be {self.allowed}, not {value!r}{meant(value, self.choices)}")
        return self._number(owner, name, value, kind)

    def _number(self, owner: str, name: str, value: Any, kind: type) -> Any:
        fits = isinstance(value, bool | np.bool_) if kind is bool else not isinstance(value, bool | np.bool_)
        try:
            number = kind(value) if fits else math.nan
            fits = fits and number == value and (kind is not int or abs(number) < 2**63)
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits or not (self.low <= number <= self.high and self.above < number < self.below):
            raise BadInput(f"{owner}: {name} must be {self.allowed}, not {value!r}")
        if not math.isfinite(number):
            raise BadInput(f"{owner}: {name} must be {self.allowed}, not {value!r}")
        return number

    @property
    def allowed(self) -> str:
        """What a value may be, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        limits = [f"at least {self.low:g}"] * (self.low > -math.inf)
        limits += [f"above {self.above:g}"] * (self.above > -math.inf)
        limits += [f"at most {self.high:g}"] * (self.high < math.inf)
        limits += [f"below {self.below:g}"] * (self.below < math.inf)
        return " ".join([KINDS[type(self.default)], " and ".join(limits)]).strip()


def parameter(default: Any, help: str, **settings: Any) -> Any:
    """Declare something the user may set, or must when `required`; other settings are those of Parameter.

    It returns Any, so that the field can be annotated with the type it has at run time.
    """
    return Parameter(default, help, **settings)


def constant(value: Any) -> Any:
    """Declare a number that tells variants of one algorithm apart."""
    return Parameter(value, settable=False)


def limits(help: str, **settings: Any) -> Parameter:
    """What to know of a parameter of a function or a dataclass, for `Annotated`; the default is its own."""
    return Parameter(None, help, **settings)


def parameters_of(maker: Callable[..., Any]) -> dict[str, Parameter]:
    """The parameters of anything that makes things: what it declares, or the arguments with defaults.

    >>> def worst_case(arms: int = 100, epsilon: float = 0.1): ...
    >>> {name: parameter.default for name, parameter in parameters_of(worst_case).items()}
    {'arms': 100, 'epsilon': 0.1}
    """
    if hasattr(maker, "parameters"):
        declared: dict[str, Parameter] = maker.parameters()
        return declared
    given = inspect.signature(maker).parameters
    hints = {} if not given else get_type_hints(_annotated(maker), include_extras=True)
    found = {}
    for name, argument in given.items():
        if argument.default is not argument.empty:
            found[name] = _declared(hints.get(name), argument.default)
    return found


def _declared(hint: Any, default: Any) -> Parameter:
    """The parameter of an argument: a default of 1 may be meant as a float, and Literal lists the choices."""
    known = [m for m in getattr(hint, "__metadata__", ()) if isinstance(m, Parameter)]
    kind = hint.__origin__ if known else hint
    declared = replace(known[0] if known else Parameter(), default=float(default) if kind is float else default)
    return replace(declared, choices=get_args(kind)) if get_origin(kind) is Literal else declared


def _annotated(maker: Any) -> Any:
    """Where the annotations of a maker's arguments are: a class has them in __init__, unless that was made for it."""
    has_init = inspect.isclass(maker) and "__dataclass_fields__" not in vars(maker)
    return getattr(maker, "__init__") if has_init else maker  # noqa: B009 - of a class that is not known here


def check_settings(owner: str, known: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in their parameters' types, or an error that names the one that does not fit."""
    refuse_unknown(owner, known, given)
    return {name: known[name].check(owner, name, value) for name, value in given.items()}


def refuse_unknown(owner: str, known: Iterable[str], given: Iterable[str]) -> None:
    """An error that names a setting nobody knows."""
    known = list(known)
    if unknown := sorted(set(given) - set(known)):
        names = ", ".join(known) or "none"
        raise BadInput(f"{owner} has no parameter {unknown[0]!r}{meant(unknown[0], known)}; its parameters: {names}")


def meant(name: Any, known: Iterable[str]) -> str:
    """A hint for a name that is close to a known one; empty if there is none."""
    close = difflib.get_close_matches(str(name), list(known), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def read_settings(text: str) -> dict[str, list[Any]]:
    """The values of each name in NAME=VALUE,NAME=VALUE,...; a name may have several: NAME=VALUE,VALUE.

    >>> read_settings("alpha=.51,1,base=rucb,times=300+600")
    {'alpha': [0.51, 1], 'base': ['rucb'], 'times': [(300, 600)]}
    """
    found: dict[str, list[Any]] = {}
    name = ""
    for part in text.split(","):
        before, equals, after = part.partition("=")
        name = before.strip() if equals else name
        value = (after if equals else part).strip()
        if not name or not value or (equals and name in found):
            raise BadInput(f"settings are written NAME=VALUE, each name once, not {text!r}")
        found.setdefault(name, []).append(read_value(value))
    return found


def read_value(text: str) -> Any:
    """A value as people type it: true, false, none, a number, several numbers joined by +, or text."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    if "+" in text.strip("+"):
        parts = tuple(map(read_value, text.strip("+").split("+")))
        return parts if all(isinstance(part, int | float) for part in parts) else text
    return text


def write_value(value: Any) -> str:
    """What `read_value` reads as `value`."""
    if isinstance(value, list | tuple):
        return "+".join(map(write_value, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
