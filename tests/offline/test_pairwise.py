from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from duelist.core.memory import Floats
from duelist.data import evaluate, mean, read_fold, synthetic
from duelist.offline.pairwise import SVMPairwise

from .brute import Labels, cases, graded, queries_of


@settings(max_examples=1000, deadline=None)
@given(cases(graded))
def test_the_risk_is_the_mean_hinge_over_all_pairs(case: tuple[list[Labels], Floats]) -> None:
    parts, scores = case
    out, start = np.empty(len(scores)), 0
    loss = SVMPairwise().finder(queries_of(parts))(scores, out)
    hinges = []
    for labels in parts:
        own = scores[start : start + len(labels)]
        pairs = [(i, j) for i in range(len(labels)) for j in range(len(labels)) if labels[i] > labels[j]]
        hinges += [max(0, 1 - (own[i] - own[j])) for i, j in pairs]
        start += len(labels)
    np.testing.assert_allclose(loss - out @ scores, np.mean(hinges), atol=1e-12)


def test_it_is_the_linear_svm_of_the_pairs() -> None:
    """OP 3 with the pairs built, by scikit-learn's dual coordinate descent."""
    from sklearn.svm import LinearSVC

    pages = synthetic(queries=8, documents=8, features=4, seed=3)
    rows = [range(8 * q, 8 * q + 8) for q in range(8)]
    pairs = np.array(
        [
            pages.features[i] - pages.features[j]
            for own in rows
            for i in own
            for j in own
            if pages.labels[i] > pages.labels[j]
        ]
    )
    signs = np.where(np.arange(len(pairs)) % 2, 1, -1)  # it needs two classes: turn every other pair round
    peer = LinearSVC(loss="hinge", fit_intercept=False, C=50 / len(pairs), tol=1e-9, max_iter=1_000_000)
    peer.fit(pairs * signs[:, None], signs)
    ours = SVMPairwise(C=50, tolerance=1e-7, rescale=False)
    ours.fit(pages.features, pages.labels, np.repeat(np.arange(8), 8))
    np.testing.assert_allclose(ours.coef_, peer.coef_[0], atol=2e-3)
    primal = peer.coef_[0] @ peer.coef_[0] / 2 + 50 * np.maximum(0, 1 - pairs @ peer.coef_[0]).mean()
    assert ours.primal_ == pytest.approx(primal, rel=1e-5)
    assert ours.dual_ <= primal


def test_five_folds_of_mq2008_reach_the_published_level(data: Callable[[str], Path]) -> None:
    folder = data("mq2008/S1.txt.gz").parent
    found = []
    for number in range(1, 6):
        fold = read_fold(folder, number)
        qid = np.repeat(np.arange(fold.train.n_queries), np.diff(fold.train.offsets))
        ranker = SVMPairwise(C=10.0).fit(fold.train.features, fold.train.labels, qid)
        found.append(mean(evaluate(fold.test, ranker.predict(fold.test.features), ["map"]), fold.test)["map"])
    assert 0.465 < np.mean(found) < 0.48  # LETOR 4.0: RankSVM-struct .470, RankBoost .478
