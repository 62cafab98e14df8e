"""Memory that is declared field by field and can be compiled, stored and nested.

A policy lists its parameters, its arrays and the parts it holds; `Declared` reads
that list. The values live in one tuple per object, which is what `self` is inside
compiled code. Only arrays change: a number that changes is an array of one.
"""

from __future__ import annotations

import inspect
import math
import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from duelist.core.compile import kernel, once, rebind
from duelist.core.errors import BadInput
from duelist.core.parameters import Parameter

# An algorithm declares all its fields with names from this module.
from duelist.core.parameters import constant as constant
from duelist.core.parameters import parameter as parameter

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Array:
    """An array of a size that depends on the number of arms (or features), or on parameters declared before it."""

    shape: Callable[..., tuple[int, ...]]
    dtype: type
    fill: float
    scratch: bool = False  # it means nothing between calls: not stored, not compared, not reset

    def allocate(self, owner: Declared) -> npt.NDArray[Any]:
        size = getattr(owner, owner.sized_by)
        shape = self.shape(size, owner) if _takes_two(self.shape) else self.shape(size)
        dtype: np.dtype[Any] = np.dtype({int: np.int64, float: np.float64}.get(self.dtype, self.dtype))
        # Small types number what is in their array.
        if dtype.kind == "i" and dtype.itemsize < 8 and math.prod(shape) > np.iinfo(dtype).max:
            raise BadInput(f"{type(owner).__name__} cannot number {math.prod(shape):,} places with {dtype}")
        return np.full(shape, self.fill, dtype) if self.fill else np.zeros(shape, dtype)


@cache  # slow, and asked for every array of every run
def _takes_two(shape: Callable[..., Any]) -> bool:
    return len(inspect.signature(shape).parameters) == 2


@dataclass(frozen=True)
class Holds:
    """A part with a memory of its own, over the same arms."""

    part: type[Declared]


# These return Any so that a field can be annotated with the type it has at run time.


def single(dtype: type = int, fill: float = 0) -> Any:
    """Declare one changing number: an array of length one."""
    return Array(lambda k: (1,), dtype, fill)


def per_arm(dtype: type = float, fill: float = 0) -> Any:
    """Declare one number an arm."""
    return Array(lambda k: (k,), dtype, fill)


def per_pair(dtype: type = float, fill: float = 0) -> Any:
    """Declare one number an ordered pair of arms."""
    return Array(lambda k: (k, k), dtype, fill)


def table(shape: Callable[..., tuple[int, ...]], dtype: type = float, fill: float = 0) -> Any:
    """Declare an array of another shape: shape(size), or shape(size, self) to use parameters."""
    return Array(shape, dtype, fill)


def scratch(shape: Callable[..., tuple[int, ...]], dtype: type = float) -> Any:
    """Declare room to work in, which holds anything when a kernel is called: shape(size), or shape(size, self)."""
    return Array(shape, dtype, 0, scratch=True)


def holds(part: type[Declared]) -> Any:
    """Declare a part, which has fields of its own."""
    return Holds(part)


@kernel
def refill(array: npt.NDArray[Any], value: float) -> None:
    """Compiled once for all tables of a type, which takes numba longer than the loop takes to write."""
    array[:] = value


@cache
def memory_type(fields: tuple[str, ...]) -> type[Any]:
    """The tuple type with these fields, the same in every process.

    Numba's cache finds a compiled function by the types of its arguments. The type
    is therefore named by its fields and found by that name (`__getattr__` below), so
    that an algorithm defined in a script or a notebook is found again as well.
    """
    name = "Memory_" + "__".join(fields)
    made = namedtuple(name, fields)  # type: ignore[misc]
    made.__module__, made.__qualname__ = __name__, name
    return made


