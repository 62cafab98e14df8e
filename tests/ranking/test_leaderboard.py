"""The board as a whole: places, circles, misfit, limits of pairs, what is said in words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.ranking import leaderboard
from duelist.ranking.charts import board_chart, pairs_chart, ranks_chart
from duelist.ranking.order import ABOVE, APART, BELOW, implied_limits
from duelist.ranking.pairs import compare_pairs, tallies
from duelist.ranking.read import read_duels

from .test_strengths import baseball, made_up


def beaten(first: str, second: str, won: int, lost: int) -> list[tuple[str, str]]:
    return [(first, second)] * won + [(second, first)] * lost


def test_arms_without_a_place_are_named() -> None:
    duels = beaten("a", "b", 3, 2) + beaten("top", "a", 4, 0) + beaten("b", "low", 2, 0) + beaten("x", "y", 1, 0)
    board = leaderboard(duels)
    assert {each.arm: each.why for each in board.standings} == {
        "a": "", "b": "", "top": ABOVE, "low": BELOW, "x": APART, "y": APART
    }  # fmt: skip
    assert [each.rank for each in board.standings] == [1, 2, None, None, None, None]
    assert "No place   top: never lost" in str(board)
    everyone = leaderboard(duels, prior=1)
    assert everyone.best == "top"
    assert all(each.rank for each in everyone.standings)


def test_pairs_that_never_met_are_counted() -> None:
    board = leaderboard(beaten("a", "b", 3, 2) + beaten("b", "c", 3, 2))
    assert [(board.arms[i], board.arms[j]) for i, j in board.pairs.never] == [("a", "c")]
    assert "1 of 3 pairs never met" in str(board)


@pytest.mark.parametrize("kind", ["planned", "always-valid"])
def test_circles_refute_one_strength_an_arm(kind: str) -> None:
    circle = beaten("rock", "scissors", 80, 20) + beaten("scissors", "paper", 80, 20) + beaten("paper", "rock", 80, 20)
    board = leaderboard(circle, kind=kind)
    assert board.fit.refuted
    assert [tuple(board.arms[a] for a in each) for each in board.fit.circles.examples] == [
        ("rock", "scissors", "paper")
    ]
    assert "does NOT fit" in str(board)
    assert all((each.rank_low, each.rank_high) == (1, 3) for each in board.standings)


def test_misfit_without_a_circle_is_found_and_its_pair_named() -> None:
    duels = beaten("a", "b", 60, 40) + beaten("b", "c", 60, 40) + beaten("a", "c", 99, 1)
    fit = leaderboard(duels).fit
    assert fit.circles.examples == ()
    assert fit.refuted
    assert (fit.worst[0].first, fit.worst[0].second) == (0, 2)


def test_a_side_that_explains_everything_leaves_nothing_to_test() -> None:
    """Each pair of three arms always stood one way, in a circle: the side's gain takes up what is left."""
    duels = [("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 1.0)] * 30 + [("a", "b", 0.0), ("b", "c", 0.0)] * 10
    fit = leaderboard([*duels, *[("c", "a", 0.0)] * 10], sides=True).fit
    assert np.isnan(fit.p_value)
    assert not fit.refuted


def test_the_statistic_of_wins_and_losses_is_pearsons() -> None:
    """By hand, from the pairs' wins and the strengths; what chance makes of it differs by little."""
    log = made_up(6, 3000, 3)
    board = leaderboard(log, sides=False)
    strength = np.array([board[arm].strength for arm in board.arms])
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    rate, duels = board.pairs.rate, board.pairs.duels
    upper = np.triu_indices(6, 1)
    pearson = (duels * (rate - chance) ** 2 / (chance * (1 - chance)))[upper].sum()
    assert leaderboard(log, "always-valid", sides=False).fit.statistic == pytest.approx(pearson)
    assert board.fit.statistic == pytest.approx(pearson, rel=0.15)
    assert board.fit.freedom == 10


def test_limits_of_pairs_follow_by_chains() -> None:
    """The least upper limits of differences, by brute force over all chains of four arms."""
    rng = np.random.default_rng(0)
    high = np.abs(rng.normal(1, 1, (4, 4)))
    np.fill_diagonal(high, 0)

    def least(start: int, end: int, unused: frozenset[int]) -> float:
        return min([float(high[start, end])] + [float(high[start, k]) + least(k, end, unused - {k}) for k in unused])

    found = implied_limits(high)
    for i in range(4):
        for j in range(4):
            if i != j:
                assert found[i, j] == pytest.approx(least(i, j, frozenset(range(4)) - {i, j}))


def test_a_user_counts_once_a_pair() -> None:
    rows = {
        "left": ["a", "b", "a", "a", "a"],
        "right": ["b", "a", "b", "b", "b"],
        "outcome": [1, 1, 0, 1, 0],
        "user": ["u", "u", "u", "", ""],
    }
    log = read_duels(rows)
    won, voices = tallies(log, first=True)
    assert (won[0, 1], voices[0, 1], voices[1, 0]) == (2, 3, 0)  # u's first, and two of nobody
    won, voices = tallies(log, first=False)
    assert (won[0, 1], voices[0, 1], won[1, 0], voices[1, 0]) == (1.5, 3, 1, 1)


def test_sides_that_matter_are_taken_out_of_always_valid_limits() -> None:
    """Left wins three of four whoever it is: the arms are equal, and a policy that puts "a" left must not be fooled."""
    rng = np.random.default_rng(1)
    left = ["a"] * 700 + ["b"] * 100
    right = ["b"] * 700 + ["a"] * 100
    log = read_duels({"left": left, "right": right, "outcome": (rng.random(800) < 0.75).astype(float)})
    assert compare_pairs(log, "always-valid", 0.05, sides=False).beats[0, 1]
    fair = compare_pairs(log, "always-valid", 0.05, sides=True)
    assert not fair.beats.any()
    assert fair.low[0, 1] < 0.5 < fair.high[0, 1]
    corrected = leaderboard(log, kind="always-valid", sides=True)
    assert corrected.standings[0].low < 0 < corrected.standings[0].high


def test_a_pair_that_stood_one_way_is_limited_by_what_sides_gain_elsewhere() -> None:
    rng = np.random.default_rng(2)
    left, right = ["a", "b"] * 3000 + ["a"] * 3000, ["b", "a"] * 3000 + ["c"] * 3000
    outcome = rng.random(9000) < np.where(np.array(right) == "c", 0.9, 0.6)
    log = read_duels({"left": left, "right": right, "outcome": outcome.astype(float)})
    found = compare_pairs(log, "always-valid", 0.05, sides=True)
    expected = np.log(9) - np.log(1.5)  # what is left of the log-odds of .9 without the side's gain
    assert -found.difference[2, 0] < expected < found.difference[0, 2] < expected + 0.5


def test_weights_above_one_have_no_place_in_a_bet() -> None:
    duels = {"winner": ["a", "b"], "loser": ["b", "a"], "weight": [1, 2]}
    assert leaderboard(duels).duels == 2
    with pytest.raises(BadInput, match="at most 1, not 2"):
        leaderboard(duels, kind="always-valid")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "exact"}, "kind must be one of planned, always-valid"),
        ({"confidence": 95}, "confidence must be"),
        ({"prior": -1}, "prior must be"),
        ({"sides": True}, "do not say who stood left"),
    ],
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        leaderboard([("a", "b"), ("b", "a")], **options)  # type: ignore[arg-type]


def test_the_board_in_words_json_and_charts(tmp_path: Path) -> None:
    board = leaderboard(baseball())
    text = str(board)
    assert text.splitlines()[2].split()[:2] == ["Milwaukee", "1"]
    assert "the left one wins" in text
    summary = json.loads(json.dumps(board.summary()))
    assert summary["standings"][0]["arm"] == "Milwaukee"
    assert sum(map(sum, summary["pairs"]["duels"])) == 2 * board.duels
    for name, chart in {"s": board_chart(board), "p": pairs_chart(board), "r": ranks_chart(baseball())}.items():
        chart.draw(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5000
    with pytest.raises(BadInput, match="no arm 'Seattle'"):
        board["Seattle"]
