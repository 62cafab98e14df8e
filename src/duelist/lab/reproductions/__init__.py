"""Tables and figures of the papers, one file each. `duelist reproduce` lists them."""

from duelist.core.errors import MissingExtra
from duelist.lab.peeking import PEEKING
from duelist.lab.reproduction import Reproduction
from duelist.lab.reproductions.dbgd_table1 import FIGURE as DBGD_FIGURE
from duelist.lab.reproductions.dbgd_table1 import TABLE as DBGD_TABLE
from duelist.lab.reproductions.dm2l_drift import DRIFT
from duelist.lab.reproductions.interleaving_users import INTERLEAVING_USERS
from duelist.lab.reproductions.online_letor import ONLINE_FIGURES, ONLINE_GOALS, ONLINE_PEERS
from duelist.lab.reproductions.rex3_arms import ARMS
from duelist.lab.reproductions.rex3_bound import BOUND
from duelist.lab.reproductions.rex3_regret import FIGURES_OVER_TIME
from duelist.lab.reproductions.rex3_sparring_ucb import SPARRING_UCB
from duelist.lab.reproductions.thesis_evidence import EVIDENCE
from duelist.lab.reproductions.thesis_filters import RANDOM_CASE, WORST_CASE
from duelist.lab.reproductions.thesis_measures import MEASURES
from duelist.lab.reproductions.thesis_weights import WEIGHTS

try:
    from duelist.lab.reproductions.dbgd_web import GRID, SAMPLED
    from duelist.lab.reproductions.thesis_diversity import TABLE
    from duelist.lab.reproductions.thesis_diversity_curves import DIVERSITY_CURVES
    from duelist.lab.reproductions.thesis_map import LEARNING
    from duelist.lab.reproductions.web_diversity import WEB_DIVERSITY

    OFFLINE: tuple[Reproduction, ...] = (LEARNING, TABLE, *DIVERSITY_CURVES, WEB_DIVERSITY, GRID, SAMPLED)
except MissingExtra:  # those of the extra `offline` are left out where it is not installed
    OFFLINE = ()

REPRODUCTIONS = (
    MEASURES,
    *OFFLINE,
    WORST_CASE,
    RANDOM_CASE,
    EVIDENCE,
    WEIGHTS,
    PEEKING,
    INTERLEAVING_USERS,
    DBGD_TABLE,
    DBGD_FIGURE,
    DRIFT,
    ONLINE_FIGURES,
    ONLINE_PEERS,
    ONLINE_GOALS,
    BOUND,
    *FIGURES_OVER_TIME,
    ARMS,
    SPARRING_UCB,
)
