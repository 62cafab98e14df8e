"""Users written a second time, as plain arithmetic over whole arrays of pages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from duelist.clicks import ClickModel, Record
from duelist.core.memory import Flags, Floats, Ints


@pytest.fixture
def lists() -> Callable[[int, int, int, np.random.Generator], Ints]:
    """Draws a random list of documents a page, so that every document is seen at every rank."""

    def draw(pages: int, documents: int, length: int, rng: np.random.Generator) -> Ints:
        return np.asarray(rng.random((pages, documents)).argsort(axis=1)[:, :length])

    return draw


@pytest.fixture
def walk() -> Callable[[Floats, Floats, Floats, np.random.Generator], Flags]:
    """Draws the clicks of users who read from the top; all arrays are pages by ranks."""

    def draw(attraction: Floats, after_click: Floats, after_skip: Floats, rng: np.random.Generator) -> Flags:
        reading, clicked = np.ones(len(attraction), np.bool_), np.zeros(attraction.shape, np.bool_)
        for rank in range(attraction.shape[1]):
            clicked[:, rank] = reading & (rng.random(len(reading)) < attraction[:, rank])
            goes_on = np.where(clicked[:, rank], after_click[:, rank], after_skip[:, rank])
            reading &= rng.random(len(reading)) < goes_on
        return clicked

    return draw


@pytest.fixture
def records() -> Callable[[Ints, Flags], list[Record]]:
    """Pages of the query "q", documents called by their number."""

    def make(shown: Ints, clicked: Flags) -> list[Record]:
        return [
            Record(str(page), "ann", "q", 0.0, tuple(map(str, row)), tuple(np.flatnonzero(clicks).tolist()))
            for page, (row, clicks) in enumerate(zip(shown.tolist(), clicked, strict=True))
        ]

    return make


@pytest.fixture
def standard_scores() -> Callable[[list[list[float]], list[float]], Floats]:
    """How many standard errors the mean estimate of several independent logs is from the truth."""

    def compare(estimates: list[list[float]], truth: list[float]) -> Floats:
        table = np.array(estimates)
        error = table.std(axis=0, ddof=1) / np.sqrt(len(table))
        return np.asarray((table.mean(axis=0) - truth) / error)

    return compare


@pytest.fixture
def check_clicks() -> Callable[[ClickModel, list[str]], None]:
    """Checks that simulated clicks on documents of the query "q" have the predicted probabilities."""

    def check(model: ClickModel, documents: list[str]) -> None:
        rng, draws = np.random.default_rng(8), 3000
        seen = np.zeros((draws, len(documents)), np.bool_)
        for clicked in seen:
            clicked[model.clicks(documents, rng, query="q")] = True
        error = 4.5 * np.sqrt(0.25 / draws)
        np.testing.assert_allclose(seen.mean(axis=0), model.probabilities(documents, query="q"), atol=error)
        for clicks in ([0], [0, 2], [1]):  # given the clicks above the last slot
            pattern = [slot in clicks for slot in range(len(documents) - 1)]
            same = (seen[:, :-1] == pattern).all(axis=1)
            chance = model.probabilities(documents, clicks, "q")[-1]
            assert same.sum() > 30
            assert seen[same, -1].mean() == pytest.approx(chance, abs=4.5 * np.sqrt(0.25 / same.sum()))

    return check
