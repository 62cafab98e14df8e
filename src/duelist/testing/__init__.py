"""Contract suites: run them on the built-in classes and on your own."""

from duelist.testing.interleaving import check_interleaving
from duelist.testing.journal import check_journal
from duelist.testing.learner import check_learner
from duelist.testing.policy import check_policy

__all__ = ["check_interleaving", "check_journal", "check_learner", "check_policy"]
