"""One file a paper; importing this package registers every learner by its name."""

from duelist.online.learners.dbgd import DBGD, MGD
from duelist.online.learners.dsp import DBGDDSP, MGDDSP
from duelist.online.learners.nsgd import NSGD, NSGDDSP
from duelist.online.learners.pairrank import PairRank
from duelist.online.learners.pdgd import PDGD
from duelist.online.learners.probabilistic_dbgd import ProbabilisticDBGD, ProbabilisticMGD
from duelist.online.learners.tally import Tally

__all__ = [
    "DBGD",
    "DBGDDSP",
    "MGD",
    "MGDDSP",
    "NSGD",
    "NSGDDSP",
    "PDGD",
    "PairRank",
    "ProbabilisticDBGD",
    "ProbabilisticMGD",
    "Tally",
]
