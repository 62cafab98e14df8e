from __future__ import annotations

import numpy as np
import pytest

from duelist.core.compile import plain
from duelist.core.memory import Floats, Ints
from duelist.online.page import Page, dot, mix_page, rank_page, room, score_page

rank, score, mix, product = plain(rank_page), plain(score_page), plain(mix_page), plain(dot)


def page_of(features: Floats, first: int = 0, rankers: int = 1, documents: int | None = None) -> Page:
    size = documents if documents is not None else len(features) - first
    return Page(features, np.zeros(len(features), np.int64), first, size, *room(max(size, 12), rankers))


@pytest.mark.parametrize("width", [1, 3, 4, 5, 46])
def test_dot_is_the_product_whatever_the_width(width: int) -> None:
    luck = np.random.default_rng(width)
    features, weights = luck.standard_normal((3, width)), luck.standard_normal((2, width))
    assert np.isclose(product(features, 2, weights, 1), features[2] @ weights[1])


@pytest.mark.parametrize("size", [0, 1, 4, 10, 30])
@pytest.mark.parametrize("length", [1, 5, 10])
def test_a_ranking_is_the_best_documents_in_order(size: int, length: int) -> None:
    luck = np.random.default_rng(size)
    page = page_of(luck.standard_normal((size + 2, 3)), first=2)
    weights = luck.standard_normal((1, 3))
    score(page, weights, 0)
    mix(page, luck)
    rank(page, length, 0)
    expected = np.argsort(-(page.features[2:] @ weights[0]))[:length].tolist()
    assert page.rankings[0, :length].tolist() == expected + [-1] * (length - len(expected))


def test_ties_are_in_every_order_equally_often() -> None:
    luck, seen = np.random.default_rng(1), dict[tuple[int, ...], int]()
    page = page_of(np.zeros((4, 1)))
    page.scores[:4] = [0.0, 1.0, 0.0, 0.0]
    for _ in range(6000):
        mix(page, luck)
        rank(page, 3, 0)
        order = tuple(page.rankings[0, :3].tolist())
        seen[order] = seen.get(order, 0) + 1
    assert {order[0] for order in seen} == {1}
    assert len(seen) == 6
    assert max(abs(count - 1000) for count in seen.values()) < 4.5 * np.sqrt(1000)


def test_rankings_of_short_pages_end_in_minus_one_after_longer_ones() -> None:
    features = np.arange(12.0)[:, None]
    weights, order = np.ones((1, 1)), np.arange(12)
    long, short = page_of(features), page_of(features, documents=3)
    short = short._replace(rankings=long.rankings)
    for page in (long, short):
        page.order[: page.size] = order[: page.size]
        score(page, weights, 0)
        rank(page, 5, 0)
    found: Ints = short.rankings[0, :5]
    assert found.tolist() == [2, 1, 0, -1, -1]
