from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize

from duelist.clicks import ClickModel, DynamicBayesian, Record
from duelist.core.memory import Flags, Floats, Ints

Lists = Callable[[int, int, int, np.random.Generator], Ints]
Walk = Callable[[Floats, Floats, Floats, np.random.Generator], Flags]
Records = Callable[[Ints, Flags], list[Record]]
Scores = Callable[[list[list[float]], list[float]], Floats]
Simulated = Callable[[int, int], list[Record]]

ATTRACTIVENESS = np.array([0.7, 0.2, 0.5, 0.35, 0.6])
SATISFACTION = np.array([0.5, 0.6, 0.2, 0.8, 0.35])
CONTINUATION = 0.85


@pytest.fixture
def simulated(lists: Lists, walk: Walk, records: Records) -> Simulated:
    def draw(pages: int, seed: int) -> list[Record]:
        rng = np.random.default_rng(seed)
        shown = lists(pages, ATTRACTIVENESS.size, 4, rng)
        after_click, after_skip = (1 - SATISFACTION[shown]) * CONTINUATION, np.full(shown.shape, CONTINUATION)
        return records(shown, walk(ATTRACTIVENESS[shown], after_click, after_skip, rng))

    return draw


def parameters(model: DynamicBayesian) -> list[float]:
    tables = model.attractiveness, model.satisfaction
    return [table["q", str(document)] for table in tables for document in range(5)] + [model.continuation]


def test_parameters_are_recovered(simulated: Simulated, standard_scores: Scores) -> None:
    fits = [DynamicBayesian.fit(simulated(3000, seed), strength=0) for seed in range(20)]
    truth = [*ATTRACTIVENESS, *SATISFACTION, CONTINUATION]
    assert np.abs(standard_scores([parameters(fit) for fit in fits], truth)).max() < 4.5


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_no_step_goes_down(simulated: Simulated, strength: float) -> None:
    pages = simulated(300, 1)
    model = DynamicBayesian.fit(pages, strength, tolerance=1e-9)
    assert len(model.trace) > 10
    assert np.diff(model.trace).min() > -1e-9
    if strength == 0:
        assert model.log_likelihood(pages) == pytest.approx(model.trace[-1])


def test_the_likelihood_is_as_high_as_a_general_optimiser_gets(simulated: Simulated) -> None:
    pages = simulated(200, 2)

    def loss(logits: Floats) -> float:
        p = 1 / (1 + np.exp(-logits))
        known, satisfying = ({("q", str(d)): float(p[first + d]) for d in range(5)} for first in (0, 5))
        return -DynamicBayesian(known, satisfying, float(p[10])).log_likelihood(pages)

    best = minimize(loss, np.zeros(11), method="L-BFGS-B")
    fitted = DynamicBayesian.fit(pages, strength=0, tolerance=1e-6, iterations=20_000)
    assert fitted.log_likelihood(pages) == pytest.approx(-best.fun, abs=1e-2)


def test_clicks_have_the_predicted_probabilities(check_clicks: Callable[[ClickModel, list[str]], None]) -> None:
    model = DynamicBayesian({("q", "a"): 0.6}, {("q", "a"): 0.3}, 0.9, prior=0.5, satisfaction_prior=0.4)
    check_clicks(model, ["a", "x", "b", "y"])


def test_satisfaction_is_not_learned_where_nothing_follows() -> None:
    pages = [Record(str(i), "ann", "q", 0.0, ("a", "b"), (1,)) for i in range(50)]
    assert DynamicBayesian.fit(pages).satisfaction["q", "b"] == 0.5
