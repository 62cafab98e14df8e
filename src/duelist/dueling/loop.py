"""The compiled simulation loop, written once for every policy and environment."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from duelist.core.compile import kernel, once, specialise
from duelist.core.memory import Flags, Floats, Ints
from duelist.dueling.environment import Environment
from duelist.dueling.policy import Policy, choose, update


class Runs(NamedTuple):
    """What many runs come to, whichever engine made them."""

    sums: Floats  # runs x checkpoints x SUMS
    hits: Flags  # runs x checkpoints
    arms: Ints  # the arm that each run named best in the end
    seconds: float  # compiling excluded; of all cores together


def duel(environment: Any, t: int, left: int, right: int, rng: np.random.Generator) -> float:
    """Bound to the environment's kernel."""
    raise TypeError("unbound")


def account(environment: Any, t: int, left: int, right: int, totals: Floats) -> bool:
    """Bound to the environment's kernel."""
    raise TypeError("unbound")


def run(
    policy: Any,
    environment: Any,
    done: int,
    until: int,
    totals: Floats,
    policy_rng: np.random.Generator,
    duel_rng: np.random.Generator,
) -> bool:
    """The duels after time `done` up to `until`, added to `totals`; whether the last one was of the best arm alone."""
    hit = False
    for t in range(done + 1, until + 1):
        chosen = choose(policy, t, policy_rng)
        outcome = duel(environment, t, chosen.left, chosen.right, duel_rng)
        update(policy, chosen, outcome, t, policy_rng)
        hit = account(environment, t, chosen.left, chosen.right, totals)
    return hit


@once
def compiled_run(policy: type[Policy], environment: type[Environment]) -> specialise:
    """The loop for one policy and one environment."""
    return specialise(run, kernels_of(policy, environment), policy.name)


def kernels_of(policy: type[Policy], environment: type[Environment]) -> dict[str, Any]:
    """What the loop calls, by name."""
    return {
        "choose": policy.method("choose", kernel),
        "update": policy.method("update", kernel),
        "duel": environment.duel,
        "account": environment.account,
    }
