"""Where the arrays of many runs lie in memory, and how one run sees its own.

The arrays of all runs that have one type lie in one long array, the *arena*. Runs come in groups of 32, as many as a
GPU runs in step. Of each array a group has one block, in which the runs lie in one of two ways:

    side by side    a a a ... a b b b ... b ...     the first elements of all, then the second ones, and so on
    in one piece    a b c d ... a b c d ...         all elements of the first run, then those of the second one

Small arrays lie side by side: threads in step read the same element, which is fetched for all of them at once. In large
tables each reads a row of its own, and wants what it reads next beside it.

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
WARP = 32  # threads that run in step, and runs of a group
# Bytes of an array up to which it lies side by side. Thousand million duels a second on an H200, with all arrays side
# by side and with all in one piece: 16 arms, tables of 2 KB: RMED1 5.7 and 1.5, RUCB 1.8 and 1.4, D-TS .30 and .24;
# 64 arms, tables of 32 KB: RUCB .27 and .66. RMED1, .84 and .69, and D-TS, .008 and .005, go through arrays of 512
# bytes there as much as through tables.
SMALL = 4096


class Place(NamedTuple):
    """Where an array lies: its arena, its first element among those of one run, and how far apart its elements are."""

    array: np.ndarray[Any, Any]
    arena: int
    start: int
    step: int  # 32: side by side with those of other runs; 1: in one piece

    @property
    def lane(self) -> int:
        """How far one run's first element is from the next one's."""
        return 1 if self.step == WARP else self.array.size


class Layout:
    """A plan for the memory of many runs, made from the memory of one.

    >>> wins = np.zeros((2, 3))
    >>> layout = Layout([wins])
    >>> layout.text(wins), layout.size
    ('window(arenas[0], group * 192 + 0 + lane * 1, (2, 3), 32)', 48)
    """

    def __init__(self, values: Sequence[Any], shared: Sequence[Any] = (), small: int | None = None) -> None:
        self.small = SMALL if small is None else small
        self.types: list[np.dtype[Any]] = []  # of each arena
        self.sizes: list[int] = []  # elements of one run in each arena
        self.places: list[Place] = []
        self.shared: list[np.ndarray[Any, Any]] = []  # what all runs read and none writes
        self.tuples: dict[str, Any] = {}  # the tuple types that the text names
        for value in values:
            self._plan(value, shared)

    def _plan(self, value: Any, shared: Sequence[Any]) -> None:
        """Find a place for every array in `value`, a number, an array or a tuple of such, but those in `shared`."""
        if isinstance(value, tuple):
            for item in value:
                self._plan(item, shared)
        elif isinstance(value, np.ndarray) and any(value is other for other in shared):
            self.shared.append(value)
        elif isinstance(value, np.ndarray):
            arena = self._arena(value.dtype)
            step = WARP if value.nbytes <= self.small else 1
            self.places.append(Place(value, arena, self.sizes[arena], step))
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
        first = f"group * {self.sizes[place.arena] * WARP} + {place.start * WARP} + lane * {place.lane}"
        return f"window(arenas[{place.arena}], {first}, {value.shape!r}, {place.step})"

    @property
    def size(self) -> int:
        """Bytes of one run."""
        return sum(size * dtype.itemsize for size, dtype in zip(self.sizes, self.types, strict=True))

    def elements(self, runs: int) -> list[int]:
        """How long each arena must be."""
        return [-(-runs // WARP) * WARP * size for size in self.sizes]

    def _arena(self, dtype: np.dtype[Any]) -> int:
        if dtype not in self.types:
            self.types.append(dtype)
            self.sizes.append(0)
        return self.types.index(dtype)

    def read(self, arenas: list[Any], run: int) -> None:
        """Copy what a run has in `arenas` into the arrays that were planned."""
        group, lane = divmod(run, WARP)
        for place in self.places:
            first = (group * self.sizes[place.arena] + place.start) * WARP + lane * place.lane
            last = first + place.array.size * place.step
            place.array.ravel()[:] = arenas[place.arena][first : last : place.step]


def window(arena: Any, first: int, shape: tuple[int, ...], step: int) -> Any:
    """The array of `shape` in `arena` from element `first` on, one element every `step`."""
    width = arena.itemsize * step
    strides = [width * math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return np.lib.stride_tricks.as_strided(arena[first:], shape, strides)


def compiled_window(intrinsic: Any, arrays: Any) -> Any:
    """`window` for compiled code; given are the compiler's decorator `intrinsic` and its module of arrays."""

    def window(typing: Any, arena: Any, first: Any, shape: Any, step: Any) -> Any:
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
