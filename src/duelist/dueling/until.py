"""Simulations of policies that stop by themselves: how many duels until they are certain, and of what."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Ints
from duelist.core.seeds import split_seed
from duelist.core.spec import Spec
from duelist.dueling.environment import SUMS
from duelist.dueling.environments.matrix import Matrix
from duelist.dueling.loop import compiled_run
from duelist.dueling.policy import POLICIES, Policy

FIRST = 500  # duels after which a run is looked at, then after twice as many, and so on


class Ended(NamedTuple):
    """What became of each run."""

    duels: Ints  # until it was certain; -1 if it was not within the limit
    answers: list[tuple[int, ...]]  # of one arm, of k or of all in order


def until_certain(policy: str | Spec, preference: Any, runs: int = 100, seed: int = 0, most: int = 10**7) -> Ended:
    """Run a policy until it is certain by itself, at most so many duels, `runs` times.

    >>> from duelist.dueling.environments.instances import arithmetic
    >>> ended = until_certain("rule-out", arithmetic(arms=4, step=0.1).preference, runs=20)
    >>> set(ended.answers), int(np.median(ended.duels))
    ({(0,)}, 259)
    """
    spec, world = Spec.read("policy", policy), Matrix(preference)
    kind: type[Policy] = POLICIES.get(spec.name)
    settings = dict(spec.parameters)
    if "horizon" in kind.parameters():
        settings.setdefault("horizon", most)
    found = [_one(kind, settings, world, luck, most) for luck in split_seed(np.random.SeedSequence(seed), runs)]
    duels, answers = zip(*found, strict=True)
    return Ended(np.array(duels, np.int64), list(answers))


def _one(
    kind: type[Policy], settings: dict[str, Any], world: Matrix, luck: np.random.SeedSequence, most: int
) -> tuple[int, tuple[int, ...]]:
    policy_seed, duel_seed = split_seed(luck, 2)
    policy, duel_rng = kind(world.n_arms, seed=policy_seed, **settings), np.random.default_rng(duel_seed)
    if kind.own_certainty is Policy.own_certainty:
        raise BadInput(f"{kind.name} is never certain by itself")
    memory, totals = world.memory(most), np.zeros(len(SUMS))
    run = compiled_run(type(policy), Matrix).entry(policy.memory, memory, 0, 0, totals, policy.rng, duel_rng)
    done, until = 0, FIRST
    while (certainty := policy.own_certainty()) is None and done < most:
        run(policy.memory, memory, done, min(until, most), totals, policy.rng, duel_rng)
        done, until = min(until, most), 2 * until
    if certainty is None:
        return -1, (int(policy.best_arm()),)
    return certainty.duels, certainty.arm if isinstance(certainty.arm, tuple) else (certainty.arm,)
