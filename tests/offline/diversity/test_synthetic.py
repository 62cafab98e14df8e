from __future__ import annotations

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.offline.diversity import Candidates, synthetic_queries
from duelist.offline.diversity.synthetic import falling


def test_the_sizes_are_those_of_the_thesis(synthetic: list[Candidates]) -> None:
    for query in synthetic:
        assert query.n_documents == 100
        assert query.subtopics.shape[1] <= 25
        assert (query.subtopics.sum(1) == 3).all()
        assert (query.lengths == 300).all()
        assert query.n_words <= 5000
        titles = np.bincount(query.owners[query.titled])
        assert 1 <= titles.min() <= titles.max() == 5
        assert len(set(query.query.tolist())) == 3
        assert query.query.min() >= 25


def test_a_query_is_the_same_however_many_are_made(synthetic: list[Candidates]) -> None:
    again = synthetic_queries(queries=2, seed=1)
    for one, other in zip(again, synthetic, strict=False):
        for name in ("words", "counts", "titled", "offsets", "subtopics", "query"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert not np.array_equal(synthetic_queries(queries=1, seed=2)[0].words, synthetic[0].words)


def test_popular_subtopics_and_words_are_more_frequent() -> None:
    queries = synthetic_queries(queries=40, documents=100, subtopics=4, seed=5)
    about = np.mean([query.subtopics.mean(0) for query in queries], axis=0)
    # Three of four are drawn: the chance to be left out, by the order in which the four are drawn.
    popular = falling(4, 0.5)
    left_out = np.zeros(4)
    for a in range(4):
        for b in range(4):
            for c in range(4):
                if len({a, b, c}) == 3:
                    rest = 1 - popular[a]
                    chance = popular[a] * popular[b] / rest * popular[c] / (rest - popular[b])
                    left_out[6 - a - b - c] += chance
    np.testing.assert_allclose(about, 1 - left_out, atol=4.5 * 0.5 / np.sqrt(4000))
    counts = np.sum([np.bincount(query.words, query.counts, 5000) for query in queries], axis=0)
    share = counts / counts.sum()
    assert share[0] == pytest.approx(falling(5000)[0], abs=0.03)
    assert share[:10].sum() > 10 * share[100:110].sum() > 10 * share[1000:1010].sum()


def test_documents_of_one_subtopic_share_words(synthetic: list[Candidates]) -> None:
    """The overlap of two documents grows with the subtopics that they have in common."""
    query = synthetic[0]
    table = np.zeros((100, query.n_words))
    table[query.owners, query.words] = query.counts > 0
    overlap, common = table @ table.T, query.subtopics.astype(int) @ query.subtopics.T.astype(int)
    pairs = np.triu_indices(100, 1)
    means = [overlap[pairs][common[pairs] == shared].mean() for shared in range(3)]
    assert means[0] + 5 < means[1] < means[2] - 5


@pytest.mark.parametrize("name", ["documents", "subtopics", "vocabulary", "length"])
def test_sizes_that_are_too_small_are_named(name: str) -> None:
    with pytest.raises(BadInput, match=f"{name} must be at least"):
        synthetic_queries(**{name: 0})
