"""A quicksort in small steps sorts, and a late duel is not the next one."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from duelist.core.compile import plain
from duelist.dueling.sorting import Sorting, next_part, start_sorting, tell_part, waits_for


def test_if_the_better_arm_always_wins_arms_end_in_order_and_no_pair_meets_twice() -> None:
    for seed, better in enumerate(permutations(range(5))):
        sorting, luck, met = Sorting(5, {}), np.random.default_rng(seed), set()
        plain(start_sorting)(sorting, luck)
        unsorted = True
        while unsorted:
            arm, pivot = int(sorting.order[sorting.at[0]]), int(sorting.order[sorting.low[0]])
            assert frozenset((arm, pivot)) not in met
            met.add(frozenset((arm, pivot)))
            assert plain(waits_for)(sorting, arm, pivot)
            assert not plain(waits_for)(sorting, pivot, arm)
            all_met = plain(tell_part)(sorting, better.index(arm) < better.index(pivot))
            unsorted = not all_met or plain(next_part)(sorting, luck)
        assert tuple(sorting.order.tolist()) == better
        assert 4 <= len(met) <= 10
