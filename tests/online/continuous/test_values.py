import math

import numpy as np
import pytest

from duelist.core.compile import python_function
from duelist.core.memory import Floats
from duelist.online.continuous.links import LINKS
from duelist.online.continuous.values import VALUES


def by_the_paper(name: str, w: Floats) -> float:
    """Section 5.1, coordinates counted from 1."""
    i = np.arange(1, len(w) + 1)
    third = -(w[i % 2 == 1] ** 2).sum() - np.abs(w[i % 2 == 0]).sum()
    fifth = third - np.exp(np.maximum(w[i % 3 == 1], 0)).sum() - np.exp(np.maximum(-w[i % 3 == 2], 0)).sum()
    return float(
        {
            "p1": -(w @ w),
            "p2": -np.abs(w).sum(),
            "p3": third,
            "p4": -(np.exp(w) + np.exp(-w)).sum(),
            "p5": fifth,
        }[name]
    )


@pytest.mark.parametrize("name", VALUES)
def test_values_are_the_papers_and_best_at_0(name: str) -> None:
    luck, value = np.random.default_rng(0), python_function(VALUES[name].function)
    for _ in range(50):
        w = luck.normal(0, 1.5, 50)
        assert value(w) == pytest.approx(by_the_paper(name, w))
        assert value(w) < value(0.01 * w) < value(np.zeros(50))


def test_the_best_values_at_50_dimensions_are_those_worked_out() -> None:
    best = {name: python_function(value.function)(np.zeros(50)) for name, value in VALUES.items()}
    assert best == {"p1": 0, "p2": 0, "p3": 0, "p4": -100, "p5": -34}


@pytest.mark.parametrize("name", LINKS)
def test_links_rise_from_0_to_1_and_are_symmetric(name: str) -> None:
    link = python_function(LINKS[name])
    x = np.linspace(-30, 30, 1201)
    y = np.array([link(each) for each in x])
    assert (np.diff(y) >= 0).all()
    assert (np.diff(y[500:701]) > 0).all()
    assert np.allclose(y + y[::-1], 1, rtol=0, atol=1e-14)
    assert link(-800.0) == 0
    assert link(800.0) == 1
    assert np.diff(y).argmax() in (599, 600)


def test_links_are_the_named_distribution_functions() -> None:
    assert python_function(LINKS["logistic"])(1.3) == pytest.approx(1 / (1 + math.exp(-1.3)))
    assert python_function(LINKS["normal"])(1.96) == pytest.approx(0.9750021)
