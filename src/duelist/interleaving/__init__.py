"""Show two or more rankings as one list, and credit the clicks to them."""

from duelist.interleaving.audit import Audit, audit, audit_table
from duelist.interleaving.balanced import Balanced
from duelist.interleaving.competitive_pair import CompetitivePair
from duelist.interleaving.debiased_balanced import DebiasedBalanced
from duelist.interleaving.method import METHODS, Method, Shown, check_clicks, check_rankings
from duelist.interleaving.optimized import Optimized
from duelist.interleaving.paging import Paged, continued, stable_seed
from duelist.interleaving.pairwise_preference import PairwisePreference
from duelist.interleaving.probabilistic import Probabilistic
from duelist.interleaving.sample_scored_only import SampleScoredOnly
from duelist.interleaving.team_draft import TeamDraft

__all__ = [
    "METHODS",
    "Audit",
    "Balanced",
    "CompetitivePair",
    "DebiasedBalanced",
    "Method",
    "Optimized",
    "Paged",
    "PairwisePreference",
    "Probabilistic",
    "SampleScoredOnly",
    "Shown",
    "TeamDraft",
    "audit",
    "audit_table",
    "check_clicks",
    "check_rankings",
    "continued",
    "stable_seed",
]
