"""Duels decided by a fixed matrix of probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from duelist.core.memory import Floats
from duelist.core.spec import Spec
from duelist.dueling.environment import BANDIT, BORDA, COPELAND, STRONG, WEAK, Environment, pack
from duelist.dueling.preferences import (
    borda_scores,
    check_matrix,
    check_names,
    copeland_scores,
    maximisers,
    read_named_matrix,
    reference_arm,
)


class Matrix(Environment):
    """Arm i beats arm j with probability preference[i, j], always.

    Strong regret is taken against the Condorcet winner, or without one against the
    Copeland winner, and may then be negative.

    >>> Matrix([[0.5, 0.6], [0.4, 0.5]]).best_arms("strong", 100)
    [0]
    """

    sums: ClassVar[tuple[str, ...]] = ("strong", "weak", "copeland", "borda")

    def __init__(self, preference: Any, name: str = "matrix", arms: Sequence[Any] = ()) -> None:
        self.preference = check_matrix(preference, name)
        self.n_arms, self.name = len(self.preference), name
        self.arms = check_names(arms, self.n_arms, name)  # none, or one for each
        best = reference_arm(self.preference)
        copeland, borda = copeland_scores(self.preference), borda_scores(self.preference)
        self.best = best
        # One row an arm, so that the loop reads one line of memory an arm.
        self.gap = np.stack([self.preference[best] - 0.5, copeland.max() - copeland, borda.max() - borda], axis=1)

    @property
    def spec(self) -> Spec:
        """Its name and parameters; of a matrix without a name, its cells."""
        if self.made_by is None and type(self) is Matrix:
            return Spec("environment", "matrix", {"cells": tuple(self.preference.ravel().tolist()), "path": ""})
        return super().spec

    @classmethod
    def read(cls, path: str | Path) -> Matrix:
        """From a file: .txt, .csv, .npy or .npz; the first line of a .txt or .csv may name the arms."""
        preference, arms = read_named_matrix(path)
        return cls(preference, Path(path).name, arms)

    def memory(self, horizon: int) -> Any:
        return pack(preference=self.preference, gap=self.gap, best=self.best)

    def duel(self, t: int, left: int, right: int, rng: np.random.Generator) -> float:
        return 1.0 if rng.random() < self.preference[left, right] else 0.0

    def account(self, t: int, left: int, right: int, totals: Floats) -> bool:
        strong = 0.5 * (self.gap[left, 0] + self.gap[right, 0])
        totals[STRONG] += strong
        totals[BANDIT] += 2.0 * strong  # reported where the matrix comes from utilities
        totals[WEAK] += min(self.gap[left, 0], self.gap[right, 0])
        totals[COPELAND] += 0.5 * (self.gap[left, 1] + self.gap[right, 1])
        totals[BORDA] += 0.5 * (self.gap[left, 2] + self.gap[right, 2])
        return left == self.best and right == self.best

    def best_arms(self, view: str, horizon: int) -> list[int]:
        scores = borda_scores if view == "borda" else copeland_scores
        return maximisers(scores(self.preference))

    def describe(self) -> str:
        return f"{self.name}, {self.n_arms} arms"
