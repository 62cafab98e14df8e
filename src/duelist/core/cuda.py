"""A GPU as the place where compiled loops run, one thread a run: what differs there from `compile.py`.

Kernels are compiled from the text they have, by numba-cuda instead of numba, and inlined as `lean` does it. Code is
kept on disk under a name with a digest of everything compiled, as on the CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numba import from_dtype, types

from duelist.core import generator, layout
from duelist.core.compile import digest, named
from duelist.core.errors import MissingExtra
from duelist.core.generator import GENERATOR, teach
from duelist.core.layout import compiled_window

THREADS = 128  # a block; results do not depend on it
SHARE = 0.9  # of the free memory that is used

Launch = Callable[..., None]


class Device:
    """One GPU: memory on it, and loops compiled for it."""

    def __init__(self) -> None:
        self.cuda = load_cuda()
        if not self.cuda.is_available():
            raise MissingExtra(
                "engine cuda needs an NVIDIA GPU with its driver, and found none; engine cpu needs neither"
            )

    @property
    def name(self) -> str:
        """What the maker calls it."""
        name = self.cuda.get_current_device().name
        return name.decode() if isinstance(name, bytes) else str(name)

    def room(self) -> int:
        """Bytes that may be taken now."""
        return int(SHARE * self.cuda.current_context().get_memory_info()[0])

    def empty(self, shape: Any, dtype: Any) -> Any:
        """An array on the device, which holds anything."""
        return self.cuda.device_array(shape, dtype)

    def put(self, array: Any) -> Any:
        """A copy of `array` on the device."""
        return self.cuda.to_device(np.ascontiguousarray(array))

    def get(self, array: Any) -> Any:
        """A copy of `array` from the device."""
        return array.copy_to_host()

    def names(self) -> dict[str, Any]:
        """What the text of a loop means by these: the thread's number, its own arrays, its part of an arena."""
        return device_names()

    def loop(self, template: FunctionType, *roots: Any) -> Launch:
        """`template` compiled, to be called with the number of threads and its arguments; returns when all are done.

        `roots` are all that it is compiled from beside this package's text of the engine.
        """
        function = named(template, f"{template.__name__}_{engine_digest(*roots)}")
        try:
            compiled = self.cuda.jit(cache=True)(function)
        except RuntimeError:  # no place on disk: every process compiles anew
            compiled = self.cuda.jit(function)

        def launch(threads: int, *args: Any) -> None:
            compiled[max(1, -(-threads // THREADS)), THREADS](*args)
            self.cuda.synchronize()

        return launch


def engine_digest(*roots: Any) -> str:
    """A digest of `roots`, the generator, the layout, and the compiler."""
    texts = [Path(module.__file__ or "").read_bytes() for module in (generator, layout)]
    return digest(*roots, *texts, Path(__file__).read_bytes(), f"numba-cuda {version('numba-cuda')}")


@cache
def load_cuda() -> Any:
    """numba-cuda, taught the generator."""
    if find_spec("numba_cuda") is None:
        raise MissingExtra("engine cuda needs numba-cuda: pip install 'duelist[cuda]'")
    _lend_names()
    teach(import_module("numba.cuda.extending").overload_method, types.Record)
    return import_module("numba.cuda")


@cache
def device_names() -> dict[str, Any]:
    """See `Device.names`."""
    cuda = load_cuda()
    window = compiled_window(import_module("numba.cuda.extending").intrinsic, import_module("numba.cuda.np.arrayobj"))
    return {"cuda": cuda, "window": window, "GENERATOR": from_dtype(GENERATOR)}


def _lend_names() -> None:
    """Some versions of numba-cuda ask numpy for names that newer ones of numpy no longer have."""
    for old, new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
        if not hasattr(np, old):
            setattr(np, old, getattr(np, new))
