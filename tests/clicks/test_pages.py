from __future__ import annotations

import numpy as np
import pytest

from duelist.clicks import Record, click_rates, split_pages
from duelist.clicks.pages import Slots
from duelist.core.errors import BadInput

PAGES = [
    Record("1", "ann", "q", 0.0, ("a", "b", "c"), (2, 0)),
    Record("2", "ann", "q", 0.0, (), ()),
    Record("3", "ann", "r", 0.0, ("b", "a"), (1,)),
    Record("4", "ann", "q", 0.0, ("b",), ()),
]


def test_slots_follow_each_other_page_by_page() -> None:
    slots = Slots.of(PAGES)
    assert [slots.keys[key] for key in slots.key] == [
        ("q", "a"),
        ("q", "b"),
        ("q", "c"),
        ("r", "b"),
        ("r", "a"),
        ("q", "b"),
    ]
    assert slots.start.tolist() == [0, 3, 3, 5, 6]
    assert slots.rank.tolist() == [0, 1, 2, 0, 1, 0]
    assert slots.clicked.tolist() == [True, False, True, False, True, False]
    assert slots.has_next.tolist() == [True, True, False, True, False, False]
    assert slots.ranks == 3
    assert slots.per_key(np.arange(6.0)).tolist() == [0, 6, 2, 3, 4]
    assert slots.per_rank(np.arange(6.0)).tolist() == [8, 5, 2]


def test_no_page_has_no_slots() -> None:
    slots = Slots.of([])
    assert (slots.ranks, slots.start.tolist(), slots.has_next.tolist()) == (0, [0], [])


def test_a_rate_is_among_the_pages_that_have_the_rank() -> None:
    assert click_rates(PAGES).tolist() == [1 / 3, 1 / 2, 1]


@pytest.mark.parametrize("click", [3, -1])
def test_a_click_beyond_the_page_is_named(click: int) -> None:
    with pytest.raises(BadInput, match=f"from 0 to 2 on a page of 3, not {click}"):
        Slots.of([Record("1", "ann", "q", 0.0, ("a", "b", "c"), (click,))])


def test_a_split_depends_on_the_seed_alone_and_loses_nothing() -> None:
    first, second = split_pages(PAGES, 0.5, seed=3)
    assert (len(first), len(second)) == (2, 2)
    assert sorted(page.id for page in first + second) == ["1", "2", "3", "4"]
    assert split_pages(PAGES, 0.5, seed=3) == (first, second)
    assert any(split_pages(PAGES, 0.5, seed=seed) != (first, second) for seed in range(4, 9))
    with pytest.raises(BadInput, match="share must be from 0 to 1, not 2"):
        split_pages(PAGES, 2)
