"""The kernels of a held policy, for policies that hold another one.

Such a policy declares `base`, which the user may name, and holds a default with `holds(...)`:
Window(n_arms=6, base="rucb"), and on the command line window:base=rucb. The held policy's parameters are
set like one's own. `Agent.over` makes the same class hold another one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.dueling.policy import Duel


def inner_reset(policy: Any, rng: np.random.Generator) -> None:
    """Bound to the held policy's kernel."""
    raise TypeError("unbound")


def inner_choose(policy: Any, t: int, rng: np.random.Generator) -> Duel:
    """Bound to the held policy's kernel."""
    raise TypeError("unbound")


def inner_update(policy: Any, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
    """Bound to the held policy's kernel."""
    raise TypeError("unbound")
