from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.clicks.chain import Chain
from duelist.clicks.model import OnePage
from duelist.clicks.pages import Slots
from duelist.core.memory import Floats

DOCUMENTS = ["a", "b", "c", "d"]
probability = st.floats(0.01, 0.99)


@st.composite
def pages(draw: st.DrawFn) -> tuple[Chain, list[int]]:
    size = draw(st.integers(1, 4))
    values = [np.array(draw(st.lists(probability, min_size=size, max_size=size))) for _ in range(3)]
    return Chain(*values), sorted(draw(st.sets(st.integers(0, size - 1))))


def worlds(chain: Chain, clicks: list[int]) -> list[tuple[float, int]]:
    """With the probability of each: the number of examined slots of every user who would click like this."""
    size, found = chain.attraction.size, []
    for read in range(max(clicks, default=0) + 1, size + 1):
        p = 1.0
        for slot in range(read):
            clicked = slot in clicks
            goes_on = float((chain.after_click if clicked else chain.after_skip)[slot])
            p *= float(chain.attraction[slot]) if clicked else 1 - float(chain.attraction[slot])
            if slot < size - 1:
                p *= goes_on if slot < read - 1 else 1 - goes_on
        found.append((p, read))
    return found


def slots(chain: Chain, clicks: list[int]) -> Slots:
    # A page before and one behind, so that a mistake in where a page begins shows.
    size = chain.attraction.size
    other = OnePage("", DOCUMENTS[:size], [0])
    return Slots.of([other, OnePage("", DOCUMENTS[:size], clicks), other])


def three_times(chain: Chain) -> Chain:
    return Chain(*(np.tile(values, 3) for values in chain))


def middle(values: Floats, size: int) -> Floats:
    return values[size : 2 * size]


@settings(deadline=None)  # the first call compiles
@given(pages())
def test_the_posterior_is_that_of_every_world(page: tuple[Chain, list[int]]) -> None:
    chain, clicks = page
    size, every = chain.attraction.size, worlds(chain, clicks)
    total = sum(p for p, _ in every)
    found = three_times(chain).posterior(slots(chain, clicks))
    examined = [sum(p for p, read in every if slot < read) / total for slot in range(size)]
    np.testing.assert_allclose(middle(found.examined, size), examined, atol=1e-9)
    np.testing.assert_allclose(middle(found.went_on, size), [*examined[1:], 0.0], atol=1e-9)
    assert found.log_likelihood[1] == pytest.approx(np.log(total))


@settings(deadline=None)  # the first call compiles
@given(pages())
def test_predictions_multiply_to_the_probability_of_the_page(page: tuple[Chain, list[int]]) -> None:
    chain, clicks = page
    size = chain.attraction.size
    chance = middle(three_times(chain).predict(slots(chain, clicks), given_clicks=True), size)
    pieces = [p if slot in clicks else 1 - p for slot, p in enumerate(chance)]
    assert np.prod(pieces) == pytest.approx(sum(p for p, _ in worlds(chain, clicks)))


@settings(deadline=None)  # the first call compiles
@given(pages())
def test_marginal_probabilities_sum_over_all_clicks(page: tuple[Chain, list[int]]) -> None:
    chain, _ = page
    size = chain.attraction.size
    marginal = np.zeros(size)
    for code in range(2**size):
        clicks = [slot for slot in range(size) if code >> slot & 1]
        marginal[clicks] += sum(p for p, _ in worlds(chain, clicks))
    found = three_times(chain).predict(slots(chain, []), given_clicks=False)
    np.testing.assert_allclose(middle(found, size), marginal, atol=1e-9)
