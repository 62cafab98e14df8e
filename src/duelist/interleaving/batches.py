"""Many impressions at once, as integer arrays: what is checked before and by compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.compile import kernel
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Ints
from duelist.interleaving.method import Method, whole

HIGHEST = 2**24  # number of a document: compiled code keeps a flag for each


def check_batch(method: Method, rankings: Any, length: int) -> tuple[Ints, int]:
    """rankings[impression, ranker, rank] as the array that compiled code takes, and how many documents there may be."""
    given = np.asarray(rankings)
    if given.ndim != 3 or given.shape[1] < 2 or not np.issubdtype(given.dtype, np.integer):
        raise BadInput(
            f"{method.name}: rankings must be whole numbers [impression, ranker, rank] with two rankers or more, "
            f"not {given.dtype} of shape {given.shape}"
        )
    if whole(length, "length") < 1:
        raise BadInput(f"length must be a whole number of at least 1, not {length!r}")
    highest = int(given.max(initial=0))
    if highest > HIGHEST:
        raise BadInput(f"documents must be numbers from 0 to {HIGHEST}, not {highest}")
    return np.ascontiguousarray(given, np.int64), highest + 1


def refuse_bad(rankings: Ints, impression: int) -> None:
    """The error for the impression at which compiled code stopped; -1 if it did not."""
    if impression >= 0:
        raise BadInput(
            f"the rankings of impression {impression} are {rankings[impression].tolist()}; "
            "allowed are lists of different numbers from 0, with -1 behind the last"
        )


def check_clicked(clicked: Any, shape: tuple[int, ...]) -> Flags:
    """clicked[impression, slot] as truth values of the right shape."""
    flags = np.asarray(clicked)
    if flags.shape != shape or flags.dtype != np.bool_:
        raise BadInput(f"clicked must be truth values of shape {shape}, not {flags.dtype} of shape {flags.shape}")
    return np.ascontiguousarray(flags)


@kernel
def are_lists(rankings: Ints) -> bool:
    """Whether no ranking repeats a document or goes on behind -1.

    Different powers of two add up to their union, others to more: most lists are found good without
    comparing their documents.
    """
    for ranker in range(rankings.shape[0]):
        total, union, lowest = 0, 0, 0
        for rank in range(rankings.shape[1]):
            mark = 1 << (rankings[ranker, rank] & 31)
            total += mark
            union |= mark
            lowest = min(lowest, rankings[ranker, rank])
        if (total != union or lowest < 0) and not is_list(rankings, ranker):
            return False
    return True


@kernel
def is_list(rankings: Ints, ranker: int) -> bool:
    """The same for one ranking, comparing all of its documents."""
    for rank in range(rankings.shape[1]):
        document = rankings[ranker, rank]
        for above in range(rank):
            if document >= 0 and rankings[ranker, above] in (-1, document):
                return False
        if document < -1:
            return False
    return True


@kernel
def count_credited(rankings: Ints, length: int) -> int:
    """How many slots can be credited: those beyond the shortest ranking are neutral."""
    counted = min(length, rankings.shape[1])
    for ranker in range(rankings.shape[0]):
        while counted > 0 and rankings[ranker, counted - 1] < 0:
            counted -= 1
    return int(counted)
