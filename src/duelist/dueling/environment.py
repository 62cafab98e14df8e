"""What a policy duels in: outcomes, and the regret of each duel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from duelist.core.memory import Floats, memory_type
from duelist.core.named import Named
from duelist.core.registry import Registry

# The sums a run keeps, by their place in `totals`; other views are made from these.
STRONG, WEAK, COPELAND, BORDA, BANDIT, DYNAMIC = range(6)
SUMS = ("strong", "weak", "copeland", "borda", "bandit", "dynamic")
ENVIRONMENTS: Registry[Callable[..., Environment]] = Registry("environment")


class Environment(Named):
    """Decides duels. Subclasses write `memory`, `duel`, `account` and `best_arms`.

    `duel` and `account` are compiled; inside them `self` is what `memory` returned.
    """

    n_arms: int
    best: int  # where the memory has such a field
    changes: Sequence[int] = ()  # duels with which preferences change, or turn to move elsewhere
    sums: ClassVar[tuple[str, ...]] = SUMS  # which of SUMS `account` fills

    def memory(self, horizon: int) -> Any:
        """The tuple of numbers and arrays that the kernels see as `self`."""
        raise TypeError(f"{type(self).__name__} has no memory")

    def duel(self, t: int, left: int, right: int, rng: np.random.Generator) -> float:
        """The outcome of one duel at time `t`: 1 if `left` wins, 0 if `right` does, or between."""
        raise TypeError(f"{type(self).__name__} has no duel")

    def account(self, t: int, left: int, right: int, totals: Floats) -> bool:
        """Add the duel's regrets to `totals`; whether both arms were the best one."""
        raise TypeError(f"{type(self).__name__} has no account")

    def best_arms(self, view: str, horizon: int) -> list[int]:
        """The arms that are right answers for a policy of this regret view at the horizon."""
        raise TypeError(f"{type(self).__name__} has no best_arms")

    def describe(self) -> str:
        """A few words for tables and charts."""
        return f"{type(self).__name__}, {self.n_arms} arms"


def pack(**values: Any) -> Any:
    """The memory tuple with these fields."""
    return memory_type(tuple(values))(*values.values())
