from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given, settings

from duelist.core.memory import Floats
from duelist.data import roc_area, synthetic
from duelist.offline.queries import group
from duelist.offline.roc_area import SVMRoc, count_pairs, levels_of

from .brute import Labels, Rankings, all_rankings, binary, cases, check_finder, graded, pair_coefficients, queries_of


@cache
def rankings(labels: Labels) -> Rankings:
    return all_rankings(labels, lambda ranking: 1 - roc_area(ranking), pair_coefficients)


@settings(max_examples=1000, deadline=None)
@given(cases(binary))
def test_with_two_levels_the_oracle_finds_the_worst_of_all_rankings(case: tuple[list[Labels], Floats]) -> None:
    parts, scores = case
    check_finder(SVMRoc().finder(queries_of(parts)), scores, [rankings(part) for part in parts])


@settings(max_examples=1000, deadline=None)
@given(cases(graded))
def test_with_several_levels_it_is_the_sum_over_pairs_one_by_one(case: tuple[list[Labels], Floats]) -> None:
    parts, scores = case
    out, start, wanted = np.empty(len(scores)), 0, 0.0
    loss = SVMRoc().finder(queries_of(parts))(scores, out)
    for labels in parts:
        own = scores[start : start + len(labels)]
        pairs = [(i, j) for i in range(len(labels)) for j in range(len(labels)) if labels[i] > labels[j]]
        wanted += sum(max(0, 1 - 2 * (own[i] - own[j])) for i, j in pairs) / len(pairs) / len(parts)
        start += len(labels)
    np.testing.assert_allclose(loss - out @ scores, wanted, atol=1e-12)


@given(cases(graded))
def test_with_several_levels_it_bounds_every_ranking(case: tuple[list[Labels], Floats]) -> None:
    """Proposition 1 for the share of pairs in the wrong order."""
    labels, scores = case[0][0], case[1][: len(case[0][0])]
    out = np.empty(len(scores))
    slack = SVMRoc().finder(queries_of([labels]))(scores, out) - out @ scores
    pairs = [(i, j) for i in range(len(labels)) for j in range(len(labels)) if labels[i] > labels[j]]
    assert sum(scores[i] <= scores[j] for i, j in pairs) / len(pairs) <= slack + 1e-12


def test_levels_and_pairs_are_counted_by_query() -> None:
    queries = queries_of([(7, 7, 3, 0), (2, 0)])
    assert levels_of(queries).tolist() == [2, 2, 1, 0, 1, 0]
    assert count_pairs(queries).tolist() == [5, 1]


def test_as_many_levels_as_documents() -> None:
    rng = np.random.default_rng(1)
    labels, scores = rng.standard_normal(150), rng.standard_normal(150)
    queries = group(scores[:, None], labels, None)
    out = np.empty(150)
    loss = SVMRoc().finder(queries)(queries.features[:, 0], out)
    differences = [scores[i] - scores[j] for i in range(150) for j in range(150) if labels[i] > labels[j]]
    wanted = np.maximum(0, 1 - 2 * np.array(differences)).mean()
    np.testing.assert_allclose(loss - out @ queries.features[:, 0], wanted)


def test_it_learns() -> None:
    pages = synthetic(queries=40, documents=15, features=4, noise=0.1, seed=1)
    qid = np.repeat(np.arange(40), 15)
    assert SVMRoc(C=100).fit(pages.features, pages.labels, qid).score(pages.features, pages.labels, qid) > 0.9
