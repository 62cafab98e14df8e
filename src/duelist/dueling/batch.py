"""Several duels at once, for judges who work side by side: of different pairs, and none of an arm with itself."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import numpy as np

from duelist.core.errors import BadInput
from duelist.dueling.policy import Duel, Policy

TRIES = 30  # draws of a policy for a pair that is not being judged already


def spread(
    policy: Policy, luck: np.random.Generator, settle: Callable[[Duel], None], busy: set[frozenset[object]]
) -> tuple[Duel | None, Duel | None]:
    """A drawn duel of a pair that is not `busy`, or else one that is; None of both if the policy is settled.

    An arm against itself says that the policy has nothing to ask. It is settled, so that the policy's time goes on, and
    nobody is asked. A draw that carries its probabilities, by which the policy will weigh the outcome, is taken busy or
    not: to throw such draws away would change these probabilities.
    """
    again: Duel | None = None
    for _ in range(TRIES):
        duel = policy.draw(luck)
        if duel.left == duel.right:
            settle(duel)
        elif frozenset((duel.left, duel.right)) in busy and min(duel.left_p, duel.right_p) == 1:
            again = duel
        else:
            return duel, None
    return None, again


def ask_batch(policy: Policy, n: int) -> list[Duel]:
    """What `Policy.ask(n=...)` returns.

    Some policies draw one pair until it is told, whatever their luck. A copy that believes in ties draws the next one.
    """
    if not isinstance(n, int) or n < 1:
        raise BadInput(f"n must be a whole number of at least 1, not {n!r}")
    unheard = policy.open_duels()
    busy: set[frozenset[object]] = {frozenset((duel.left, duel.right)) for duel in unheard}
    ahead: Policy | None = None
    batch: list[Duel] = []
    for _ in range(n):
        fresh, again = spread(policy, policy.rng, lambda duel: policy.apply(duel, 0.5), busy)
        if fresh is None and again is not None:
            ahead = ahead or _after_ties(policy, [*unheard, *batch])
            fresh = _next_of(ahead, busy)
        chosen = fresh or again
        if chosen is None:
            break
        batch.append(policy.open_duel(chosen))
        busy.add(frozenset((chosen.left, chosen.right)))
        if ahead is not None:
            ahead.apply(chosen, 0.5)
    return batch


def _after_ties(policy: Policy, duels: list[Duel]) -> Policy:
    ahead = deepcopy(policy)
    for duel in duels:
        ahead.apply(duel, 0.5)
    return ahead


def _next_of(ahead: Policy, busy: set[frozenset[object]]) -> Duel | None:
    """Its next duel of a pair that is not busy; each that is, is taken as tied too."""
    for _ in range(TRIES):
        duel = ahead.draw(ahead.rng)
        if duel.left != duel.right and frozenset((duel.left, duel.right)) not in busy:
            return duel
        ahead.apply(duel, 0.5)
    return None