def __getattr__(name: str) -> Any:
    if name.startswith("Memory_"):
        return memory_type(tuple(re.split("__(?!_)", name.removeprefix("Memory_"))))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Declared:
    """Base of everything whose memory is declared field by field."""

    fields: ClassVar[dict[str, Any]] = {}
    sized_by: ClassVar[str] = "n_arms"  # the number that the shape of every table depends on
    n_arms: int
    reserved: ClassVar[frozenset[str]] = frozenset({"n_arms", "n_features", "sized_by", "memory"})  # no field's name
    kernels: ClassVar[tuple[str, ...]] = ()  # methods that a holder may call

    def __init_subclass__(cls) -> None:
        own = {n: v for n, v in vars(cls).items() if isinstance(v, Parameter | Array | Holds)}
        for name in own:
            if "__" in name or name.startswith("_"):
                raise BadInput(f"{cls.__name__}: a field must not start with '_' or contain '__': {name!r}")
            taken = getattr(super(cls, cls), name, None)
            if name in cls.reserved or not (taken is None or isinstance(taken, Parameter | Array | Holds)):
                raise BadInput(f"{cls.__name__}: the field name {name!r} has a meaning already")
        for name in vars(cls).keys() & cls.fields.keys() - own.keys():
            raise BadInput(f"{cls.__name__}: {name} must be a field, such as constant({vars(cls)[name]!r})")
        cls.fields = cls.fields | own

    def __init__(self, size: int, parameters: Mapping[str, Any]) -> None:
        setattr(self, self.sized_by, size)
        # A part with a parameter of the same name is given the holder's value, default or not.
        own = {n: f for n, f in self.fields.items() if isinstance(f, Parameter)}
        parameters = {n: f.default for n, f in own.items() if f.settable and not f.required} | dict(parameters)
        for name, field in self.fields.items():
            value: Any
            if isinstance(field, Parameter):
                if field.required and name not in parameters:
                    raise BadInput(f"{type(self).__name__} needs {name}=...: {field.help}")
                given = parameters.get(name, field.default) if field.settable else field.default
                value = field.check(type(self).__name__, name, given)
            elif isinstance(field, Array):
                value = field.allocate(self)
            else:
                # What a held part holds was decided with its class. It is made of what it declares alone.
                known = {n for n, p in field.part.parameters().items() if not p.family}
                value = object.__new__(field.part)
                Declared.__init__(value, size, {n: v for n, v in parameters.items() if n in known})
            setattr(self, name, value)
        self.check_parameters()
        self.memory = self._memory()

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """The parameters a user may set, those of held parts included."""
        found: dict[str, Parameter] = {}
        for name, field in cls.fields.items():
            if isinstance(field, Parameter) and field.settable:
                found[name] = field
            elif isinstance(field, Holds):
                found |= {n: p for n, p in field.part.parameters().items() if n not in found}
        return found

    def parameter_values(self) -> dict[str, Any]:
        """The value of each parameter a user may set."""
        values: dict[str, Any] = {}
        for name, field in self.fields.items():
            if isinstance(field, Parameter) and field.settable:
                values[name] = getattr(self, name)
            elif isinstance(field, Holds):
                values |= {n: v for n, v in getattr(self, name).parameter_values().items() if n not in values}
        return values

    def tables(self) -> dict[str, npt.NDArray[Any]]:
        """Every array that is remembered, by name; those of a held part as "part.name"."""
        return {path: find(self) for path, find in self._finders().items()}

    @classmethod
    @once
    def _finders(cls) -> dict[str, attrgetter[Any]]:
        """How to come from an object to each of its tables, which takes longer to find out than to do."""
        return {path: attrgetter(path) for path, _ in cls._fills()}

    def scratch_tables(self) -> list[npt.NDArray[Any]]:
        """The arrays that mean nothing between calls, those of held parts included."""
        found = [getattr(self, n) for n, f in self.fields.items() if isinstance(f, Array) and f.scratch]
        parts = [getattr(self, n) for n, f in self.fields.items() if isinstance(f, Holds)]
        return found + [array for part in parts for array in part.scratch_tables()]

    def _memory(self) -> Any:
        text = {n for n, f in self.fields.items() if isinstance(f, Parameter) and not f.compiles}
        values = {n: getattr(self, n) for n in self.fields if n not in text}
        values = {n: v.memory if isinstance(v, Declared) else v for n, v in values.items()}
        return memory_type((self.sized_by, *values))(getattr(self, self.sized_by), *values.values())

    @classmethod
    def held(cls) -> dict[str, type[Declared]]:
        """The kind of each held part that has kernels, by the name of its field."""
        return {n: f.part for n, f in cls.fields.items() if isinstance(f, Holds) and f.part.kernels}

    @classmethod
    def method(cls, name: str, convert: Callable[[Any], Any]) -> Any:
        """The method `name`, the kernels of held parts bound to it after `convert`ing each.

        The kernel `draw` of the part in the field `bandit` is called `bandit_draw`; if all parts are
        of one kind, also `inner_draw`, whichever of them it is called for.
        """
        if name == "reset":
            return cls._reset(convert)
        parts = cls.held()
        prefixes = {kind: [field for field, other in parts.items() if other is kind] for kind in parts.values()}
        if len(prefixes) == 1:
            prefixes = {kind: [*fields, "inner"] for kind, fields in prefixes.items()}
        bound: dict[str, Any] = {}
        for kind, fields in prefixes.items():
            for each in kind.kernels:
                bound |= dict.fromkeys([f"{field}_{each}" for field in fields], convert(kind.method(each, convert)))
        return rebind(getattr(cls, name), bound) if bound else getattr(cls, name)

    @classmethod
    def _reset(cls, convert: Callable[[Any], Any]) -> Any:
        """A kernel reset(self, rng) that brings used memory back to a fresh start."""
        fills = list(cls._fills())
        lines = [f"    refill(self.{path}, fill_{i})" for i, (path, _) in enumerate(fills)]
        text = "\n".join(["def reset(self, rng):", *lines, "    start(self, rng)"])
        space: dict[str, Any] = {f"fill_{i}": fill for i, (_, fill) in enumerate(fills)}
        space |= {"refill": convert(refill), "start": convert(cls.method("start", convert))}
        exec(text, space)  # one line a table: nothing shorter compiles for tuples of different arrays
        return space["reset"]

    @classmethod
    def _fills(cls) -> Iterator[tuple[str, Any]]:
        for name, field in cls.fields.items():
            if isinstance(field, Array) and not field.scratch:
                yield name, np.dtype(field.dtype).type(field.fill).item()
            elif isinstance(field, Holds):
                yield from ((f"{name}.{path}", fill) for path, fill in field.part._fills())

    def check_parameters(self) -> None:
        """Raise BadInput when parameters do not fit each other; written where they can clash."""

    def start(self, rng: np.random.Generator) -> None:
        """Fill the memory for a fresh start; written by algorithms that need it."""
