"""Who is surely the winner: against definitions, and against somebody who chooses pairs to be fooled."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate

from duelist.core.errors import BadInput
from duelist.evidence.winners import (
    TARGETS,
    duels_needed,
    duels_to_decide,
    log_e_better,
    open_pairs,
    sure_winner,
    sure_winners,
    surely_beaten,
)

ORDERED = np.array([[0, 80, 85, 90], [20, 0, 80, 85], [15, 20, 0, 80], [10, 15, 20, 0]], float)


def test_the_bet_is_the_mixture_over_the_better_half() -> None:
    def weight(q: float) -> float:
        return q**2 * (1 - q) ** 2

    whole = integrate.quad(weight, 0.5, 1)[0]
    for wins, losses in [(8.0, 3.0), (2.0, 6.5)]:
        won = integrate.quad(lambda q, w=wins, x=losses: weight(q) * (2 * q) ** w * (2 - 2 * q) ** x, 0.5, 1)[0]
        assert log_e_better(wins, losses) == pytest.approx(math.log(won / whole), abs=1e-7)


def test_an_order_with_enough_duels_is_known_in_every_sense() -> None:
    assert {target: sure_winner(4 * ORDERED, target=target, k=2) for target in TARGETS} == {
        "condorcet": (0,),
        "copeland": (0,),
        "borda": (0,),
        "top-k": (0, 1),
        "ranking": (0, 1, 2, 3),
    }
    assert all(sure_winner(ORDERED / 20, target=target, k=2) is None for target in TARGETS)


def test_a_circle_has_copeland_winners_only_outside_it() -> None:
    circle = np.array([[0, 90, 10], [10, 0, 90], [90, 10, 0]], float)
    assert sure_winner(circle) is None
    assert sure_winner(circle, target="copeland") is not None  # each of the three is one
    fourth = np.zeros((4, 4))
    fourth[:3, :3], fourth[:3, 3], fourth[3, :3] = circle, 10, 90
    assert sure_winner(fourth, target="copeland") == (3,)


def test_an_order_needs_its_neighbours_only_and_each_of_them() -> None:
    chain = np.zeros((4, 4))
    for first, second in ((2, 0), (0, 3), (3, 1)):
        chain[first, second] = 40
    assert sure_winner(chain, target="ranking") == (2, 0, 3, 1)
    chain[0, 3], chain[2, 3], chain[2, 1], chain[0, 1] = 0, 40, 40, 40  # 0 and 3 never met
    assert sure_winner(chain, target="ranking") is None
    assert open_pairs(chain, target="ranking") in ([(0, 3)], [(3, 0)])
    circle = np.array([[0, 90, 10], [10, 0, 90], [90, 10, 0]], float)
    assert sure_winner(circle, target="ranking") is None


WORLDS = {
    "tied": np.full((4, 4), 0.5),
    "circle": np.array([[0.5, 0.6, 0.4, 0.6], [0.4, 0.5, 0.6, 0.6], [0.6, 0.4, 0.5, 0.6], [0.4, 0.4, 0.4, 0.5]]),
    "near": np.array([[0.5, 0.52, 0.6, 0.6], [0.48, 0.5, 0.6, 0.6], [0.4, 0.4, 0.5, 0.55], [0.4, 0.4, 0.45, 0.5]]),
}


def right(world: np.ndarray, target: str, answer: tuple[int, ...]) -> bool:
    """By definition, with k = 2 for top-k."""
    above = world > 0.5
    if target == "condorcet":
        return bool(above[answer[0]].sum() == 3)
    if target == "copeland":
        scores = above.sum(1) + ((world == 0.5).sum(1) - 1) / 2
        return bool(scores[answer[0]] == scores.max())
    if target == "borda":
        return bool(world.sum(1)[answer[0]] > np.delete(world.sum(1), answer[0]).max() - 1e-12)
    if target == "ranking":
        return all(above[one, other] for place, one in enumerate(answer) for other in answer[place + 1 :])
    return all(above[i, j] for i in answer for j in range(4) if j not in answer)


@pytest.mark.parametrize("name", WORLDS)
def test_watched_and_with_pairs_chosen_to_be_fooled_it_is_rarely_wrong(name: str) -> None:
    """The pair with the most hope of a claim is dueled next: 60 runs with 6 wrong ones are promised at most."""
    world, wrong = WORLDS[name], dict.fromkeys(TARGETS, 0)
    for seed in range(60):
        rng, wins = np.random.default_rng(seed), np.zeros((4, 4))
        fooled: set[str] = set()
        for step in range(80):
            leader = int(np.argmax((wins.sum(1) + 1) / (wins.sum(1) + wins.sum(0) + 2)))
            other = int((leader + 1 + rng.integers(3)) % 4)
            won = rng.binomial(10, world[leader, other])
            wins[leader, other] += won
            wins[other, leader] += 10 - won
            if step % 4 == 0:
                for target in TARGETS:
                    answer = sure_winner(wins, 0.9, target, k=2 if target == "top-k" else 1)
                    if answer is not None and not right(world, target, answer):
                        fooled.add(target)
        for target in fooled:
            wrong[target] += 1
    assert max(wrong.values()) <= 6, wrong


def test_duels_needed_fall_as_duels_come_and_end_when_it_is_sure() -> None:
    for target in TARGETS:
        few, more = (duels_needed(ORDERED / part, target=target, k=2) for part in (20, 10))
        assert 0 < few < math.inf
        assert more < few
        assert duels_needed(4 * ORDERED, target=target, k=2) == 0
    assert duels_needed(np.array([[0, 5], [5, 0]])) == math.inf
    n = duels_to_decide(0.7, 0.025)
    assert sure_winner([[0, 0.7 * n + 0.01], [0.3 * n, 0]]) == (0,)
    assert sure_winner([[0, 0.7 * n * 0.98], [0.3 * n * 0.98, 0]]) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [({"target": "best"}, "target must be one of"), ({"target": "top-k", "k": 4}, "k must be from 1 to 3")],
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        sure_winner(ORDERED, **options)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="square table"):
        sure_winner(np.zeros((2, 3)))


def test_many_tables_are_answered_as_each_alone() -> None:
    rng = np.random.default_rng(5)
    tables = rng.binomial(60, np.clip(ORDERED / 100, 0.05, 0.95), (200, 4, 4)) * rng.integers(0, 4, (200, 1, 1))
    for target in TARGETS:
        alone = [sure_winner(table, 0.8, target, k=2) for table in tables]
        assert sure_winners(tables, 0.8, target, k=2) == alone
        assert 0 < alone.count(None) < 200
    with pytest.raises(BadInput, match="square table"):
        sure_winners(ORDERED)


def test_who_is_surely_beaten_since_is_no_longer_the_winner() -> None:
    """In a world that stands still the winner is said to be beaten in at most 5 % of runs, however often one looks."""
    now = np.zeros((3, 3))
    now[0, 1], now[1, 0], now[0, 2] = 20, 60, 40
    assert surely_beaten(now, 0)
    assert not surely_beaten(now, 1)
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(400):
        won = np.cumsum(rng.random(600) < 0.5)
        looks = np.arange(20, 601, 20)
        wrong += any(surely_beaten([[0, n - won[n - 1]], [won[n - 1], 0]], 0, 0.95) for n in looks.tolist())
    assert 0 < wrong <= 34  # more happen in 1 of 1,000 if 5 % are wrong
