from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.data import precision, synthetic
from duelist.offline.precision_at import SVMPrecision

from .brute import Labels, Rankings, all_rankings, binary, cases, check_finder, pair_coefficients, queries_of


@cache
def rankings(labels: Labels, k: int) -> Rankings:
    best = min(k, sum(labels)) / k
    return all_rankings(labels, lambda ranking: 1 - precision(ranking, k) / best, pair_coefficients)


@settings(max_examples=1000, deadline=None)
@given(cases(binary), st.integers(1, 5))
def test_the_oracle_finds_the_worst_of_all_rankings(case: tuple[list[Labels], Floats], k: int) -> None:
    parts, scores = case
    k = min(k, *map(len, parts))
    check_finder(SVMPrecision(k=k).finder(queries_of(parts)), scores, [rankings(part, k) for part in parts])


def test_it_learns_and_leaves_out_short_queries() -> None:
    pages = synthetic(queries=40, documents=15, features=4, noise=0.1, seed=1)
    qid = np.repeat(np.arange(40), 15)
    ranker = SVMPrecision(C=100, k=3).fit(pages.features[5:], pages.labels[5:], qid[5:])
    assert ranker.n_queries_ == 40
    assert ranker.score(pages.features, pages.labels, qid) > 0.95
    with pytest.raises(BadInput, match="more than k=15 documents"):
        SVMPrecision(k=15).fit(pages.features, pages.labels, qid)
    assert SVMPrecision(k=14).fit(pages.features[5:], pages.labels[5:], qid[5:]).n_queries_ == 39


@pytest.mark.parametrize("k", [0, -1, 2.5, "3"])
def test_cutoffs_that_make_no_sense_are_refused(k: object) -> None:
    with pytest.raises(BadInput, match="k must be a whole number of at least 1"):
        SVMPrecision(k=k).fit([[1.0], [2.0]], [0, 1])  # type: ignore[arg-type]
