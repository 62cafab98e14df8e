from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.offline.diversity import (
    Candidates,
    candidates,
    choose_at_random,
    choose_by_okapi,
    choose_essential_pages,
    choose_exactly,
    choose_knowing_subtopics,
    choose_unweighted,
    okapi_scores,
)

from .cases import fast, small_queries


def count(query: Candidates, document: int, word: int) -> int:
    rows = slice(query.offsets[document], query.offsets[document + 1])
    return int(query.counts[rows][query.words[rows] == word].sum())


def share(query: Candidates, word: int) -> float:
    return sum(count(query, d, word) > 0 for d in range(query.n_documents)) / query.n_documents


def essential(query: Candidates, chosen: list[int]) -> float:
    """The benefit in the text of 4.4, each word at its largest count."""
    total = 0.0
    for word in range(query.n_words):
        most = max(count(query, d, word) for d in chosen)
        total += most * math.log(1 / share(query, word)) if most else 0.0
    return total


@fast
@given(small_queries(), st.integers(1, 4))
def test_essential_pages_adds_the_page_of_the_largest_benefit(query: Candidates, k: int) -> None:
    found = choose_essential_pages(query, k).tolist()
    assert len(set(found)) == len(found) == min(k, query.n_documents)
    for place, document in enumerate(found):
        left = [d for d in range(query.n_documents) if d not in found[:place]]
        most = max(essential(query, [*found[:place], d]) for d in left)
        assert essential(query, [*found[:place], document]) == pytest.approx(most)


def test_a_word_counts_once_at_its_largest_count() -> None:
    """The second document adds one lion to the two of the first; the third has nothing in common with them."""
    pages = candidates([{"lion": 2, "sun": 3}, {"lion": 3}, {"zebra": 2}, {"all": 1}])
    assert choose_essential_pages(pages, 2).tolist() == [0, 2]


def test_okapi_by_hand() -> None:
    pages = candidates([{"lion": 2, "sun": 2}, {"lion": 1, "sun": 1}, {"sun": 3}], query=["lion"])
    weight = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    mean = (4 + 2 + 3) / 3
    expected = [
        weight * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / mean)) if tf else 0.0
        for tf, length in ((2, 4), (1, 2), (0, 3))
    ]
    np.testing.assert_allclose(okapi_scores(pages), expected)
    assert choose_by_okapi(pages, 2).tolist() == np.argsort(expected)[::-1][:2].tolist()


def test_okapi_needs_a_query() -> None:
    with pytest.raises(BadInput, match="words of the query"):
        choose_by_okapi(candidates([{"a": 1}], query=["b"]), 1)


def test_unweighted_covers_the_most_words() -> None:
    pages = candidates([{"a": 9}, {"a": 1, "b": 1, "c": 1}, {"b": 1, "c": 1}, {"d": 1}], titles=[["x", "y", "z"]] * 4)
    assert choose_unweighted(pages, 3).tolist() == [1, 3, 0]


@fast
@given(small_queries(), st.integers(1, 4))
def test_knowing_subtopics_is_near_the_best(query: Candidates, k: int) -> None:
    best = choose_exactly(query.subtopic_cover(), query.subtopic_weights(), k)
    covered = 1 - query.loss(choose_knowing_subtopics(query, k))
    if query.subtopics.shape[1]:
        assert covered >= (1 - 1 / math.e) * (1 - query.loss(best)) - 1e-9


def test_random_choices_are_fair() -> None:
    pages, luck = candidates([{"a": 1}] * 4), np.random.default_rng(0)
    drawn = np.bincount(np.concatenate([choose_at_random(pages, 2, luck) for _ in range(4000)]), minlength=4)
    assert abs(drawn / 4000 - 0.5).max() < 4 * math.sqrt(0.25 / 4000)
