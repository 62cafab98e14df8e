from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from duelist.clicks import ClickModel, PositionBased, Record
from duelist.core.errors import BadInput
from duelist.core.memory import Flags, Floats, Ints

Lists = Callable[[int, int, int, np.random.Generator], Ints]
Records = Callable[[Ints, Flags], list[Record]]
Scores = Callable[[list[list[float]], list[float]], Floats]

ATTRACTIVENESS = np.array([0.8, 0.2, 0.5, 0.35, 0.65])
EXAMINATION = np.array([1.0, 0.6, 0.4, 0.25])


@pytest.fixture
def simulated(lists: Lists, records: Records) -> Callable[[int, int], list[Record]]:
    def draw(pages: int, seed: int) -> list[Record]:
        rng = np.random.default_rng(seed)
        shown = lists(pages, ATTRACTIVENESS.size, EXAMINATION.size, rng)
        return records(shown, rng.random(shown.shape) < ATTRACTIVENESS[shown] * EXAMINATION)

    return draw


def parameters(model: PositionBased) -> list[float]:
    return [*(model.attractiveness["q", str(d)] for d in range(5)), *map(float, model.examination[1:])]


def test_parameters_are_recovered(simulated: Callable[[int, int], list[Record]], standard_scores: Scores) -> None:
    fits = [PositionBased.fit(simulated(3000, seed), strength=0) for seed in range(20)]
    assert {float(fit.examination[0]) for fit in fits} == {1.0}
    truth = [*ATTRACTIVENESS, *EXAMINATION[1:]]
    assert np.abs(standard_scores([parameters(fit) for fit in fits], truth)).max() < 4.5


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_no_step_goes_down(simulated: Callable[[int, int], list[Record]], strength: float) -> None:
    pages = simulated(300, 1)
    model = PositionBased.fit(pages, strength, tolerance=1e-9)
    assert len(model.trace) > 10
    assert np.diff(model.trace).min() > -1e-9
    if strength == 0:
        assert model.log_likelihood(pages) == pytest.approx(model.trace[-1])


def test_the_likelihood_is_as_high_as_a_general_optimiser_gets(
    simulated: Callable[[int, int], list[Record]],
) -> None:
    pages = simulated(200, 2)

    def loss(logits: Floats) -> float:
        p = 1 / (1 + np.exp(-logits))
        known = {("q", str(d)): float(p[d]) for d in range(5)}
        return -PositionBased(known, p[5:]).log_likelihood(pages)

    best = minimize(loss, np.zeros(9), method="L-BFGS-B")
    fitted = PositionBased.fit(pages, strength=0, tolerance=1e-6, iterations=20_000)
    assert fitted.log_likelihood(pages) == pytest.approx(-best.fun, abs=1e-2)


def test_clicks_have_the_predicted_probabilities(check_clicks: Callable[[ClickModel, list[str]], None]) -> None:
    check_clicks(PositionBased({("q", "a"): 0.9, ("q", "b"): 0.6}, [1.0, 0.7, 0.5], prior=0.5), ["a", "x", "b", "y"])


def test_what_is_unknown_falls_back() -> None:
    model = PositionBased({("q", "a"): 0.8}, [1.0, 0.5], prior=0.3)
    assert model.probabilities(["a", "b", "a"], query="q").tolist() == [0.8, 0.15, 0.4]
    assert model.probabilities(["a"], query="another").tolist() == [0.3]


def test_a_rare_document_is_not_taken_for_certain() -> None:
    shown = ("a", "b")
    pages = [Record(str(i), "ann", "q", 0.0, shown, (0,)) for i in range(3)]
    careful = PositionBased.fit(pages).probabilities(shown, query="q")
    certain = PositionBased.fit(pages, strength=0, tolerance=1e-7).probabilities(shown, query="q")
    assert 0.9 > careful[0] > careful[1] > 0.05
    np.testing.assert_allclose(certain, [1, 0], atol=1e-3)


def test_bad_parameters_are_refused() -> None:
    bad: list[tuple[Any, str]] = [
        (({("q", "a"): 1.5}, [1.0]), r"attractiveness of \('q', 'a'\) must be a number from 0 to 1, not 1.5"),
        (({}, [0.5, -1]), "examination at 1 must be a number from 0 to 1, not -1"),
        (({}, []), "examination must have a probability for at least one rank"),
        (({}, [1.0], "often"), "prior must be a number from 0 to 1, not 'often'"),
    ]
    for arguments, complaint in bad:
        with pytest.raises(BadInput, match=complaint):
            PositionBased(*arguments)
    page = Record("1", "ann", "q", 0.0, ("a",), ())
    with pytest.raises(BadInput, match="at least one document"):
        PositionBased.fit([])
    with pytest.raises(BadInput, match="strength must be at least 0, not -1"):
        PositionBased.fit([page], strength=-1)
    with pytest.raises(BadInput, match="iterations must be at least 1, not 0"):
        PositionBased.fit([page], iterations=0)
