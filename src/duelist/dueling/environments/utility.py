"""Duels between arms that have utilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.core.spec import Spec
from duelist.dueling.environment import pack
from duelist.dueling.environments.matrix import Matrix


def check_means(means: Any, ndim: int, what: str) -> Floats:
    """An array of utilities from 0 to 1 with at least two arms on its last axis."""
    try:
        values = np.array(means, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise BadInput(f"{what} must be numbers: {error}") from None
    if values.ndim != ndim or values.shape[-1] < 2 or values.size == 0:
        raise BadInput(f"{what} must have {ndim} axes, the last with at least 2 arms, but its shape is {values.shape}")
    if not ((values >= 0) & (values <= 1)).all():
        raise BadInput(f"{what} must be from 0 to 1, not {values[~((values >= 0) & (values <= 1))][0]:g}")
    return values


class Utilities(Matrix):
    """Each arm earns 1 with its own probability; in a duel the higher earning wins.

    Equal earnings are decided by a fair coin, so arm i beats j with probability
    (1 + means[i] - means[j]) / 2; with ties=True they are reported as ties. Bandit
    regret is in utility: twice the strong regret.

    >>> float(Utilities([0.9, 0.5]).preference[0, 1])
    0.7
    """

    sums = ("strong", "weak", "copeland", "borda", "bandit")

    def __init__(self, means: Any, ties: bool = False, name: str = "utilities") -> None:
        self.means = check_means(means, 1, name)
        self.ties = bool(ties)
        super().__init__((1 + self.means[:, None] - self.means[None, :]) / 2, name)

    @property
    def spec(self) -> Spec:
        """Its name and parameters; without a name, its utilities."""
        if self.made_by is None and type(self) is Utilities:
            return Spec("environment", "utilities", {"means": tuple(self.means.tolist()), "ties": self.ties})
        return super().spec

    def memory(self, horizon: int) -> Any:
        return pack(preference=self.preference, gap=self.gap, best=self.best, means=self.means, ties=self.ties)

    def duel(self, t: int, left: int, right: int, rng: np.random.Generator) -> float:
        if self.ties:
            left_earns = 1.0 if rng.random() < self.means[left] else 0.0
            right_earns = 1.0 if rng.random() < self.means[right] else 0.0
            return 0.5 * (1.0 + left_earns - right_earns)
        return 1.0 if rng.random() < self.preference[left, right] else 0.0
