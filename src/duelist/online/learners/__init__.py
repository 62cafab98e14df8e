"""One file a paper; importing this package registers every learner by its name."""

from duelist.online.learners.dbgd import DBGD, MGD
from duelist.online.learners.dsp import DBGDDSP, MGDDSP
from duelist.online.learners.forgetful import Fading, Restart
from duelist.online.learners.meta import DM2L, M3L, NM2L
from duelist.online.learners.nsgd import NSGD, NSGDDSP
from duelist.online.learners.pairrank import PairRank
from duelist.online.learners.pdgd import PDGD
from duelist.online.learners.probabilistic_dbgd import ProbabilisticDBGD, ProbabilisticMGD
from duelist.online.learners.recalling import RecallingTally
from duelist.online.learners.tally import Tally

__all__ = [
    "DBGD",
    "DBGDDSP",
    "DM2L",
    "M3L",
    "MGD",
    "MGDDSP",
    "NM2L",
    "NSGD",
    "NSGDDSP",
    "PDGD",
    "Fading",
    "PairRank",
    "ProbabilisticDBGD",
    "ProbabilisticMGD",
    "RecallingTally",
    "Restart",
    "Tally",
]
