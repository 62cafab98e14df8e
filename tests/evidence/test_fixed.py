"""The fixed tests agree with scipy's, and answer where those warn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from duelist.core.errors import BadInput
from duelist.evidence.fixed import FIXED_TESTS, sign_test, t_test, wilcoxon_test, z_test

VARIED = st.lists(st.integers(-5, 5), min_size=2, max_size=60).filter(lambda deltas: len(set(deltas)) > 1)


@given(VARIED)
def test_the_sign_test_is_the_binomial_one(deltas: list[int]) -> None:
    wins, losses = sum(d > 0 for d in deltas), sum(d < 0 for d in deltas)
    test = sign_test(deltas)
    assert (test.n, test.statistic) == (wins + losses, wins)
    assert test.p_value == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, rel=1e-9)


@given(VARIED)
def test_the_t_test_is_scipys(deltas: list[int]) -> None:
    expected = stats.ttest_1samp(deltas, 0.0)
    test = t_test(deltas)
    assert test.statistic == pytest.approx(float(expected.statistic), abs=1e-12)
    assert test.p_value == pytest.approx(float(expected.pvalue), rel=1e-9)
    assert test.estimate == pytest.approx(np.mean(deltas))


@given(VARIED)
def test_the_z_test_follows_the_formula_of_the_thesis(deltas: list[int]) -> None:
    n, mean = len(deltas), sum(deltas) / len(deltas)
    error = math.sqrt(sum((mean - delta) ** 2 for delta in deltas) / n) / math.sqrt(n)
    test = z_test(deltas)
    assert test.statistic == pytest.approx(mean / error, abs=1e-12)
    assert test.p_value == pytest.approx(2 * stats.norm.sf(abs(mean / error)), rel=1e-9)


@given(VARIED.filter(any))
def test_the_rank_test_is_scipys_with_the_normal_distribution(deltas: list[int]) -> None:
    expected = stats.wilcoxon(deltas, zero_method="wilcox", correction=False, method="approx")
    ranks = stats.rankdata(np.abs([delta for delta in deltas if delta]))
    test = wilcoxon_test(deltas)
    assert test.p_value == pytest.approx(float(expected.pvalue), rel=1e-9)
    assert test.statistic == pytest.approx(float(np.sign([delta for delta in deltas if delta]) @ ranks))
    assert abs(test.estimate) <= 1


@pytest.mark.parametrize("deltas", [[], [0.0], [0.0] * 9])
def test_without_evidence_nothing_is_found(deltas: list[float]) -> None:
    for test in FIXED_TESTS:
        assert test(deltas).p_value == 1
        assert test(deltas).statistic == 0


def test_equal_deltas_count_as_as_many_wins() -> None:
    for value in (0.1, -3.0):
        assert z_test([value] * 25).statistic == math.copysign(5, value)
        assert t_test([value] * 25).statistic == math.copysign(5, value)
    assert t_test([0.1]).p_value == 1
    assert z_test([0.1]).p_value == pytest.approx(0.3173, abs=1e-4)


@given(VARIED)
def test_swapping_the_rankers_turns_the_answer(deltas: list[int]) -> None:
    turned = [-delta for delta in deltas]
    for test in FIXED_TESTS:
        assert test(turned).p_value == pytest.approx(test(deltas).p_value)
    assert z_test(turned).statistic == pytest.approx(-z_test(deltas).statistic)


def test_a_delta_that_is_no_number_is_named() -> None:
    for test in FIXED_TESTS:
        with pytest.raises(BadInput, match="delta 1 must be a finite number"):
            test([0.0, math.nan])
