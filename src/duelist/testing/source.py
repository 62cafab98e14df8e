"""Mistakes that are seen by reading an algorithm: one sentence each, before anything runs or compiles.

Numba refuses most of them too, with a page about its own insides. Here the user's line comes first.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from duelist.core.compile import python_function
from duelist.core.errors import DuelistError
from duelist.core.memory import Declared

NOISE = re.compile(r"^(Failed in \w+ mode pipeline.*|During:.*|File .*|\s*)$")  # of numba's messages


def check_kernels(kind: type[Declared], memory: Any, methods: Sequence[str]) -> None:
    """Complain about assigned fields, names that are not declared, and luck that is not `rng`."""
    for method in methods:
        for line, complaint in _complaints(kind, memory, getattr(kind, method)):
            raise AssertionError(f"{kind.__name__}.{method}, {line}: {complaint}")


def check_luck(kind: type, methods: Sequence[str]) -> None:
    """Complain about luck that is not `rng`."""
    for method in methods:
        for node, line in _statements(getattr(kind, method)):
            if complaint := _other_luck(node):
                raise AssertionError(f"{kind.__name__}.{method}, {line}: {complaint}")


def _complaints(kind: type[Declared], memory: Any, method: Any) -> Iterator[tuple[str, str]]:
    itself = next(iter(inspect.signature(python_function(method)).parameters))
    for node, line in _statements(method):
        if complaint := _other_luck(node):
            yield line, complaint
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == itself):
            continue
        if node.attr not in memory._fields:
            known = ", ".join(memory._fields)
            yield line, f"self.{node.attr} is not declared; inside {method.__name__}, self has {known}, nothing else"
        elif isinstance(node.ctx, ast.Store | ast.Del):
            yield line, f"self.{node.attr} is assigned; " + _instead(node.attr, getattr(memory, node.attr))


def _instead(name: str, value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array is changed in place: self.{name}[{0 if value.size == 1 else ':'}] = ..."
    return "it is fixed, and only arrays change: a number that changes is declared by single()"


def _other_luck(node: ast.AST) -> str:
    luck = isinstance(node, ast.Attribute) and node.attr == "random" and isinstance(node.value, ast.Name)
    if luck and node.value.id in ("np", "numpy"):  # type: ignore[attr-defined]
        return "np.random is used; draw from rng, or a seed does not repeat the run"
    return ""


def _statements(method: Any) -> Iterator[tuple[ast.AST, str]]:
    """Every node of a method's body with the place of its line; none where its text is not to be had."""
    function = python_function(method)
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return
    file = function.__code__.co_filename
    for statement in tree.body[0].body:  # type: ignore[attr-defined]  # a function has one; annotations are not in it
        for node in ast.walk(statement):
            number = first + getattr(node, "lineno", 1) - 1
            yield node, _place(file, number)


def _place(file: str, number: int) -> str:
    return f"line {number} of {Path(file).name}: `{linecache.getline(file, number).strip()}`"


@contextmanager
def compiling(kind: type) -> Iterator[None]:
    """Say in one sentence which line numba cannot compile, and why."""
    try:
        yield
    except DuelistError:
        raise
    except Exception as error:
        raise AssertionError(f"{kind.__name__}: numba cannot compile {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """What numba said: the line of the user's, and the first sentence that is not about numba itself."""
    said = next((line.strip() for line in str(error).splitlines() if not NOISE.match(line)), repr(error))
    sentence, _, place = said.partition(" Raised from ")
    found = re.fullmatch(r"(.+) \((\d+)\)", place)
    where = getattr(error, "loc", None)
    if found:
        return f"{_place(found[1], int(found[2]))}: {sentence}"
    return f"{_place(where.filename, where.line)}: {said}" if where is not None else said


def plainly(kind: type, what: str, call: Callable[..., Any], *args: Any) -> Any:
    """Call something as plain Python; an error of it is told with the line it came from."""
    try:
        return call(*args)
    except Exception as error:
        step = error.__traceback__
        while step is not None and step.tb_next is not None:
            step = step.tb_next
        assert step is not None
        place = _place(step.tb_frame.f_code.co_filename, step.tb_lineno)
        raise AssertionError(f"{kind.__name__}.{what} fails at {place}: {error!r}") from error


def check_findable(kind: type) -> None:
    """Complain about a class of a file that another process cannot find there by its name."""
    if "." in kind.__qualname__ and hasattr(sys.modules.get(kind.__module__), "__file__"):
        home = kind.__qualname__.rpartition(".")[0].removesuffix(".<locals>")
        raise AssertionError(
            f"{kind.__name__} is defined inside {home}, where another process cannot find it; "
            "define it at the top of a module"
        )
