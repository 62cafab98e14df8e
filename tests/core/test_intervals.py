"""Intervals of means are those of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from duelist.core.intervals import interval, student_quantile


@pytest.mark.parametrize("freedom", [*range(1, 60), 99, 100, 999, 10_000, 100_001])
@pytest.mark.parametrize("chance", [0.6, 0.975, 0.9995])
def test_the_quantile_is_that_of_scipy(freedom: int, chance: float) -> None:
    assert student_quantile(freedom, chance) == pytest.approx(special.stdtrit(freedom, chance), rel=1e-10)


def test_the_interval_is_that_of_scipy() -> None:
    samples = np.random.default_rng(1).normal(size=(7, 3))
    mean, low, high = interval(samples)
    expected = stats.t.interval(0.95, 6, loc=samples.mean(0), scale=stats.sem(samples))
    np.testing.assert_allclose(mean, samples.mean(0))
    np.testing.assert_allclose(np.array([low, high]), np.array(expected), rtol=1e-12)


def test_one_run_has_no_limits() -> None:
    mean, low, high = interval(np.array([[1.0, 2.0]]))
    np.testing.assert_array_equal(mean, [1.0, 2.0])
    assert np.isnan([low, high]).all()
