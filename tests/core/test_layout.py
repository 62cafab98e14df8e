"""Where the arrays of many runs lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duelist.core.layout import SMALL, Layout, window
from duelist.core.memory import memory_type


def memory() -> Any:
    inner = memory_type(("counts", "heap"))(np.zeros((2, 3), np.int64), np.zeros(5))
    return memory_type(("n_arms", "inner", "mean"))(3, inner, np.zeros((3, 3)))


def views(layout: Layout, arenas: list[Any], value: Any, run: int) -> Any:
    """What the text of the layout means for one run."""
    group, lane = divmod(run, 32)
    text = layout.text(value)
    space = {**layout.tuples, "arenas": arenas, "group": group, "lane": lane, "shared": layout.shared}
    return eval(text, {**space, "window": window})


@pytest.mark.parametrize("small", [0, 50, 1000])  # all in one piece, some, none
def test_every_element_of_every_run_has_a_place_of_its_own(small: int) -> None:
    one = memory()
    layout, runs = Layout([one], small=small), 40
    assert [place.step for place in layout.places] == {0: [1, 1, 1], 50: [32, 32, 1], 1000: [32, 32, 32]}[small]
    arenas = [np.zeros(n, dtype) for n, dtype in zip(layout.elements(runs), layout.types, strict=True)]
    seen = [views(layout, arenas, one, run) for run in range(runs)]
    for run, mine in enumerate(seen):
        mine.inner.counts[...], mine.inner.heap[...], mine.mean[...] = run + 1, run + 0.5, -run
    for run, mine in enumerate(seen):
        assert mine.n_arms == 3
        assert (mine.inner.counts == run + 1).all()
        assert (mine.inner.heap == run + 0.5).all()
        assert (mine.mean == -run).all()
    layout.read(arenas, 37)
    assert (one.inner.counts == 38).all()
    assert (one.inner.heap == 37.5).all()
    assert (one.mean == -37.0).all()
    assert layout.size == 8 * (6 + 5 + 9)


@pytest.mark.parametrize(("small", "places"), [(SMALL, range(64, 68)), (0, range(2, 18, 4))])
def test_elements_lie_side_by_side_or_in_one_piece(small: int, places: range) -> None:
    table = np.zeros((2, 2))
    layout, arena = Layout([table], small=small), np.zeros(128)
    for run in range(4):
        views(layout, [arena], table, run)[1, 0] = run + 1
    assert [arena[place] for place in places] == [1, 2, 3, 4]


def test_shared_arrays_take_no_room_in_a_run() -> None:
    matrix, own = np.ones((4, 4)), np.zeros(1)
    layout = Layout([(matrix, own)], shared=[matrix])
    assert (layout.size, layout.text(matrix), layout.shared[0] is matrix) == (8, "shared[0]", True)


def test_only_small_arrays_lie_side_by_side() -> None:
    sizes = (1, SMALL // 8, SMALL // 8 + 1)
    layout = Layout([tuple(np.zeros(size) for size in sizes)])
    assert [place.step for place in layout.places] == [32, 32, 1]
