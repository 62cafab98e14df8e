"""Labelled documents put in the order that oracles read: query after query, in each by falling label."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints
from duelist.data import Dataset


class Queries(NamedTuple):
    """Documents of queries; those of query q are offsets[q] to offsets[q + 1], the largest labels first."""

    features: Floats
    labels: Floats
    offsets: Ints

    @property
    def n_queries(self) -> int:
        return len(self.offsets) - 1

    def relevant(self, least: float) -> Ints:
        """How many documents of each query have at least this label."""
        counts: Ints = np.add.reduceat(self.labels >= least, self.offsets[:-1], dtype=np.int64)
        return counts


def number_queries(qid: Any, n_documents: int) -> Ints:
    """The query of each document, numbered from 0 in the order they first appear; without ids all are one query."""
    if qid is None:
        return np.zeros(n_documents, np.int64)
    ids = np.asarray(qid)
    if ids.shape != (n_documents,):
        raise BadInput(f"qid must have the shape ({n_documents},), one a document, not {ids.shape}")
    if ids.dtype.kind == "f" and not np.isfinite(ids).all():
        raise BadInput("qid must not be NaN or infinite")
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int64)
    numbers[np.argsort(first)] = np.arange(len(first))
    return numbers[inverse]


def group(features: Floats, labels: Floats, qid: Any) -> Queries:
    """The documents by query, wherever the rows of a query stand, and by falling label."""
    numbers = number_queries(qid, len(labels))
    order = np.lexsort((-labels, numbers))
    ends = np.cumsum(np.bincount(numbers))
    return Queries(features[order], labels[order], np.concatenate([[0], ends]))


def select(queries: Queries, kept: Flags) -> Queries:
    """Only the queries that are kept."""
    lengths = np.diff(queries.offsets)
    rows = np.repeat(kept, lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths[kept])])
    return Queries(queries.features[rows], queries.labels[rows], offsets)


def as_dataset(labels: Floats, qid: Any, relevant: float) -> tuple[Dataset, Ints, int]:
    """The labels as a data set to evaluate on, which row each of its documents is, and its least relevant label.

    Labels that are whole numbers from 0 are kept; of others only whether they are relevant.
    """
    numbers = number_queries(qid, len(labels))
    order = np.argsort(numbers, kind="stable")
    whole = relevant >= 1 and np.array_equal(labels, labels.astype(np.int64)) and labels.min() >= 0
    grades, least = (labels, math.ceil(relevant)) if whole else (labels >= relevant, 1)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(numbers))])
    names = tuple(map(str, range(len(offsets) - 1)))
    data = Dataset(np.zeros((len(labels), 0)), grades[order].astype(np.int64), offsets, names, np.zeros(0, np.int64))
    return data, order, least
