"""Bets on who wins a pair: how sure one may be, at every look, kept up to date duel by duel.

Before a duel of a pair, somebody bets on its result at fair odds of 1 to 1, as if the arm ahead won with the share of
wins it has so far (and a few imagined wins and losses). Where it is no better than the other, stakes do not grow on
average; so they ever reach 1/delta with a probability of at most delta (Ville's inequality), whoever chose the pairs,
whenever somebody looks. Stakes of several pairs may be multiplied. A tie or a grade y pays (2q)^y (2 - 2q)^(1 - y), no
more than a coin of that bias pays on average.
"""

from __future__ import annotations

import math

from duelist.core.compile import kernel


@kernel
def log_growth(wins: float, losses: float, outcome: float, imagined: float) -> float:
    """How the logarithm of the stakes on an arm changes by a duel, given its wins and losses before.

    An arm that is not ahead is not bet on.

    >>> [round(log_growth(4.0, 1.0, outcome, 2.0), 3) for outcome in (1.0, 0.5, 0.0)], log_growth(3.0, 3.0, 1.0, 2.0)
    ([0.288, -0.059, -0.405], 0.0)
    """
    if wins <= losses:
        return 0.0
    share = (wins + imagined) / (wins + losses + 2.0 * imagined)
    return outcome * math.log(2.0 * share) + (1.0 - outcome) * math.log(2.0 * (1.0 - share))
