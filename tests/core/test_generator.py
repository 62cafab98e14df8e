"""The generator of engines that have none of their own: published vectors, streams, distributions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np
import pytest
from scipy import stats

from duelist.core import generator
from duelist.core.compile import inlined, python_function
from duelist.core.generator import GENERATOR, METHODS, philox, random, set_generator
from duelist.core.memory import Floats

# From the test vectors that the authors publish with Random123: counter, key, block.
VECTORS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
in_python = python_function(philox)
N = 20_000
# What each column of `draws` is drawn from.
COLUMNS: dict[str, Any] = {
    "random": stats.uniform(),
    "uniform": stats.uniform(-1.0, 3.0),
    "standard_exponential": stats.expon(),
    "exponential": stats.expon(scale=2.5),
    "standard_normal": stats.norm(),
    "normal": stats.norm(1.0, 3.0),
    "standard_gamma below 1": stats.gamma(0.3),
    "standard_gamma above 1": stats.gamma(4.5),
    "gamma": stats.gamma(1.0, scale=2.0),
    "beta both above 1": stats.beta(7.5, 2.25),
    "beta turned round": stats.beta(1.5, 40.0),
    "beta of ones": stats.beta(1.0, 1.0),
    "beta below 1": stats.beta(0.5, 0.25),
    "beta on both sides of 1": stats.beta(0.5, 3.0),
}


def words(text: str) -> list[Any]:
    return [np.uint32(int(word, 16)) for word in text.split()]


def uniforms(count: int, key: int = 0, run: int = 0, stream: int = 0, drawn: int = 0) -> list[float]:
    """The numbers of a stream after the first `drawn`."""
    out = np.empty(count)
    total = taken(np.zeros(1, GENERATOR), np.uint64(key), np.uint32(run), np.uint32(stream), np.uint64(drawn), out)
    assert total == drawn + count
    return list(out)


def take(rng: Any, key: Any, run: Any, stream: Any, drawn: Any, out: Any) -> Any:
    set_generator(rng, key, run, stream, drawn)
    for i in range(out.size):
        out[i] = random(rng)
    return rng.drawn


take_inlined = inlined(take)


@numba.njit
def taken(luck: Any, key: Any, run: Any, stream: Any, drawn: Any, out: Any) -> Any:
    return take_inlined(luck[0], key, run, stream, drawn, out)


def fill(rng: Any, table: Any, whole: Any) -> None:
    for row in range(table.shape[0]):
        line = table[row]
        line[0], line[1] = generator.random(rng), generator.uniform(rng, -1.0, 2.0)
        line[2], line[3] = generator.standard_exponential(rng), generator.exponential(rng, 2.5)
        line[4], line[5] = generator.standard_normal(rng), generator.normal(rng, 1.0, 3.0)
        line[6], line[7], line[8] = (
            generator.standard_gamma(rng, 0.3),
            generator.standard_gamma(rng, 4.5),
            generator.gamma(rng, 1.0, 2.0),
        )
        line[9], line[10], line[11] = (
            generator.beta(rng, 7.5, 2.25),
            generator.beta(rng, 1.5, 40.0),
            generator.beta(rng, 1.0, 1.0),
        )
        line[12], line[13] = generator.beta(rng, 0.5, 0.25), generator.beta(rng, 0.5, 3.0)
        whole[row] = generator.below(rng, 7)


@cache
def draws() -> tuple[Floats, Any]:
    """A table with a column for each of COLUMNS, and whole numbers below 7."""
    body, luck = inlined(fill), np.zeros(1, GENERATOR)
    luck["key"], luck["run"] = 20_261_116, 3

    @numba.njit
    def call(luck: Any, table: Any, whole: Any) -> None:
        body(luck[0], table, whole)

    table, whole = np.empty((N, len(COLUMNS))), np.empty(N, np.int64)
    call(luck, table, whole)
    return table, whole


@pytest.mark.parametrize(("counter", "key", "block"), VECTORS)
def test_philox_gives_the_published_blocks(counter: str, key: str, block: str) -> None:
    compiled: Any = numba.njit(in_python)
    assert list(in_python(*words(counter), *words(key))) == words(block)
    assert list(compiled(*words(counter), *words(key))) == words(block)


def test_a_stream_is_the_blocks_of_its_counter_in_order() -> None:
    a, b, c, d = (int(word) for word in words(VECTORS[0][2]))
    assert uniforms(2) == [((a << 32 | b) >> 11) / 2**53, ((c << 32 | d) >> 11) / 2**53]


def test_a_counter_is_of_block_run_and_stream_and_the_key_is_the_seed() -> None:
    low, high, run, stream, k0, k1 = words("243f6a88 05a308d3 13198a2e 03707344 a4093822 299f31d0")
    a, b, _, _ = map(int, in_python(low, high, run, stream, k0, k1))
    place, seed = 2 * (int(high) << 32 | int(low)), int(k1) << 32 | int(k0)
    assert uniforms(1, seed, int(run), int(stream), place) == [((a << 32 | b) >> 11) / 2**53]


@pytest.mark.parametrize("drawn", [1, 2, 7, 8])
def test_a_stream_is_taken_up_anywhere(drawn: int) -> None:
    assert uniforms(5, 5, 6, 1, drawn) == uniforms(drawn + 5, 5, 6, 1)[drawn:]


def test_neighbouring_runs_and_streams_are_not_correlated() -> None:
    table = np.array([*(uniforms(N, 9, run) for run in range(6)), uniforms(N, 9, 0, 1), uniforms(N, 10)])
    apart = np.corrcoef(table)[np.triu_indices(len(table), 1)]
    assert np.abs(apart).max() < 4 / np.sqrt(N)
    assert np.unique(table).size == table.size


@pytest.mark.parametrize("name", COLUMNS)
def test_distributions_are_exact(name: str) -> None:
    column = draws()[0][:, list(COLUMNS).index(name)]
    assert stats.kstest(column, COLUMNS[name].cdf).pvalue > 1e-3


def test_the_kolmogorov_smirnov_test_would_see_a_wrong_shape() -> None:
    column = draws()[0][:, list(COLUMNS).index("beta both above 1")]
    assert stats.kstest(column, stats.beta(7.5, 2.35).cdf).pvalue < 1e-3


def test_whole_numbers_are_equally_likely() -> None:
    counts = np.bincount(draws()[1], minlength=7)
    assert counts.size == 7
    assert stats.chisquare(counts).pvalue > 1e-3


def test_every_method_is_drawn_from_here() -> None:
    assert {name.split()[0] for name in COLUMNS} | {"integers"} == set(METHODS)
