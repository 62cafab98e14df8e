from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import given, settings

from duelist.core.compile import plain
from duelist.core.memory import Floats
from duelist.data import average_precision, evaluate, mean, read_fold
from duelist.offline.average_precision import Scratch, SVMMap, harmonic_numbers, most_violated
from duelist.offline.queries import Queries
from duelist.offline.rankers import query_numbers

from .brute import Labels, Rankings, all_rankings, binary, cases, check_finder, pair_coefficients, queries_of


@cache
def rankings(labels: Labels) -> Rankings:
    return all_rankings(labels, lambda ranking: 1 - average_precision(ranking), pair_coefficients)


@settings(max_examples=1000, deadline=None)
@given(cases(binary))
def test_the_oracle_finds_the_worst_of_all_rankings(case: tuple[list[Labels], Floats]) -> None:
    parts, scores = case
    check_finder(SVMMap().finder(queries_of(parts)), scores, [rankings(part) for part in parts])


def as_printed(relevant: Floats, others: Floats) -> float:
    """Alg. 2 line by line, on sorted scores: the largest violation."""
    p, n, total = len(relevant), len(others), 0.0
    for j in range(1, n + 1):
        steps = [
            (j / (j + k) - (j - 1) / (j + k - 1)) / p - 2 * (relevant[k - 1] - others[j - 1]) / (p * n)
            for k in range(1, p + 1)
        ]
        total += max(sum(steps[k:]) for k in range(p + 1))
    return total


def test_the_oracle_agrees_with_the_algorithm_as_printed_on_larger_queries() -> None:
    rng = np.random.default_rng(1)
    for p, n, scale in [(1, 90, 1.0), (90, 1, 1.0), (40, 70, 5.0), (70, 130, 0.1), (30, 60, 0.0), (60, 60, 30.0)]:
        scores = np.round(scale * rng.standard_normal(p + n), 1)
        queries = Queries(np.zeros((p + n, 0)), np.repeat([1.0, 0.0], [p, n]), np.array([0, p + n]))
        out = np.empty(p + n)
        loss = SVMMap().finder(queries)(scores, out)
        wanted = as_printed(-np.sort(-scores[:p]), -np.sort(-scores[p:]))
        np.testing.assert_allclose(loss - out @ scores, wanted, rtol=1e-11)


def test_the_slack_bounds_the_loss(data: Callable[[str], Path]) -> None:
    """Proposition 1, at the weights found and at others."""
    train = read_fold(data("mq2008/S1.txt.gz").parent, 1).train
    qid = np.repeat(np.arange(train.n_queries), np.diff(train.offsets))
    ranker = SVMMap(C=10).fit(train.features, train.labels, qid)
    hits = np.add.reduceat(train.labels > 0, train.offsets[:-1])
    both = (hits > 0) & (hits < np.diff(train.offsets))
    assert ranker.n_queries_ == both.sum()
    risk = 1 - evaluate(train, ranker.predict(train.features), ["map"])["map"][both].mean()
    slack = (ranker.primal_ - ranker.coef_ @ ranker.coef_ / 2) / 10
    assert risk <= slack
    assert risk < 0.9 * slack < 0.7  # a bound, not the loss itself, and better than no weights


def test_five_folds_of_mq2008_reach_the_published_level(data: Callable[[str], Path]) -> None:
    folder = data("mq2008/S1.txt.gz").parent
    found = []
    for number in range(1, 6):
        fold = read_fold(folder, number)
        qid = np.repeat(np.arange(fold.train.n_queries), np.diff(fold.train.offsets))
        ranker = SVMMap(C=1.0).fit(fold.train.features, fold.train.labels, qid)
        scores = ranker.predict(fold.test.features)
        found.append(mean(evaluate(fold.test, scores, ["map"]), fold.test)["map"])
    assert 0.465 < np.mean(found) < 0.48  # LETOR 4.0: RankSVM-struct .470, ListNet .478


def test_every_c_down_to_a_millionth_learns(data: Callable[[str], Path]) -> None:
    """Weights shrink with C, and so does what they gain; what they rank by does not."""
    fold = read_fold(data("mq2008/S1.txt.gz").parent, 1)
    train, test = ((part.features, part.labels, query_numbers(part)) for part in (fold.train, fold.test))
    rankers = [SVMMap(C=10.0**power).fit(*train) for power in range(-6, 2)]
    assert all(ranker.trained_ for ranker in rankers)
    reached = np.array([ranker.score(*test) for ranker in rankers])
    assert reached.min() > 0.44
    assert np.abs(np.diff(reached)).max() < 0.01
    lengths = np.array([np.linalg.norm(ranker.coef_) for ranker in rankers])
    assert (np.diff(lengths) > 0).all()
    np.testing.assert_allclose(lengths[1:4] / lengths[:3], 10.0, rtol=1e-3)  # where only the mean of all pairs counts


def test_the_compiled_code_is_the_python_code() -> None:
    rng = np.random.default_rng(1)
    offsets, relevant, harmonic = np.array([0, 5, 120]), np.array([2, 55]), harmonic_numbers(115)
    scores = rng.standard_normal(120)
    found = []
    for function in (most_violated, plain(most_violated)):
        scratch, out = Scratch(np.empty(115, np.int64), np.empty(115, np.int64), np.zeros(116)), np.empty(120)
        found.append([function(scores, offsets, relevant, harmonic, scratch, out), *out])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
