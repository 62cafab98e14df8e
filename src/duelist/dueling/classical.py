"""A dueling policy as a classical bandit, which earns a reward for every pull.

Gajane, Urvoy, Clerot. A Relative Exponential Weighing Algorithm for Adversarial Utility-based Dueling
Bandits. ICML 2015, Algorithm 2; after Ailon, Karnin, Joachims. ICML 2014.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.parallel import check_whole
from duelist.dueling.policy import Policy


def pull_pairs(policy: Policy, reward: Callable[[Any], float], pulls: int) -> Floats:
    """The rewards of `pulls` pulls, two for each duel of the policy: of its left arm, then of its right arm.

    `reward` pulls an arm and says what it earned, from 0 to 1; the duel's outcome is graded by the difference. What
    an arm earns in the mean must not change with time, for the two arms of a duel are pulled one after the other.

    >>> from duelist import REX3
    >>> policy, luck = REX3(n_arms=3, seed=1), np.random.default_rng(2)
    >>> earned = pull_pairs(policy, lambda arm: float(luck.random() < (0.2, 0.8, 0.4)[arm]), 4000)
    >>> policy.best(), round(float(earned[-1000:].mean()), 1)
    (1, 0.8)
    """
    check_whole(2, pulls=pulls)
    if pulls % 2:
        raise BadInput(f"pulls must be even, two for each duel, not {pulls}")
    earned = np.zeros(pulls)
    for first in range(0, pulls, 2):
        duel = policy.ask()
        earned[first] = _earned(reward(duel.left))
        earned[first + 1] = _earned(reward(duel.right))
        policy.tell(duel, 0.5 + 0.5 * (earned[first] - earned[first + 1]))
    return earned


def _earned(given: Any) -> float:
    value = float(given) if isinstance(given, int | float | np.number) else math.nan
    if not 0.0 <= value <= 1.0:
        raise BadInput(f"a reward must be a number from 0 to 1, not {given!r}")
    return value
