"""Data sets made from a seed."""

from __future__ import annotations

import numpy as np

from duelist.core.errors import BadInput
from duelist.data.dataset import MOST_LABEL, Dataset


def synthetic(
    queries: int, documents: int, features: int, grades: int = 5, noise: float = 0.5, seed: int = 0
) -> Dataset:
    """A data set whose labels follow a hidden, mostly linear truth.

    Every query has `documents` documents. Their features are independent standard normal numbers x.
    The hidden weights w are standard normal numbers too, scaled to length 1. A document's utility is
    w.x + 0.25 (x_1 x_2 - |x_1|) + noise * e with e standard normal; with a single feature x_2 is x_1.
    Labels are given by utility over the whole set: the upper half has label 1 or more, the upper
    quarter 2 or more, and so on, halving up to label grades - 1. So queries differ in how many
    relevant documents they have, and some have none when they are short.

    >>> pages = synthetic(queries=100, documents=20, features=5, grades=3, seed=1)
    >>> np.bincount(pages.labels)
    array([1000,  500,  500])
    """
    for name, value, low in (("queries", queries, 1), ("documents", documents, 1), ("features", features, 1)):
        if value < low:
            raise BadInput(f"{name} must be at least {low}, not {value!r}")
    if not 2 <= grades <= MOST_LABEL + 1:
        raise BadInput(f"grades must be from 2 to {MOST_LABEL + 1}, not {grades!r}")
    if not 0 <= noise < np.inf:
        raise BadInput(f"noise must be at least 0, not {noise!r}")
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal(features)
    values = rng.standard_normal((queries * documents, features))
    first, second = values[:, 0], values[:, min(1, features - 1)]
    utility = values @ (weights / np.linalg.norm(weights)) + 0.25 * (first * second - np.abs(first))
    utility += noise * rng.standard_normal(len(utility))
    limits = np.quantile(utility, 1 - 0.5 ** np.arange(1, grades))
    return Dataset(
        values,
        np.searchsorted(limits, utility, side="right"),
        np.arange(queries + 1) * documents,
        tuple(map(str, range(1, queries + 1))),
        np.arange(1, features + 1),
    )
