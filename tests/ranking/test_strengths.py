"""Strengths, bias and spread against published figures, brute force and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from duelist.core.memory import Floats
from duelist.ranking import leaderboard
from duelist.ranking.log import DuelLog
from duelist.ranking.strengths import bias_can_be_told, cells_of, fit_strengths

# The American League's eastern division in 1987 (Agresti. Categorical Data Analysis. Wiley 1990, Table 10.10): wins of
# the home team, row, and of the visitors, column.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
HOME = [
    ["", "4-3", "4-2", "4-3", "6-1", "4-2", "6-0"],
    ["3-3", "", "4-2", "4-3", "6-0", "6-1", "4-3"],
    ["2-5", "4-3", "", "2-4", "4-3", "4-2", "6-0"],
    ["3-3", "5-1", "2-5", "", "4-3", "4-2", "6-1"],
    ["5-1", "2-5", "3-3", "4-2", "", "5-2", "6-0"],
    ["2-5", "3-3", "3-4", "4-3", "4-2", "", "2-4"],
    ["2-5", "1-5", "1-6", "2-4", "1-6", "3-4", ""],
]
# Strengths above Baltimore's, as Firth's BradleyTerry prints them (Journal of Statistical Software 12(1), 2005).
PLAIN = {"Boston": 1.1077, "Cleveland": 0.6839, "Detroit": 1.4364, "Milwaukee": 1.5814, "New York": 1.2476}
AT_HOME = {"Boston": 1.1438, "Cleveland": 0.7047, "Detroit": 1.4754, "Milwaukee": 1.6196, "New York": 1.2813}


def baseball() -> list[tuple[str, str, float]]:
    games = []
    for home, row in zip(TEAMS, HOME, strict=True):
        for away, cell in zip(TEAMS, row, strict=True):
            won, lost = map(int, cell.split("-")) if cell else (0, 0)
            games += [(home, away, 1.0)] * won + [(home, away, 0.0)] * lost
    return games


@pytest.mark.parametrize(("sides", "published"), [(False, PLAIN), (True, AT_HOME)])
def test_baseball_as_published(sides: bool, published: dict[str, float]) -> None:
    board = leaderboard(baseball(), sides=sides)
    lowest = board["Baltimore"].strength
    assert {team: round(board[team].strength - lowest, 4) for team in published} == published
    if sides:
        assert board.bias is not None
        assert np.log(board.bias.left_wins / (1 - board.bias.left_wins)) == pytest.approx(0.3023, abs=5e-5)


def made_up(n_arms: int, duels: int, seed: int, bias: float = 0.0, graded: bool = False, users: int = 0) -> DuelLog:
    """Planned duels of arms whose strengths go from -0.8 to 0.8; users differ in taste."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(-0.8, 0.8, n_arms)
    left = rng.integers(0, n_arms, duels)
    right = (left + rng.integers(1, n_arms, duels)) % n_arms
    user = rng.integers(0, users, duels) if users else np.full(duels, -1)
    taste = rng.normal(0, 1, (max(users, 1), n_arms)) * (users > 0)
    odds = strength[left] - strength[right] + bias + taste[user, left] - taste[user, right]
    chance = 1 / (1 + np.exp(-odds))
    outcome = (rng.random(duels) < chance).astype(float)
    if graded:
        outcome = (outcome + (rng.random(duels) < chance)) / 2
    return DuelLog(tuple(range(n_arms)), left, right, outcome, np.ones(duels), user)


def climbed(log: DuelLog, prior: float) -> Floats:
    """The most likely strengths and bias, by an optimiser that knows the likelihood alone."""
    n = len(log.arms)

    def depth(at: Floats) -> float:
        odds = at[log.left] - at[log.right] + at[n]
        told = log.weight * (log.outcome * odds - np.logaddexp(0, odds))
        return float(-told.sum() - prior * (at[:n] / 2 - np.logaddexp(0, at[:n])).sum() + at[:n].mean() ** 2)

    found = optimize.minimize(depth, np.zeros(n + 1), method="BFGS", options={"gtol": 1e-7}).x
    return np.append(found[:n] - found[:n].mean(), found[n])


def test_a_prior_places_arms_of_very_few_duels() -> None:
    duels = [("a", "b", 1.0)] * 2 + [("b", "a", 0.0)] * 5 + [("a", "c", 1.0), ("b", "d", 1.0), ("c", "a", 0.0)]
    log = leaderboard(duels, prior=1.0, sides=False)
    assert [each.arm for each in log.standings] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("prior", [0.0, 2.0])
def test_newton_finds_the_most_likely_strengths(prior: float) -> None:
    log = made_up(5, 300, 1, bias=0.4, graded=True)
    log.weight[:] = np.random.default_rng(2).random(300)
    found = fit_strengths(cells_of(log), bias=True, prior=prior)
    assert found is not None
    assert np.append(found.strength, found.bias) == pytest.approx(climbed(log, prior), abs=2e-4)


def test_a_tree_of_pairs_is_explained_exactly() -> None:
    """Nothing is left over, and rounding alone decides whether a step climbs."""
    games = [("a", "b", 162, 131), ("c", "b", 443, 599), ("d", "a", 50, 115)]
    duels = [each for x, y, won, lost in games for each in [(x, y, 1.0)] * won + [(x, y, 0.0)] * lost]
    board = leaderboard(duels, sides=False)
    for x, y, won, lost in games:
        assert board[x].strength - board[y].strength == pytest.approx(np.log(won / lost), abs=1e-6)


def test_bias_needs_arms_that_change_sides() -> None:
    one_way = leaderboard([("a", "b", 1), ("a", "b", 0), ("b", "c", 1), ("b", "c", 0)])
    assert one_way.bias is None
    assert "change sides" in one_way.bias_why
    assert bias_can_be_told(cells_of(made_up(4, 200, 0)))


def test_left_wins_always_is_no_strength() -> None:
    board = leaderboard([("a", "b", 1), ("b", "a", 1), ("b", "c", 1), ("c", "b", 1)])
    assert (board.bias, board.bias_why) == (None, "one side wins always")
    assert [each.strength for each in board.standings] == pytest.approx([0, 0, 0])


@pytest.mark.parametrize(
    "world",
    [{"duels": 120}, {"duels": 500, "graded": True, "bias": 0.5}, {"duels": 600, "users": 60}],
    ids=["few", "graded", "users"],
)
def test_planned_intervals_hold_as_often_as_promised(world: dict[str, float]) -> None:
    """95 % within four standard errors of 150 boards with five intervals each that hang together a little."""
    more = {**world, "duels": 300_000, "users": 150_000 if world.get("users") else 0}
    truth = leaderboard(made_up(5, seed=999, **more), sides=True)  # type: ignore[arg-type]
    held = []
    for seed in range(150):
        board = leaderboard(made_up(5, seed=seed, **world), sides=True)  # type: ignore[arg-type]
        held += [board[arm].low <= truth[arm].strength <= board[arm].high for arm in range(5)]
        held += [board.bias is not None and truth.bias is not None and board.bias.low <= truth.bias[0] <= board.bias[2]]
    assert 0.92 <= np.mean(held) <= 0.98


def test_users_who_judge_often_widen_the_intervals() -> None:
    log = made_up(5, 2000, 3, users=20)
    alone = DuelLog(log.arms, log.left, log.right, log.outcome, log.weight, np.full(2000, -1))
    wide, narrow = leaderboard(log)[4], leaderboard(alone)[4]
    assert wide.strength == narrow.strength
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
