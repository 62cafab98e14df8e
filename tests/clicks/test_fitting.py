from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist.clicks.fitting import Prior, climb


@given(st.floats(0.01, 0.99), st.floats(0.1, 50), st.integers(0, 30), st.integers(0, 30))
def test_the_update_is_the_top_of_likelihood_and_prior(mean: float, strength: float, hits: int, misses: int) -> None:
    prior = Prior(mean, strength)
    top = prior.update(np.array([float(hits)]), np.array([float(hits + misses)]))

    def height(p: float) -> float:
        return hits * math.log(p) + misses * math.log(1 - p) + prior.log_density(np.array([p]))

    for other in (top[0] * 0.99, top[0] + 0.01 * (1 - top[0])):
        assert height(float(top[0])) > height(float(other))


def test_without_strength_the_share_counts_and_nothing_is_the_mean() -> None:
    prior = Prior(0.3, 0.0)
    assert prior.update(np.array([1.0, 0.0]), np.array([4.0, 0.0])).tolist() == [0.25, 0.3]
    assert prior.log_density(np.array([0.0, 1.0])) == 0.0


def test_climbing_ends_when_a_step_gains_little() -> None:
    found, heights = climb(lambda x: (x / 2, -x), 1.0, iterations=100, tolerance=0.1)
    assert heights == (-1.0, -0.5, -0.25, -0.125, -0.0625)
    assert found == 0.0625
    assert len(climb(lambda x: (x / 2, -x), 1.0, iterations=3, tolerance=0.1)[1]) == 3


def test_the_prior_of_several_values_is_a_sum() -> None:
    prior = Prior(0.2, 5.0)
    both = prior.log_density(np.array([0.3, 0.6]))
    assert both == pytest.approx(prior.log_density(np.array([0.3])) + prior.log_density(np.array([0.6])))
    assert prior.log_density(np.array([0.3])) == pytest.approx(np.log(0.3) + 4 * np.log(0.7))
