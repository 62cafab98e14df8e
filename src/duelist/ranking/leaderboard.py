"""A leaderboard: the strength and the rank of every arm, each with an interval that says what it promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Flags
from duelist.evidence.deltas import check_share
from duelist.ranking.fit import Fit
from duelist.ranking.intervals import Answer, Bias, always_valid_intervals, planned_intervals
from duelist.ranking.log import DuelLog
from duelist.ranking.order import placed_arms, reasons
from duelist.ranking.pairs import KINDS, Pairs, compare_pairs
from duelist.ranking.read import read_duels
from duelist.ranking.strengths import Cells, Strengths, bias_can_be_told, cells_of, fit_strengths

PROMISES = {
    "planned": "for data collected by plan, looked at once: each interval of a strength or a rank holds in",
    "always-valid": "whatever chose the pairs, however often you look: all intervals hold together in",
}


class Standing(NamedTuple):
    """An arm on the board. An arm that cannot be placed has no rank, and `why`."""

    arm: Any
    duels: int
    wins: float  # ties count half
    strength: float  # log-odds against an average arm
    low: float
    high: float
    rank: int | None
    rank_low: int  # the best rank it may have
    rank_high: int
    best: float  # how likely it is the best one: a degree of belief, NaN if it cannot be placed
    why: str = ""


@dataclass(frozen=True)
class Leaderboard:
    """The whole answer as values; `print` shows it."""

    standings: tuple[Standing, ...]  # the strongest first, those without a place last
    arms: tuple[Any, ...]  # in the order of the rows of `pairs`
    pairs: Pairs
    fit: Fit
    bias: Bias | None  # None: not corrected
    bias_why: str  # why not
    kind: str
    confidence: float
    duels: int
    users: int  # who judged, where they are named
    settled: int
    rejected: tuple[Any, ...]

    @property
    def promise(self) -> str:
        """What the intervals promise."""
        return f"{PROMISES[self.kind]} {self.confidence:.0%} of boards"

    @property
    def best(self) -> Any:
        """The arm with the highest strength."""
        return self.standings[0].arm

    def __getitem__(self, arm: Any) -> Standing:
        found = [standing for standing in self.standings if standing.arm == arm]
        if not found:
            raise BadInput(f"there is no arm {arm!r} on the board; there are {', '.join(map(repr, self.arms[:12]))}")
        return found[0]

    def __str__(self) -> str:
        from duelist.ranking.text import format_board  # which stands on this module

        return format_board(self)

    def summary(self) -> dict[str, Any]:
        """The numbers for JSON."""
        from duelist.ranking.text import board_summary

        return board_summary(self)

    def columns(self) -> dict[str, Any]:
        """A row an arm, for a data frame."""
        return {name: [getattr(each, name) for each in self.standings] for name in Standing._fields}


def leaderboard(
    duels: Any,
    kind: str = "planned",
    confidence: float = 0.95,
    sides: bool | None = None,
    prior: float = 0.0,
    rename: Mapping[str, str] | None = None,
    context: Any = None,
    seed: int = 0,
) -> Leaderboard:
    """Rank the arms of duels that are over; `duels` is anything `read_duels` reads.

    `kind` says what the intervals promise: "planned" ones are for pairs that were chosen by plan, and one look;
    "always-valid" ones for pairs that a policy chose and for looking all the time. `sides`: estimate and correct that
    the left side wins more often (planned data: wherever sides are known). `prior` ties with an average arm give every
    arm a place. `context`: the duels of one context alone.

    >>> duels = [("new", "old")] * 30 + [("old", "new")] * 10 + [("new", "older")] * 25 + [("older", "old")] * 9
    >>> board = leaderboard(duels + [("old", "older")] * 12 + [("older", "new")] * 5)
    >>> [(s.arm, round(s.strength, 2), s.rank, (s.rank_low, s.rank_high), round(s.best, 3)) for s in board.standings]
    [('new', 0.89, 1, (1, 1), 1.0), ('old', -0.26, 2, (2, 3), 0.0), ('older', -0.63, 3, (2, 3), 0.0)]
    >>> leaderboard(duels, kind="always-valid").standings[0].arm
    'new'
    """
    if kind not in KINDS:
        raise BadInput(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    if not prior >= 0:
        raise BadInput(f"prior must be at least 0, not {prior!r}")
    alpha = 1 - check_share("confidence", confidence)
    log = read_duels(duels, rename)
    log = log if context is None else log.within(context)
    cells = cells_of(log)
    wanted = (kind == "planned" and log.sided) if sides is None else sides
    if wanted and not log.sided:
        raise BadInput("sides cannot be corrected: winner and loser do not say who stood left")
    placed = np.ones(len(log.arms), np.bool_) if prior > 0 else placed_arms(cells)
    found, inner, why = _fit(cells.of(placed), wanted, prior)
    pairs = compare_pairs(log, kind, alpha, found.biased)
    judge = planned_intervals if kind == "planned" else always_valid_intervals
    answer = judge(found, inner, _among(log, placed), pairs, placed, alpha, seed)
    bias, fit = answer.bias, answer.fit
    standings = _standings(log, cells, answer, found, placed)
    users = len(np.unique(log.user[log.user >= 0]))
    why = "" if bias is not None else why or ("not asked for" if log.sided else "sides are not known")
    return Leaderboard(
        standings, log.arms, pairs, fit, bias, why, kind, confidence, len(log), users, log.settled, log.rejected
    )


def _fit(cells: Cells, sides: bool, prior: float) -> tuple[Strengths, Cells, str]:
    """The strengths, with the bias if it can be told from them; why not otherwise."""
    why = ""
    if sides and not bias_can_be_told(cells):
        sides, why = False, "which side won cannot be told from which arm did: let arms change sides"
    found = fit_strengths(cells, sides, prior)
    if found is None and sides:
        found, why = fit_strengths(cells, False, prior), "one side wins always"
    if found is None:
        raise BadInput("the strengths grow without limit: give a prior, as prior=1")
    return found, cells, why


def _among(log: DuelLog, placed: Flags) -> DuelLog:
    """The duels of the placed arms among themselves, numbered anew."""
    chosen = log.take(placed[log.left] & placed[log.right])
    number = np.cumsum(placed) - 1
    arms = tuple(arm for arm, here in zip(log.arms, placed, strict=True) if here)
    return replace(chosen, arms=arms, left=number[chosen.left], right=number[chosen.right])


def _standings(log: DuelLog, cells: Cells, answer: Answer, found: Strengths, placed: Flags) -> tuple[Standing, ...]:
    lost = cells.weight - cells.won
    duels = (cells.duels.sum(0) + cells.duels.sum(1)).astype(int)
    wins = cells.won.sum(1) + lost.sum(0)
    why = reasons(cells, placed)
    order = np.argsort(-found.strength, kind="stable")
    numbers = np.flatnonzero(placed)
    rows = []
    for rank, inner in enumerate(order.tolist(), 1):
        arm = int(numbers[inner])
        strength, low, high, best = (
            float(column[inner]) for column in (found.strength, answer.low, answer.high, answer.best)
        )
        ranks = rank, int(answer.rank_low[inner]), int(answer.rank_high[inner])
        rows.append(Standing(log.arms[arm], int(duels[arm]), float(wins[arm]), strength, low, high, *ranks, best))
    for arm in np.flatnonzero(~placed).tolist():
        known = log.arms[arm], int(duels[arm]), float(wins[arm])
        rows.append(Standing(*known, np.nan, -np.inf, np.inf, None, 1, len(log.arms), np.nan, why[arm]))
    return tuple(rows)
