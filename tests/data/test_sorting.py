from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.compile import compiled
from duelist.core.memory import Floats, Ints
from duelist.data.sorting import SHORT, sort_falling


@compiled
def sort(values: Floats, order: Ints) -> None:
    sort_falling(values, order)


any_number = st.one_of(st.floats(allow_nan=False), st.sampled_from([0.0, -0.0, 1.0, -1.0]))


@settings(max_examples=300, deadline=None)
@given(st.lists(any_number, max_size=3 * SHORT))
def test_it_is_the_stable_sort_of_numpy(values: list[float]) -> None:
    numbers, order = np.array(values, np.float64), np.full(len(values), -1)
    sort(numbers, order)
    np.testing.assert_array_equal(order, np.argsort(-numbers, kind="stable"))


def test_many_numbers_of_all_sizes() -> None:
    rng = np.random.default_rng(1)
    numbers = rng.standard_normal(20_000) * 10.0 ** rng.integers(-300, 300, 20_000)
    order = np.empty(20_000, np.int64)
    sort(numbers, order)
    np.testing.assert_array_equal(order, np.argsort(-numbers, kind="stable"))
