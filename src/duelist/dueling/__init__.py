"""K-armed dueling bandits: policies, environments and simulations."""

from duelist.dueling import environments, policies
from duelist.dueling.environment import Environment
from duelist.dueling.environments import *  # noqa: F403
from duelist.dueling.policies import *  # noqa: F403
from duelist.dueling.policy import Duel, Policy
from duelist.dueling.preferences import Preferences
from duelist.dueling.result import Result, plot
from duelist.dueling.simulate import simulate

__all__ = ["Duel", "Environment", "Policy", "Preferences", "Result", "plot", "simulate"]
__all__ += environments.__all__
__all__ += policies.__all__
