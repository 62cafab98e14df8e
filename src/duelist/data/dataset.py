"""A data set: queries, their documents, features and labels, in flat arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from duelist.core.compile import compiled
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints

MOST_LABEL = 50  # up to here the gains 2^label - 1 are exact


@dataclass(frozen=True, eq=False)
class Dataset:
    """Queries with their documents; nothing in it changes, and every method returns a new one.

    >>> import numpy as np
    >>> pages = Dataset([[1, 5], [3, 5], [2, 7]], [0, 2, 1], [0, 2, 3], ("bread", "wine"), [1, 2])
    >>> pages.n_queries, pages.n_documents, pages.labels[pages.rows(0)]
    (2, 3, array([0, 2]))
    >>> pages.normalised().features[:, 0]
    array([0., 1., 0.])
    """

    features: Floats  # (documents, features), in C order
    labels: Ints  # one a document, 0 = not relevant
    offsets: Ints  # the documents of query q are offsets[q] to offsets[q + 1]
    queries: tuple[str, ...]  # the id of each query
    feature_numbers: Ints  # the number each feature has in the file

    def __post_init__(self) -> None:
        for name, kind in (("features", np.float64), ("labels", np.int64), ("offsets", np.int64)):
            object.__setattr__(self, name, _array(name, getattr(self, name), kind))
        object.__setattr__(self, "feature_numbers", _array("feature_numbers", self.feature_numbers, np.int64))
        object.__setattr__(self, "queries", tuple(self.queries))
        self._check_shapes()
        if self.labels.size and not (self.labels.min() >= 0 and self.labels.max() <= MOST_LABEL):
            bad = self.labels[(self.labels < 0) | (self.labels > MOST_LABEL)][0]
            raise BadInput(f"labels must be whole numbers from 0 to {MOST_LABEL}, not {bad}")
        if self.features.size and not np.isfinite([self.features.min(), self.features.max()]).all():
            row, column = np.argwhere(~np.isfinite(self.features))[0]
            raise BadInput(f"features must be finite, but features[{row}, {column}] is {self.features[row, column]}")

    def _check_shapes(self) -> None:
        if self.features.ndim != 2:
            raise BadInput(f"features must be (documents, features), but the shape is {self.features.shape}")
        documents, features = self.features.shape
        for name, size in (("labels", documents), ("feature_numbers", features), ("offsets", len(self.queries) + 1)):
            if getattr(self, name).shape != (size,):
                raise BadInput(f"{name} must have the shape ({size},), not {getattr(self, name).shape}")
        if self.offsets[0] != 0 or self.offsets[-1] != documents or (np.diff(self.offsets) < 0).any():
            raise BadInput(f"offsets must grow from 0 to {documents}, the number of documents")

    @property
    def n_queries(self) -> int:
        return len(self.queries)

    @property
    def n_documents(self) -> int:
        return len(self.labels)

    @property
    def n_features(self) -> int:
        return int(self.features.shape[1])

    @property
    def max_label(self) -> int:
        """The largest label, 0 without documents."""
        return int(self.labels.max(initial=0))

    def rows(self, query: int) -> slice:
        """Where the documents of a query, counted from 0, stand in `features` and `labels`."""
        if not 0 <= query < self.n_queries:
            raise BadInput(f"query must be from 0 to {self.n_queries - 1}, not {query}")
        return slice(int(self.offsets[query]), int(self.offsets[query + 1]))

    def normalised(self) -> Dataset:
        """Every feature from 0 to 1 within each query; one that is constant within a query is 0 there."""
        features, least, most = np.empty_like(self.features), np.empty(self.n_features), np.empty(self.n_features)
        min_max(self.features, self.offsets, least, most, features)
        return replace(self, features=features)

    def select(self, queries: Sequence[int] | Ints | Flags) -> Dataset:
        """Only these queries, by number from 0 or by mask, in the order given."""
        chosen = _indices("queries", queries, self.n_queries)
        lengths = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.repeat(self.offsets[chosen] - offsets[:-1], lengths) + np.arange(offsets[-1])
        ids = tuple(self.queries[q] for q in chosen)
        return replace(self, features=self.features[rows], labels=self.labels[rows], offsets=offsets, queries=ids)

    def with_features(self, features: Sequence[int] | Ints | Flags) -> Dataset:
        """Only these features, by column from 0 or by mask, in the order given."""
        chosen = _indices("features", features, self.n_features)
        return replace(self, features=self.features[:, chosen], feature_numbers=self.feature_numbers[chosen])

    def relevant_queries(self, relevant: int = 1) -> Flags:
        """Which queries have a document with a label of at least `relevant`."""
        hits = np.concatenate([[0], np.cumsum(self.labels >= relevant)])
        return np.asarray(np.diff(hits[self.offsets]) > 0)

    def varying_features(self) -> Flags:
        """Which features take more than one value in this data set."""
        if self.n_documents == 0:
            return np.zeros(self.n_features, np.bool_)
        return np.asarray(self.features.min(0) < self.features.max(0))


def join(parts: Sequence[Dataset]) -> Dataset:
    """One data set of the queries of all `parts`, which must have the same features."""
    if any(not np.array_equal(part.feature_numbers, parts[0].feature_numbers) for part in parts):
        raise BadInput(f"only data sets with the same features join; these have {[p.n_features for p in parts]}")
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    return Dataset(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([[0], np.cumsum(lengths)]),
        tuple(query for part in parts for query in part.queries),
        parts[0].feature_numbers,
    )


@compiled
def min_max(features: Floats, offsets: Ints, least: Floats, most: Floats, out: Floats) -> None:
    """Per query and feature, (value - least) / (most - least) into `out`."""
    for query in range(offsets.size - 1):
        start, stop = offsets[query], offsets[query + 1]
        least[:], most[:] = math.inf, -math.inf
        for row in range(start, stop):
            for column in range(least.size):
                least[column] = min(least[column], features[row, column])
                most[column] = max(most[column], features[row, column])
        for row in range(start, stop):
            for column in range(least.size):
                # Halves, because some files hold the largest numbers there are, with either sign.
                span = most[column] / 2 - least[column] / 2
                above = features[row, column] / 2 - least[column] / 2
                out[row, column] = above / span if span > 0 else 0.0


def _array(name: str, values: Any, kind: type) -> Any:
    """`values` as a contiguous array of `kind`; whole numbers stay what they are or are refused."""
    try:
        given = np.asarray(values)
        array: Any = np.ascontiguousarray(given, kind)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{name} must be numbers: {error}") from None
    if kind is np.int64 and given.size and not (given.dtype.kind in "iub" or np.array_equal(array, given)):
        raise BadInput(f"{name} must be whole numbers")
    return array


def _indices(name: str, wanted: Any, size: int) -> Ints:
    chosen = np.asarray(wanted)
    if chosen.dtype == np.bool_ and chosen.shape == (size,):
        return np.flatnonzero(chosen)
    if chosen.size == 0 and chosen.ndim == 1:
        return np.zeros(0, np.int64)
    if chosen.dtype.kind not in "iu" or chosen.ndim != 1 or chosen.min() < 0 or chosen.max() >= size:
        raise BadInput(f"{name} must be whole numbers from 0 to {size - 1}, or a mask of {size}; not {wanted!r}")
    return chosen.astype(np.int64)
