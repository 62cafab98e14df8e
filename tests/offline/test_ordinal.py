from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.data import read_fold, synthetic
from duelist.offline.classification import SVMAcc
from duelist.offline.ordinal import SVMDecomposition, SVMOrdinal, entries_of, pool
from duelist.offline.queries import group
from duelist.offline.ranker import Untrained


def constraints(levels: Ints) -> tuple[Floats, Floats, Floats]:
    """OP 2 row by row: sign * (score - threshold) >= 1 - slack, as (sign, document, threshold)."""
    rows = [(1, i, level - 1) for i, level in enumerate(levels) if level > 0]
    rows += [(-1, i, level) for i, level in enumerate(levels) if level < max(levels)]
    return tuple(np.array(column) for column in zip(*rows, strict=True))  # type: ignore[return-value]


def least_risk(scores: Floats, levels: Ints) -> float:
    """The best thresholds in order, by linear programming."""
    signs, rows, thresholds = constraints(levels)
    count, n = int(max(levels)), len(signs)
    matrix = np.zeros((n + count - 1, count + n))
    matrix[np.arange(n), thresholds] = signs
    matrix[np.arange(n), count + np.arange(n)] = -1
    for j in range(count - 1):
        matrix[n + j, j], matrix[n + j, j + 1] = 1, -1
    upper = np.concatenate([signs * scores[rows] - 1, np.zeros(count - 1)])
    price = np.concatenate([np.zeros(count), np.ones(n) / len(levels)])
    bounds = [(None, None)] * count + [(0, None)] * n
    best: Any = linprog(price, A_ub=matrix, b_ub=upper, bounds=bounds)
    return float(best.fun)


levels_and_scores = st.lists(st.integers(0, 3), min_size=2, max_size=8).flatmap(
    lambda labels: st.tuples(
        st.just(labels),
        st.lists(st.integers(-6, 6).map(lambda n: n / 2), min_size=len(labels), max_size=len(labels)),
    )
)


@settings(max_examples=500, deadline=None)
@given(levels_and_scores, st.integers(0, 1000))
def test_the_thresholds_are_the_best_and_the_plane_is_below_the_risk(case: Any, seed: int) -> None:
    labels, scores = np.array(case[0], float), np.array(case[1])
    if labels.min() == labels.max():
        return
    queries = group(scores[:, None], labels, None)
    levels = np.unique(queries.labels, return_inverse=True)[1]
    own, out = queries.features[:, 0], np.empty(len(labels))
    loss = SVMOrdinal().finder(queries)(own, out)
    np.testing.assert_allclose(loss - out @ own, least_risk(own, levels), atol=1e-9)
    thresholds, _ = pool(own, entries_of(queries.labels))
    assert (np.diff(thresholds) >= 0).all()
    other = np.random.default_rng(seed).integers(-6, 7, len(own)) / 2
    assert loss - out @ other <= least_risk(other, levels) + 1e-9


def test_the_objective_agrees_with_an_independent_solver() -> None:
    pages = synthetic(queries=1, documents=30, features=3, grades=3, seed=1)
    signs, rows, thresholds = constraints(pages.labels)
    n, cost = len(signs), 5.0

    def short(z: Floats) -> Any:
        return signs * (pages.features[rows] @ z[:3] - z[3 + thresholds]) - 1 + z[5:]

    program: Any = minimize  # its types do not know these constraints
    result = program(
        lambda z: z[:3] @ z[:3] / 2 + cost * z[5:].sum() / 30,
        np.concatenate([np.zeros(5), np.full(n, 2.0)]),
        bounds=[(None, None)] * 5 + [(0, None)] * n,
        constraints=[{"type": "ineq", "fun": short}, {"type": "ineq", "fun": lambda z: z[4] - z[3]}],
        method="SLSQP",
        options={"ftol": 1e-11, "maxiter": 1000},
    )
    ours = SVMOrdinal(C=cost, tolerance=1e-6, rescale=False).fit(pages.features, pages.labels)
    assert result.success
    assert ours.primal_ == pytest.approx(result.fun, abs=1e-4)
    assert ours.dual_ <= result.fun + 1e-5
    np.testing.assert_allclose(ours.coef_, result.x[:3], atol=1e-2)


