"""Every policy, one file a paper. `duelist policies` prints them as a table."""

from duelist.dueling.policies.beat_the_mean import BeatTheMean
from duelist.dueling.policies.interleaved_filter import IF1, IF2
from duelist.dueling.policies.rex3 import REX3
from duelist.dueling.policies.rucb import RUCB
from duelist.dueling.policies.savage import SAVAGE, SAVAGEBorda, SAVAGECopeland
from duelist.dueling.policies.sparring import SparringEXP3, SparringThompson, SparringUCB
from duelist.dueling.policies.uniform import Uniform

__all__ = [
    "IF1",
    "IF2",
    "REX3",
    "RUCB",
    "SAVAGE",
    "BeatTheMean",
    "SAVAGEBorda",
    "SAVAGECopeland",
    "SparringEXP3",
    "SparringThompson",
    "SparringUCB",
    "Uniform",
]
