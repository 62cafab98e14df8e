"""Where the arrays of many runs lie in memory, and how one run sees its own.

The arrays of all runs that have one type lie in one long array, the *arena*. Runs come in groups of `lanes`; within
a group, the first elements of all its runs stand side by side, then the second ones, and so on:

    lanes = 1     run 0: a b c d, run 1: a b c d, ...         a run is in one piece
    lanes = 32    a a a ... a b b b ... b, ...                32 runs, element by element

A GPU runs 32 threads in step. Where they read the same element, as in small tables, it is fetched for all of them at
once if it lies side by side. In large tables each reads elsewhere, and wants what it reads next beside it.

A run sees its part of an arena as an array with fixed shape and strides: compilers turn these into constants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types

from duelist.core.memory import memory_type

Tuple: Any = types.UniTuple
WARP = 32  # threads that run in step
# Bytes of a run's memory up to which lanes are worth it. Thousand million duels a second on an H200, lanes 32 and 1:
# RMED1 7 KB 5.7 and 1.5, RUCB 14 KB 1.8 and 1.4, D-TS 15 KB .30 and .24, RMED1 102 KB .84 and .69, RUCB 230 KB .27 and
# .66, D-TS 236 KB .008 and .005.
SMALL = 131_072


def lanes_for(size: int) -> int:
    """How many runs lie side by side, if each has so many bytes.

    >>> lanes_for(1000), lanes_for(1_000_000)
    (32, 1)
    """
    return WARP if size <= SMALL else 1


class Place(NamedTuple):
    """Where an array lies: its arena, and its first element among those of one run."""

    array: np.ndarray[Any, Any]
    arena: int
    start: int


class Layout:
    """A plan for the memory of many runs, made from the memory of one.

    >>> wins = np.zeros((2, 3))
    >>> layout = Layout([wins], lanes=2)
    >>> layout.text(wins), layout.size
    ('window(arenas[0], group * 12 + 0 + lane, (2, 3), 2)', 48)
    """

    def __init__(self, values: Sequence[Any], shared: Sequence[Any] = (), lanes: int | None = None) -> None:
        self.types: list[np.dtype[Any]] = []  # of each arena
        self.sizes: list[int] = []  # elements of one run in each arena
        self.places: list[Place] = []
        self.shared: list[np.ndarray[Any, Any]] = []  # what all runs read and none writes
        self.tuples: dict[str, Any] = {}  # the tuple types that the text names
        for value in values:
            self._plan(value, shared)
        self.lanes = lanes or lanes_for(self.size)

    def _plan(self, value: Any, shared: Sequence[Any]) -> None:
        """Find a place for every array in `value`, a number, an array or a tuple of such, but those in `shared`."""
        if isinstance(value, tuple):
            for item in value:
                self._plan(item, shared)
        elif isinstance(value, np.ndarray) and any(value is other for other in shared):
            self.shared.append(value)
        elif isinstance(value, np.ndarray):
            arena = self._arena(value.dtype)
            self.places.append(Place(value, arena, self.sizes[arena]))
            self.sizes[arena] += value.size

    def text(self, value: Any) -> str:
        """An expression for what run `lane` of `group` sees in place of `value`."""
        if isinstance(value, tuple):
            fields = getattr(value, "_fields", ())
            name = f"Tuple{len(self.tuples)}"
            self.tuples[name] = memory_type(fields)
            return f"{name}({', '.join(map(self.text, value))})"
        if not isinstance(value, np.ndarray):
            return repr(value.item() if isinstance(value, np.generic) else value)
        for number, other in enumerate(self.shared):
            if other is value:
                return f"shared[{number}]"
        place = next(place for place in self.places if place.array is value)
        group, start = self.sizes[place.arena] * self.lanes, place.start * self.lanes
        return f"window(arenas[{place.arena}], group * {group} + {start} + lane, {value.shape!r}, {self.lanes})"

    @property
    def size(self) -> int:
        """Bytes of one run."""
        return sum(size * dtype.itemsize for size, dtype in zip(self.sizes, self.types, strict=True))

    def elements(self, runs: int) -> list[int]:
        """How long each arena must be."""
        groups = -(-runs // self.lanes)
        return [groups * self.lanes * size for size in self.sizes]

    def _arena(self, dtype: np.dtype[Any]) -> int:
        if dtype not in self.types:
            self.types.append(dtype)
            self.sizes.append(0)
        return self.types.index(dtype)

    def read(self, arenas: list[Any], run: int) -> None:
        """Copy what a run has in `arenas` into the arrays that were planned."""
        group, lane = divmod(run, self.lanes)
        for array, arena, start in self.places:
            step = self.sizes[arena] * self.lanes
            first = group * step + start * self.lanes + lane
            array.ravel()[:] = arenas[arena][first : first + array.size * self.lanes : self.lanes]


def window(arena: Any, first: int, shape: tuple[int, ...], lanes: int) -> Any:
    """The array of `shape` in `arena` from element `first` on, one element every `lanes`."""
    step = arena.itemsize * lanes
    strides = [step * math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return np.lib.stride_tricks.as_strided(arena[first:], shape, strides)


def compiled_window(intrinsic: Any, arrays: Any) -> Any:
    """`window` for compiled code; given are the compiler's decorator `intrinsic` and its module of arrays."""

    def window(typing: Any, arena: Any, first: Any, shape: Any, lanes: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            whole = arrays.make_array(arena)(context, builder, values[0])
            made = arrays.make_array(signature.return_type)(context, builder)
            size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(arena.dtype)))
            sides = [builder.extract_value(values[2], axis) for axis in range(len(shape))]
            strides = [builder.mul(size, values[3])]
            for side in reversed(sides[1:]):
                strides.insert(0, builder.mul(strides[0], side))
            data = builder.gep(whole.data, [values[1]])
            arrays.populate_array(made, data=data, shape=sides, strides=strides, itemsize=size, meminfo=None)
            return made._getvalue()

        result, sides = types.Array(arena.dtype, len(shape), "A"), Tuple(types.intp, len(shape))
        return result(arena, types.intp, sides, types.intp), generate

    return intrinsic(window)
