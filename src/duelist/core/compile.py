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

from collections.abc import Callable, Iterator
from functools import cache, update_wrapper
from types import CellType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import typeof
from numba.core import event
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from duelist.core.digest import codes_of, digest, globals_of
from duelist.core.disk import find_kept, kept
from duelist.core.garbage import collecting_seldom
from duelist.core.inlining import Inlined
from duelist.core.progress import say_once
from duelist.core.unboxing import read_generators_by_structure

F = TypeVar("F", bound=Callable[..., Any])
njit: Any = numba.njit  # its options below are more than its types know

UNCOUNTED = {"nogil": True, "_nrt": False}
INSIDE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # what only compiled code calls needs neither
CALLED = {"no_cfunc_wrapper": True}  # what only Python calls needs no form for C
LEAN: dict[str, Dispatcher] = {}  # by digest

LAYOUT = 0x1 | 0x2 | 0x100 | 0x400  # numpy's flags of an array: in C's order, in Fortran's, aligned, writeable
OF_ONE_TYPE = {bool, float, np.bool_, np.int64, np.float64, np.random.Generator}


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
    return cast(F, _called(python_function(function), counted=False))


def subroutine(function: F) -> F:
    """A routine that is optimised with its caller: for one of a single function that calls it from many places.

    A routine is optimised by itself, and what calls it once more with all that it calls: where routines call
    routines that takes longer at each step.
    """
    return cast(F, _called(python_function(function), counted=False, pipeline=Inlined))


def allocating_routine(function: F) -> F:
    """A routine that allocates: it counts references by itself, whoever calls it."""
    return cast(F, _called(python_function(function), counted=True))


def lean(function: Dispatcher) -> Dispatcher:
    """What stands for a kernel in code without reference counting: compiled by itself, once for all callers.

    Numba would inline a kernel before anything else, and take every later step again for each caller. Here
    LLVM inlines what numba is done with (inlining.py), which ends in the same machine code: into other kernels,
    and into routines. A kernel that is made again, as methods are that hold something, is the same by its digest.
    """
    options = function.targetoptions
    inline, called = options.get("inline") == "always", "_nrt" in options and "forceinline" not in options
    if not inline and not called:
        return function
    name = digest(function)
    if name not in LEAN:
        pipeline = function._compiler.pipeline_class  # type: ignore[attr-defined]
        LEAN[name] = inlined(function) if inline else _called(converted(function, lean), options["_nrt"], pipeline)
    return LEAN[name]


def _called(function: Callable[..., Any], counted: bool, pipeline: Any = Compiler) -> Any:
    return njit(nogil=True, _nrt=counted, pipeline_class=pipeline, **INSIDE)(function)


def inlined(function: Callable[..., Any]) -> Dispatcher:
    """`function` for code without reference counting, compiled by itself and inlined by LLVM, its kernels too."""
    options = UNCOUNTED | INSIDE | {"forceinline": True, "pipeline_class": Inlined}
    found: Dispatcher = njit(**options)(converted(function, lean))
    return found


def compiled(function: F) -> F:
    """Compile a function that is called from Python, at its first call; kernels it uses are inlined.

    Only for calls with positional arguments of types numba knows; keep bad input out before.
    """
    return _compiled(function, releasing=False)


def allocating(function: F) -> F:
    """`compiled` for a function that allocates, and its kernels do not: those are compiled without counting.

    None of them may return an array: it would be released once too often.
    """
    return _compiled(function, releasing=True)


def _compiled(function: F, releasing: bool) -> F:
    @cache
    def machine_code() -> specialise:
        return specialise(function, {}, releasing=releasing)

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
    return converted(function, plain)


def converted(function: Callable[..., Any], convert: Callable[[Any], Any]) -> FunctionType:
    """A copy of `function` in which every kernel that it uses is `convert`ed."""
    source = python_function(function)
    names: dict[str, Any] = {}
    for code in codes_of(source.__code__):
        for path, value in globals_of(code, source):
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
        kinds = tuple(map(_kind, args))
        found = self.entries.get(kinds)
        if found is None:
            signature = tuple(map(typeof, args))
            with global_compiler_lock:  # one thread looks for it, and those that come meanwhile wait
                if signature not in self.entries:
                    self.entries[signature] = self._find(signature)
            found = self.entries[kinds] = self.entries[signature]
        return found

    def _find(self, signature: tuple[Any, ...]) -> Any:
        """The machine code of a process before this one, or else what is compiled now."""
        # The order of the fields of the tuples passed is part of the machine code too.
        name = f"{self.bound.__name__}_{digest(self.bound, *_layouts(signature))}"
        options, ending = ({"nogil": True}, "_releasing") if self.releasing else (UNCOUNTED, "")
        self.uncounted = kept(named(converted(self.bound, lean), f"{name}{ending}"), **options, **CALLED)
        self.counted = kept(named(self.bound, f"{name}_counted"), nogil=True, **CALLED)
        for each in (self.uncounted, self.counted):
            if (found := find_kept(each, signature)) is not None:
                return found
        # What the compiler makes it keeps: looking through all of that for garbage takes a seventh of the time.
        # That is for the whole process, and threads must not end it in another order: the lock is held.
        with event.install_listener("numba:compile", _Announcement(self)), collecting_seldom():
            return self._compile(signature).overloads[signature].entry_point

    def _compile(self, signature: tuple[Any, ...]) -> Any:
        read_generators_by_structure()
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


def _kind(value: Any) -> Any:
    """Values of one kind are of one type to numba, whose `typeof` takes longer than most of what is compiled."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num & LAYOUT
    if kind in OF_ONE_TYPE or (kind is int and -(2**63) <= value < 2**63):
        return kind
    if isinstance(value, tuple):
        return kind, *map(_kind, value)
    return typeof(value)  # type: ignore[no-untyped-call]


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
