"""One ranker against another, and every two rankers of a log against each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from duelist.analysis.credits import Credits
from duelist.analysis.traffic import Traffic, traffic_of
from duelist.evidence.bootstrap import Bootstrap, cluster_bootstrap
from duelist.evidence.deltas import Frozen, freeze
from duelist.evidence.fixed import FIXED_TESTS, FixedTest
from duelist.evidence.multiple import holm
from duelist.evidence.power import detectable_effect, users_needed
from duelist.evidence.sequential import FIRST, Band, confidence_sequence, e_value, log_e_path, relative_width, spread_of

FAR = 1_000_000_000  # more users than anybody has: not worth a number


@dataclass(frozen=True)
class Comparison:
    """One ranker against another. Positive numbers are for the first."""

    first: str
    second: str
    frozen: Frozen
    alpha: float  # corrected for the number of comparisons (Bonferroni)
    bootstrap: Bootstrap  # of the mean preference of an impression
    traffic: Traffic

    @property
    def users(self) -> int:
        """How many users count."""
        return len(self.frozen.deltas)

    @cached_property
    def wins(self) -> tuple[int, int, int]:
        """Users who prefer the first ranker, the second, neither."""
        signs = np.sign(self.frozen.deltas)
        return int((signs > 0).sum()), int((signs < 0).sum()), int((signs == 0).sum())

    @cached_property
    def band(self) -> Band:
        """The confidence sequence after each user."""
        return confidence_sequence(self.frozen.deltas, self.alpha)

    @property
    def preference(self) -> float:
        """The mean delta."""
        return float(self.band.mean[-1]) if self.users else 0.0

    @property
    def limits(self) -> tuple[float, float]:
        """The confidence sequence now."""
        return (float(self.band.low[-1]), float(self.band.high[-1])) if self.users else (-math.inf, math.inf)

    @property
    def winner(self) -> str | None:
        """Who is preferred, if the confidence sequence excludes 0."""
        low, high = self.limits
        return self.first if low > 0 else self.second if high < 0 else None

    @property
    def e_value(self) -> float:
        """Against "as many prefer the one as the other"."""
        return e_value(*self.wins[:2])

    @property
    def p_value(self) -> float:
        """It may be watched: one over the largest e-value so far."""
        return math.exp(-float(log_e_path(self.frozen.deltas).max(initial=0.0)))

    @cached_property
    def tests(self) -> tuple[FixedTest, ...]:
        """For those who planned the number of users."""
        return tuple(test(self.frozen.deltas) for test in FIXED_TESTS)

    @cached_property
    def more_users(self) -> int | None:
        """How many more decide it with 80 % probability, if the preference is as measured; None: nobody knows."""
        if self.winner:
            return 0
        spread = float(spread_of(self.preference, self.frozen.deltas.var())) if self.users else 0.0
        # Too small an effect needs more users than anybody has, and more than can be counted.
        if abs(self.preference) <= spread / math.sqrt(FAR):
            return None
        return max(0, users_needed(abs(self.preference), spread, alpha=self.alpha) - self.users)

    @cached_property
    def detectable(self) -> float | None:
        """The preference that so many users show with 80 % probability; None before the first look."""
        spread = float(self.frozen.deltas.std()) if self.users >= FIRST else 0.0
        return detectable_effect(self.users, spread, alpha=self.alpha) if spread else None

    @cached_property
    def users_to_undo(self) -> int | None:
        """How many users in a row for the other ranker, each as clear as users are, make the winner uncertain."""
        if self.winner is None:
            return None
        deltas = self.frozen.deltas
        against = -math.copysign(float(np.abs(deltas[deltas != 0]).mean()), self.preference)
        still, undone = 0, 1
        while self._wins_after(undone, against):
            still, undone = undone, 2 * undone
        while undone - still > 1:
            middle = (still + undone) // 2
            still, undone = (middle, undone) if self._wins_after(middle, against) else (still, middle)
        return undone

    def towards_leader(self) -> Comparison:
        """The same with the ranker that is ahead named first."""
        if self.preference >= 0:
            return self
        mean, low, high = self.bootstrap
        turned = self.frozen._replace(deltas=-self.frozen.deltas)
        return Comparison(self.second, self.first, turned, self.alpha, Bootstrap(-mean, -high, -low), self.traffic)

    def _wins_after(self, more: int, delta: float) -> bool:
        """Whether the same ranker still wins after so many more users with this delta."""
        deltas, n = self.frozen.deltas, self.users + more
        mean = (deltas.sum() + more * delta) / n
        variance = ((deltas**2).sum() + more * delta**2) / n - mean**2
        return bool(-math.copysign(1, delta) * mean > spread_of(mean, variance) * relative_width(n, self.alpha))

    def summary(self) -> dict[str, Any]:
        """Its numbers for JSON; what is not known is None."""
        low, high = (limit if math.isfinite(limit) else None for limit in self.limits)
        return {
            "first": self.first,
            "second": self.second,
            "winner": self.winner,
            "users": self.users,
            "open": self.frozen.open,
            "late_impressions": self.frozen.late,
            **dict(zip(("wins", "losses", "ties"), self.wins, strict=True)),
            "preference": self.preference,
            "low": low,
            "high": high,
            "alpha": self.alpha,
            "e_value": self.e_value,
            "p_value": self.p_value,
            "more_users": self.more_users,
            "detectable": self.detectable,
            "users_to_undo": self.users_to_undo,
            "traffic": self.traffic.summary(),
            "bootstrap": self.bootstrap._asdict(),
            "tests": [test._asdict() for test in self.tests],
        }


def compare_all(
    earned: Credits, leaders: Sequence[str], units: Sequence[str], alpha: float, seconds: float, end: float, seed: int
) -> tuple[Comparison, ...]:
    """Every two rankers that share an impression, pairs of leaders first.

    `units` are users or queries, whose windows last so many `seconds`.
    """
    columns = [earned.rankers.index(name) for name in leaders]
    took_part = ~np.isnan(earned.credit)
    pairs = [sorted(pair) for pair in combinations(columns, 2) if took_part[:, pair].all(1).any()]
    comparisons = []
    for first, second in pairs:
        chosen = np.flatnonzero(took_part[:, first] & took_part[:, second])
        preference = earned.credit[chosen, first] - earned.credit[chosen, second]
        mine = [units[i] for i in chosen.tolist()]
        comparisons.append(
            Comparison(
                earned.rankers[first],
                earned.rankers[second],
                freeze(mine, earned.times[chosen], preference, seconds, end),
                alpha / len(pairs),
                cluster_bootstrap(preference, mine, seed=seed),
                traffic_of(earned.present[:, first] & earned.present[:, second]),
            )
        )
    return tuple(comparisons)


def adjusted_tests(comparisons: Sequence[Comparison]) -> list[tuple[float, ...]]:
    """The p-values of each comparison's fixed tests, corrected for the number of comparisons by Holm's method."""
    columns = [holm([c.tests[i].p_value for c in comparisons]) for i in range(len(FIXED_TESTS))]
    return [tuple(map(float, row)) for row in np.column_stack(columns)]
