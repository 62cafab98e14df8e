"""A name for compiled code that changes when anything changes from which it was compiled."""

from __future__ import annotations

import dis
import hashlib
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from duelist.core.errors import CannotCompile

# Code of these packages is identified by name and version, not by its bytecode.
TRUSTED = {"builtins", "math", "numpy", "numba"}


def digest(*roots: Any) -> str:
    """Twelve hex digits that change when anything compiled from `roots` changes."""
    text = hashlib.sha256(f"numpy {np.__version__} numba {numba.__version__}".encode())
    seen: dict[int, int] = {}
    for root in roots:
        for part in _describe(root, "", seen):
            text.update(part.encode() + b"\0")
    return text.hexdigest()[:12]


def _describe(value: Any, where: str, seen: dict[int, int]) -> Iterator[str]:
    """Everything about `value` that reaches the machine code, as text."""
    if isinstance(value, Dispatcher):
        yield from _describe_kernel(value, seen)
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
        yield f"{value.dtype}{value.shape}{value.strides}"
        yield hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    elif value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        yield f"{type(value).__name__} {value!r}"
    else:
        hint = "decorate it with @kernel" if isinstance(value, FunctionType) else "pass it as a field"
        raise CannotCompile(
            f"{where} is a {type(value).__name__}, which a kernel cannot read from a global safely: "
            f"allowed are kernels, numbers, text, tuples, arrays and numpy or math functions; {hint}"
        )


def _describe_kernel(kernel: Any, seen: dict[int, int]) -> Iterator[str]:
    yield repr(sorted(kernel.targetoptions.items()))
    given = [] if kernel._can_compile else [str(overload.signature) for overload in kernel.overloads.values()]
    yield repr((kernel.locals, given))
    yield from _describe_function(kernel.py_func, seen)


def _is_trusted(value: Any) -> bool:
    if isinstance(value, BuiltinFunctionType | np.ufunc) and getattr(value, "__module__", None) is None:
        return True
    named = isinstance(value, type | FunctionType | BuiltinFunctionType) or hasattr(value, "__qualname__")
    return named and str(getattr(value, "__module__", "")).split(".")[0] in TRUSTED


def _describe_function(function: FunctionType, seen: dict[int, int]) -> Iterator[str]:
    if id(function) in seen:
        yield f"function {seen[id(function)]}"
        return
    seen[id(function)] = len(seen)
    yield function.__name__
    where = f"default of {function.__qualname__}"
    yield from _describe(function.__defaults__, where, seen)
    yield from _describe(tuple(sorted((function.__kwdefaults__ or {}).items())), where, seen)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name
        yield from _describe(cell.cell_contents, f"{name!r} in {function.__qualname__}", seen)
    for code in codes_of(function.__code__):
        yield code.co_code.hex() + " " + code.co_exceptiontable.hex()
        yield repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags))
        yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
        for constant in code.co_consts:
            if isinstance(constant, frozenset):  # its order differs from process to process
                yield f"frozenset {sorted(map(repr, constant))}"
            elif not isinstance(constant, CodeType):
                yield f"{type(constant).__name__} {constant!r}"
        for path, value in globals_of(code, function):
            yield path
            yield from _describe(value, f"{path!r} in {function.__qualname__}", seen)


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """`code` and the code of every function or comprehension written inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_of(constant)


def globals_of(code: CodeType, function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Each global that `code` reads, followed through modules to what is used of them."""
    for path, *steps in _paths(code):
        if path not in function.__globals__:
            continue  # a builtin; a missing name is numba's to report
        value = function.__globals__[path]
        for step in steps:
            if not isinstance(value, ModuleType):
                break
            path, value = f"{path}.{step}", getattr(value, step)
        yield path, value


@cache
def _paths(code: CodeType) -> tuple[list[str], ...]:
    """Each global name that `code` reads, and the attributes that it reads of it one after the other."""
    instructions = [i for i in dis.get_instructions(code) if i.opname != "EXTENDED_ARG"]
    found = []
    for position, instruction in enumerate(instructions):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            rest = takewhile(lambda step: step.opname in ("LOAD_ATTR", "LOAD_METHOD"), instructions[position + 1 :])
            found.append([instruction.argval, *(step.argval for step in rest)])
    return tuple(found)