def test_a_decomposition_is_the_sum_of_its_classifiers() -> None:
    pages = synthetic(queries=1, documents=40, features=3, grades=3, seed=1)
    parts = [SVMAcc(10, relevant=label).fit(pages.features, pages.labels) for label in (1, 2)]
    ranker = SVMDecomposition(10).fit(pages.features, pages.labels)
    np.testing.assert_array_equal(ranker.coef_, parts[0].coef_ + parts[1].coef_)
    assert ranker.primal_ == parts[0].primal_ + parts[1].primal_
    assert ranker.n_queries_ == 1


@pytest.mark.parametrize("kind", [SVMOrdinal, SVMDecomposition])
def test_all_queries_count(kind: Any) -> None:
    labels = [0, 1, 2, 0, 1, 1, 2]
    ranker = kind().fit(np.array(labels, float)[:, None], labels, qid=[1, 1, 1, 2, 2, 3, 3])
    assert ranker.n_queries_ == 3


@pytest.mark.parametrize("kind", [SVMOrdinal, SVMDecomposition])
def test_one_label_is_nothing_to_learn(kind: Any) -> None:
    with pytest.raises(BadInput, match="all documents have the same label, 2"):
        kind().fit([[0.0], [1.0]], [2, 2])


def no_weights_are_best(features: Floats, labels: Ints) -> bool:
    """Whether the risk of OP 2 cannot be less than that of no weights: then none are the best at any C.

    At w = 0 all thresholds are where most entries have no risk. If the subgradient there can be 0, by shares of the
    entries that are just not violated, w = 0 minimises the risk, which is convex. All labels above the smallest
    together must be fewer than half for these thresholds: 1, and documents below them at the edge.
    """
    top, width = int(labels.max()), features.shape[1]
    upper, lower = np.flatnonzero(labels > 0), np.flatnonzero(labels < top)
    shares, falls = np.zeros((width + top, len(lower))), np.zeros((width + top, top - 1))
    shares[:width] = features[lower].T
    shares[width + labels[lower], np.arange(len(lower))] = 1
    for j in range(top - 1):  # thresholds that are equal may push against each other
        falls[width + j, j], falls[width + j + 1, j] = -1, 1
    wanted = np.concatenate([features[upper].sum(0), np.bincount(labels[upper] - 1, minlength=top)])
    bounds = [(0, 1)] * len(lower) + [(0, None)] * (top - 1)
    found: Any = linprog(np.zeros(len(bounds)), A_eq=np.hstack([shares, falls]), b_eq=wanted, bounds=bounds)
    return bool(found.status == 0)


@pytest.mark.parametrize("noise", [0.1, 4.0])
@pytest.mark.filterwarnings("ignore::duelist.offline.Untrained")
def test_untrained_means_that_no_weights_are_best_at_any_cost(noise: float) -> None:
    pages = synthetic(queries=1, documents=60, features=3, grades=3, noise=noise, seed=1)
    labels = np.maximum(pages.labels - 1, 0)  # three quarters have label 0
    labels[np.flatnonzero(pages.labels == 2)[::3]] = 2
    none = no_weights_are_best(pages.features, labels)
    assert none == (noise > 1)
    for cost in (0.01, 1.0, 1000.0):
        assert SVMOrdinal(C=cost).fit(pages.features, labels).trained_ != none


def test_no_weights_are_best_on_mq2008(data: Callable[[str], Path]) -> None:
    train = read_fold(data("mq2008/S1.txt.gz").parent, 1).train
    assert no_weights_are_best(train.features, train.labels)
    with pytest.warns(Untrained, match="untrained"):
        SVMOrdinal(C=1000.0).fit(train.features, train.labels)
