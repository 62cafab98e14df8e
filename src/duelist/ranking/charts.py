"""A leaderboard as charts: strengths with intervals, who beats whom, and ranks as duels came in."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.present.charts import Dots, Heat, Lines, Panel, Series
from duelist.ranking.leaderboard import Leaderboard, leaderboard
from duelist.ranking.log import DuelLog
from duelist.ranking.read import read_duels

MOMENTS = 20
LINES = 12  # arms of a chart of ranks: more cannot be told apart


def board_chart(board: Leaderboard) -> Dots:
    """The strength of every placed arm with its interval; limits that are not known end at the edge."""
    placed = [each for each in board.standings if each.rank is not None]
    strength, low, high = (np.array([getattr(s, name) for s in placed]) for name in ("strength", "low", "high"))
    known = [limits[np.isfinite(limits)] for limits in (low, high)]
    edge = 1.1 * float(np.abs(np.concatenate([strength, *known])).max()) + 0.1
    low, high = np.where(np.isfinite(low), low, -edge), np.where(np.isfinite(high), high, edge)
    label = f"{board.confidence:.0%}, {board.kind}"
    series = Series(label, [str(each.arm) for each in placed], strength, low, high)
    return Dots([series], "strength (log-odds against an average arm)", f"{board.duels:,} duels")


def pairs_chart(board: Leaderboard) -> Heat:
    """How often the row beats the column, the strongest arm first."""
    order = [board.arms.index(each.arm) for each in board.standings]
    rate = board.pairs.rate[np.ix_(order, order)].copy()
    np.fill_diagonal(rate, np.nan)
    return Heat(rate, [str(board.arms[arm]) for arm in order], "row wins over column", f"{board.duels:,} duels")


def ranks_chart(duels: Any, moments: int = MOMENTS, **options: Any) -> Lines:
    """The rank of the strongest arms after more and more of the duels; with a prior, so that each has one early."""
    log: DuelLog = read_duels(duels)
    options = {"prior": 1.0, **options}
    last = leaderboard(log, **options)
    at = np.unique(np.linspace(len(log) / moments, len(log), moments).astype(int))
    boards = [leaderboard(log.take(np.arange(len(log)) < until), **options) for until in at.tolist() if until]
    lines = []
    for each in last.standings[:LINES]:
        ranks = [board[each.arm].rank if board[each.arm].duels else np.nan for board in boards]
        lines.append(Series(str(each.arm), at[-len(boards) :], np.array(ranks, np.float64)))
    return Lines([Panel("rank", lines)], "duels", "Ranks as duels came in", x_logarithmic=False)
