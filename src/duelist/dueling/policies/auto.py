"""A policy for those who would rather not choose one; no paper, but a table: docs/which-policy.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from duelist.core.memory import holds, parameter
from duelist.dueling.holder import inner_choose, inner_reset, inner_update
from duelist.dueling.policies.double_thompson import DoubleThompson
from duelist.dueling.policies.versatile_db import SharedTsallis
from duelist.dueling.policy import Duel, Policy

FEW = 16  # arms up to which double Thompson sampling is used


class Auto(Policy):
    """D-TS up to 16 arms, and shared-tsallis beyond.

    D-TS learns about pairs: with few arms it soon knows them all, it settles completely, and it needs no
    Condorcet winner. Pairs grow with the square of the arms; one Tsallis-INF bandit learns about arms, and
    from about 16 on that is worth more, the more so the shorter the horizon.

    Needs: nothing up to 16 arms; beyond, a Condorcet winner or utilities.
    Horizon: not needed.
    Regret: as the policy it holds; measured, within 3.4 times that of the best policy but on BVS-20 (6.6).
    Departs: no paper. `base` names another policy to hold. Held by another policy, it is always D-TS.
    Ties: half a win each.

    >>> Auto(n_arms=6, seed=0).parameter_values()["base"], Auto(n_arms=60, seed=0).parameter_values()["base"]
    ('d-ts', 'shared-tsallis')
    """

    learns = "all"

    name = "auto"

    base: str = parameter("d-ts", "the policy it holds; by the number of arms unless given", family="policy")
    policy: Any = holds(DoubleThompson)

    @classmethod
    def resolve(cls, given: Mapping[str, Any], size: Any = None) -> type[Self]:
        many = isinstance(size, int) and size > FEW
        base = given.get("base") or (SharedTsallis if many else DoubleThompson)
        return super().resolve({**given, "base": base}, size)

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.policy, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return inner_choose(self.policy, t, rng)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        inner_update(self.policy, duel, outcome, t, rng)

    def best_arm(self) -> int:
        return int(self.policy.best_arm())
