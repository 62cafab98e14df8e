"""Every policy, one file a paper. `duelist policies` prints them as a table."""

from duelist.dueling.policies.beat_the_mean import BeatTheMean, BeatTheMeanPAC
from duelist.dueling.policies.d_exp3 import DEXP3
from duelist.dueling.policies.dex3s import DEX3S
from duelist.dueling.policies.interleaved_filter import IF1, IF2
from duelist.dueling.policies.knockout import Knockout
from duelist.dueling.policies.monitored import Monitored
from duelist.dueling.policies.reductions import Doubler, MultiSBM
from duelist.dueling.policies.rex3 import REX3
from duelist.dueling.policies.rucb import RUCB
from duelist.dueling.policies.savage import SAVAGE, SAVAGEBorda, SAVAGECopeland
from duelist.dueling.policies.sparring import SparringEXP3, SparringThompson, SparringUCB
from duelist.dueling.policies.uniform import Uniform
from duelist.dueling.policies.versatile_db import SparringTsallis, VersatileDB
from duelist.dueling.policies.window import Window

__all__ = [
    "DEX3S",
    "DEXP3",
    "IF1",
    "IF2",
    "REX3",
    "RUCB",
    "SAVAGE",
    "BeatTheMean",
    "BeatTheMeanPAC",
    "Doubler",
    "Knockout",
    "Monitored",
    "MultiSBM",
    "SAVAGEBorda",
    "SAVAGECopeland",
    "SparringEXP3",
    "SparringThompson",
    "SparringTsallis",
    "SparringUCB",
    "Uniform",
    "VersatileDB",
    "Window",
]
