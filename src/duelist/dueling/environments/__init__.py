"""What policies duel in. `duelist matrix NAME` describes the built-in ones."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from duelist.dueling.environment import ENVIRONMENTS
from duelist.dueling.environments.drifting import Adversarial, Deceptive, Drifting
from duelist.dueling.environments.instances import bradley_terry, gaussian, load_environment
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.environments.utility import Utilities

if TYPE_CHECKING:
    from duelist.dueling.environments.rankers import Rankers as Rankers

__all__ = [
    "ENVIRONMENTS",
    "Adversarial",
    "Deceptive",
    "Drifting",
    "Matrix",
    "Utilities",
    "bradley_terry",
    "gaussian",
    "load_environment",
]

# Rankers need data sets, users and interleaving, which take as long to load as all the rest.
RANKERS = "duelist.dueling.environments.rankers"
ENVIRONMENTS.later(RANKERS, "rankers", "ndcg-rankers")


def __getattr__(name: str) -> Any:
    if name != "Rankers":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(RANKERS), name)
