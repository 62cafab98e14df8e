"""The compiled simulation loop, written once for every policy and environment."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.compile import kernel, once, specialise
from duelist.core.memory import Flags, Floats, Ints
from duelist.dueling.environment import Environment
from duelist.dueling.policy import Policy, choose, update


def duel(environment: Any, t: int, left: int, right: int, rng: np.random.Generator) -> float:
    """Bound to the environment's kernel."""
    raise TypeError("unbound")


def account(environment: Any, t: int, left: int, right: int, totals: Floats) -> bool:
    """Bound to the environment's kernel."""
    raise TypeError("unbound")


def run(
    policy: Any,
    environment: Any,
    start: int,
    checkpoints: Ints,
    totals: Floats,
    sums: Floats,
    hits: Flags,
    policy_rng: np.random.Generator,
    duel_rng: np.random.Generator,
) -> None:
    """Duel from time `start` + 1 to the last checkpoint, noting the sums at each checkpoint."""
    t = start
    for point in range(checkpoints.size):
        hit = False
        while t < checkpoints[point]:
            t += 1
            chosen = choose(policy, t, policy_rng)
            outcome = duel(environment, t, chosen.left, chosen.right, duel_rng)
            update(policy, chosen, outcome, t, policy_rng)
            hit = account(environment, t, chosen.left, chosen.right, totals)
        hits[point] = hit
        for view in range(totals.size):
            sums[point, view] = totals[view]


@once
def compiled_run(policy: type[Policy], environment: type[Environment]) -> specialise:
    """The loop for one policy and one environment."""
    kernels = {
        "choose": policy.method("choose", kernel),
        "update": policy.method("update", kernel),
        "duel": environment.duel,
        "account": environment.account,
    }
    return specialise(run, kernels)
