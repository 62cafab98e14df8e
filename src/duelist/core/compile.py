"""Turn plain Python functions into machine code whose cache on disk is never stale.

A loop is written once, as a *template* that calls global names such as `choose`.
`specialise` copies the template with those names bound to one algorithm's kernels
and puts a digest of everything compiled into the copy's name. Numba files its
cache by that name, so an edit anywhere below (another file, a constant, a kernel
called through its module, the order of the fields) is a new entry, and the old
one is never read again.
"""

from __future__ import annotations

import dis
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import typeof
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from duelist.core.errors import CannotCompile

F = TypeVar("F", bound=Callable[..., Any])
njit: Any = numba.njit  # its options below are more than its types know

# Code of these packages is identified by name and version, not by its bytecode.
TRUSTED = {"builtins", "math", "numpy", "numba"}


def once(function: F) -> F:
    """`functools.cache` for functions of classes, keeping the signature."""
    return cast(F, cache(function))


def kernel(function: F) -> F:
    """Make `function` callable inside compiled code.

    Kernels are inlined into their callers: a call that is not inlined counts
    references to every array it is given, which costs more than most kernels do.
    """
    compiled: F = njit(nogil=True, inline="always")(function)
    return compiled


def rebind(function: Callable[..., Any], names: dict[str, Any]) -> FunctionType:
    """A copy of `function` whose globals are overlaid with `names`."""
    source = python_function(function)
    copy = FunctionType(
        source.__code__,
        source.__globals__ | names,
        source.__name__,
        source.__defaults__,
        source.__closure__,
    )
    copy.__qualname__, copy.__module__ = source.__qualname__, source.__module__
    copy.__kwdefaults__ = source.__kwdefaults__
    return copy


def plain(function: Callable[..., Any]) -> FunctionType:
    """A copy of `function` that runs as ordinary Python, its kernels included."""
    source = python_function(function)
    kernels = {
        name: plain(value)
        for name in source.__code__.co_names
        if isinstance(value := source.__globals__.get(name), Dispatcher)
    }
    return rebind(source, kernels)


def python_function(function: Any) -> FunctionType:
    """The Python function behind a kernel, or the function itself."""
    source = getattr(function, "py_func", function)
    assert isinstance(source, FunctionType)
    return source


class specialise:  # noqa: N801 - used as a function; a class because it picks its code at the first call
    """Compile `template` with its global names bound to `kernels`.

    `layouts` are the tuple types passed as arguments: the order of their fields is
    part of the compiled code, so it is part of the digest. The code is compiled
    without reference counting where numba can (no allocation in any kernel), and
    the ordinary way where it cannot.
    """

    def __init__(
        self,
        template: Callable[..., Any],
        label: str,
        kernels: dict[str, Callable[..., Any]],
        layouts: tuple[type, ...] = (),
    ) -> None:
        bound = rebind(template, {name: kernel(f) for name, f in kernels.items()})
        name = f"{bound.__name__}_{label}_{digest(bound, *layouts)}"
        self.uncounted = njit(nogil=True, cache=True, _nrt=False)(_named(bound, name))
        self.counted = njit(nogil=True, cache=True)(_named(bound, f"{name}_counted"))
        self.chosen: Callable[..., Any] | None = None

    def __call__(self, *args: Any) -> Any:
        if self.chosen is None:
            self.chosen = self._choose(tuple(map(typeof, args)))
        return self.chosen(*args)

    def entry(self, *args: Any) -> Callable[..., Any]:
        """The machine code for arguments of exactly the types of `args`; compiles, does not call.

        Calling it skips the look-up by types, which takes longer than most kernels, and
        with it every check: only for callers that always pass the same types.
        """
        signature = tuple(map(typeof, args))
        entry: Callable[..., Any] = self._choose(signature).overloads[signature].entry_point
        return entry

    def _choose(self, signature: tuple[Any, ...]) -> Any:
        # A process before this one may have found out that counting is needed.
        if self.counted._cache.load_overload(signature, self.counted.targetctx) is None:
            try:
                self.uncounted.compile(signature)
                return self.uncounted
            except NumbaError:
                pass
        self.counted.compile(signature)
        return self.counted


