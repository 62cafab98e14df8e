"""How sure we may be of who wins."""

from duelist.evidence.accounts import Accounts, user_hash
from duelist.evidence.balance import Check, check_balance, ratio_e_value, replay
from duelist.evidence.betting import BettingSequence
from duelist.evidence.bootstrap import Bootstrap, bootstrap_totals, cluster_bootstrap
from duelist.evidence.capped import Capped, cap_preferences
from duelist.evidence.click_weights import ClickWeights, SameUsers
from duelist.evidence.deltas import Frozen, freeze
from duelist.evidence.fixed import FixedTest, sign_test, t_test, wilcoxon_test, z_test
from duelist.evidence.multiple import e_benjamini_hochberg, e_bonferroni, holm
from duelist.evidence.power import crossing, detectable_effect, users_needed
from duelist.evidence.sequential import Band, ConfidenceSequence, EValue, confidence_sequence, e_value
from duelist.evidence.watch import looks_at, watch
from duelist.evidence.weights import (
    click_features,
    inverse_rank_weights,
    inverse_z_weights,
    leave_one_pair_out,
    mean_difference_weights,
    p_value_curve,
)

__all__ = [
    "Accounts",
    "Band",
    "BettingSequence",
    "Bootstrap",
    "Capped",
    "Check",
    "ClickWeights",
    "ConfidenceSequence",
    "EValue",
    "FixedTest",
    "Frozen",
    "SameUsers",
    "bootstrap_totals",
    "cap_preferences",
    "check_balance",
    "click_features",
    "cluster_bootstrap",
    "confidence_sequence",
    "crossing",
    "detectable_effect",
    "e_benjamini_hochberg",
    "e_bonferroni",
    "e_value",
    "freeze",
    "holm",
    "inverse_rank_weights",
    "inverse_z_weights",
    "leave_one_pair_out",
    "looks_at",
    "mean_difference_weights",
    "p_value_curve",
    "ratio_e_value",
    "replay",
    "sign_test",
    "t_test",
    "user_hash",
    "users_needed",
    "watch",
    "wilcoxon_test",
    "z_test",
]
