"""Every policy, one file a paper. `duelist policies` prints them as a table."""

from duelist.dueling.policies.active_ranking import ActiveRanking
from duelist.dueling.policies.auto import Auto
from duelist.dueling.policies.beat_the_mean import BeatTheMean, BeatTheMeanPAC
from duelist.dueling.policies.beat_the_winner import BeatTheWinner, BeatTheWinnerReset
from duelist.dueling.policies.borda_ranking import BordaRanking
from duelist.dueling.policies.ccb import CCB
from duelist.dueling.policies.d_exp3 import DEXP3
from duelist.dueling.policies.dex3s import DEX3S
from duelist.dueling.policies.double_thompson import DoubleThompson, DoubleThompsonPlus
from duelist.dueling.policies.ecw_rmed import ECWRMED
from duelist.dueling.policies.interleaved_filter import IF1, IF2
from duelist.dueling.policies.knockout import Knockout
from duelist.dueling.policies.mallows import MallowsMPI, MallowsMPR
from duelist.dueling.policies.merge import MergeDTS, MergeRUCB
from duelist.dueling.policies.monitored import Monitored
from duelist.dueling.policies.multisort import Multisort
from duelist.dueling.policies.plackett_luce import PLAMPR, PLPAC
from duelist.dueling.policies.racing import Racing
from duelist.dueling.policies.rcs import RCS
from duelist.dueling.policies.reductions import Doubler, MultiSBM
from duelist.dueling.policies.rex3 import REX3
from duelist.dueling.policies.rmed import RMED1, RMED2, RMED2FH
from duelist.dueling.policies.rucb import RUCB
from duelist.dueling.policies.rule_out import RuleOut
from duelist.dueling.policies.savage import SAVAGE, SAVAGEBorda, SAVAGECopeland
from duelist.dueling.policies.scb import SCB
from duelist.dueling.policies.self_sparring import SelfSparring
from duelist.dueling.policies.seq_eliminate import SeqEliminate
from duelist.dueling.policies.single_elimination import SingleElimination
from duelist.dueling.policies.spar_and_check import SparAndCheck
from duelist.dueling.policies.sparring import SparringEXP3, SparringThompson, SparringUCB
from duelist.dueling.policies.successive_borda import SuccessiveBorda
from duelist.dueling.policies.uniform import Uniform
from duelist.dueling.policies.versatile_db import SharedTsallis, SparringTsallis, VersatileDB
from duelist.dueling.policies.watchful import Watchful
from duelist.dueling.policies.window import Window
from duelist.dueling.policies.winner_stays import WinnerStaysStrong, WinnerStaysWeak

__all__ = [
    "CCB",
    "DEX3S",
    "DEXP3",
    "ECWRMED",
    "IF1",
    "IF2",
    "PLAMPR",
    "PLPAC",
    "RCS",
    "REX3",
    "RMED1",
    "RMED2",
    "RMED2FH",
    "RUCB",
    "SAVAGE",
    "SCB",
    "ActiveRanking",
    "Auto",
    "BeatTheMean",
    "BeatTheMeanPAC",
    "BeatTheWinner",
    "BeatTheWinnerReset",
    "BordaRanking",
    "DoubleThompson",
    "DoubleThompsonPlus",
    "Doubler",
    "Knockout",
    "MallowsMPI",
    "MallowsMPR",
    "MergeDTS",
    "MergeRUCB",
    "Monitored",
    "MultiSBM",
    "Multisort",
    "Racing",
    "RuleOut",
    "SAVAGEBorda",
    "SAVAGECopeland",
    "SelfSparring",
    "SeqEliminate",
    "SharedTsallis",
    "SingleElimination",
    "SparAndCheck",
    "SparringEXP3",
    "SparringThompson",
    "SparringTsallis",
    "SparringUCB",
    "SuccessiveBorda",
    "Uniform",
    "VersatileDB",
    "Watchful",
    "Window",
    "WinnerStaysStrong",
    "WinnerStaysWeak",
]
