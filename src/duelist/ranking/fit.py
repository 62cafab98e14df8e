"""Whether one strength an arm explains the duels at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from duelist.core.memory import Flags, Floats
from duelist.ranking.order import Circles
from duelist.ranking.strengths import Cells, Strengths

WORST = 3
LEAST = 1e-9  # outcomes that vary less are always the same, and say nothing of how they vary


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

    statistic: float  # Pearson's chi-squared
    freedom: int
    p_value: float  # for planned data; NaN where nothing is left to test, or data were watched
    refuted: bool  # beyond alpha
    worst: tuple[Misfit, ...]
    circles: Circles


def chi_squared(found: Strengths, cells: Cells, design: float) -> tuple[float, int, float, tuple[Misfit, ...]]:
    """Pearson's statistic of the pairs' wins, degrees of freedom, p-value, and the pairs that fit worst.

    `design` is how much more users vary than duels of their own would. Pairs with few duels make the statistic vary
    more than chi-squared does: it is held against the multiple of a chi-squared with its mean and variance.
    """
    weight, won, double, expected = _merged(found, cells)
    there = weight > 0
    weight, won, double, p = weight[there], won[there], double[there], expected[there]
    spread = p * (1 - p) * _dispersion(cells) * design
    squared = (won - weight * p) ** 2 / (double * spread)
    freedom = len(weight) - (len(found.strength) - 1) - found.biased
    size = weight * weight / double
    variance = float((2 + (1 - 6 * p * (1 - p)) / (size * p * (1 - p))).sum()) * freedom / max(1, len(weight))
    p_value = np.nan
    if freedom > 0:
        times = max(variance, 1e-9) / (2 * freedom)
        p_value = float(special.chdtrc(freedom / times, squared.sum() / times))
    return float(squared.sum()), freedom, p_value, _worst(there, won / weight, p, np.sqrt(squared))


def _merged(found: Strengths, cells: Cells) -> tuple[Floats, Floats, Floats, Floats]:
    """Weight, wins, squared weights and expected rate: of ordered pairs where sides matter, else of pairs."""
    if found.biased:
        return cells.weight, cells.won, cells.squares[0], found.chance
    upper = np.triu(np.ones(cells.weight.shape), 1)
    lost = cells.weight - cells.won
    return (
        upper * (cells.weight + cells.weight.T),
        upper * (cells.won + lost.T),
        upper * (cells.squares[0] + cells.squares[0].T),
        found.chance,
    )


def _dispersion(cells: Cells) -> float:
    """How much outcomes vary within a pair, of what wins and losses alone would: ties and grades vary less."""
    one, first, second = cells.squares
    rate = np.divide(cells.won, cells.weight, out=np.zeros(cells.won.shape), where=cells.weight > 0)
    most = float((one * rate * (1 - rate)).sum())
    share = float((second - 2 * rate * first + rate * rate * one).sum()) / most if most > 0 else 1.0
    return share if share > LEAST else 1.0


def _worst(there: Flags, seen: Floats, expected: Floats, errors: Floats) -> tuple[Misfit, ...]:
    first, second = np.nonzero(there)
    found = []
    for place in np.argsort(-errors, kind="stable")[:WORST].tolist():
        pair = int(first[place]), int(second[place])
        rates = float(seen[place]), float(expected[place])
        if rates[0] < rates[1]:
            pair, rates = pair[::-1], (1 - rates[0], 1 - rates[1])
        found.append(Misfit(*pair, *rates, float(errors[place])))
    return tuple(found)
