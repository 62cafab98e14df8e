"""A device without a GPU: the same text, compiled for the CPU, one run after the other."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload_method
from numba.np import arrayobj

from duelist.core.compile import CALLED, converted, lean, named, rebind
from duelist.core.cuda import engine_digest
from duelist.core.disk import kept
from duelist.core.garbage import collecting_seldom
from duelist.core.generator import GENERATOR, teach
from duelist.core.layout import compiled_window


@cache
def cpu_names() -> dict[str, Any]:
    teach(overload_method, types.Record)
    context = cpu_target.typing_context
    context.refresh()
    # Numba's own template fails on names that are no fields: it must be asked last.
    context._attributes[types.Record].sort(key=lambda template: type(template).__name__ == "RecordAttribute")
    return {"window": compiled_window(intrinsic, arrayobj), "GENERATOR": GENERATOR}


KEPT = 0
LOOPS: dict[str, Any] = {}  # by name: a process compiles each once, and keeps it for others


def one(*args: Any) -> None:
    raise TypeError("unbound")


def in_turn(runs, first, key, done, until, arenas, shared, totals, hits, drawn):  # type: ignore[no-untyped-def]
    luck, sums = np.empty(2, GENERATOR), np.empty(KEPT)
    for i in range(runs):
        one(i, first, key, done, until, arenas, shared, totals, hits, drawn, luck, sums)


class Emulated:
    """What `Device` does, in plain memory."""

    def __init__(self, room: int = 2**30) -> None:
        self.bytes = room
        self.launches: list[tuple[int, int]] = []

    def room(self) -> int:
        return self.bytes

    def empty(self, shape: Any, dtype: Any) -> Any:
        array = np.empty(shape, dtype)
        array.view(np.uint8)[...] = 0xA5  # nobody may rely on zeros
        if array.dtype == np.bool_:
            array[...] = True
        return array

    def put(self, array: Any) -> Any:
        return np.array(array, order="C")

    def get(self, array: Any) -> Any:
        return array.copy()

    def names(self) -> dict[str, Any]:
        return cpu_names()

    def loop(self, template: FunctionType, *roots: Any) -> Any:
        bound = {name: template.__globals__[name] for name in ("one", "KEPT")}
        name = f"in_turn_{engine_digest('numba', *roots, bound['KEPT'], Path(__file__).read_bytes())}"
        compiled = LOOPS.setdefault(name, kept(named(converted(rebind(in_turn, bound), lean), name), **CALLED))

        def launch(threads: int, *args: Any) -> None:
            self.launches.append((int(args[3]), int(args[4])))
            with collecting_seldom():  # the first launch compiles
                compiled(*args)

        return launch
