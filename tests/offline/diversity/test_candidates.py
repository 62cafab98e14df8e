from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.data import subtopic_recall
from duelist.offline.diversity import Candidates, candidates, count_words, subtopic_weights

from .cases import fast, small_queries

PAGES = candidates(
    [{"jaguar": 2, "cat": 6}, {"jaguar": 1, "car": 3}, {"car": 1}],
    titles=[["jaguar", "big"], [], ["car"]],
    subtopics=[{"animal"}, {"make", "model"}, {"make"}],
    query=["jaguar", "unheard"],
)


def test_words_are_numbered_and_laid_flat() -> None:
    assert PAGES.words.tolist() == [0, 1, 2, 0, 3, 3]
    assert PAGES.counts.tolist() == [2, 6, 0, 1, 3, 1]  # "big" is in the title alone
    assert PAGES.titled.tolist() == [True, False, True, False, False, True]
    assert PAGES.offsets.tolist() == [0, 3, 5, 6]
    assert PAGES.query.tolist() == [0]
    assert (PAGES.n_documents, PAGES.n_words, PAGES.lengths.tolist()) == (3, 4, [8, 4, 1])
    assert PAGES.document_frequency().tolist() == [2, 1, 0, 2]


def test_the_loss_is_the_weight_of_what_is_not_covered() -> None:
    assert PAGES.subtopic_weights().tolist() == [0.25, 0.5, 0.25]
    assert PAGES.loss([0]) == 0.75
    assert PAGES.loss([1]) == 0.25
    assert PAGES.loss([0, 1]) == 0.0
    assert PAGES.loss([]) == 1.0
    assert candidates([{"a": 1}]).loss([]) == 0.0


def test_the_weights_of_figure_4_4_are_those_of_other_counts() -> None:
    np.testing.assert_allclose(subtopic_weights([1, 2, 2]), [0.2, 0.4, 0.4])
    np.testing.assert_allclose(subtopic_weights([1, 2, 3]), [1 / 6, 1 / 3, 1 / 2])


@fast
@given(small_queries(), st.data())
def test_with_equal_weights_the_loss_is_one_minus_subtopic_recall(query: Candidates, data: st.DataObject) -> None:
    each = np.eye(query.n_documents, dtype=bool)  # one subtopic a document: all have the same weight
    order = data.draw(st.permutations(range(query.n_documents)))
    k = data.draw(st.integers(1, query.n_documents))
    assert replace(query, subtopics=each).loss(order[:k]) == pytest.approx(1 - subtopic_recall(each[order], k))


@fast
@given(small_queries(), st.data())
def test_the_loss_adds_up_the_documents_of_subtopics(query: Candidates, data: st.DataObject) -> None:
    chosen = data.draw(st.sets(st.integers(0, query.n_documents - 1)))
    rows = [set(np.flatnonzero(row).tolist()) for row in query.subtopics]
    covered = set().union(*(rows[d] for d in chosen))
    all_of_them = [topic for own in rows for topic in own]
    expected = sum(topic not in covered for topic in all_of_them) / max(1, len(all_of_them))
    assert query.loss(sorted(chosen)) == pytest.approx(expected)


def test_subtopics_that_nobody_covers_do_not_count() -> None:
    wide = replace(PAGES, subtopics=np.array([[True, False], [True, False], [False, False]]))
    assert wide.subtopics.shape == (3, 1)


def test_words_of_a_text() -> None:
    assert count_words("Über-Lion, the lion; THE end.") == {"über": 1, "lion": 2, "the": 2, "end": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"offsets": np.array([0, 3, 5])}, "rise from 0 to 6"),
        ({"offsets": np.array([0, 5, 3, 6])}, "rise from 0 to 6"),
        ({"counts": np.array([1])}, "6 entries"),
        ({"counts": np.array([2, 6, 0, 1, 3, -1])}, "below 0"),
        ({"words": np.array([0, 0, 2, 0, 3, 3])}, "twice"),
        ({"subtopics": np.zeros((2, 1), bool)}, "one row for each of 3 documents"),
        ({"features": np.zeros((2, 1))}, "one row for each of 3 documents"),
        ({"features": np.full((3, 1), np.nan)}, "finite"),
    ],
)
def test_arrays_that_do_not_fit_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        replace(PAGES, **change)


def test_lists_of_another_length_are_named() -> None:
    with pytest.raises(BadInput, match="titles must have one entry for each of 1 documents, not 2"):
        candidates([{"a": 1}], titles=[[], []])
    with pytest.raises(BadInput, match="subtopics"):
        candidates([{"a": 1}], subtopics=[])
    with pytest.raises(BadInput, match="a query needs documents"):
        candidates([])


def test_weights_of_subtopics_are_what_they_are_said_to_be() -> None:
    documents: list[dict[str, int]] = [{"a": 1}] * 4
    topics = [{"cat"}, {"car", "cat"}, {"cat"}, {"os"}]
    pages = candidates(documents, subtopics=topics, weights={"cat": 1, "car": 1, "os": 1, "band": 1})
    assert [pages.loss([0]), pages.loss([1]), pages.loss([1, 3])] == [0.75, 0.5, 0.25]  # nobody covers the band
    assert candidates(documents, subtopics=topics).loss([0]) == pytest.approx(0.4)
    assert pages.loss([]) == 1
    assert replace(pages, subtopics=pages.subtopics[:, :2], prices=np.array([0.5, 0.0])).loss([3]) == 1


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"cat": 1}, "every subtopic of the documents; 'car' is missing"),
        ({"cat": -1, "car": 2}, "finite numbers of at least 0"),
        ({"cat": 0, "car": 0}, "not all 0"),
        ({"cat": float("nan"), "car": 1}, "finite numbers"),
    ],
)
def test_bad_weights_are_refused(weights: dict[str, float], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        candidates([{"a": 1}, {"a": 1}], subtopics=[{"cat"}, {"car"}], weights=weights)
    pages = candidates([{"a": 1}], subtopics=[{"cat"}])
    with pytest.raises(BadInput, match="prices must be 1 numbers"):
        replace(pages, prices=np.array([2.0]))
