"""One pair that is dueled until it is known who is better: by Hoeffding's inequality, or by bets."""

from __future__ import annotations

import math

from duelist.core.compile import kernel
from duelist.core.memory import Declared, Floats, Ints, single
from duelist.dueling.bets import log_growth

IMAGINED = 2.0  # wins and losses that bets begin with, as in rule-out


class Comparison(Declared):
    """The duels of the pair that is on."""

    duels: Ints = single(int)
    won: Floats = single(float)  # by its first arm
    stakes: Floats = single(float)  # logarithm of what bets on the first arm have come to
    other_stakes: Floats = single(float)  # and on the second


@kernel
def next_comparison(comparison: Comparison) -> None:
    """Another pair is on."""
    comparison.duels[0] = 0
    comparison.won[0] = comparison.stakes[0] = comparison.other_stakes[0] = 0.0


@kernel
def tell_comparison(comparison: Comparison, outcome: float, doubt: float, bets: bool) -> int:
    """One more duel: 1 if the first arm is better, -1 if the second, 0 while it is open; wrong with chance `doubt`."""
    won, lost = comparison.won[0], comparison.duels[0] - comparison.won[0]
    comparison.stakes[0] += log_growth(won, lost, outcome, IMAGINED)
    comparison.other_stakes[0] += log_growth(lost, won, 1.0 - outcome, IMAGINED)
    comparison.duels[0] += 1
    comparison.won[0] += outcome
    n = comparison.duels[0]
    lead = comparison.won[0] / n - 0.5
    if bets:
        known = max(comparison.stakes[0], comparison.other_stakes[0]) >= -math.log(doubt)
        lead = comparison.stakes[0] - comparison.other_stakes[0]
    else:
        known = abs(lead) > math.sqrt(math.log(4.0 * n * n / doubt) / (2.0 * n))
    return 0 if not known else 1 if lead > 0.0 else -1
