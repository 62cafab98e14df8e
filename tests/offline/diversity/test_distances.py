from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist.core.compile import plain
from duelist.core.errors import BadInput, UnknownName
from duelist.core.memory import Floats
from duelist.offline.diversity import Candidates, SVMDiv, candidates, choose_exactly, choose_greedily, synthetic_queries
from duelist.offline.diversity.distances import PairDistances, pair_distances
from duelist.offline.diversity.greedy import choose_into, value_of
from duelist.offline.diversity.training import Example

from .cases import fast, small_queries

LEVELS = ("occurs", "5 times")


def words_of(query: Candidates, document: int, least: int) -> dict[int, int]:
    """The words that a document has at least so often."""
    own = slice(query.offsets[document], query.offsets[document + 1])
    pairs = zip(query.words[own].tolist(), query.counts[own].tolist(), strict=True)
    return {word: count for word, count in pairs if count >= least}


def angle(query: Candidates, i: int, j: int) -> float:
    frequency = query.document_frequency()
    tables = []
    for document in (i, j):
        counts = words_of(query, document, 1)
        tables.append({w: c * math.log(query.n_documents / frequency[w]) for w, c in counts.items()})
    lengths = [math.sqrt(sum(value**2 for value in table.values())) for table in tables]
    if min(lengths) == 0:
        return 1.0
    product = sum(value * tables[1].get(word, 0.0) for word, value in tables[0].items())
    return math.acos(min(1.0, product / lengths[0] / lengths[1])) / (math.pi / 2)


def distance(query: Candidates, i: int, j: int) -> list[float]:
    """All ways, from the definitions."""
    ways = []
    for least in (1, 5):
        one, other = (set(words_of(query, document, least)) for document in (i, j))
        ways.append(len(one ^ other) / len(one | other) if one | other else 0.0)
    return [*ways, angle(query, i, j), *np.abs(query.features[i] - query.features[j]).tolist()]


def joint_features(query: Candidates, chosen: list[int]) -> Floats:
    n, ways = query.n_documents, 3 + query.features.shape[1]
    apart = sum((np.array(distance(query, i, j)) for i, j in combinations(chosen, 2)), np.zeros(ways))
    far = sum((np.array(distance(query, i, j)) / (n - 1) for i in chosen for j in range(n) if j != i), np.zeros(ways))
    return np.concatenate([apart, far, query.features[chosen].sum(0)])


@fast
@given(small_queries(width=1), st.data())
def test_the_joint_features_are_sums_over_pairs_and_documents(query: Candidates, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, query.n_documents - 1), unique=True))
    found = pair_distances(query, LEVELS)
    np.testing.assert_allclose(
        found.joint_features(np.array(chosen, np.int64)), joint_features(query, chosen), atol=1e-7
    )
    assert found.n_features == 2 * 4 + 1


@fast
@given(small_queries(width=1))
def test_every_way_is_a_metric(query: Candidates) -> None:
    tables = pair_distances(query, LEVELS).tables
    assert (tables >= 0).all()
    np.testing.assert_array_equal(tables, tables.transpose(1, 0, 2))
    for between in range(query.n_documents):
        assert (tables <= tables[:, between, None] + tables[between] + 1e-7).all()


def worth_of(model: PairDistances, weights: Floats, chosen: list[int]) -> float:
    return float(weights @ model.joint_features(np.array(chosen, np.int64)))


@fast
@given(small_queries(width=1), st.integers(1, 4), st.integers(0, 99))
def test_choices_follow_the_joint_features(query: Candidates, k: int, seed: int) -> None:
    model = pair_distances(query, LEVELS)
    weights = np.random.default_rng(seed).normal(size=model.n_features)
    parts = model.cover, model.benefits(weights)
    bonus, distances = model.bonus(weights), model.distances(weights)
    found = choose_greedily(*parts, k, bonus, distances).tolist()
    assert value_of(*parts, np.array(found), bonus, distances) == pytest.approx(worth_of(model, weights, found))
    for place in range(1, len(found)):
        left = [d for d in range(query.n_documents) if d not in found[:place]]
        most = max(worth_of(model, weights, [*found[:place], d]) for d in left)
        assert worth_of(model, weights, found[: place + 1]) == pytest.approx(most)
    again = np.zeros(len(found), np.int64)
    plain(choose_into)(*parts, bonus, distances, np.zeros(0), again)
    assert again.tolist() == found
    best = choose_exactly(*parts, k, bonus, distances).tolist()
    subsets = combinations(range(query.n_documents), len(found))
    most = max(worth_of(model, weights, list(subset)) for subset in subsets)
    assert worth_of(model, weights, best) == pytest.approx(most)


@fast
@given(small_queries(width=1), st.integers(2, 5), st.integers(0, 99))
def test_of_distances_alone_greed_finds_half(query: Candidates, k: int, seed: int) -> None:
    model = pair_distances(query, LEVELS)
    weights = np.random.default_rng(seed).exponential(size=model.n_features)
    weights[model.ways :] = 0.0
    parts = model.cover, model.benefits(weights)
    distances = model.distances(weights)
    found, best = (choose(*parts, k, None, distances) for choose in (choose_greedily, choose_exactly))
    assert value_of(*parts, found, None, distances) >= value_of(*parts, best, None, distances) / 2 - 1e-9


@fast
@given(small_queries(width=1), st.integers(1, 3), st.integers(0, 99))
def test_the_exact_oracle_finds_the_most_violated_choice(query: Candidates, k: int, seed: int) -> None:
    example = Example(pair_distances(query, LEVELS), k)
    weights = np.random.default_rng(seed).normal(0, 0.3, example.worth.n_features)

    def violation(chosen: tuple[int, ...]) -> float:
        return query.loss(chosen) + float(weights @ joint_features(query, list(chosen)))

    subsets = combinations(range(query.n_documents), min(k, query.n_documents))
    found = tuple(example.most_violated(weights, choose_exactly).tolist())
    assert violation(found) == pytest.approx(max(map(violation, subsets)))


def test_it_learns_to_keep_documents_apart() -> None:
    queries = synthetic_queries(queries=60, documents=40, seed=1)
    model = SVMDiv(C=0.1, k=5, discriminant="distances").fit(queries[:20])
    luck = np.random.default_rng(1)
    anything = np.mean([query.loss(luck.permutation(40)[:5]) for query in queries[20:]])
    assert model.loss(queries[20:]) < anything - 0.08
    assert len(model.coef_) == 2 * 5
    assert model.predict(queries[20], 8)[:5].tolist() == model.predict(queries[20]).tolist()
    with pytest.raises(BadInput, match="does not look at words"):
        model.word_benefits()


def test_unknown_names_are_named() -> None:
    pages = candidates([{"a": 1}, {"b": 1}], subtopics=[{1}, {2}])
    with pytest.raises(BadInput, match="discriminant must be one of words, distances, not 'angles'"):
        SVMDiv(k=1, discriminant="angles").fit([pages])  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match=r"unknown level 'body'\. Known: occurs"):
        pair_distances(pages, ["body"])
