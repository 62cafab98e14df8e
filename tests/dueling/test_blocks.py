"""Blocks: closed under who is better than whom, and parted wherever that is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from duelist.core.compile import plain
from duelist.dueling.blocks import Blocks, arrange, learn, split, start_blocks

ARMS = 7


def closure(direct: np.ndarray) -> np.ndarray:
    known = direct.copy()
    for middle in range(len(known)):
        known |= known[:, [middle]] & known[[middle], :]
    return known


def cuts(order: list[int], known: np.ndarray) -> list[int]:
    """Where all before are known to be better than all from there on."""
    return [place for place in range(1, len(order)) if known[np.ix_(order[:place], order[place:])].all()]


def ranks_apart(direct: np.ndarray) -> set[tuple[int, int]]:
    """Pairs that a public program parts: the ranks they may have do not overlap, nor by way of others between."""
    least, most = direct.sum(1), len(direct) - 1 - direct.sum(0)
    apart, order = set(), sorted(range(len(direct)), key=lambda arm: -most[arm])
    for place in range(1, len(order)):
        if least[order[:place]].min() > most[order[place]]:
            apart |= {(first, last) for first in order[:place] for last in order[place:]}
    return apart


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.95])
def test_what_is_learnt_is_closed_and_parts_are_as_small_as_can_be(share: float) -> None:
    luck = np.random.default_rng(int(100 * share))
    for _ in range(50):
        truth, blocks, direct = luck.permutation(ARMS), Blocks(ARMS, {}), np.zeros((ARMS, ARMS), bool)
        plain(start_blocks)(blocks)
        pairs = [pair for pair in combinations(truth.tolist(), 2) if luck.random() < share]
        for place in luck.permutation(len(pairs)):
            i, j = pairs[place]
            direct[i, j] = True
            if not blocks.known[i, j]:
                plain(learn)(blocks, i, j)
        assert (blocks.known == closure(direct)).all()
        order, before = luck.permutation(ARMS), luck.integers(0, 9, (ARMS, ARMS)).astype(float)
        before = np.triu(before, 1) + np.tril(8 - before.T, -1)
        plain(arrange)(blocks, order, before, 0, ARMS)
        arranged = order.tolist()
        assert sorted(arranged) == list(range(ARMS))
        assert not any(blocks.known[j, i] for i, j in combinations(arranged, 2))
        above, first = blocks.known.sum(0), before.sum(0) - before.diagonal()
        assert arranged == sorted(arranged, key=lambda arm: (above[arm], first[arm]))
        plain(split)(blocks, order, 0, ARMS)
        found, low = [], 0
        while (low := int(blocks.ends[low])) < ARMS:
            found.append(low)
        assert found == cuts(arranged, blocks.known)
        parted = {(i, j) for place in found for i in arranged[:place] for j in arranged[place:]}
        assert ranks_apart(direct) <= parted


def test_a_block_in_the_middle_is_parted_alone() -> None:
    blocks, order = Blocks(5, {}), np.array([4, 2, 1, 3, 0])
    blocks.ends[:] = (1, 4, 0, 0, 5)
    blocks.known[[1, 3], 2] = True  # of 2, 1 and 3 the arm 2 is the worst
    plain(arrange)(blocks, order, np.ones((5, 5)), 1, 4)
    plain(split)(blocks, order, 1, 4)
    assert order.tolist() == [4, 1, 3, 2, 0]
    assert (blocks.ends[1], blocks.ends[3], blocks.ends[0], blocks.ends[4]) == (3, 4, 1, 5)
