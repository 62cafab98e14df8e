from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize

from duelist.clicks import ClickModel, DependentClick, Record
from duelist.core.memory import Flags, Floats, Ints

Lists = Callable[[int, int, int, np.random.Generator], Ints]
Walk = Callable[[Floats, Floats, Floats, np.random.Generator], Flags]
Records = Callable[[Ints, Flags], list[Record]]
Scores = Callable[[list[list[float]], list[float]], Floats]
Simulated = Callable[[int, int], list[Record]]

ATTRACTIVENESS = np.array([0.7, 0.2, 0.5, 0.35, 0.6])
CONTINUATION = np.array([0.5, 0.6, 0.8, 0.3])  # the last does not show


@pytest.fixture
def simulated(lists: Lists, walk: Walk, records: Records) -> Simulated:
    def draw(pages: int, seed: int) -> list[Record]:
        rng = np.random.default_rng(seed)
        shown = lists(pages, ATTRACTIVENESS.size, CONTINUATION.size, rng)
        after_click = np.broadcast_to(CONTINUATION, shown.shape)
        return records(shown, walk(ATTRACTIVENESS[shown], after_click, np.ones(shown.shape), rng))

    return draw


def parameters(model: DependentClick) -> list[float]:
    return [*(model.attractiveness["q", str(d)] for d in range(5)), *map(float, model.continuation)]


def test_parameters_are_recovered(simulated: Simulated, standard_scores: Scores) -> None:
    fits = [DependentClick.fit(simulated(3000, seed), strength=0) for seed in range(20)]
    truth = [*ATTRACTIVENESS, *CONTINUATION[:-1]]
    assert np.abs(standard_scores([parameters(fit) for fit in fits], truth)).max() < 4.5


def test_taking_the_last_click_for_the_end_would_be_biased(simulated: Simulated, standard_scores: Scores) -> None:
    """Why the closed form of the paper is not used; it also shows that the test above can fail."""
    estimates = []
    for seed in range(20):
        pages = [page for page in simulated(3000, seed) if page.clicks]
        seen = [(d, rank in page.clicks) for page in pages for rank, d in enumerate(page.shown[: max(page.clicks) + 1])]
        estimates.append([float(np.mean([hit for d, hit in seen if d == str(document)])) for document in range(5)])
    assert standard_scores(estimates, ATTRACTIVENESS.tolist()).min() > 10


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_no_step_goes_down(simulated: Simulated, strength: float) -> None:
    pages = simulated(300, 1)
    model = DependentClick.fit(pages, strength, tolerance=1e-9)
    assert len(model.trace) > 10
    assert np.diff(model.trace).min() > -1e-9
    if strength == 0:
        assert model.log_likelihood(pages) == pytest.approx(model.trace[-1])


def test_the_likelihood_is_as_high_as_a_general_optimiser_gets(simulated: Simulated) -> None:
    pages = simulated(200, 2)

    def loss(logits: Floats) -> float:
        p = 1 / (1 + np.exp(-logits))
        known = {("q", str(d)): float(p[d]) for d in range(5)}
        return -DependentClick(known, p[5:]).log_likelihood(pages)

    best = minimize(loss, np.zeros(8), method="L-BFGS-B")
    fitted = DependentClick.fit(pages, strength=0, tolerance=1e-6, iterations=20_000)
    assert fitted.log_likelihood(pages) == pytest.approx(-best.fun, abs=1e-2)


def test_clicks_have_the_predicted_probabilities(check_clicks: Callable[[ClickModel, list[str]], None]) -> None:
    check_clicks(DependentClick({("q", "a"): 0.6, ("q", "b"): 0.6}, [0.7, 0.8]), ["a", "x", "b", "y"])


def test_ranks_beyond_the_known_are_like_the_last() -> None:
    short, long = DependentClick({}, [0.9, 0.2]), DependentClick({}, [0.9, 0.2, 0.2, 0.2])
    documents = ["a", "b", "c", "d", "e"]
    assert short.probabilities(documents).tolist() == long.probabilities(documents).tolist()


def test_pages_of_one_document_and_of_none_can_be_fitted() -> None:
    pages = [Record("1", "ann", "q", 0.0, ("a",), (0,)), Record("2", "ann", "q", 0.0, (), ())]
    assert DependentClick.fit(pages, strength=0).probabilities(["a"], query="q").tolist() == [1.0]
