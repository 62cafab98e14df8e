from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.data import evaluate, mean, ndcg, read_fold, synthetic
from duelist.offline.ndcg import SVMNdcg
from duelist.offline.ranker import Untrained

from .brute import Labels, Rankings, all_rankings, cases, check_finder, graded, place_coefficients, queries_of

Truth = Literal["best", "mean"]
Alpha = Literal["discount", "root"]


def alphas_of(alpha: Alpha, k: int) -> Floats:
    places = np.arange(1.0, 6.0)
    values = 1 / np.log2(places + 1) if alpha == "discount" else places**-0.25
    return np.where(places <= k, values, 0.0)


@cache
def rankings(labels: Labels, k: int, alpha: Alpha, truth: Truth) -> Rankings:
    alphas = alphas_of(alpha, k)
    correct = alphas[: len(labels)].copy()  # labels fall: the order of the rows is a true one
    if truth == "mean":
        for label in set(labels):
            correct[np.array(labels) == label] = correct[np.array(labels) == label].mean()

    def coefficients(_: Labels, ranking: Sequence[int]) -> Floats:
        return place_coefficients(correct, alphas, ranking)

    return all_rankings(labels, lambda ranking: 1 - ndcg(ranking, k), coefficients)


@settings(max_examples=1000, deadline=None)
@given(cases(graded), st.integers(1, 5), st.sampled_from(["discount", "root"]), st.sampled_from(["best", "mean"]))
def test_the_oracle_finds_the_worst_of_all_rankings(
    case: tuple[list[Labels], Floats], k: int, alpha: Alpha, truth: Truth
) -> None:
    parts, scores = case
    find = SVMNdcg(k=k, alpha=alpha, truth=truth).finder(queries_of(parts))
    check_finder(find, scores, [rankings(part, k, alpha, truth) for part in parts])


def test_the_best_truth_learns_where_the_mean_cannot(data: Callable[[str], Path]) -> None:
    fold = read_fold(data("mq2008/S1.txt.gz").parent, 1)
    qid = np.repeat(np.arange(fold.train.n_queries), np.diff(fold.train.offsets))
    best = SVMNdcg().fit(fold.train.features, fold.train.labels, qid)
    found = mean(evaluate(fold.test, best.predict(fold.test.features), ["ndcg@10"]), fold.test)
    assert found["ndcg@10"] > 0.47
    with pytest.warns(Untrained, match="its weights are all 0"):
        assert not SVMNdcg(truth="mean").fit(fold.train.features, fold.train.labels, qid).trained_


@pytest.mark.parametrize("alpha", ["discount", "root"])
def test_the_slack_bounds_the_loss(alpha: Alpha) -> None:
    pages = synthetic(queries=40, documents=15, features=4, noise=0.3, seed=1)
    qid = np.repeat(np.arange(40), 15)
    ranker = SVMNdcg(C=10, k=5, alpha=alpha, rescale=False).fit(pages.features, pages.labels, qid)
    loss = 1 - ranker.score(pages.features, pages.labels, qid)
    assert 0 < loss <= (ranker.primal_ - ranker.coef_ @ ranker.coef_ / 2) / 10 < 0.5


@pytest.mark.parametrize(
    ("settings", "labels", "message"),
    [
        ({"alpha": "log"}, [0, 1], "alpha must be 'discount' or 'root', not 'log'"),
        ({"gain": "cubic"}, [0, 1], "gain must be"),
        ({"truth": "any"}, [0, 1], "truth must be"),
        ({"k": 0}, [0, 1], "k must be"),
        ({}, [-1, 1], "labels must be from 0 to 50 for NDCG, not -1"),
        ({}, [1, 1], "no query has documents with different labels"),
    ],
)
def test_bad_input_is_named(settings: dict[str, object], labels: list[int], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        SVMNdcg(**settings).fit([[1.0], [2.0]], labels)  # type: ignore[arg-type]
