"""Two kinds of intervals for strengths and ranks, and what each of them says about the fit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.memory import Flags, Floats
from duelist.ranking.fit import BOARDS, Fit, judge_fit
from duelist.ranking.log import DuelLog
from duelist.ranking.order import find_circles, implied_limits
from duelist.ranking.pairs import Pairs
from duelist.ranking.strengths import Cells, Strengths, model_spread, spread_of_strengths

DRAWS = 4000  # for the chance of being the best
AT_ONCE = 1000  # of these for comparing an arm with all others at once


class Bias(NamedTuple):
    """How often the left one of two equal arms wins."""

    left_wins: float
    low: float
    high: float


class Answer(NamedTuple):
    """What a kind of interval says of the placed arms."""

    low: Floats
    high: Floats
    rank_low: Any  # whole numbers
    rank_high: Any
    best: Floats
    bias: Bias | None
    fit: Fit


def planned_intervals(
    found: Strengths, cells: Cells, log: DuelLog, pairs: Pairs, placed: Flags, alpha: float, seed: int
) -> Answer:
    """For data collected by plan, one look: what users, or duels, pull at the strengths."""
    n = len(found.strength)
    spread, judges = spread_of_strengths(found, cells, log)
    wide = float(scipy.special.stdtrit(max(1, judges - 1), 1 - alpha / 2))
    errors = wide * np.sqrt(np.maximum(np.diagonal(spread), 0.0))
    shifts = _draws(spread[:n, :n], seed)
    above, below = _sure_differences(found.strength, spread[:n, :n], shifts, alpha)
    best = np.bincount((found.strength + shifts).argmax(1), minlength=n) / len(shifts)
    bias = None
    if found.biased:
        limits = (found.bias, found.bias - errors[n], found.bias + errors[n])
        bias = Bias(*(float(scipy.special.expit(limit)) for limit in limits))
    statistic, freedom, p_value, worst = judge_fit(found, log, BOARDS, seed)
    fit = Fit(statistic, freedom, p_value, bool(p_value <= alpha), worst, find_circles(pairs.beats))
    low, high = found.strength - errors[:n], found.strength + errors[:n]
    return Answer(low, high, 1 + above.sum(0), n - below.sum(0), best, bias, fit)


def always_valid_intervals(
    found: Strengths, cells: Cells, log: DuelLog, pairs: Pairs, placed: Flags, alpha: float, seed: int
) -> Answer:
    """For pairs that a policy chose, and any number of looks: what follows from limits of every pair."""
    n = len(found.strength)
    least = implied_limits(pairs.difference)[np.ix_(placed, placed)]
    refuted = bool((np.diagonal(least) < -1e-9).any())
    above = least.T < 0  # [i, j]: i surely above j
    low, high = (np.full(n, np.nan), np.full(n, np.nan)) if refuted else (-least.mean(0), least.mean(1))
    shifts = _draws(model_spread(found)[:n, :n], seed)
    best = np.bincount((found.strength + shifts).argmax(1), minlength=n) / len(shifts)
    statistic, freedom, _, worst = judge_fit(found, log)
    fit = Fit(statistic, freedom, np.nan, refuted, worst, find_circles(pairs.beats))
    bias = Bias(float(scipy.special.expit(found.bias)), np.nan, np.nan) if found.biased else None
    above &= not refuted
    return Answer(low, high, 1 + above.sum(0), n - above.sum(1), best, bias, fit)


def _draws(spread: Floats, seed: int) -> Floats:
    """How far strengths may be off, together: normal with this covariance."""
    values, vectors = np.linalg.eigh(spread)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws: Floats = np.random.default_rng(seed).standard_normal((DRAWS, len(root))) @ root.T
    return draws


def _sure_differences(strength: Floats, spread: Floats, shifts: Floats, alpha: float) -> tuple[Flags, Flags]:
    """[j, i]: arm j is surely above, or below, arm i, where i is compared with all others at once.

    Mogstad, Romano, Shaikh, Wilhelm. Inference for ranks with applications to mobility across neighbourhoods and
    academic achievement across countries. Review of Economic Studies 2024.
    """
    own = np.diagonal(spread)
    errors = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * spread, 1e-300))
    above, below = np.zeros(errors.shape, np.bool_), np.zeros(errors.shape, np.bool_)
    for arm in range(len(strength)):
        others = np.arange(len(strength)) != arm
        off = np.abs(shifts[:AT_ONCE, others] - shifts[:AT_ONCE, arm, None]) / errors[others, arm]
        reach = float(np.quantile(off.max(1), 1 - alpha)) if others.any() else 0.0
        gap = strength - strength[arm]
        above[:, arm], below[:, arm] = gap > reach * errors[:, arm], gap < -reach * errors[:, arm]
    return above, below
