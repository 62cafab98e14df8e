"""Luck for compiled code where numpy's generators do not run: Philox 4x32-10, a generator that counts.

The n-th block of a stream is a function of n, the run, the stream and the seed, ten rounds of multiplying and
mixing: nothing is carried from one draw to the next. So the streams of a million runs never overlap, each can be
taken up anywhere, and all that must be kept of one is how many numbers were drawn.

Salmon, Moraes, Dror, Shaw. Parallel Random Numbers: As Easy as 1, 2, 3. SC 2011. It passes all of TestU01's tests,
and is what GPU libraries use by default.

A generator is a record of `GENERATOR`. Kernels call its methods as they call those of numpy's `Generator`: `teach`
makes them known to a compiler.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from duelist.core.compile import kernel, lean, routine

GENERATOR = np.dtype(
    [
        ("key", np.uint64),  # the seed
        ("run", np.uint32),
        ("stream", np.uint32),  # a run has several
        ("drawn", np.uint64),  # how many uniform numbers so far
        ("spare", np.float64),  # the second number of a block, kept for the next draw
    ],
    align=True,
)

WORD = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
ONE = np.uint64(1)
ELEVEN = np.uint64(11)
MULTIPLY_0, MULTIPLY_2 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
STEP_0, STEP_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
UNIT = 2.0**-53


@routine
def philox(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> tuple[Any, Any, Any, Any]:
    """A block of four words of 32 bits, from four of a counter and two of a key.

    >>> words = philox.py_func(*map(np.uint32, [0, 0, 0, 0, 0, 0]))
    >>> [f"{word:08x}" for word in words]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    for _ in range(10):
        low, high = MULTIPLY_0 * np.uint64(c0), MULTIPLY_2 * np.uint64(c2)  # of two words each
        c0, c1 = np.uint32((high >> HALF) ^ c1 ^ k0), np.uint32(high & WORD)
        c2, c3 = np.uint32((low >> HALF) ^ c3 ^ k1), np.uint32(low & WORD)
        k0, k1 = np.uint32((k0 + STEP_0) & WORD), np.uint32((k1 + STEP_1) & WORD)
    return c0, c1, c2, c3


@kernel
def set_generator(rng: Any, key: Any, run: Any, stream: Any, drawn: Any) -> None:
    """Let `rng` be where it is after so many draws of this stream."""
    rng.key, rng.run, rng.stream, rng.drawn = key, run, stream, drawn
    if drawn & ONE:  # the second of a block is next
        rng.drawn = drawn - ONE
        random(rng)


@kernel
def random(rng: Any) -> float:
    """Uniform on [0, 1), with 53 bits; a block makes two."""
    place = rng.drawn
    rng.drawn = place + ONE
    if place & ONE:
        return rng.spare  # type: ignore[no-any-return]
    block = place >> ONE
    early, late = np.uint32(block & WORD), np.uint32(block >> HALF)
    a, b, c, d = philox(early, late, rng.run, rng.stream, np.uint32(rng.key & WORD), np.uint32(rng.key >> HALF))
    rng.spare = unit(c, d)
    return unit(a, b)


@kernel
def unit(high: Any, low: Any) -> float:
    """Two words as a number in [0, 1)."""
    return (((np.uint64(high) << HALF) | np.uint64(low)) >> ELEVEN) * UNIT


@kernel
def uniform(rng: Any, low: float = 0.0, high: float = 1.0) -> float:
    """Uniform on [low, high)."""
    return low + (high - low) * random(rng)


@kernel
def below(rng: Any, n: int) -> int:
    """A whole number from 0 to n - 1: what `integers(n)` is."""
    return int(random(rng) * n)


@kernel
def standard_exponential(rng: Any) -> float:
    """By inversion."""
    return -math.log(1.0 - random(rng))


@kernel
def exponential(rng: Any, scale: float = 1.0) -> float:
    """With mean `scale`."""
    return scale * standard_exponential(rng)


