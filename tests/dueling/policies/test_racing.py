"""Racing pairs: against bounds of every Copeland score recomputed from all duels, with and without an order."""

from __future__ import annotations

import math

import numpy as np
import pytest

from duelist import Racing
from duelist.core.errors import BadInput
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.until import until_certain

# 0, 1 and 2 beat each other in a circle, and all others: the three best, and no order.
CIRCLE = np.full((5, 5), 0.5)
for one, other in ((0, 1), (1, 2), (2, 0), (3, 4), *((i, j) for i in range(3) for j in (3, 4))):
    CIRCLE[one, other], CIRCLE[other, one] = 0.8, 0.2


def bounds(wins: np.ndarray, delta: float, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The least and the most arms that each can beat."""
    arms, n = len(wins), np.maximum(wins + wins.T, 1e-9)
    radius = np.sqrt(math.log(2 * arms**2 * most / delta) / (2 * n))
    low, high = wins / n - radius, wins / n + radius
    off = ~np.eye(arms, dtype=bool)
    return ((low > 0.5) & off).sum(1), ((high >= 0.5) & off).sum(1)


@pytest.mark.parametrize(("preference", "k"), [(CIRCLE, 3), (arithmetic(arms=5, step=0.12).preference, 2)])
def test_arms_are_in_or_out_as_their_bounds_say(preference: np.ndarray, k: int) -> None:
    policy, luck = Racing(n_arms=5, k=k, delta=0.1, most=5000, seed=k), np.random.default_rng(k)
    placed = np.zeros(5, int)
    while policy.certain() is None:
        duel = policy.ask()
        assert not (placed[duel.left] and placed[duel.right])
        policy.tell(duel, float(luck.random() < preference[duel.left, duel.right]))
        least, most = bounds(policy.wins, 0.1, 5000)
        surely_better = least[:, None] > most[None, :]
        placed[(placed == 0) & (surely_better.sum(1) >= 5 - k)] = 1
        placed[(placed == 0) & (surely_better.sum(0) >= k)] = -1
        assert policy.placed.tolist() == placed.tolist()
    assert sorted(policy.top(k)) == list(range(k))
    certainty = policy.certain()
    assert certainty is not None
    assert certainty.arm == policy.top(k)
    assert certainty.duels == policy.told
    settled = policy.ask()
    assert settled.left == settled.right
    assert settled.left in policy.top(k)


def test_until_it_knows_the_order_is_that_of_what_was_seen() -> None:
    policy = Racing(n_arms=4, seed=0)
    for one, other, wins in ((1, 2, 60), (2, 3, 60), (3, 1, 60), (0, 1, 4), (0, 2, 4), (0, 3, 4)):
        policy.learn([(one, other, 1.0)] * wins)
    assert policy.beats.tolist() == [0, 1, 1, 1]
    assert policy.best() == 0  # which beats all, if not surely


def test_a_pair_that_is_too_close_is_left_open_and_nothing_is_promised() -> None:
    policy = Racing(n_arms=2, most=40, seed=0)
    for _ in range(60):
        policy.tell(policy.ask(), 0.5)
    assert policy.decided[0] == 40
    assert policy.certain() is None


def test_near_ties_are_answered_wrongly_no_more_often_than_promised() -> None:
    ended = until_certain("racing:k=2,delta=0.1", arithmetic(arms=4, step=0.04).preference, runs=100)
    assert sum(set(answer) != {0, 1} for answer in ended.answers) <= 10


def test_as_many_as_there_are_arms_cannot_be_found() -> None:
    with pytest.raises(BadInput, match="k must be below the number of arms, 3, not 3"):
        Racing(n_arms=3, k=3)
