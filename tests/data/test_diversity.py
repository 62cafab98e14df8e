from __future__ import annotations

from itertools import permutations
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput, UnknownName
from duelist.data import Dataset, alpha_ndcg, evaluate_diversity, subtopic_recall

RANKINGS = st.lists(st.frozensets(st.integers(0, 3)), max_size=6)
fast = settings(derandomize=True, deadline=None, database=None)  # the first call compiles


def gains(ranking: list[frozenset[int]], alpha: float) -> list[float]:
    """What each document adds, from the definition."""
    return [
        sum((1 - alpha) ** sum(topic in above for above in ranking[:place]) for topic in sorted(own))
        for place, own in enumerate(ranking)
    ]


def discounted(ranking: list[frozenset[int]], k: int, alpha: float) -> float:
    return sum(gain / log2(place + 2) for place, gain in enumerate(gains(ranking, alpha)[:k]))


def greedy(ranking: list[frozenset[int]], alpha: float) -> list[frozenset[int]]:
    """Always the document that adds most; of several, the one with the smallest topics that others lack."""
    left, order = list(ranking), list[frozenset[int]]()
    while left:
        best = max(left, key=lambda own: (gains([*order, own], alpha)[-1], [topic in own for topic in range(4)]))
        order.append(best)
        left.remove(best)
    return order


@fast
@given(RANKINGS, st.integers(1, 7), st.sampled_from([0.0, 0.5, 1.0]))
def test_alpha_ndcg_follows_the_definition(ranking: list[frozenset[int]], k: int, alpha: float) -> None:
    best = discounted(greedy(ranking, alpha), k, alpha)
    expected = discounted(ranking, k, alpha) / best if best else 0
    assert alpha_ndcg(ranking, k, alpha) == pytest.approx(expected, abs=1e-12)


@fast
@given(st.lists(st.frozensets(st.integers(0, 3)), max_size=4), st.sampled_from([0.1, 0.5]))
def test_the_greedy_order_is_one_whatever_the_ranking(ranking: list[frozenset[int]], alpha: float) -> None:
    for other in permutations(ranking):
        ours, theirs = alpha_ndcg(ranking, alpha=alpha), alpha_ndcg(list(other), alpha=alpha)
        worth, other_worth = discounted(ranking, 9, alpha), discounted(list(other), 9, alpha)
        assert ours * other_worth == pytest.approx(theirs * worth, abs=1e-12)


@fast
@given(RANKINGS, st.integers(1, 7))
def test_subtopic_recall_is_the_share_covered(ranking: list[frozenset[int]], k: int) -> None:
    known = frozenset().union(*ranking)
    covered = frozenset().union(*ranking[:k])
    assert subtopic_recall(ranking, k) == (len(covered) / len(known) if known else 0)


@fast
@given(st.lists(RANKINGS, min_size=1, max_size=3), st.integers(1, 7), st.randoms())
def test_data_sets_are_rankings_by_score(queries: list[list[frozenset[int]]], k: int, random: Any) -> None:
    flat = [own for query in queries for own in query]
    topics = np.array([[topic in own for topic in range(4)] for own in flat], np.bool_).reshape(-1, 4)
    offsets = np.cumsum([0, *map(len, queries)])
    data = Dataset(
        np.zeros((len(flat), 1)), np.ones(len(flat), np.int64), offsets, ("q",) * len(queries), np.ones(1, int)
    )
    scores = [random.choice([0.0, 1.0, 2.0]) for _ in flat]
    found = evaluate_diversity(data, topics, scores, [f"alpha-ndcg@{k}", "subtopic-recall@1"], alpha=0.3)
    for q in range(data.n_queries):
        rows = sorted(range(*data.rows(q).indices(len(flat))), key=lambda row: -scores[row])
        assert found[f"alpha-ndcg@{k}"][q] == pytest.approx(alpha_ndcg(topics[rows], k, 0.3), abs=1e-12)
        assert found["subtopic-recall@1"][q] == subtopic_recall([flat[row] for row in rows], 1)


def test_an_example_by_hand() -> None:
    # Gains 1, 1/2, 1/4 + 1 against the greedy 2, 1/2, 1/4.
    expected = (1 + 0.5 / log2(3) + 1.25 / 2) / (2 + 0.5 / log2(3) + 0.25 / 2)
    assert alpha_ndcg([{"car"}, {"car"}, {"car", "cat"}]) == pytest.approx(expected, abs=1e-15)


def test_bad_requests() -> None:
    data = Dataset(np.zeros((2, 1)), np.ones(2, np.int64), np.array([0, 2]), ("q",), np.ones(1, np.int64))
    with pytest.raises(BadInput, match=r"subtopics must be flags of the shape \(2, subtopics\)"):
        evaluate_diversity(data, np.ones((2, 3)), [1, 2], ["alpha-ndcg"])  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="Known: alpha-ndcg, alpha-ndcg@k, subtopic-recall, subtopic-recall@k"):
        evaluate_diversity(data, np.ones((2, 3), np.bool_), [1, 2], ["ndcg"])
    with pytest.raises(BadInput, match=r"alpha must be from 0 to 1, not 1\.5"):
        alpha_ndcg([{1}], alpha=1.5)
    with pytest.raises(BadInput, match="flags in two dimensions"):
        alpha_ndcg(np.ones(3))  # type: ignore[arg-type]
