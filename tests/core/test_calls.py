"""Calls of compiled functions: machine code is found by the kinds of the arguments, and functions may allocate."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, nrt  # type: ignore[attr-defined]

from duelist.core import compile as compiling
from duelist.core.compile import (
    LEAN,
    _kind,
    allocating,
    allocating_routine,
    compiled,
    kernel,
    plain,
    routine,
    specialise,
)
from duelist.core.digest import digest
from duelist.core.memory import Floats, Ints


class Pair(NamedTuple):
    table: Floats
    number: Any


class Other(NamedTuple):
    table: Floats
    number: Any


def frozen(array: Floats) -> Floats:
    array.flags.writeable = False
    return array


SQUARE = np.arange(9.0).reshape(3, 3)
VALUES = (
    SQUARE,
    SQUARE[:1, :1].copy(),
    SQUARE.T,
    SQUARE[::2, ::2],
    SQUARE[0],
    SQUARE[:, 0],
    frozen(SQUARE.copy()),
    SQUARE.astype(np.float32),
    SQUARE.astype(np.int64),
    SQUARE > 4,
    np.frombuffer(b"\0" * 9, np.uint8)[1:].view(np.float64),  # not where a float64 should lie
    1,
    -(2**63),
    2**63,
    True,
    1.0,
    1j,
    np.int32(1),
    np.int64(1),
    np.float32(1),
    np.float64(1),
    np.bool_(True),
    "text",
    None,
    np.random.default_rng(1),
    (1, 2.0),
    (1, 2),
    (1, 2**63),
    Pair(SQUARE, 1),
    Pair(SQUARE.T, 1),
    Pair(SQUARE, 1.0),
    Other(SQUARE, 1),
)


def test_values_of_one_kind_are_of_one_type_to_numba() -> None:
    typeof: Any = numba.typeof
    for one in VALUES:
        for other in VALUES:
            if _kind(one) == _kind(other):
                assert typeof(one) == typeof(other), (one, other)


def total(values: Floats) -> float:
    found = 0.0
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            found += (row + 1) * values[row, column]
    return found


def test_a_second_call_of_the_same_kinds_asks_numba_for_no_type(monkeypatch: pytest.MonkeyPatch) -> None:
    code = specialise(total, {})
    arrays: list[Any] = [SQUARE, SQUARE.T, SQUARE[::2, ::2], SQUARE.astype(np.float32)]
    sums = [code(array) for array in arrays]
    assert sums == [total(array) for array in arrays]

    def refuse(value: Any) -> None:
        raise AssertionError(f"asked for the type of {value!r}")

    monkeypatch.setattr(compiling, "typeof", refuse)
    assert [code(array + np.float32(0)) for array in arrays[:1]] == sums[:1]
    assert [code(array) for array in arrays] == sums
    with pytest.raises(AssertionError, match="asked for the type"):
        code(SQUARE.astype(np.int64))


def test_other_kinds_of_one_type_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    code = specialise(total, {})
    assert code(SQUARE) == total(SQUARE)
    monkeypatch.setattr(code, "_compile", lambda signature: pytest.fail(f"compiled {signature}"))
    row = np.arange(3.0)[None]  # in the order of C and of Fortran
    assert _kind(row) != _kind(SQUARE)
    assert code(row) == total(row)


@contextmanager
def allocations() -> Iterator[dict[str, int]]:
    """How often compiled code allocated and freed memory in the block."""
    counts: dict[str, int] = {}
    runtime: Any = nrt.rtsys
    _nrt_python.memsys_enable_stats()
    try:
        before = runtime.get_allocation_stats()
        yield counts
        after = runtime.get_allocation_stats()
        counts |= {name: getattr(after, name) - getattr(before, name) for name in ("alloc", "free")}
    finally:
        _nrt_python.memsys_disable_stats()


@allocating_routine
def turned(values: Floats, found: Floats) -> None:
    copy = values.copy()
    for place in range(values.size):
        found[place] = copy[values.size - 1 - place]


@kernel
def add_turned(values: Floats, found: Floats, room: Floats) -> None:
    turned(values, room[: values.size])
    for place in range(values.size):
        found[place] += room[place]


@allocating
def turned_sums(values: Floats, offsets: Ints, found: Floats) -> float:
    room = np.empty(values.size)
    for part in range(offsets.size - 1):
        start, stop = offsets[part], offsets[part + 1]
        add_turned(values[start:stop], found[start:stop], room)
    return float(room[0])


def test_a_function_that_allocates_is_compiled_with_its_kernels_uncounted_and_loses_nothing() -> None:
    values, offsets, found = np.arange(6.0), np.array([0, 2, 6]), np.zeros(6)
    assert turned_sums(values, offsets, found) == 5.0
    assert found.tolist() == [1.0, 0.0, 5.0, 4.0, 3.0, 2.0]
    for _ in range(200):  # what is released too often or not at all ends as somebody else's numbers
        again = np.zeros(6)
        turned_sums(values, offsets, again)
        np.testing.assert_array_equal(again, found)
    with allocations() as counts:
        for _ in range(100):
            turned_sums(values, offsets, np.zeros(6))
    assert counts["alloc"] == counts["free"] >= 300  # the room, and a copy for each part


def test_a_routine_that_allocates_may_be_called_where_nothing_is_counted() -> None:
    code = compiled(_turn)
    found, room = np.zeros(3), np.zeros(3)
    code(np.arange(3.0), found, room)
    assert found.tolist() == [2.0, 1.0, 0.0]


def _turn(values: Floats, found: Floats, room: Floats) -> None:
    add_turned(values, found, room)


def test_garbage_is_collected_as_before_once_something_was_compiled() -> None:
    before = gc.get_threshold()
    specialise(total, {})(SQUARE)
    assert gc.get_threshold() == before
    with pytest.raises(Exception, match="nopython"):
        specialise(total, {})("text")
    assert gc.get_threshold() == before


@kernel
def square(x: float) -> float:
    return x * x


@routine
def squares(x: float) -> float:
    return square(x) + square(x + 1.0)


def test_a_kernel_of_a_routine_is_compiled_by_itself_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def step(x: float) -> float:
        return squares(x) + square(x)

    assert specialise(step, {})(2.0) == 17.0
    assert len(LEAN[digest(square)].overloads) == 1
    assert len(LEAN[digest(squares)].overloads) == 1
    assert plain(squares)(2.0) == 13.0
