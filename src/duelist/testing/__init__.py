"""Contract suites: run them on the built-in classes and on your own."""

from duelist.testing.policy import check_policy

__all__ = ["check_policy"]