def _named(function: FunctionType, name: str) -> FunctionType:
    copy = rebind(function, {})
    copy.__name__ = copy.__qualname__ = name
    return copy


def digest(*roots: Any) -> str:
    """Twelve hex digits that change when anything compiled from `roots` changes."""
    text = hashlib.sha256(f"numpy {np.__version__} numba {numba.__version__}".encode())
    seen: set[int] = set()
    for root in roots:
        for part in _describe(root, "", seen):
            text.update(part.encode() + b"\0")
    return text.hexdigest()[:12]


def _describe(value: Any, where: str, seen: set[int]) -> Iterator[str]:
    """Everything about `value` that reaches the machine code, as text."""
    if isinstance(value, Dispatcher):
        yield repr(sorted((k, v) for k, v in value.targetoptions.items()))
        yield from _describe_function(value.py_func, seen)
    elif _is_trusted(value):
        yield f"{value.__module__}.{getattr(value, '__qualname__', value.__name__)}"
    elif isinstance(value, FunctionType) and not where:
        yield from _describe_function(value, seen)
    elif isinstance(value, type) and hasattr(value, "_fields"):
        yield f"{value.__name__}{value._fields}"
        yield from _describe(tuple(getattr(value, "_field_defaults", {}).values()), where, seen)
    elif isinstance(value, tuple):
        yield f"{type(value).__name__}{getattr(value, '_fields', '')}{len(value)}"
        for item in value:
            yield from _describe(item, where, seen)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"{value.dtype}{value.shape}"
        yield hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    elif value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        yield f"{type(value).__name__} {value!r}"
    else:
        hint = "decorate it with @kernel" if isinstance(value, FunctionType) else "pass it as a field"
        raise CannotCompile(
            f"{where} is a {type(value).__name__}, which a kernel cannot read from a global safely: "
            f"allowed are kernels, numbers, text, tuples, arrays and numpy or math functions; {hint}"
        )


def _is_trusted(value: Any) -> bool:
    if isinstance(value, BuiltinFunctionType | np.ufunc) and getattr(value, "__module__", None) is None:
        return True
    named = isinstance(value, type | FunctionType | BuiltinFunctionType) or hasattr(value, "__qualname__")
    return named and str(getattr(value, "__module__", "")).split(".")[0] in TRUSTED


def _describe_function(function: FunctionType, seen: set[int]) -> Iterator[str]:
    if id(function) in seen:
        return
    seen.add(id(function))
    yield function.__name__
    where = f"default of {function.__qualname__}"
    yield from _describe(function.__defaults__, where, seen)
    yield from _describe(tuple(sorted((function.__kwdefaults__ or {}).items())), where, seen)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name
        yield from _describe(cell.cell_contents, f"{name!r} in {function.__qualname__}", seen)
    for code in _codes(function.__code__):
        yield code.co_code.hex()
        yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
        for constant in code.co_consts:
            if not isinstance(constant, CodeType):
                yield f"{type(constant).__name__} {constant!r}"
        for path, value in _globals(code, function):
            yield path
            yield from _describe(value, f"{path!r} in {function.__qualname__}", seen)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """`code` and the code of every function or comprehension written inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _globals(code: CodeType, function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Each global that `code` reads, followed through modules to what is used of them."""
    instructions = [i for i in dis.get_instructions(code) if i.opname != "EXTENDED_ARG"]
    for position, instruction in enumerate(instructions):
        if instruction.opname not in ("LOAD_GLOBAL", "LOAD_NAME"):
            continue
        path = name = instruction.argval
        if name not in function.__globals__:
            continue  # a builtin; a missing name is numba's to report
        value = function.__globals__[name]
        for step in instructions[position + 1 :]:
            if not isinstance(value, ModuleType) or step.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                break
            path, value = f"{path}.{step.argval}", getattr(value, step.argval)
        yield path, value
