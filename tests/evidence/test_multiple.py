"""Corrections against their definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.evidence.multiple import e_benjamini_hochberg, e_bonferroni, holm
from duelist.evidence.sequential import log_e_value

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=6)


def by_closed_testing(p_values: list[float], place: int) -> float:
    """The largest Bonferroni p-value of any set of hypotheses that holds this one: what Holm's shortcut computes."""
    others = [i for i in range(len(p_values)) if i != place]
    sets = [(place, *more) for size in range(len(others) + 1) for more in combinations(others, size)]
    return max(min(1.0, len(chosen) * min(p_values[i] for i in chosen)) for chosen in sets)


@given(P_VALUES)
def test_holm_is_closed_testing_with_bonferroni(p_values: list[float]) -> None:
    expected = [by_closed_testing(p_values, place) for place in range(len(p_values))]
    assert holm(p_values).tolist() == pytest.approx(expected)


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=8), st.sampled_from([0.05, 0.2]))
def test_the_largest_self_consistent_set_is_rejected(e_values: list[float], alpha: float) -> None:
    rejected = e_benjamini_hochberg(e_values, alpha)
    number = len(e_values)
    sizes = [k for k in range(1, number + 1) if sum(alpha * k * e >= number for e in e_values) >= k]
    assert rejected.sum() >= max(sizes, default=0)
    if sizes:
        assert all(alpha * max(sizes) * e >= number for e, out in zip(e_values, rejected, strict=True) if out)
    else:
        assert not rejected.any()


def test_e_bonferroni_divides_by_the_number() -> None:
    assert e_bonferroni([40.0, 2.0]).tolist() == [20, 1]
    assert e_bonferroni([]).tolist() == []


def test_many_rankers_without_a_difference_are_seldom_told_apart() -> None:
    luck = np.random.default_rng(0)
    wins = luck.binomial(1, 0.5, (2000, 10, 300)).cumsum(2)  # experiments, comparisons, users
    best = np.exp(log_e_value(wins, np.arange(1, 301) - wins).max(2))  # each watched at every user
    uncorrected = (best >= 20).any(1).mean()
    corrected = np.mean([(e_bonferroni(row) >= 20).any() for row in best])
    assert uncorrected > 0.1
    assert corrected <= 0.05


def test_values_out_of_range_are_refused() -> None:
    with pytest.raises(BadInput, match=r"a p-value must be at most 1, not 1\.5"):
        holm([0.5, 1.5])
    with pytest.raises(BadInput, match="every e-value must be a number of at least 0"):
        e_bonferroni([-1.0])
    with pytest.raises(BadInput, match="every p-value must be a number of at least 0"):
        holm([float("nan")])
