"""The test whether one strength an arm fits: how often it refutes boards that are true, and how often circles."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from duelist.core.memory import Flags, Floats, Ints
from duelist.present.charts import Dots, Series
from duelist.ranking.fit import BOARDS, judge_fit
from duelist.ranking.log import DuelLog
from duelist.ranking.order import placed_arms
from duelist.ranking.strengths import cells_of, fit_strengths
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.samples import mean_of
from duelist.reproductions.verdicts import OBSERVATION, Reference, Row

ALPHA, OFF = 0.05, 0.01
RUNS, FEW = 2000, 100
TASTE = 1.0  # by which users differ, in log-odds of an arm
AROUND = 0.15  # by which each arm of a circle beats the next ones


class Plan(NamedTuple):
    """Duels that were planned: who stood left and right, and who judged."""

    left: Ints
    right: Ints
    user: Ints


Judge = Callable[[Plan, Floats, np.random.Generator], tuple[Floats, Floats]]  # outcomes and weights, by log-odds


def wins(plan: Plan, odds: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Wins and losses."""
    return (rng.random(len(odds)) < _chance(odds)).astype(np.float64), np.ones(len(odds))


def ties(plan: Plan, odds: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Three in ten end in a tie, so that the mean stays what it is."""
    chance = np.clip((_chance(odds) - 0.15) / 0.7, 0, 1)
    decided = (rng.random(len(odds)) < chance).astype(np.float64)
    return np.where(rng.random(len(odds)) < 0.3, 0.5, decided), np.ones(len(odds))


def grades(plan: Plan, odds: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Anything from 0 to 1."""
    return rng.beta(2 * _chance(odds), 2 * _chance(-odds)), np.ones(len(odds))


def weights(plan: Plan, odds: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Wins and losses that count very differently."""
    return wins(plan, odds, rng)[0], rng.exponential(1.0, len(odds))


def tastes(plan: Plan, odds: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Users who like some arms more than others do."""
    liked = rng.normal(0, TASTE, (plan.user.max() + 1, max(plan.left.max(), plan.right.max()) + 1))
    return wins(plan, odds + liked[plan.user, plan.left] - liked[plan.user, plan.right], rng)


def repeats(plan: Plan, odds: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Users who are asked the same four times, and say the same."""
    luck = np.repeat(rng.random(len(odds) // 4), 4)
    return (luck < _chance(odds)).astype(np.float64), np.ones(len(odds))


class Board(NamedTuple):
    """How a board comes about."""

    judge: Judge
    n_arms: int
    duels: int
    bias: float = 0.0  # log-odds that the left side gains; estimated where it is not 0
    circle: bool = False


TRUE = {
    "wins and losses, 10 a pair": Board(wins, 6, 150),
    "wins and losses, 80 a pair": Board(wins, 6, 1200),
    "wins and losses, 5 a pair, sides": Board(wins, 20, 1000, 0.3),
    "wins and losses, 10,000 a pair, sides": Board(wins, 5, 100_000, 0.3),
    "ties, 10 a pair": Board(ties, 6, 150),
    "grades, 10 a pair": Board(grades, 6, 150),
    "grades, 36 a pair, sides": Board(grades, 12, 2400, 0.3),
    "weights, 36 a pair": Board(weights, 12, 2400),
    "users of different taste, 36 a pair": Board(tastes, 12, 2400),
    "users who repeat themselves, 9 a pair": Board(repeats, 12, 2400),
}
CIRCLES = {
    "a circle, 10 a pair": Board(wins, 6, 150, circle=True),
    "a circle, 20 a pair": Board(wins, 6, 300, circle=True),
    "a circle, 80 a pair": Board(wins, 6, 1200, circle=True),
}


def refuted(board: Board, runs: int, seed: int = 0) -> Flags:
    """Of each board whose arms can all be placed, whether the test says that one strength an arm does not fit.

    >>> [int(refuted(board, 40).sum()) for board in (TRUE["ties, 10 a pair"], CIRCLES["a circle, 80 a pair"])]
    [2, 40]
    """
    found = []
    for run in range(runs):
        log = _log(board, np.random.default_rng((seed, run)))
        cells = cells_of(log)
        strengths = fit_strengths(cells, board.bias != 0) if placed_arms(cells).all() else None
        if strengths is not None:
            found.append(judge_fit(strengths, log, BOARDS, run).p_value <= ALPHA)
    return np.array(found)


def _log(board: Board, rng: np.random.Generator) -> DuelLog:
    n, size = board.n_arms, board.duels
    each = 4 if board.judge is repeats else 1
    left = np.repeat(rng.integers(0, n, size // each), each)
    right = (left + np.repeat(rng.integers(1, n, size // each), each)) % n
    user = np.repeat(np.arange(size // each), each) if each > 1 else rng.integers(0, size // 20, size)
    named = board.judge in (tastes, repeats)
    strength = np.linspace(0.8, -0.8, n)
    odds = strength[left] - strength[right] + board.bias
    if board.circle:
        ahead = np.sign(n / 2 - (right - left) % n)  # of the arms around a table, those of the next half are beaten
        odds = np.log((0.5 + AROUND * ahead) / (0.5 - AROUND * ahead))
    outcome, weight = board.judge(Plan(left, right, user), odds, rng)
    return DuelLog(tuple(range(n)), left, right, outcome, weight, user if named else np.full(size, -1))


def _chance(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-odds)), np.float64)


def run(setting: Setting) -> Report:
    """All kinds of boards."""
    rows: list[Row] = []
    for boards, judged in ((TRUE, CALIBRATED), (CIRCLES, FOUND)):
        for label, board in boards.items():
            if setting.quick and board.duels > FEW_DUELS:
                continue
            reference = OBSERVATION if board.circle and board.duels < FEW_DUELS else judged
            rows.append(Row(f"{label}: refuted", reference, mean_of(refuted(board, FEW if setting.quick else RUNS))))
            setting.advance(1)
    found = [(row.cell.partition(":")[0], row.ours) for row in rows if row.reference is CALIBRATED]
    mean, low, high = np.array([ours for _, ours in found]).T
    series = Series("refuted", [label for label, _ in found], mean, np.maximum(low, 0.0), high)
    return Report(rows, Dots([series], "share of boards", "Boards with one strength an arm, refuted at 5 %"))


FEW_DUELS = 300
PAGE = "docs/leaderboard.md"
CALIBRATED = Reference(
    "claim",
    f"{PAGE}: of boards that one strength an arm fits, 4 to 6 % are refuted at 5 %",
    above=ALPHA - OFF,
    below=ALPHA + OFF,
    refutable=True,
)
FOUND = Reference("claim", f"{PAGE}: a circle is found with 20 duels a pair", above=0.8)
BOARD_FIT = Reproduction(
    *listed("board-fit"), "No paper: what our test of fit promises.", code=run, steps=len(TRUE) + len(CIRCLES)
)