@kernel
def standard_normal(rng: Any) -> float:
    """Marsaglia's polar method: a point in the unit disc, without sine and cosine."""
    while True:
        x, y = 2.0 * random(rng) - 1.0, 2.0 * random(rng) - 1.0
        square = x * x + y * y
        if 0.0 < square < 1.0:
            return x * math.sqrt(-2.0 * math.log(square) / square)


@kernel
def normal(rng: Any, loc: float = 0.0, scale: float = 1.0) -> float:
    """With mean `loc` and standard deviation `scale`."""
    return loc + scale * standard_normal(rng)


@kernel
def standard_gamma(rng: Any, shape: float) -> float:
    """Gamma(shape, 1)."""
    return math.exp(log_gamma(rng, shape)) if shape < 1.0 else large_gamma(rng, shape)


@kernel
def large_gamma(rng: Any, shape: float) -> float:
    """Gamma(shape, 1) for a shape of at least 1: Marsaglia and Tsang's, ACM TOMS 2000."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = standard_normal(rng)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            if math.log(1.0 - random(rng)) < 0.5 * x * x + d - d * v + d * math.log(v):
                return d * v


@kernel
def log_gamma(rng: Any, shape: float) -> float:
    """The logarithm of a Gamma(shape, 1): of a small shape the draw itself may be too small for a number."""
    return math.log(large_gamma(rng, shape + 1.0)) + math.log(1.0 - random(rng)) / shape


@kernel
def gamma(rng: Any, shape: float, scale: float = 1.0) -> float:
    """Gamma(shape, scale)."""
    return scale * standard_gamma(rng, shape)


@kernel
def beta(rng: Any, a: float, b: float) -> float:
    """Beta(a, b): Cheng's algorithm BB (Communications of the ACM 1978), which needs both above 1; else by gammas."""
    least, most, total = min(a, b), max(a, b), a + b
    if least <= 1.0:
        return 1.0 / (1.0 + math.exp(log_gamma(rng, b) - log_gamma(rng, a)))
    slope = math.sqrt((total - 2.0) / (2.0 * a * b - total))
    rate = least + 1.0 / slope
    while True:
        first = 1.0 - random(rng)  # above 0
        second = 1.0 - random(rng)
        v = slope * math.log(first / (1.0 - first)) if first < 1.0 else 700.0
        w = least * math.exp(min(v, 700.0))
        z = math.log(first * first * second)
        r = rate * v - LOG_4
        if least + r - w >= z or r + total * math.log(total / (most + w)) >= z:
            return w / (most + w) if a == least else most / (most + w)


LOG_4 = math.log(4.0)

# By the name a kernel calls it, with the names of its arguments: compilers match them.
METHODS: dict[str, tuple[Any, str]] = {
    "random": (random, ""),
    "uniform": (uniform, ", low=0.0, high=1.0"),
    "integers": (below, ", n"),
    "standard_exponential": (standard_exponential, ""),
    "exponential": (exponential, ", scale=1.0"),
    "standard_normal": (standard_normal, ""),
    "normal": (normal, ", loc=0.0, scale=1.0"),
    "standard_gamma": (standard_gamma, ", shape"),
    "gamma": (gamma, ", shape, scale=1.0"),
    "beta": (beta, ", a, b"),
}


def teach(overload_method: Callable[..., Any], record: Any) -> None:
    """Let compiled code call the methods on records of GENERATOR; `overload_method` is the compiler's."""
    for name, (method, arguments) in METHODS.items():
        overload_method(record, name, inline="always")(_template(lean(method), arguments))


def _template(method: Any, arguments: str) -> Any:
    """What a compiler asks for how to call `method` on a record; None for a record of another kind."""
    passed = arguments.replace("=0.0", "").replace("=1.0", "")
    text = f"""
def template(rng{arguments}):
    if set(rng.fields) == fields:
        def call(rng{arguments}):
            return method(rng{passed})
        return call
"""
    space = {"method": method, "fields": set(GENERATOR.names or ())}
    exec(text, space)  # compilers read the names and defaults of the arguments from the function itself
    return space["template"]
