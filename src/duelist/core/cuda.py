"""A GPU as the place where compiled loops run, one thread a run: what differs there from `compile.py`.

Kernels are compiled from the text they have, by numba-cuda instead of numba, and inlined as `lean` does it. Code is
kept on disk under a name with a digest of everything compiled, as on the CPU.
"""

from __future__ import annotations

import re
import threading
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
from numba.core.errors import NumbaError

from duelist.core import generator, layout
from duelist.core.compile import named
from duelist.core.digest import digest
from duelist.core.errors import CannotCompile, MissingExtra
from duelist.core.generator import GENERATOR, teach
from duelist.core.layout import compiled_window

THREADS = 128  # a block; results do not depend on it
SHARE = 0.9  # of the free memory that is used
# Loops that take more than MANY registers are compiled again with at most FEW: a multiprocessor then has room for 32
# warps instead of 16, and 100,000 runs are all in flight. On an H200, 6 arms: D-TS (106 registers) 3.7 -> 4.4 thousand
# million duels a second, though it spills 112 bytes; RUCB (64, spills 16) 12.6 -> 12.4, so the others are left alone.
MANY, FEW = 96, 64
BEGINNING = threading.Lock()  # threads that wake the driver at once find it half awake

Launch = Callable[..., None]


class Device:
    """One GPU: memory on it, and loops compiled for it.

    Each thread of this process has a stream of its own: what several of them start runs at once, where there is room.
    """

    def __init__(self) -> None:
        with BEGINNING:
            self.cuda = load_cuda()
            found = self.cuda.is_available()
        if not found:
            raise MissingExtra(
                "engine cuda needs an NVIDIA GPU with its driver, and found none; engine cpu needs neither"
            )

    @property
    def name(self) -> str:
        """What the maker calls it."""
        name = self.cuda.get_current_device().name
        return name.decode() if isinstance(name, bytes) else str(name)

    @property
    def uuid(self) -> str:
        """What no other GPU is called."""
        return str(self.cuda.get_current_device().uuid)

    def room(self) -> int:
        """Bytes that may be taken now."""
        return int(SHARE * self.cuda.current_context().get_memory_info()[0])

    def empty(self, shape: Any, dtype: Any) -> Any:
        """An array on the device, which holds anything."""
        return self.cuda.device_array(shape, dtype)

    def put(self, array: Any) -> Any:
        """A copy of `array` on the device."""
        stream = own_stream(self.cuda)
        copy = self.cuda.to_device(np.ascontiguousarray(array), stream=stream)
        stream.synchronize()
        return copy

    def get(self, array: Any) -> Any:
        """A copy of `array` from the device."""
        stream = own_stream(self.cuda)
        copy = array.copy_to_host(stream=stream)
        stream.synchronize()
        return copy

    def names(self) -> dict[str, Any]:
        """What the text of a loop means by these: the thread's number, its own arrays, its part of an arena."""
        return device_names()

    def loop(self, template: FunctionType, *roots: Any) -> Launch:
        """`template` compiled, to be called with the number of threads and its arguments; returns when all are done.

        `roots` are all that it is compiled from beside this package's text of the engine.
        """
        return Loop(self.cuda, named(template, f"{template.__name__}_{engine_digest('numba-cuda', *roots)}"))


class Loop:
    """A function that runs in many threads of a GPU; its first call compiles it, and should ask for no thread."""

    def __init__(self, cuda: Any, function: FunctionType) -> None:
        self.cuda, self.function = cuda, function
        self.compiled: Any = None

    def __call__(self, threads: int, *args: Any) -> None:
        if self.compiled is None:
            self._compile(args)
        self._launch(self.compiled, threads, args)

    def _compile(self, args: tuple[Any, ...]) -> None:
        compiled = self._jit(self.function)
        try:
            self._launch(compiled, 0, args)
            if max(compiled.get_regs_per_thread().values()) > MANY:
                # Kept on disk by its name, which has to tell the two apart.
                compiled = self._jit(named(self.function, f"{self.function.__name__}_{FEW}"), max_registers=FEW)
        except NumbaError as error:
            raise CannotCompile(f"this does not compile for a GPU: {reason(str(error))}") from error
        self.compiled = compiled

    def _jit(self, function: FunctionType, **options: Any) -> Any:
        try:
            return self.cuda.jit(cache=True, **options)(function)
        except RuntimeError:  # no place on disk: every process compiles anew
            return self.cuda.jit(**options)(function)

    def _launch(self, compiled: Any, threads: int, args: tuple[Any, ...]) -> None:
        stream = own_stream(self.cuda)
        compiled[max(1, -(-threads // THREADS)), THREADS, stream](*args)
        stream.synchronize()


def own_stream(cuda: Any) -> Any:
    """The stream of this thread: it waits for nobody else's work."""
    return cuda.per_thread_default_stream()


def reason(text: str) -> str:
    """What is wrong and where, from the many lines of a compiler.

    >>> reason("Failed in pipeline\\nNRT required but not enabled\\nDuring: lowering x at a.py (3)\\nDuring: y")
    'it allocates memory (copy arrays element by element); lowering x at a.py (3)'
    """
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines() if line.strip()]
    lines = [line.removeprefix("During: ") for line in lines if not line.startswith("Failed in")]
    return "; ".join(lines[:2]).replace(*ALLOCATES)


ALLOCATES = "NRT required but not enabled", "it allocates memory (copy arrays element by element)"


def engine_digest(compiler: str, *roots: Any) -> str:
    """A digest of `roots`, the generator, the layout, and the compiler, a package."""
    texts = [Path(module.__file__ or "").read_bytes() for module in (generator, layout)]
    return digest(*roots, *texts, Path(__file__).read_bytes(), f"{compiler} {version(compiler)}")


@cache
def load_cuda() -> Any:
    """numba-cuda, taught the generator."""
    if find_spec("numba_cuda") is None:
        raise MissingExtra("engine cuda needs numba-cuda: pip install 'duelist[cuda]'")
    _lend_names()
    teach(import_module("numba.cuda.extending").overload_method, types.Record)
    # No warning of few threads: the user knows how many runs there are. Numba colours each, and threads that do so at
    # once wrap the standard output again and again, until printing has no calls left.
    options = getattr(import_module("numba.cuda.dispatcher"), "config", None)
    if options is not None:
        options.CUDA_LOW_OCCUPANCY_WARNINGS = 0
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
