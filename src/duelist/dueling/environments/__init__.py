"""What policies duel in. `duelist matrix NAME` describes the built-in ones."""

from duelist.dueling.environment import ENVIRONMENTS
from duelist.dueling.environments.drifting import Adversarial, Deceptive, Drifting
from duelist.dueling.environments.instances import bradley_terry, gaussian, load_environment
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.environments.rankers import Rankers
from duelist.dueling.environments.utility import Utilities

__all__ = [
    "ENVIRONMENTS",
    "Adversarial",
    "Deceptive",
    "Drifting",
    "Matrix",
    "Rankers",
    "Utilities",
    "bradley_terry",
    "gaussian",
    "load_environment",
]
