from __future__ import annotations

import ctypes
from typing import Any
from unittest import mock

import numpy as np
import pytest

from duelist.core.compile import specialise


def draws(first: np.random.Generator, second: np.random.Generator) -> float:
    return (
        first.random() + 2.0 * second.random() + 4.0 * first.standard_normal() + 8.0 * float(second.integers(0, 2**40))
    )


@pytest.fixture(scope="module")
def entry() -> Any:
    luck = np.random.default_rng(0)
    return specialise(draws, {}).entry(luck, luck)


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_compiled_code_draws_what_numpy_does_from_two_generators(kind: Any, entry: Any) -> None:
    here, there = ([np.random.Generator(kind(seed)) for seed in (1, 2)] for _ in range(2))
    for _ in range(5):
        assert entry(*here) == draws(*there)
    for mine, theirs in zip(here, there, strict=True):
        assert mine.random() == theirs.random()  # both have come as far


def test_ctypes_is_not_asked(entry: Any) -> None:
    with mock.patch.object(ctypes, "cast", wraps=ctypes.cast) as cast:
        entry(np.random.default_rng(1), np.random.default_rng(2))
    cast.assert_not_called()
