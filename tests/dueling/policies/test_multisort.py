"""Many sorts that believe each duel: each is a quicksort of lists, and the majority of them is the order."""

from __future__ import annotations

import numpy as np

from duelist import Multisort
from duelist.dueling.environments.instances import worst_case


def quicksort(policy: Multisort, arms: list[int], luck: np.random.Generator, preference: np.ndarray) -> list[int]:
    """Sort by lists, with the pivot that the policy drew; every duel must be of that pivot and an arm of this part."""
    if len(arms) < 2:
        return arms
    pivot = int(policy.sorting.order[policy.sorting.low[0]])
    won: list[int] = []
    lost: list[int] = []
    for _ in range(len(arms) - 1):
        duel = policy.ask()
        assert duel.right == pivot
        assert duel.left in set(arms) - {pivot, *won, *lost}
        outcome = float(luck.random() < preference[duel.left, pivot])
        (won if outcome else lost).append(duel.left)
        policy.tell(duel, outcome)
    # The part behind the pivot is sorted first: it waits on top.
    behind = quicksort(policy, lost, luck, preference)
    return [*quicksort(policy, won, luck, preference), pivot, *behind]


def test_each_sort_is_a_quicksort_and_the_majority_of_them_is_the_order() -> None:
    policy, luck = Multisort(n_arms=6, seed=3), np.random.default_rng(3)
    preference, before = worst_case(arms=6, epsilon=0.25).preference, np.zeros((6, 6))
    for count in range(1, 100):
        order = quicksort(policy, list(range(6)), luck, preference)
        assert sorted(order) == [0, 1, 2, 3, 4, 5]
        for place, arm in enumerate(order):
            before[arm, order[place + 1 :]] += 1
        assert (policy.before == before).all()
        assert policy.sorts[0] == count
    beaten = (before > before.T).sum(1)
    assert [beaten[arm] for arm in policy.ranking()] == sorted(beaten, reverse=True)
    assert policy.ranking() == (0, 1, 2, 3, 4, 5)


def test_it_ends_with_its_budget_and_a_tie_is_a_coin() -> None:
    policy = Multisort(n_arms=4, budget=500, seed=0)
    for _ in range(500):
        duel = policy.ask()
        assert duel.left != duel.right
        policy.tell(duel, 0.5)
    assert policy.wins.sum() == 500
    assert 180 < np.triu(policy.wins).sum() < 320
    duel = policy.ask()
    assert duel.left == duel.right == policy.best() == policy.ranking()[0]
