from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from duelist.interleaving import Probabilistic, Shown


def scores_by_enumeration(rows: list[list[float]]) -> list[float]:
    """Every assignment of the clicks to the rankers, weighted by its probability."""
    rankers = len(rows[0])
    scores = [0.0] * rankers
    for assignment in product(range(rankers), repeat=len(rows)):
        weight = math.prod(row[ranker] for row, ranker in zip(rows, assignment, strict=True))
        owned = [assignment.count(ranker) for ranker in range(rankers)]
        for i in range(rankers):
            scores[i] += weight * sum(owned[i] > owned[j] for j in range(rankers) if j != i) / (rankers - 1)
    return scores


chances = st.integers(2, 4).flatmap(
    lambda rankers: st.lists(
        st.lists(st.floats(0.01, 1), min_size=rankers, max_size=rankers), min_size=1, max_size=6 if rankers < 4 else 5
    )
)


@given(chances)
@settings(max_examples=100, deadline=None)
def test_credit_is_that_of_every_assignment(raw: list[list[float]]) -> None:
    rows = [[chance / sum(row) for chance in row] for row in raw]
    shown = Shown(tuple(range(len(rows))), len(rows[0]), "probabilistic", weights=tuple(map(tuple, rows)))
    clicks = range(len(rows))
    assert_allclose(Probabilistic().credit(shown, clicks), scores_by_enumeration(rows), atol=1e-14)
    batch = Probabilistic().credit_many(np.array([rows]), np.ones((1, len(rows)), np.bool_))
    assert_allclose(batch[0], Probabilistic().credit(shown, clicks), atol=1e-15)


def outcomes_in_fractions(
    first: str, second: str, length: int, tau: int
) -> dict[tuple[str, tuple[int, ...]], Fraction]:
    """Every list with every assignment, drawn as in the paper: a ranker by coin, then one of its documents."""
    ranks = [{d: r for r, d in enumerate(ranking, 1)} for ranking in (first, second)]
    found: dict[tuple[str, tuple[int, ...]], Fraction] = {("", ()): Fraction(1)}
    for _ in range(length):
        longer: dict[tuple[str, tuple[int, ...]], Fraction] = defaultdict(Fraction)
        for (shown, assignment), chance in found.items():
            for ranker in (0, 1):
                left = {d: Fraction(1, r**tau) for d, r in ranks[ranker].items() if d not in shown}
                for document, weight in left.items():
                    key = shown + document, (*assignment, ranker)
                    longer[key] += chance * Fraction(1, 2) * weight / sum(left.values())
        found = dict(longer)
    return found


@pytest.mark.parametrize(("tau", "length"), [(3, 4), (1, 4), (3, 2)])
def test_lists_and_assignments_follow_the_paper(tau: int, length: int) -> None:
    """The probability of a list is that of all its assignments, and a weight the share of those of one ranker."""
    joint = outcomes_in_fractions("abcd", "cdab", length, tau)
    outcomes = Probabilistic(tau=tau).distribution(["abcd", "cdab"], length)
    assert len(outcomes) == len({shown for shown, _ in joint})
    for chance, shown in outcomes:
        mine = {a: p for (ranking, a), p in joint.items() if tuple(ranking) == shown.ranking}
        assert chance == pytest.approx(float(sum(mine.values())), abs=1e-15)
        for slot, row in enumerate(shown.weights):
            share = sum(p for a, p in mine.items() if a[slot] == 0) / sum(mine.values())
            assert row[0] == pytest.approx(float(share), abs=1e-14)


def expected_preference(second: str, relevant: str, tau: int) -> Fraction:
    """In fractions: clicks with probability 1/2 on relevant documents, sign of the difference of owned clicks."""
    total = Fraction(0)
    for (shown, assignment), chance in outcomes_in_fractions("abcde", second, 5, tau).items():
        slots = [slot for slot, document in enumerate(shown) if document in relevant]
        for clicked in product((0, 1), repeat=len(slots)):
            difference = sum(1 - 2 * assignment[s] for s, click in zip(slots, clicked, strict=True) if click)
            total += chance * Fraction(int(np.sign(difference)), 2 ** len(slots))
    return total


def test_fidelity_depends_on_tau() -> None:
    """With tau 3 the better of abcde and eacbd loses when c and d are relevant; with tau 1 it wins."""
    assert float(expected_preference("eacbd", "cd", tau=3)) == pytest.approx(-0.015580, abs=1e-6)
    assert float(expected_preference("eacbd", "cd", tau=1)) == pytest.approx(0.018739, abs=1e-6)


def test_the_compiled_draws_follow_the_distribution() -> None:
    rankings = ["abcd", "bdxa", "dcab"]
    numbers = {document: n for n, document in enumerate("abcdx")}
    table = np.array([[[numbers[d] for d in ranking] for ranking in rankings]])
    draws = 60_000
    shown, weights = Probabilistic().combine_many(np.repeat(table, draws, 0), 3, np.random.default_rng(4))
    for chance, outcome in Probabilistic().distribution(rankings, 3):
        same = (shown == [numbers[str(d)] for d in outcome.ranking]).all(1)
        assert abs(same.sum() - draws * chance) < 5 * np.sqrt(draws * chance) + 1
        assert_allclose(weights[same], np.broadcast_to(outcome.weights, weights[same].shape), atol=1e-12)


def test_one_by_one_and_batch_agree_given_the_same_luck() -> None:
    rng = np.random.default_rng(0)
    for seed in range(50):
        rankings = [rng.permutation(8)[: rng.integers(3, 9)].tolist() for _ in range(3)]
        table = np.array([[r + [-1] * (8 - len(r)) for r in rankings]])
        length = min(6, len(set().union(*rankings)))
        one = Probabilistic().combine(rankings, length, np.random.default_rng(seed))
        shown, weights = Probabilistic().combine_many(table, length, np.random.default_rng(seed))
        assert shown[0].tolist() == list(one.ranking)
        counted = min(length, *map(len, rankings))
        assert_allclose(weights[0, :counted], one.weights, atol=1e-15)
        assert not weights[0, counted:].any()


def test_without_decay_every_document_is_as_likely() -> None:
    for chance, _ in Probabilistic(tau=0).distribution(["abc", "cab"], 3):
        assert chance == pytest.approx(1 / 6)


def test_long_lists_keep_their_precision() -> None:
    """At rank 1,000 a document weighs 1e-9 of the first: what is left is added up anew, not subtracted."""
    ranking = list(range(1000))
    shown = Probabilistic().combine([ranking, ranking], 1000, np.random.default_rng(0))
    assert sorted(map(int, map(str, shown.ranking))) == ranking
    assert_allclose(np.array(shown.weights), 0.5, atol=1e-12)


def test_compiled_and_plain_python_draw_the_same() -> None:
    from duelist.core.compile import plain
    from duelist.interleaving.probabilistic import _combine_many, _decay

    rankings = np.random.default_rng(0).permuted(np.tile(np.arange(6), (20, 3, 1)), axis=2)
    compiled = Probabilistic().combine_many(rankings, 5, np.random.default_rng(1))
    shown, weights = np.empty((20, 5), np.int64), np.empty((20, 5, 3))
    scratch = np.empty(10), np.empty((3, 6))
    plain(_combine_many)(rankings, _decay(3.0, 6), 5, np.random.default_rng(1), *scratch, shown, weights)
    assert (compiled[0] == shown).all()
    assert_allclose(compiled[1], weights, atol=1e-15)
