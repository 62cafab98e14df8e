"""Turn plain Python functions into machine code whose cache on disk is never stale.

A loop is written once, as a *template* that calls global names such as `choose`.
`specialise` copies the template with those names bound to one algorithm's kernels
and puts a digest of everything compiled into the copy's name. Numba files its
cache by that name, so an edit anywhere below (another file, a constant, a kernel
called through its module, the order of the fields) is a new entry, and the old
one is never read again.

Some parts of numba used here are not public, hence the upper bound on its version in pyproject.toml:
the option `_nrt` (code without reference counting), `entry_point` of a compiled overload (a call without
the look-up by types), the parts of its cache (disk.py), and what a dispatcher was made with (`targetoptions`,
`locals`, `_can_compile`; for the digest). Tests of this file notice a change.
"""

from __future__ import annotations

import dis
import hashlib
from collections.abc import Callable, Iterator
from functools import cache, update_wrapper
from itertools import takewhile
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import typeof
from numba.core import event
from numba.core.dispatcher import Dispatcher

from duelist.core.disk import find_kept, kept
from duelist.core.errors import CannotCompile
from duelist.core.inlining import Inlined
from duelist.core.progress import say_once

F = TypeVar("F", bound=Callable[..., Any])
njit: Any = numba.njit  # its options below are more than its types know

UNCOUNTED = {"nogil": True, "_nrt": False}
INSIDE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # what only compiled code calls needs neither
CALLED = {"no_cfunc_wrapper": True}  # what only Python calls needs no form for C
LEAN: dict[str, Dispatcher] = {}  # by digest

# Code of these packages is identified by name and version, not by its bytecode.
TRUSTED = {"builtins", "math", "numpy", "numba"}


def once(function: F) -> F:
    """`functools.cache` for functions of classes, keeping the signature."""
    return cast(F, cache(function))


def kernel(function: F) -> F:
    """Make `function` callable inside compiled code.

    Kernels are inlined into their callers, by LLVM where nothing counts references (`lean`), by numba
    elsewhere: there, a call counts references to every array it is given, which costs more than most
    kernels do.
    """
    if isinstance(function, Dispatcher):
        return function
    compiled: F = njit(nogil=True, inline="always")(function)
    return compiled


def routine(function: F) -> F:
    """A kernel that is called, not inlined: for one so long that a call costs nothing beside it.

    Numba takes long over large functions, longer than in proportion. A routine is compiled once for all
    that call it, without reference counting: it must allocate nothing.
    """
    called: F = njit(**UNCOUNTED, **INSIDE)(python_function(function))
    return called


def lean(function: Dispatcher) -> Dispatcher:
    """What stands for a kernel in code without reference counting: compiled by itself, once for all callers.

    Numba would inline a kernel before anything else, and take every later step again for each caller. Here
    LLVM inlines what numba is done with (inlining.py), which ends in the same machine code. A kernel that is made
    again, as methods are that hold something, is the same by its digest.
    """
    if function.targetoptions.get("inline") != "always":
        return function
    name = digest(function)
    if name not in LEAN:
        LEAN[name] = inlined(function)
    return LEAN[name]


def inlined(function: Callable[..., Any]) -> Dispatcher:
    """`function` for code without reference counting, compiled by itself and inlined by LLVM, its kernels too."""
    options = UNCOUNTED | INSIDE | {"forceinline": True, "pipeline_class": Inlined}
    found: Dispatcher = njit(**options)(_converted(function, lean))
    return found


def compiled(function: F) -> F:
    """Compile a function that is called from Python, at its first call; kernels it uses are inlined.

    Only for calls with positional arguments of types numba knows; keep bad input out before.
    """

    @cache
    def machine_code() -> specialise:
        return specialise(function, {})

    def call(*args: Any) -> Any:
        return machine_code()(*args)

    call.py_func = function  # type: ignore[attr-defined]  # so that plain() finds it
    return cast(F, update_wrapper(call, function))


def rebind(function: Callable[..., Any], names: dict[str, Any]) -> FunctionType:
    """A copy of `function` whose globals are overlaid with `names`."""
    source = python_function(function)
    return _copied(source, names, source.__closure__)


def plain(function: Callable[..., Any]) -> FunctionType:
    """A copy of `function` that runs as ordinary Python, its kernels included."""
    return _converted(function, plain)


def _converted(function: Callable[..., Any], convert: Callable[[Any], Any]) -> FunctionType:
    """A copy of `function` in which every kernel that it uses is `convert`ed."""
    source = python_function(function)
    names: dict[str, Any] = {}
    for code in _codes(source.__code__):
        for path, value in _globals(code, source):
            if isinstance(value, Dispatcher):
                head, *steps = path.split(".")
                names[head] = _overlay(names.get(head, source.__globals__[head]), steps, convert(value))
    cells = tuple(
        CellType(convert(cell.cell_contents)) if isinstance(cell.cell_contents, Dispatcher) else cell
        for cell in source.__closure__ or ()
    )
    return _copied(source, names, cells)


