from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from duelist.clicks import DynamicBayesian, PositionBased, Record


def page(shown: str, *clicks: int) -> Record:
    return Record("1", "ann", "q", 0.0, tuple(shown), clicks)


def test_perplexity_follows_its_definition_rank_by_rank() -> None:
    model = PositionBased({("q", "a"): 0.8, ("q", "b"): 0.4}, [1.0, 0.5])
    found = model.perplexity([page("ab", 0), page("b", 0), page("ba", 1)])
    first = (0.8 * 0.4 * 0.6) ** (-1 / 3)
    second = (0.8 * 0.4) ** (-1 / 2)
    assert found.by_rank == pytest.approx((first, second))
    assert found.overall == pytest.approx((first + second) / 2)


def test_perplexity_knows_the_clicks_above_unless_told_not_to() -> None:
    model = DynamicBayesian({("q", "a"): 0.5}, {("q", "a"): 1.0}, continuation=1.0, prior=1.0)
    pages = [page("ab", 0), page("ab", 1)]
    assert model.perplexity(pages).by_rank == pytest.approx((2.0, 1.0))
    assert model.perplexity(pages, given_clicks=False).by_rank == pytest.approx((2.0, 2.0))
    assert model.log_likelihood(pages) == pytest.approx(2 * math.log(0.5))


def test_a_coin_has_perplexity_two_and_an_oracle_one() -> None:
    pages = [page("ab", 0), page("ab", 0)]
    assert PositionBased({}, [1.0], prior=0.5).perplexity(pages).overall == 2
    assert PositionBased({("q", "a"): 1.0}, [1.0], prior=0.0).perplexity(pages).overall == 1


def test_the_impossible_is_infinitely_surprising_and_no_page_says_nothing() -> None:
    model = PositionBased({}, [1.0], prior=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.perplexity([page("ab", 0)]).by_rank == (np.inf, 1.0)
        assert math.isnan(model.perplexity([]).overall)
        assert model.log_likelihood([page("ab", 0)]) == -np.inf
        assert model.probabilities([]).tolist() == []
