"""What a policy answers with: an arm, the k best ones, or the order of all; and how sure that is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from duelist.core.memory import Floats

ANSWERS = {"arm": "the best arm", "top-k": "the k best arms", "ranking": "the order of all arms"}


class Certainty(NamedTuple):
    """An answer that is right with probability `confidence`, and the duels it took to know."""

    arm: Any  # of top-k the arms, of ranking all of them in order, as a tuple
    confidence: float
    duels: int


def rank_by_wins(wins: Floats, first: int) -> list[int]:
    """All arms: `first`, then by how many others they beat more often than not, then by their mean rate of wins.

    A pair counts with one imagined win of each, so that one that never met is a tie.

    >>> rank_by_wins(np.array([[0, 1, 4], [3, 0, 0], [2, 0, 0]]), first=0)
    [0, 1, 2]
    """
    rate = (wins + 1) / (wins + wins.T + 2)
    scores = (rate > 0.5).sum(1) + rate.mean(1)
    scores[first] = np.inf
    return [int(arm) for arm in np.argsort(-scores, kind="stable")]