def _copied(source: FunctionType, names: dict[str, Any], closure: tuple[CellType, ...] | None) -> FunctionType:
    space = source.__globals__ | names
    copy = FunctionType(source.__code__, space, source.__name__, source.__defaults__, closure)
    copy.__qualname__, copy.__module__ = source.__qualname__, source.__module__
    copy.__kwdefaults__ = source.__kwdefaults__
    return copy


def _overlay(module: Any, steps: list[str], value: Any) -> Any:
    """A copy of `module` in which the attribute at the end of `steps` is `value`; without steps, `value`."""
    if not steps:
        return value
    copy = ModuleType(module.__name__)
    vars(copy).update(vars(module))
    setattr(copy, steps[0], _overlay(getattr(module, steps[0]), steps[1:], value))
    return copy


def python_function(function: Any) -> FunctionType:
    """The Python function behind a kernel, or the function itself."""
    source = getattr(function, "py_func", function)
    assert isinstance(source, FunctionType)
    return source


class specialise:  # noqa: N801 - used as a function; a class because it compiles when it is called
    """Compile `template` with its global names bound to `kernels`; `label` says to people what that is.

    The code is compiled for the types of the arguments of a call, without reference
    counting where numba can (no allocation in any kernel), and the ordinary way where it
    cannot. What is called for ever must be `releasing`: without counting, numba forgets 64 bytes for
    each generator that is passed from Python. Its kernels do without all the same.
    """

    def __init__(
        self,
        template: Callable[..., Any],
        kernels: dict[str, Callable[..., Any]],
        label: str = "",
        releasing: bool = False,
    ) -> None:
        self.bound = rebind(template, {name: kernel(f) for name, f in kernels.items()})
        self.label, self.releasing = label, releasing
        self.entries: dict[tuple[Any, ...], Callable[..., Any]] = {}
        self.digest = digest(self.bound)  # what cannot be compiled safely is refused now, not at the first call

    def __call__(self, *args: Any) -> Any:
        return self.entry(*args)(*args)

    def entry(self, *args: Any) -> Callable[..., Any]:
        """The machine code for arguments of exactly the types of `args`; compiles, does not call.

        Calling it skips the look-up by types, which takes longer than most kernels, and
        with it every check: only for callers that always pass the same types.
        """
        signature = tuple(map(typeof, args))
        if signature not in self.entries:
            self.entries[signature] = self._find(signature)
        return self.entries[signature]

    def _find(self, signature: tuple[Any, ...]) -> Any:
        """The machine code of a process before this one, or else what is compiled now."""
        # The order of the fields of the tuples passed is part of the machine code too.
        name = f"{self.bound.__name__}_{digest(self.bound, *_layouts(signature))}"
        options, ending = ({"nogil": True}, "_releasing") if self.releasing else (UNCOUNTED, "")
        self.uncounted = kept(named(_converted(self.bound, lean), f"{name}{ending}"), **options, **CALLED)
        self.counted = kept(named(self.bound, f"{name}_counted"), nogil=True, **CALLED)
        for each in (self.uncounted, self.counted):
            if (found := find_kept(each, signature)) is not None:
                return found
        with event.install_listener("numba:compile", _Announcement(self)):
            return self._compile(signature).overloads[signature].entry_point

    def _compile(self, signature: tuple[Any, ...]) -> Any:
        try:
            self.uncounted.compile(signature)
            return self.uncounted
        except Exception:  # numba's own, and others from its implementations of numpy
            self.counted.compile(signature)  # a real error comes again
            return self.counted


class _Announcement(event.Listener):
    """Says on a terminal what people wait for; numba tells when it compiles, not when it reads code from the disk."""

    def __init__(self, owner: specialise) -> None:
        self.owner = owner

    def on_start(self, start: Any) -> None:
        if start.data["dispatcher"] in (self.owner.uncounted, self.owner.counted):  # and not of another thread
            say_once(f"compiling {self.owner.label}, once" if self.owner.label else "compiling, once")

    def on_end(self, end: Any) -> None:
        pass


def _layouts(types: Any) -> Iterator[type]:
    """The named tuples among numba's `types`, nested ones included."""
    for each in types:
        if hasattr(each, "instance_class"):
            yield each.instance_class
        yield from _layouts(getattr(each, "types", ()))


def named(function: FunctionType, name: str) -> FunctionType:
    """A copy of `function` with another name, by which its code is kept."""
    copy = rebind(function, {})
    copy.__name__ = copy.__qualname__ = name
    return copy


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
    for code in _codes(function.__code__):
        yield code.co_code.hex() + " " + code.co_exceptiontable.hex()
        yield repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags))
        yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
        for constant in code.co_consts:
            if isinstance(constant, frozenset):  # its order differs from process to process
                yield f"frozenset {sorted(map(repr, constant))}"
            elif not isinstance(constant, CodeType):
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
