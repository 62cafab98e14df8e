from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.compile import plain
from duelist.core.errors import BadInput
from duelist.data import Dataset, synthetic
from duelist.data.dataset import join, min_max

fast = settings(derandomize=True, deadline=None, database=None)  # the first call compiles


def small(**changes: Any) -> Dataset:
    """Three queries with 2, 0 and 3 documents."""
    fields: dict[str, Any] = {
        "features": [[1, 5], [3, 5], [2, 7], [2, 9], [2, 8]],
        "labels": [0, 2, 1, 0, 0],
        "offsets": [0, 2, 2, 5],
        "queries": ("a", "b", "c"),
        "feature_numbers": [1, 4],
    }
    return Dataset(**(fields | changes))


def test_counts_and_types() -> None:
    data = small()
    assert (data.n_queries, data.n_documents, data.n_features, data.max_label) == (3, 5, 2, 2)
    assert data.features.dtype == np.float64
    assert data.features.flags.c_contiguous
    assert {array.dtype for array in (data.labels, data.offsets, data.feature_numbers)} == {np.dtype(np.int64)}
    assert data.rows(1) == slice(2, 2)
    assert data.rows(2) == slice(2, 5)


def test_normalised_is_min_max_within_a_query_and_0_where_constant() -> None:
    expected = [[0, 0], [1, 0], [0, 0], [0, 1], [0, 0.5]]
    np.testing.assert_array_equal(small().normalised().features, expected)


def test_normalised_survives_the_largest_numbers() -> None:
    most = np.finfo(np.float64).max
    data = Dataset([[-most], [0], [most]], [0, 0, 0], [0, 3], ("a",), [1])  # type: ignore[arg-type]
    np.testing.assert_array_equal(data.normalised().features[:, 0], [0, 0.5, 1])


@fast
@given(st.integers(1, 5), st.integers(1, 6), st.integers(1, 4), st.integers(0, 100))
def test_normalised_is_the_textbook_formula(queries: int, documents: int, features: int, seed: int) -> None:
    data = synthetic(queries, documents, features, seed=seed)
    cube = data.features.reshape(queries, documents, features)
    least, most = cube.min(1, keepdims=True), cube.max(1, keepdims=True)
    expected = np.where(most > least, (cube - least) / np.where(most > least, most - least, 1), 0)
    out = np.empty_like(data.features)
    plain(min_max)(data.features, data.offsets, np.empty(features), np.empty(features), out)
    np.testing.assert_array_equal(out, expected.reshape(out.shape))
    np.testing.assert_array_equal(data.normalised().features, out)


def test_select_keeps_the_order_given() -> None:
    data = small().select([2, 0])
    assert data.queries == ("c", "a")
    np.testing.assert_array_equal(data.offsets, [0, 3, 5])
    np.testing.assert_array_equal(data.labels, [1, 0, 0, 0, 2])
    np.testing.assert_array_equal(data.features[:, 1], [7, 9, 8, 5, 5])
    assert small().select(np.array([True, True, False])).queries == ("a", "b")
    assert small().select([]).n_documents == 0


def test_with_features_keeps_their_numbers() -> None:
    np.testing.assert_array_equal(small().with_features([1]).feature_numbers, [4])
    np.testing.assert_array_equal(small().with_features(np.array([True, False])).features[:, 0], [1, 3, 2, 2, 2])


def test_varying_features_look_at_the_whole_set() -> None:
    np.testing.assert_array_equal(small().varying_features(), [True, True])
    np.testing.assert_array_equal(small().select([0]).varying_features(), [True, False])
    np.testing.assert_array_equal(small().select([1]).varying_features(), [False, False])


def test_join_is_the_reverse_of_select() -> None:
    data = small()
    again = join([data.select([0]), data.select([1, 2])])
    np.testing.assert_array_equal(again.features, data.features)
    np.testing.assert_array_equal(again.labels, data.labels)
    np.testing.assert_array_equal(again.offsets, data.offsets)
    assert again.queries == data.queries
    with pytest.raises(BadInput, match="same features"):
        join([data, data.with_features([0])])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": [0, 2, 1, 0]}, r"labels must have the shape \(5,\), not \(4,\)"),
        ({"labels": [0, 2, -1, 0, 0]}, "from 0 to 50, not -1"),
        ({"labels": [0, 2, 51, 0, 0]}, "from 0 to 50, not 51"),
        ({"labels": [0, 2, 0.5, 0, 0]}, "labels must be whole numbers"),
        ({"offsets": [0, 2, 5]}, r"offsets must have the shape \(4,\)"),
        ({"offsets": [0, 3, 2, 5]}, "offsets must grow from 0 to 5"),
        ({"offsets": [1, 2, 2, 5]}, "offsets must grow from 0 to 5"),
        ({"feature_numbers": [1]}, "feature_numbers"),
        ({"features": [1, 2, 3, 4, 5]}, r"must be \(documents, features\)"),
        ({"features": [[1, 5], [3, np.nan], [2, 7], [2, 9], [2, 8]]}, r"features\[1, 1\] is nan"),
        ({"features": [["x", 5]] * 5}, "features must be numbers"),
    ],
)
def test_bad_fields_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        small(**changes)


@pytest.mark.parametrize("queries", [[3], [-1], [0.5], [[0]], [True, False]])
def test_select_refuses_what_is_not_there(queries: Any) -> None:
    with pytest.raises(BadInput, match="queries must be whole numbers from 0 to 2, or a mask of 3"):
        small().select(queries)


@pytest.mark.parametrize("query", [-1, 3])
def test_rows_refuses_what_is_not_there(query: int) -> None:
    with pytest.raises(BadInput, match="from 0 to 2"):
        small().rows(query)
