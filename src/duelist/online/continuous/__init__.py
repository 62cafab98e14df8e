"""Search a continuous space by comparing two points at a time: DBGD, BGD1, BGD2 and DM2L on value functions."""

from duelist.online.continuous.descend import ALGORITHMS, Descent, descend
from duelist.online.continuous.domains import DOMAINS
from duelist.online.continuous.drift import Drift
from duelist.online.continuous.links import LINKS
from duelist.online.continuous.rankings import RankingDescent, descend_rankings
from duelist.online.continuous.values import VALUES, Value

__all__ = [
    "ALGORITHMS",
    "DOMAINS",
    "LINKS",
    "VALUES",
    "Descent",
    "Drift",
    "RankingDescent",
    "Value",
    "descend",
    "descend_rankings",
]
