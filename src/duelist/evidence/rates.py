"""How often something wins, with limits: once, at a planned end, and at all times together.

*Planned* limits (Wilson) are right once, for a number of duels that was settled before. *Always-valid* limits hold at
all times together, whoever chose when a pair duels and when to stop: the limits are the rates m against which a bet
has not won a factor 1/alpha. The bet is a mixture over rates q drawn from Beta(a, a), so that its winnings have a
closed form. An outcome y between 0 and 1 with mean m given the past pays (q/m)^y ((1-q)/(1-m))^(1-y). That is a convex
function of y, below its chord y q/m + (1-y)(1-q)/(1-m), whose mean is 1: so ties and graded outcomes are fair bets
too, and by Ville's inequality a true m is ever excluded with probability at most alpha. An outcome of weight w from 0
to 1 pays that to the power w, which is no more on average (Jensen).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.memory import Floats
from duelist.evidence.deltas import check_share

IMAGINED = 3.0  # wins and losses imagined before the first; docs/leaderboard.md has what others cost
STEPS = 100  # at most, towards a limit; a million duels take fifteen
ENOUGH = 1e-12  # steps that are less are none
TINY = 1e-300


class Limits(NamedTuple):
    """Where rates lie."""

    low: Floats
    high: Floats


def log_e_against(rate: Any, wins: Any, losses: Any, prior: float = IMAGINED) -> Any:
    """The logarithm of what the bet against `rate` has won; 1/alpha rejects the rate.

    >>> round(float(np.exp(log_e_against(0.5, 60.0, 30.0))), 1)
    29.8
    """
    bet = scipy.special.betaln(wins + prior, losses + prior) - scipy.special.betaln(prior, prior)
    return bet - scipy.special.xlogy(wins, rate) - scipy.special.xlog1py(losses, -np.asarray(rate))


def always_valid_limits(wins: Any, losses: Any, alpha: Any = 0.05, prior: float = IMAGINED) -> Limits:
    """Limits of each rate that hold at all times together with probability 1 - alpha, each for itself.

    >>> low, high = always_valid_limits(60.0, 30.0)
    >>> round(float(low), 3), round(float(high), 3)
    (0.507, 0.804)
    """
    wins, losses = np.asarray(wins, np.float64), np.asarray(losses, np.float64)
    most = -np.log(np.asarray(alpha, np.float64)) - log_e_against(0.5, wins, losses, prior)
    most = most - (wins + losses) * math.log(0.5)  # what of the bet does not depend on the rate
    return Limits(_edge(wins, losses, most), 1 - _edge(losses, wins, most))


def _edge(wins: Floats, losses: Floats, most: Floats) -> Floats:
    """The rate below the mean against which the bet has won just enough.

    What it has won is convex in the rate and falls up to the mean. So Newton's steps, from a rate that is rejected by
    the wins alone, all stay on the rejected side: where they end is at most too low.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        at = np.where(wins > 0, np.maximum(np.exp(-most / wins), TINY), 0.0)
        moving = wins > 0  # each until it is there: how many others there are changes nothing
        for _ in range(STEPS):
            beyond = -scipy.special.xlogy(wins, at) - scipy.special.xlog1py(losses, -at) - most
            step = beyond / (wins / at - losses / (1 - at))
            moving = moving & (step > ENOUGH * at)
            if not moving.any():
                break
            at = np.where(moving, at + step, at)
    return at


def planned_limits(wins: Any, losses: Any, alpha: float = 0.05) -> Limits:
    """Wilson's limits of each rate, for a number of duels planned before; (0, 1) where there was none.

    >>> low, high = planned_limits(60.0, 30.0)
    >>> round(float(low), 3), round(float(high), 3)
    (0.564, 0.755)
    """
    z = float(scipy.special.ndtri(1 - check_share("alpha", alpha) / 2))
    wins, n = np.asarray(wins, np.float64), np.asarray(wins, np.float64) + losses
    middle = (wins + z * z / 2) / (n + z * z)
    spread = np.divide(wins * losses, n, out=np.zeros(np.shape(n)), where=n > 0)
    half = z / (n + z * z) * np.sqrt(spread + z * z / 4)
    return Limits(np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0))
