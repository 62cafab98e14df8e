"""Small cases of coverage for hypothesis."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from duelist.core.memory import Floats
from duelist.offline.diversity import Candidates, candidates
from duelist.offline.diversity.greedy import Cover, make_cover

fast = settings(max_examples=60, derandomize=True, deadline=None, database=None)  # the first call compiles


class Case(NamedTuple):
    """Documents that cover items, and what these and those are worth."""

    cover: Cover
    sets: list[set[int]]
    benefits: Floats
    bonus: Floats
    k: int


@st.composite
def cases(draw: st.DrawFn, negative: bool = False) -> Case:
    """Up to 7 documents over up to 8 items; whole numbers, so that ties happen and sums are exact."""
    n_items = draw(st.integers(1, 8))
    sets = draw(st.lists(st.sets(st.integers(0, n_items - 1)), min_size=1, max_size=7))
    low = -5 if negative else 0
    benefits = draw(st.lists(st.integers(low, 9), min_size=n_items, max_size=n_items))
    bonus = draw(st.lists(st.integers(low, 4), min_size=len(sets), max_size=len(sets)))
    pairs = [(d, item) for d, own in enumerate(sets) for item in own]
    documents, items = (np.array(column, np.int64) for column in zip(*pairs, strict=True)) if pairs else empty()
    cover = make_cover(documents, items, len(sets))
    k = draw(st.integers(1, 5))
    return Case(cover, sets, np.array(benefits, np.float64), np.array(bonus, np.float64), k)


def empty() -> tuple[Any, Any]:
    return np.zeros(0, np.int64), np.zeros(0, np.int64)


@st.composite
def small_queries(draw: st.DrawFn, width: int = 0) -> Candidates:
    """Up to 6 documents of a few words, with titles and subtopics."""
    n = draw(st.integers(2, 6))
    words = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9), max_size=5)
    documents = draw(st.lists(words, min_size=n, max_size=n))
    titles = draw(st.lists(st.sets(st.sampled_from("abcg")), min_size=n, max_size=n))
    subtopics = draw(st.lists(st.sets(st.integers(0, 4)), min_size=n, max_size=n))
    features = np.array(draw(st.lists(st.integers(0, 3), min_size=n * width, max_size=n * width)), np.float64)
    return candidates(documents, titles, subtopics, features=features.reshape(n, width))
