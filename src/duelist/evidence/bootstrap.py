"""Cluster bootstrap: how much the mean preference varies from one sample of users to the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.errors import BadInput
from duelist.evidence.deltas import check_deltas, check_share

CELLS = 20_000_000  # cells of users x draws held in memory at once
MOST = 100_000  # users who are drawn


class Bootstrap(NamedTuple):
    """The mean over impressions, and where it lies in `level` of the samples of users."""

    estimate: float
    low: float
    high: float


def cluster_bootstrap(
    preferences: Any, users: Sequence[str], draws: int = 1000, level: float = 0.95, seed: int = 0
) -> Bootstrap:
    """A percentile interval for the mean preference of an impression, drawing whole users.

    One person's impressions resemble each other, so users are drawn and not impressions: a draw
    gives each user a whole number of copies (a multinomial weight). For one look, not for watching.

    >>> preferences, users = [1, 1, 0, -1, 0, 1, 1, 0], ["a", "a", "b", "c", "c", "d", "d", "e"]
    >>> mean, low, high = cluster_bootstrap(preferences, users)
    >>> mean, round(low, 3), round(high, 3)
    (0.375, -0.286, 0.889)
    """
    values = check_deltas(preferences)
    if len(users) != len(values) or not len(values):
        raise BadInput(f"one user a preference and at least one, not {len(users)} and {len(values)}")
    _, of_value = np.unique(np.array(users, dtype=object), return_inverse=True)
    return bootstrap_totals(np.bincount(of_value, values), np.bincount(of_value), draws, level, seed)


def bootstrap_totals(totals: Any, counts: Any, draws: int = 1000, level: float = 0.95, seed: int = 0) -> Bootstrap:
    """The same from each user's total preference and number (or weight) of impressions.

    More than 100,000 users are not drawn: their mean is normal, and its spread known.

    >>> mean, low, high = bootstrap_totals([2, 0, -1, 2, 0], [2, 1, 2, 2, 1])
    >>> mean, round(low, 3), round(high, 3)
    (0.375, -0.286, 0.889)
    """
    if draws < 1:
        raise BadInput(f"draws must be at least 1, not {draws!r}")
    check_share("level", level)
    totals, counts = np.asarray(totals, np.float64), np.asarray(counts, np.float64)
    mean = float(totals.sum() / counts.sum())
    if len(totals) > MOST:
        error = math.sqrt(float(((totals - mean * counts) ** 2).sum())) / float(counts.sum())
        half = float(scipy.special.ndtri((1 + level) / 2)) * error
        return Bootstrap(mean, mean - half, mean + half)
    # Users with the same total and number of impressions are drawn together: the same law, far fewer cells.
    kinds, number = np.unique(np.column_stack([totals, counts]), axis=0, return_counts=True)
    rng, batch = np.random.default_rng(seed), max(1, CELLS // len(kinds))
    means = []
    for begun in range(0, draws, batch):
        copies = rng.multinomial(number.sum(), number / number.sum(), min(batch, draws - begun))
        drawn, sizes = (copies @ kinds).T
        means.append(drawn / sizes)
    low, high = np.quantile(np.concatenate(means), ((1 - level) / 2, (1 + level) / 2))
    return Bootstrap(mean, float(low), float(high))
