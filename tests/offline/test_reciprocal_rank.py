from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given, settings

from duelist.core.memory import Floats
from duelist.data import reciprocal_rank, synthetic
from duelist.offline.reciprocal_rank import SVMMrr

from .brute import Labels, Rankings, all_rankings, binary, cases, check_finder, pair_coefficients, queries_of


@cache
def rankings(labels: Labels) -> Rankings:
    return all_rankings(labels, lambda ranking: 1 - reciprocal_rank(ranking), pair_coefficients)


@settings(max_examples=1000, deadline=None)
@given(cases(binary))
def test_the_oracle_finds_the_worst_of_all_rankings(case: tuple[list[Labels], Floats]) -> None:
    parts, scores = case
    check_finder(SVMMrr().finder(queries_of(parts)), scores, [rankings(part) for part in parts])


def test_it_learns_and_its_slack_bounds_the_loss() -> None:
    pages = synthetic(queries=40, documents=15, features=4, grades=4, noise=0.1, seed=1)
    qid, good = np.repeat(np.arange(40), 15), 3
    ranker = SVMMrr(C=100, relevant=good).fit(pages.features, pages.labels, qid)
    useful = [q for q in range(40) if (pages.labels[qid == q] >= good).any()]
    rows = np.isin(qid, useful)
    score = ranker.score(pages.features[rows], pages.labels[rows], qid[rows])
    assert ranker.n_queries_ == len(useful) < 40
    assert score > 0.85
    assert 1 - score <= (ranker.primal_ - ranker.coef_ @ ranker.coef_ / 2) / 100
