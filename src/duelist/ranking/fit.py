"""Whether one strength an arm explains the duels at all.

Pearson's statistic adds up how far the wins of each pair are from what the strengths expect. How large chance makes it
is drawn: what each judge (a user, or a duel of which nobody is named) leaves unexplained is kept, and a coin decides
for which of the two arms it speaks. So ties, grades, weights and users who judge alike count as what they are, and few
duels as few. A table of chi-squared knows nothing of these: it refuted up to 20 % of true boards at 5 %.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.memory import Floats, Ints
from duelist.ranking.log import DuelLog
from duelist.ranking.order import Circles
from duelist.ranking.strengths import Strengths

WORST = 3
BOARDS = 399  # boards that chance makes: p-values are multiples of 1/400
AT_ONCE = 57
COINS = 2000  # at most: more judges than that share them, and groups of judges are independent too
LEAST = 1e-9  # a statistic that never varies more, for each pair, has nothing to test
OWN = 0.99  # of a duel that explains itself, at most


class Misfit(NamedTuple):
    """A pair whose duels the strengths explain worst; arms by number, `first` wins more often than expected."""

    first: int
    second: int
    seen: float  # share of wins
    expected: float
    errors: float  # standard errors between the two


@dataclass(frozen=True)
class Fit:
    """The test, and where it fails."""

    statistic: float  # Pearson's chi-squared; where a p-value is drawn, as a multiple that is `freedom` on average
    freedom: int
    p_value: float  # for planned data; NaN where nothing is left to test, or data were watched
    refuted: bool  # beyond alpha
    worst: tuple[Misfit, ...]
    circles: Circles


class Tested(NamedTuple):
    """What the test says."""

    statistic: float
    freedom: int
    p_value: float
    worst: tuple[Misfit, ...]


class Met(NamedTuple):
    """The ordered pairs (left, right) that met."""

    left: Ints
    right: Ints
    of: Ints  # the ordered pair of each duel
    chance: Floats  # of the left arm
    arms: Any  # ordered pairs x strengths (and bias): 1 for the left arm, -1 for the right one, 1 for the bias
    pairs: Any  # pairs x ordered pairs: 1 where the arm of the lower number stands left, else -1


def judge_fit(found: Strengths, log: DuelLog, draws: int = 0, seed: int = 0) -> Tested:
    """The statistic, degrees of freedom, a p-value from so many draws (NaN without), and the pairs that fit worst."""
    log = log.take(log.weight > 0)
    cells = _cells(found, log)
    excess = log.weight * (log.outcome - cells.chance[cells.of])
    varies = cells.chance * (1 - cells.chance)
    spread = abs(cells.pairs) @ (varies * np.bincount(cells.of, log.weight**2))
    more = cells.pairs @ np.bincount(cells.of, excess)
    squared = more**2 / spread
    freedom, p_value = len(squared) - (len(found.strength) - 1), np.nan
    if draws and freedom > 0:
        parts = _by_chance(found, cells, log, excess, draws, seed)
        chance = np.concatenate([(part**2 / spread[:, None]).sum(0) for part in parts])
        if chance.mean() > LEAST * len(squared):
            p_value = float(1 + (chance >= squared.sum()).sum()) / (1 + draws)
            squared *= freedom / chance.mean()
    return Tested(float(squared.sum()), freedom, p_value, _worst(cells, log, more, np.sqrt(squared)))


def _cells(found: Strengths, log: DuelLog) -> Met:
    n, bias = len(found.strength), found.biased
    place, of = np.unique(log.left * n + log.right, return_inverse=True)
    left, right, rows = place // n, place % n, np.arange(len(place))
    ones = np.ones(len(place))
    columns = [left, right, np.full(len(place), n)][: 2 + bias]
    values = np.concatenate([ones, -ones, ones][: 2 + bias])
    arms = scipy.sparse.csr_matrix((values, (np.tile(rows, 2 + bias), np.concatenate(columns))), (len(place), n + bias))
    _, pair = np.unique(np.minimum(left, right) * n + np.maximum(left, right), return_inverse=True)
    pairs = scipy.sparse.csr_matrix((np.where(left < right, 1.0, -1.0), (pair, rows)))
    return Met(left, right, of, found.chance[left, right], arms, pairs)


def _by_chance(found: Strengths, cells: Met, log: DuelLog, excess: Floats, draws: int, seed: int) -> Iterator[Floats]:
    """By how much the wins of pairs (rows) differ from what is expected in each draw (columns), a portion at a time.

    A duel pulls the strengths towards itself, and what is left of it is too small by that: it is made larger again.
    """
    rng = np.random.default_rng(seed)
    coin = np.unique(log.judge, return_inverse=True)[1]
    if coin.max() >= COINS:
        coin = rng.integers(0, COINS, coin.max() + 1)[coin]
    inverse: Floats = np.linalg.inv(found.curvature).astype(np.float64)
    varies = cells.chance * (1 - cells.chance)
    own = np.minimum(log.weight * (varies * _reach(inverse, cells, found.biased))[cells.of], OWN)
    kept = scipy.sparse.csr_matrix(
        (excess / np.sqrt(1 - own), (cells.of, coin)), (len(cells.left), int(coin.max()) + 1)
    )
    weight = varies * np.bincount(cells.of, log.weight)
    for start in range(0, draws, AT_ONCE):
        drawn = kept @ (2.0 * rng.integers(0, 2, (kept.shape[1], min(AT_ONCE, draws - start))) - 1)
        explained = cells.arms @ (inverse @ (cells.arms.T @ drawn))
        yield cells.pairs @ (drawn - weight[:, None] * explained)


def _reach(inverse: Floats, cells: Met, bias: bool) -> Floats:
    """How much the log-odds of each ordered pair may be off, squared."""
    own, left, right = np.diagonal(inverse), cells.left, cells.right
    found: Floats = own[left] + own[right] - 2 * inverse[left, right]
    return found + own[-1] + 2 * (inverse[left, -1] - inverse[right, -1]) if bias else found


def _worst(cells: Met, log: DuelLog, excess: Floats, errors: Floats) -> tuple[Misfit, ...]:
    weight = np.bincount(cells.of, log.weight)
    wins = abs(cells.pairs) @ (weight * np.where(cells.left < cells.right, cells.chance, 1 - cells.chance))
    total = abs(cells.pairs) @ weight
    found = []
    for place in np.argsort(-errors, kind="stable")[:WORST].tolist():
        cell = cells.pairs[place].indices[0]
        low, high = sorted((int(cells.left[cell]), int(cells.right[cell])))
        expected, more = float(wins[place] / total[place]), float(excess[place] / total[place])
        if more < 0:
            low, high, expected, more = high, low, 1 - expected, -more
        found.append(Misfit(low, high, expected + more, expected, float(errors[place])))
    return tuple(found)
