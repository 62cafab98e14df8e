"""A policy for those who would rather not choose one; no paper, but a table: docs/which-policy.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from duelist.core.memory import holds, parameter
from duelist.dueling.holder import inner_choose, inner_reset, inner_update
from duelist.dueling.policies.spar_and_check import SparAndCheck
from duelist.dueling.policies.versatile_db import SharedTsallis
from duelist.dueling.policy import Duel, Policy

FEW = (
    1000  # arms up to which spar-and-check is used: it draws for every arm before every duel, and keeps tables of pairs
)


class Auto(Policy):
    """Spar-and-check up to 1,000 arms, and shared-tsallis beyond.

    Spar-and-check learns about arms, and about pairs where arms do not explain them: it is the best policy of most
    instances or close to it. It draws for every arm before every duel, and keeps tables of pairs: with 1,000 arms a
    duel takes 80 us, and the tables 48 MB. Shared-tsallis is 14 times as fast there, has none, and learns no later.

    Needs: nothing up to 1,000 arms; beyond, a Condorcet winner or utilities.
    Horizon: not needed.
    Regret: as the policy it holds.
    Departs: no paper. `base` names another policy to hold. Held by another policy, it is always spar-and-check.
    Ties: half a win each.

    >>> Auto(n_arms=6, seed=0).parameter_values()["base"], Auto(n_arms=2000, seed=0).parameter_values()["base"]
    ('spar-and-check', 'shared-tsallis')
    """

    learns = "all"

    name = "auto"

    base: str = parameter("spar-and-check", "the policy it holds; by the number of arms unless given", family="policy")
    policy: Any = holds(SparAndCheck)

    @classmethod
    def resolve(cls, given: Mapping[str, Any], size: Any = None) -> type[Self]:
        many = isinstance(size, int) and size > FEW
        base = given.get("base") or (SharedTsallis if many else SparAndCheck)
        return super().resolve({**given, "base": base}, size)

    def start(self, rng: np.random.Generator) -> None:
        inner_reset(self.policy, rng)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return inner_choose(self.policy, t, rng)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        inner_update(self.policy, duel, outcome, t, rng)

    def best_arm(self) -> int:
        return int(self.policy.best_arm())
