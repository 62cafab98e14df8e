from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist.core.memory import Floats, Ints
from duelist.offline.diversity import Candidates, choose_exactly, synthetic_queries
from duelist.offline.diversity.coverage import LEVELS, Features, word_coverage
from duelist.offline.diversity.training import Example, GreedyOracle, solve_greedily
from duelist.offline.structural import solve

from .cases import fast, small_queries

FEATURES = Features(tuple(LEVELS), (0.0, 0.3, 0.6))


def violation(example: Example, weights: Floats, chosen: Ints) -> float:
    return example.query.loss(chosen) + float(weights @ example.worth.joint_features(chosen))


@fast
@given(small_queries(width=1), st.integers(1, 3), st.integers(0, 99))
def test_the_exact_oracle_finds_the_most_violated_choice(query: Candidates, k: int, seed: int) -> None:
    example = Example(word_coverage(query, FEATURES), k)
    weights = np.random.default_rng(seed).normal(0, 0.3, example.worth.n_features)
    found = violation(example, weights, example.most_violated(weights, choose_exactly))
    subsets = combinations(range(query.n_documents), min(k, query.n_documents))
    assert found == pytest.approx(max(violation(example, weights, np.array(subset)) for subset in subsets))


@fast
@given(small_queries(width=1), st.integers(1, 3), st.integers(0, 99))
def test_the_greedy_oracle_adds_the_most_violating_document(query: Candidates, k: int, seed: int) -> None:
    example = Example(word_coverage(query, FEATURES), k)
    weights = np.random.default_rng(seed).normal(0, 0.3, example.worth.n_features)
    found = example.most_violated(weights).tolist()
    for place, document in enumerate(found):
        left = [d for d in range(query.n_documents) if d not in found[:place]]
        most = max(violation(example, weights, np.array([*found[:place], d])) for d in left)
        assert violation(example, weights, np.array([*found[:place], document])) == pytest.approx(most)


@fast
@given(small_queries(), st.integers(1, 3), st.integers(0, 99))
def test_a_plane_is_the_hinge_of_its_choice(query: Candidates, k: int, seed: int) -> None:
    example = Example(word_coverage(query, FEATURES), k)
    weights = np.random.default_rng(seed).normal(size=example.worth.n_features)
    chosen = example.most_violated(weights)
    plane = example.plane(chosen)
    truth = float(weights @ example.worth.joint_features(example.truth))
    assert plane.loss - weights @ plane.direction == pytest.approx(violation(example, weights, chosen) - truth)


def exact_risk(examples: list[Example], weights: Floats) -> float:
    hinges = []
    for example in examples:
        worst = example.most_violated(weights, choose_exactly)
        hinges.append(violation(example, weights, worst) - weights @ example.truth_features)
    return float(np.mean(hinges))


def test_the_oracle_never_forgets_and_never_overstates() -> None:
    queries = synthetic_queries(queries=4, documents=9, subtopics=5, vocabulary=60, length=12, seed=3)
    examples = [Example(word_coverage(query, FEATURES), 3) for query in queries]
    oracle, luck = GreedyOracle(examples), np.random.default_rng(0)
    planes = []
    for _ in range(40):
        weights = luck.normal(0, 0.1, oracle.n_features)
        plane = oracle(weights)
        planes.append(plane)
        found = plane.loss - weights @ plane.direction
        assert found <= exact_risk(examples, weights) + 1e-9
        assert found >= max(known.loss - weights @ known.direction for known in planes) - 1e-9


@pytest.mark.parametrize("nonnegative", [False, True])
def test_the_risk_is_above_the_loss_of_the_exact_prediction(nonnegative: bool) -> None:
    """Proposition 1: the risk by an exact oracle bounds the training loss; and what greed says is below it."""
    queries = synthetic_queries(queries=6, documents=9, subtopics=5, vocabulary=60, length=12, seed=3)
    features = Features(("occurs", "5 %"), (0.0, 0.2, 0.4, 0.6), bands=nonnegative)
    examples = [Example(word_coverage(query, features), 3) for query in queries]
    found = solve_greedily(GreedyOracle(examples), 0.1, 1e-3, 1000, None, nonnegative)
    losses = []
    for example in examples:
        coverage = example.worth
        best = choose_exactly(coverage.cover, coverage.benefits(found.weights), 3, coverage.bonus(found.weights))
        losses.append(example.query.loss(best))
    risk = exact_risk(examples, found.weights)
    assert np.mean(losses) <= risk + 1e-9
    assert found.primal <= 0.1 * risk + found.weights @ found.weights / 2 + 1e-9
    assert -1e-9 <= found.gap <= 1e-3 * 0.1
    assert found.primal >= 0.1 * np.mean([example.query.loss(example.truth) for example in examples])
    assert found.weights.any()
    assert (found.weights >= 0).all() == nonnegative


def test_greed_that_contradicts_itself_is_not_believed() -> None:
    """At weights of 0 greed overlooks what it finds a little later; the solver alone would stop there."""
    queries = synthetic_queries(queries=6, documents=9, subtopics=5, vocabulary=60, length=12, seed=3)
    examples = [
        Example(word_coverage(query, Features(("occurs", "5 %"), (0.0, 0.2, 0.4, 0.6))), 3) for query in queries
    ]
    oracle = GreedyOracle(examples)
    alone = solve(oracle, oracle.n_features, 0.1, 1e-4)
    assert not alone.weights.any()
    found = solve_greedily(GreedyOracle(examples), 0.1, 1e-3, 1000, None, False)
    assert found.dual > alone.primal
