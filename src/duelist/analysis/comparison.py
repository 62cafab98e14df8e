"""One ranker against another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from duelist.analysis.traffic import Traffic
from duelist.core.memory import Floats
from duelist.evidence.accounts import Accounts, Course
from duelist.evidence.betting import BettingSequence
from duelist.evidence.bootstrap import Bootstrap, bootstrap_totals
from duelist.evidence.capped import Capped
from duelist.evidence.fixed import FIXED_TESTS, FixedTest
from duelist.evidence.multiple import holm
from duelist.evidence.power import detectable_effect, first_look, users_needed

FAR = 1_000_000_000  # more users than anybody has: not worth a number
TELLING = 10  # users of equal weight, in effect, before anything is said of how many more are needed


@dataclass(frozen=True)
class Comparison:
    """One ranker against another. Positive numbers are for the first."""

    first: str
    second: str
    accounts: Accounts
    alpha: float  # corrected for the number of comparisons (Bonferroni)
    traffic: Traffic
    seed: int = 0  # of the bootstrap
    times: Floats | None = None  # of the looks of `band`
    open: int = 0  # users whose window has not closed
    late: int = 0  # impressions after their user's window
    provisional: bool = False  # outcomes may still change: nobody wins
    withheld: bool = False  # the experiment may not be believed: nobody wins
    needs_cap: float | None = None  # the outcome has no bound, and nobody wins without one; this is a proposal
    capped: Capped | None = None
    betting: tuple[BettingSequence, Course] | None = None  # where a cap is declared, and users enter once

    @property
    def users(self) -> int:
        """How many users count."""
        return self.accounts.users

    @property
    def wins(self) -> tuple[int, int, int]:
        """Users who prefer the first ranker, the second, neither."""
        return self.accounts.wins, self.accounts.losses, self.accounts.ties

    @cached_property
    def totals(self) -> Floats:
        """Each user's total preference, weighed."""
        return self.accounts.per_user()[0]

    @cached_property
    def band(self) -> Course:
        """The confidence sequence at looks so far."""
        return self.betting[1] if self.betting else self.accounts.course(self.alpha)

    @property
    def preference(self) -> float:
        """The mean preference of an impression; the more a user had, the less each weighs."""
        return self.accounts.mean

    @property
    def limits(self) -> tuple[float, float]:
        """The confidence sequence now."""
        return (self.betting[0] if self.betting else self.accounts).limits(self.alpha)

    @property
    def begun(self) -> bool:
        """Whether there are enough users for limits."""
        return self.accounts.begun if not self.betting else self.users > 0

    @property
    def winner(self) -> str | None:
        """Who is preferred, if the confidence sequence excludes 0 and nothing else forbids a verdict."""
        forbidden = self.withheld or self.provisional or self.needs_cap is not None
        low, high = (0.0, 0.0) if forbidden else self.limits
        return self.first if low > 0 else self.second if high < 0 else None

    @property
    def e_value(self) -> float:
        """Against "as many users turn first to the one as to the other"."""
        return self.accounts.e_value

    @property
    def p_value(self) -> float:
        """It may be watched: one over the largest e-value so far."""
        return self.accounts.p_value

    @cached_property
    def bootstrap(self) -> Bootstrap:
        """Of the mean preference of an impression, drawing users."""
        if not self.users:
            return Bootstrap(0.0, 0.0, 0.0)
        return bootstrap_totals(*self.accounts.per_user(), seed=self.seed)

    @cached_property
    def tests(self) -> tuple[FixedTest, ...]:
        """For those who planned the number of users: of users' totals."""
        return tuple(test(self.totals) for test in FIXED_TESTS)

    @property
    def _kurtosis(self) -> float:
        """How many users make one of equal weight."""
        return max(1.0, self.users / max(1.0, self.accounts.effective))

    @cached_property
    def more_users(self) -> int | None:
        """How many more decide it with 80 % probability, if the preference is as measured; None: nobody knows."""
        if self.winner:
            return 0
        if self.withheld or self.provisional:  # it is not users that are missing
            return None
        if self.needs_cap is not None or self.accounts.effective < TELLING:
            return None
        effect = abs(self.accounts.total) / self.users
        spread = math.sqrt(max(self.accounts.squares / self.users - effect**2, effect**2 / self.users))
        # Too small an effect needs more users than anybody has, and more than can be counted.
        if effect <= spread / math.sqrt(FAR):
            return None
        needed = users_needed(effect, spread, alpha=self.alpha, kurtosis=self._kurtosis)
        return max(1, needed - self.users)

    @cached_property
    def detectable(self) -> float | None:
        """The preference of an impression that so many users show with 80 % probability; None before limits begin."""
        accounts = self.accounts
        if not accounts.begun or self.users < first_look(self._kurtosis):
            return None
        spread = math.sqrt(accounts.squares / self.users)
        each = detectable_effect(self.users, spread, alpha=self.alpha, kurtosis=self._kurtosis)
        return each * self.users / accounts.weight

    @cached_property
    def users_to_undo(self) -> int | None:
        """How many users in a row for the other ranker, each as clear as users are, make the winner uncertain."""
        if self.winner is None:
            return None
        still, undone = 0, 1
        while self._wins_after(undone):
            still, undone = undone, 2 * undone
        while undone - still > 1:
            middle = (still + undone) // 2
            still, undone = (middle, undone) if self._wins_after(middle) else (still, middle)
        return undone

    def _wins_after(self, more: int) -> bool:
        """Whether the same ranker still wins after so many more users who are for the other."""
        clear = float(np.abs(self.totals[self.totals != 0]).mean())
        against = -math.copysign(clear, self.preference)
        if self.betting:
            later: Accounts | BettingSequence = self.betting[0].after(more, against)
        else:
            later = self.accounts.after(more, against, self.accounts.weight / self.users)
        low, high = later.limits(self.alpha)
        return low > 0 if against < 0 else high < 0

    def towards_leader(self) -> Comparison:
        """The same with the ranker that is ahead named first."""
        return self if self.preference >= 0 else self.turned()

    def turned(self) -> Comparison:
        """The same with the other ranker named first."""
        betting = self.betting and (self.betting[0].turned(), turned_course(self.betting[1]))
        capped = self.capped and self.capped.turned()
        turned = replace(self, first=self.second, second=self.first, betting=betting, capped=capped)
        return replace(turned, accounts=self.accounts.turned())

    def summary(self) -> dict[str, Any]:
        """Its numbers for JSON; what is not known is None."""
        low, high = (limit if math.isfinite(limit) else None for limit in self.limits)
        capped = self.capped and {"cap": self.capped.cap, "share": self.capped.share, "shift": self.capped.shift}
        return {
            "first": self.first,
            "second": self.second,
            "winner": self.winner,
            "withheld": self.withheld,
            "provisional": self.provisional,
            "needs_cap": self.needs_cap,
            "users": self.users,
            "effective_users": self.accounts.effective,
            "impressions": self.accounts.impressions,
            "open": self.open,
            "late_impressions": self.late,
            **dict(zip(("wins", "losses", "ties"), self.wins, strict=True)),
            "preference": self.preference,
            "low": low,
            "high": high,
            "alpha": self.alpha,
            "capped": capped,
            "e_value": self.e_value,
            "p_value": self.p_value,
            "more_users": self.more_users,
            "detectable": self.detectable,
            "users_to_undo": self.users_to_undo,
            "traffic": self.traffic.summary(),
            "bootstrap": self.bootstrap._asdict(),
            "tests": [test._asdict() for test in self.tests],
        }


def turned_course(course: Course) -> Course:
    """The course of the opposite preference."""
    return course._replace(mean=-course.mean, low=-course.high, high=-course.low)


def adjusted_tests(comparisons: Sequence[Comparison]) -> list[tuple[float, ...]]:
    """The p-values of each comparison's fixed tests, corrected for the number of comparisons by Holm's method."""
    columns = [holm([c.tests[i].p_value for c in comparisons]) for i in range(len(FIXED_TESTS))]
    return [tuple(map(float, row)) for row in np.column_stack(columns)]
