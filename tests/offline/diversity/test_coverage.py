from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Floats
from duelist.offline.diversity import Candidates, candidates
from duelist.offline.diversity.coverage import LEVELS, Features, tfidf, word_coverage
from duelist.offline.diversity.greedy import value_of

from .cases import fast, small_queries

THRESHOLDS = (0.0, 0.2, 0.5, 1.0)


def words_at(query: Candidates, level: str, document: int) -> set[int]:
    """The words that a document covers at a level, from the words of Figure 4.2."""
    entries = range(query.offsets[document], query.offsets[document + 1])
    length = sum(query.counts[i] for i in entries)
    if level == "top TFIDF":
        found = [i for i in entries if query.counts[i] > 0]
        return {int(query.words[i]) for i in sorted(found, key=lambda i: (-tfidf(query)[i], query.words[i]))[:5]}
    tests: dict[str, Callable[[int], bool]] = {
        "occurs": lambda i: query.counts[i] >= 1,
        "5 times": lambda i: query.counts[i] >= 5,
        "5 %": lambda i: query.counts[i] > 0 and 20 * query.counts[i] >= length,
        "title": lambda i: query.titled[i],
        "in url": lambda i: query.fields["url"][i],
    }
    return {int(query.words[i]) for i in entries if tests[level](i)}


def joint_features(query: Candidates, features: Features, chosen: list[int]) -> Floats:
    """(4.3), word by word."""
    psi = np.zeros(features.shape)
    n = query.n_documents
    for i, level in enumerate(features.levels):
        for word in set().union(*(words_at(query, level, d) for d in chosen)):
            for j, other in enumerate(features.levels):
                share = sum(word in words_at(query, other, d) for d in range(n)) / n
                reached = [t for t, threshold in enumerate(features.thresholds) if share >= threshold]
                psi[i, j, reached[-1:] if features.bands else reached] += 1
    return np.concatenate([psi.ravel(), query.features[chosen].sum(0)])


@fast
@given(small_queries(), st.data())
def test_fields_are_levels_like_others(query: Candidates, data: st.DataObject) -> None:
    size = len(query.words)
    flags = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    query = replace(query, fields={"url": np.array(flags, np.bool_)})
    features = Features(("occurs", "in url", "title"), THRESHOLDS)
    chosen = sorted(data.draw(st.sets(st.integers(0, query.n_documents - 1))))
    found = word_coverage(query, features).joint_features(np.array(chosen, np.int64))
    np.testing.assert_array_equal(found, joint_features(query, features, chosen))


def test_words_of_a_field_alone_are_covered_there_alone() -> None:
    pages = candidates([{"a": 1}, {"b": 2}], titles=[["t"], []], fields={"url": [["z", "a"], []], "links": [[], ["b"]]})
    assert pages.counts.tolist() == [1, 0, 0, 2]
    assert pages.in_field("url").tolist() == [True, False, True, False]
    assert pages.in_field("links").tolist() == [False, False, False, True]
    with pytest.raises(BadInput, match="no field 'body', only: url, links"):
        word_coverage(pages, Features(("in body",)))
    with pytest.raises(BadInput, match="url must have one entry for each of 2 documents, not 1"):
        candidates([{"a": 1}, {"b": 2}], fields={"url": [[]]})
    with pytest.raises(BadInput, match="fields must have 4 entries"):
        replace(pages, fields={"url": np.zeros(3, np.bool_)})


@fast
@given(small_queries(width=2), st.data(), st.booleans())
def test_features_are_those_of_the_thesis(query: Candidates, data: st.DataObject, bands: bool) -> None:
    features = Features(tuple(LEVELS), THRESHOLDS, bands)
    chosen = sorted(data.draw(st.sets(st.integers(0, query.n_documents - 1))))
    coverage = word_coverage(query, features)
    found = coverage.joint_features(np.array(chosen, np.int64))
    np.testing.assert_array_equal(found, joint_features(query, features, chosen))
    assert len(found) == coverage.n_features == 5 * 5 * 4 + 2


@fast
@given(small_queries(width=2), st.data(), st.booleans())
def test_benefits_add_up_to_weights_times_features(query: Candidates, data: st.DataObject, bands: bool) -> None:
    coverage = word_coverage(query, Features(("occurs", "title", "5 %"), THRESHOLDS, bands))
    weights = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=coverage.n_features)
    chosen = np.array(sorted(data.draw(st.sets(st.integers(0, query.n_documents - 1)))), np.int64)
    value = value_of(coverage.cover, coverage.benefits(weights), chosen, coverage.bonus(weights))
    assert value == pytest.approx(weights @ coverage.joint_features(chosen), abs=1e-9)


@fast
@given(small_queries(), st.integers(0, 99))
def test_weights_of_0_or_more_are_benefits_of_0_or_more(query: Candidates, seed: int) -> None:
    for bands in (False, True):
        coverage = word_coverage(query, Features(tuple(LEVELS), THRESHOLDS, bands))
        weights = np.random.default_rng(seed).random(coverage.n_features)
        assert (coverage.benefits(weights) >= 0).all()


def test_the_levels_of_one_document() -> None:
    query = candidates([{"lion": 5, "cub": 1, "mane": 94}, {"lion": 1}], titles=[["cub"], []])
    names = ["lion", "cub", "mane"]
    found = {level: [names[w] for w in query.words[:3][LEVELS[level](query)[:3]]] for level in LEVELS}
    assert found == {
        "occurs": ["lion", "cub", "mane"],
        "5 times": ["lion", "mane"],
        "5 %": ["lion", "mane"],
        "title": ["cub"],
        "top TFIDF": ["lion", "cub", "mane"],
    }
    np.testing.assert_allclose(tfidf(query), [0, math.log(2), 94 * math.log(2), 0])


@pytest.mark.parametrize("count", range(1, 40))
def test_exactly_five_percent_is_enough(count: int) -> None:
    query = candidates([{"lion": count, "other": 19 * count}, {"lion": count, "other": 19 * count + 1}])
    assert LEVELS["5 %"](query).tolist() == [True, True, False, True]


def test_five_words_have_the_top_tfidf() -> None:
    query = candidates([{letter: count for count, letter in enumerate("abcdefg", 1)}, {"g": 1}])
    top = query.words[LEVELS["top TFIDF"](query)]
    assert top.tolist() == [1, 2, 3, 4, 5, 6]  # b to f of the first document, and g, which is all the second has


def test_bad_features_are_named() -> None:
    with pytest.raises(UnknownName, match=r"unknown level 'headline'.*title"):
        Features(("headline",))
    for bad in ((), (0.1, 0.2), (0.0, 0.0), (0.0, 1.5)):
        with pytest.raises(BadInput, match="thresholds must rise"):
            Features(("occurs",), bad)
