"""One strength an arm, so that the odds of the left arm are exp(strength left - strength right + bias).

Bradley and Terry. Rank analysis of incomplete block designs: the method of paired comparisons. Biometrika 1952.
A tie is half a win for each, and a graded outcome what it says: the strengths are those whose expected wins are the
wins that were seen. They are found by Newton's method, which takes a handful of steps of one K x K system each.

How far they may be off comes from the outcomes themselves and not from the model (a sandwich: H^-1 M H^-1, where M
adds up what each user, or each duel, pulls at the strengths), so that ties, graded outcomes, weights and users who
judge often and alike are all counted as what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.memory import Flags, Floats
from duelist.ranking.log import DuelLog

STEPS = 100
CLOSE = 1e-10  # largest pull, for each duel, that is left when the strengths are found
ROUNDING = 1e-12  # of the likelihood: less is no step down
FAR = 12.0  # a bias of that many log-odds is one that no strength could stand against: it is not estimated


class Cells(NamedTuple):
    """Sums over the duels of each ordered pair (left, right): K x K each."""

    duels: Floats  # how many
    weight: Floats
    won: Floats  # weight x outcome
    squares: tuple[Floats, Floats, Floats]  # weight^2 times 1, outcome, outcome^2

    def of(self, arms: Flags) -> Cells:
        """Of some arms among themselves."""
        chosen = np.ix_(arms, arms)
        duels, weight, won = (table[chosen] for table in self[:3])
        return Cells(duels, weight, won, tuple(table[chosen] for table in self.squares))  # type: ignore[arg-type]


def cells_of(log: DuelLog) -> Cells:
    """The sums of a log, in one pass."""
    n = len(log.arms)
    place = log.left * n + log.right
    weight, outcome = log.weight, log.outcome

    def total(amounts: Floats | None = None) -> Floats:
        return np.bincount(place, amounts, minlength=n * n).reshape(n, n).astype(np.float64)

    double = weight * weight
    squares = (total(double), total(double * outcome), total(double * outcome * outcome))
    return Cells(total(), total(weight), total(weight * outcome), squares)


@dataclass(frozen=True)
class Strengths:
    """What was found; strengths are log-odds, 0 on average."""

    strength: Floats
    bias: float  # log-odds that the left side gains; 0 where it was not estimated
    chance: Floats  # K x K, of the left arm
    curvature: Floats  # of the likelihood, the mean held, with the bias in the last row where it was estimated

    @property
    def biased(self) -> bool:
        """Whether the bias was estimated."""
        return len(self.curvature) > len(self.strength)


def fit_strengths(cells: Cells, bias: bool, prior: float = 0.0) -> Strengths | None:
    """The strengths of arms that can all be placed; None if they are not to be had with this bias.

    `prior` is how many ties each arm is thought to have made with an average one.

    >>> log = DuelLog(("a", "b"), np.array([0, 0, 1]), np.array([1, 1, 0]), np.array([1.0, 0.0, 0.0]),
    ...               np.ones(3), np.full(3, -1))
    >>> found = fit_strengths(cells_of(log), bias=False)
    >>> [round(float(x), 4) for x in found.strength], round(float(found.chance[0, 1]), 4)
    ([0.3466, -0.3466], 0.6667)
    """
    n = len(cells.weight)
    at = np.zeros(n + bias)
    height = _height(at, cells, prior)
    for _ in range(STEPS):
        chance = _chances(at, n)
        pull = _pull(cells.won - cells.weight * chance, bias)
        pull[:n] += prior * (0.5 - scipy.special.expit(at[:n]))
        if np.abs(pull).max() <= CLOSE * cells.weight.sum():
            return Strengths(at[:n] - at[:n].mean(), float(at[n]) if bias else 0.0, chance, _curve(at, cells, prior))
        step = np.linalg.solve(_curve(at, cells, prior), pull)
        size = 1.0
        while (higher := _height(at + size * step, cells, prior)) < height - ROUNDING * abs(height) and size > 1e-6:
            size /= 2
        at, height = at + size * step, higher
        if not np.abs(at).max() < 40 or (bias and abs(at[n]) > FAR):
            return None
    return None


def bias_can_be_told(cells: Cells) -> bool:
    """Whether strengths alone could not explain that the left side wins more often, whatever they are.

    They could if some strengths had every left arm one above its right arm.
    """
    there = (cells.weight > 0).astype(np.float64)
    laplacian = np.diag(there.sum(0) + there.sum(1)) - there - there.T
    best = np.linalg.lstsq(laplacian, there.sum(1) - there.sum(0), rcond=None)[0]
    left_over = there * (best[:, None] - best[None, :] - 1.0)
    return bool(np.abs(left_over).max() > 1e-6)


def spread_of_strengths(found: Strengths, cells: Cells, log: DuelLog) -> tuple[Floats, int]:
    """The covariance of the strengths (and of the bias, last), and how many judged: users, or duels without one."""
    n = len(found.strength)
    bread = np.linalg.inv(found.curvature)
    if (log.user >= 0).any():
        meat, judges = _meat_of_users(found, log)
        scale = judges / max(1, judges - 1)
    else:
        one, first, second = cells.squares
        meat = _assemble(second - 2 * found.chance * first + found.chance**2 * one, found.biased)
        judges = int(cells.duels.sum())
        scale = judges / max(1, judges - n)
    middle = np.eye(len(bread))
    middle[:n, :n] -= 1.0 / n
    return middle @ bread @ (scale * meat) @ bread @ middle, judges


def model_spread(found: Strengths) -> Floats:
    """The covariance if the model holds and every outcome is a win or a loss."""
    n = len(found.strength)
    middle = np.eye(len(found.curvature))
    middle[:n, :n] -= 1.0 / n
    spread: Floats = middle @ np.linalg.inv(found.curvature) @ middle
    return spread


def _meat_of_users(found: Strengths, log: DuelLog) -> tuple[Floats, int]:
    n = len(found.strength)
    user = log.judge
    pull = log.weight * (log.outcome - found.chance[log.left, log.right])
    rows, places, pulls = [user, user], [log.left, log.right], [pull, -pull]
    if found.biased:
        rows, places, pulls = [*rows, user], [*places, np.full(len(log), n)], [*pulls, pull]
    shape = (int(user.max()) + 1, n + found.biased)
    scores = scipy.sparse.csr_matrix((np.concatenate(pulls), (np.concatenate(rows), np.concatenate(places))), shape)
    return np.asarray((scores.T @ scores).toarray()), len(np.unique(user))


def _chances(at: Floats, n: int) -> Floats:
    return np.asarray(scipy.special.expit(at[:n, None] - at[None, :n] + (at[n] if len(at) > n else 0.0)), np.float64)


def _height(at: Floats, cells: Cells, prior: float) -> float:
    """The logarithm of the likelihood."""
    n = len(cells.weight)
    odds = at[:n, None] - at[None, :n] + (at[n] if len(at) > n else 0.0)
    told = cells.won * odds - cells.weight * np.logaddexp(0.0, odds)
    return float(told.sum() + prior * (at[:n] / 2 - np.logaddexp(0.0, at[:n])).sum())


def _pull(left_over: Floats, bias: bool) -> Floats:
    pull = left_over.sum(1) - left_over.sum(0)
    return np.append(pull, left_over.sum()) if bias else pull


def _curve(at: Floats, cells: Cells, prior: float) -> Floats:
    n = len(cells.weight)
    chance = _chances(at, n)
    curve = _assemble(cells.weight * chance * (1 - chance), len(at) > n)
    own = scipy.special.expit(at[:n])
    curve[np.arange(n), np.arange(n)] += prior * own * (1 - own)
    if prior == 0:  # duels say nothing of the mean of all strengths: it is held where it is
        curve[:n, :n] += 1.0 / n
    return curve


def _assemble(amounts: Floats, bias: bool) -> Floats:
    """The sum over cells of amount x x^T, where x has 1 at the left arm, -1 at the right one, and 1 for the bias."""
    n = len(amounts)
    table = np.zeros((n + bias, n + bias))
    table[:n, :n] = np.diag(amounts.sum(0) + amounts.sum(1)) - amounts - amounts.T
    if bias:
        table[n, :n] = table[:n, n] = amounts.sum(1) - amounts.sum(0)
        table[n, n] = amounts.sum()
    return table
