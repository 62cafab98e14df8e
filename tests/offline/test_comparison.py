from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import wilcoxon

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.data import Dataset, Fold, evaluate, read_fold, synthetic
from duelist.offline.comparison import compare, format_comparison

PAGES = synthetic(queries=90, documents=12, features=5, noise=0.3, seed=1)
FOLD = Fold(*(PAGES.select(range(start, start + 30)) for start in (0, 30, 60)))


def test_wins_ties_losses_and_the_test_are_paired_by_query() -> None:
    fitted, found = compare(["svm-roc", "svm-acc", "svm-map"], [FOLD, FOLD], {"C": [1.0]})
    assert [row.second for row in found] == ["svm-acc", "svm-map"]
    one, other = (np.concatenate([part.values["map"] for part in parts]) for parts in fitted[:2])
    row = found[0]
    assert [row.wins, row.losses] == [(one > other).sum(), (one < other).sum()]
    assert row.wins + row.ties + row.losses == 60
    assert row.difference == pytest.approx((one - other).mean())
    assert row.p_value == pytest.approx(wilcoxon(one - other, method="approx").pvalue)


def test_the_tables_name_everything() -> None:
    text = format_comparison(*compare(["svm-roc", "lightgbm"], [FOLD], {"C": [1.0], "trees": [10]}))
    assert "svm-roc against, by map" in text
    assert "win/tie/loss" in text
    assert "C=1" in text


def test_the_table_says_what_is_untrained() -> None:
    pages = replace(PAGES, features=PAGES.features * 0.0)
    fold = Fold(*(pages.select(range(start, start + 30)) for start in (0, 30, 60)))
    text = format_comparison(*compare(["svm-roc", "lightgbm"], [fold, FOLD], {"C": [1.0], "trees": [10]}))
    assert "C=1,1, untrained: 1" in text
    assert text.count("untrained: 1") == 2


def test_bad_requests_are_named() -> None:
    with pytest.raises(BadInput, match="two or more different rankers, not svm-map"):
        compare(["svm-map"], [FOLD])
    with pytest.raises(BadInput, match="two or more different rankers"):
        compare(["svm-map", "svm-map"], [FOLD])
    with pytest.raises(BadInput, match="none of svm-map, svm-roc has a parameter 'trees'"):
        compare(["svm-map", "svm-roc"], [FOLD], {"trees": [1]})


def logistic(train: Dataset, strength: float) -> Floats:
    """Weights of the plain pairwise logistic model: the mean over all pairs, and a ridge."""
    parts = []
    for query in range(train.n_queries):
        features, labels = train.features[train.rows(query)], train.labels[train.rows(query)]
        better, worse = np.nonzero(labels[:, None] > labels)
        parts.append(features[better] - features[worse])
    pairs = np.concatenate(parts)

    def objective(weights: Floats) -> tuple[float, Floats]:
        margins = pairs @ weights
        chance = 1 / (1 + np.exp(margins))
        value = np.logaddexp(0, -margins).mean() + strength / 2 * weights @ weights
        return float(value), strength * weights - chance @ pairs / len(pairs)

    return np.asarray(minimize(objective, np.zeros(pairs.shape[1]), jac=True, method="L-BFGS-B").x)


def test_svms_are_not_below_trees_nor_the_plain_logistic_model_on_mq2008(data: Callable[[str], Path]) -> None:
    pytest.importorskip("lightgbm")
    folder = data("mq2008/S1.txt.gz").parent
    folds = [read_fold(folder, number) for number in range(1, 6)]
    trees: dict[str, list[float]] = {"leaves": [7, 15], "trees": [50, 100], "rate": [0.05]}  # chosen on vali, as C is
    fitted, found = compare(["lightgbm", "svm-map", "svm-pairwise"], folds, trees)
    peers = [evaluate(fold.test, fold.test.features @ logistic(fold.train, 1e-3), ["map"])["map"] for fold in folds]
    for row, parts in zip(found, fitted[1:], strict=True):
        assert 0.470 < np.mean([part.metrics["map"] for part in parts]) < 0.480
        assert row.difference < 0 or row.p_value > 0.05
        deltas = np.concatenate([part.values["map"] for part in parts]) - np.concatenate(peers)
        assert deltas.mean() > 0 or wilcoxon(deltas).pvalue > 0.05
