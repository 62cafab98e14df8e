"""Duels that are over: who is how strong, and how sure that is."""

from duelist.ranking.demo import demo_duels
from duelist.ranking.intervals import Bias
from duelist.ranking.leaderboard import Leaderboard, Standing, leaderboard
from duelist.ranking.log import DuelLog, duel_log
from duelist.ranking.read import read_duels
from duelist.ranking.text import pairs_table, standings_table

__all__ = [
    "Bias",
    "DuelLog",
    "Leaderboard",
    "Standing",
    "demo_duels",
    "duel_log",
    "leaderboard",
    "pairs_table",
    "read_duels",
    "standings_table",
]
