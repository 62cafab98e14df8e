"""What a log of interleaved impressions says: who wins, how sure, and is the experiment healthy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.analysis.comparison import Comparison, adjusted_tests
from duelist.analysis.credits import Credits, credits_of, team_counts
from duelist.analysis.pairs import Windows, compare_all
from duelist.clicks.log import Log
from duelist.core.errors import BadInput
from duelist.evidence.balance import Check, check_balance, replay
from duelist.evidence.bootstrap import Bootstrap, cluster_bootstrap
from duelist.evidence.deltas import check_share, freeze
from duelist.evidence.watch import ALWAYS_VALID

HOUR = 3600.0  # seconds, which times of a log are
REPLAYS = 500
UNITS = ("user", "query")


@dataclass(frozen=True)
class RankerCredit:
    """How much credit a ranker earned in an impression, with a 95 % bootstrap interval over users."""

    name: str
    credit: Bootstrap


@dataclass(frozen=True)
class Health:
    """Whether the experiment may be believed."""

    checks: tuple[Check, ...]
    replay: dict[str, float]  # false alarms of each method on these users without a difference
    unreliable: tuple[str, ...]  # always-valid methods whose replays raise more false alarms than they may
    rejected: int
    example: str  # the first rejected row and why; empty if there is none
    duplicates: int
    alone: int  # impressions of one ranker, which compare nothing: a policy that is sure asks for these
    unusable: int  # impressions that do not say who earned their clicks

    @property
    def valid(self) -> bool:
        """Whether every check of the balance is healthy."""
        return all(check.healthy for check in self.checks)

    def summary(self) -> dict[str, Any]:
        """Its numbers for JSON."""
        shown = ("name", "counts", "e_value", "threshold", "healthy")
        return {
            "checks": [{name: getattr(check, name) for name in shown} for check in self.checks],
            "replay": self.replay,
            "unreliable": self.unreliable,
            "rejected": self.rejected,
            "example": self.example,
            "duplicates": self.duplicates,
            "alone": self.alone,
            "unusable": self.unusable,
        }


@dataclass(frozen=True)
class Analysis:
    """The whole report as values; `print` shows it in words, `page` with charts."""

    rankers: tuple[RankerCredit, ...]  # the most credit first
    comparisons: tuple[Comparison, ...]  # the one between the two leaders first
    health: Health
    impressions: int
    unit: str
    window: float | None  # hours; None: users count for as long as the log lasts
    alpha: float
    frozen: bool  # False: no window has closed yet, users are counted as they stand, and nobody wins

    @property
    def winner(self) -> str | None:
        """The ranker that is preferred to every other one, if the experiment is valid, frozen and there is one."""
        for ranker in self.rankers if self.health.valid else ():
            won = [c.winner == ranker.name for c in self.comparisons if ranker.name in (c.first, c.second)]
            if len(won) == len(self.rankers) - 1 and all(won):
                return ranker.name
        return None

    @property
    def undecided(self) -> list[Comparison]:
        """What has to be decided for the ranker with the most credit to win, itself named first where it is ahead."""
        best = self.rankers[0].name
        mine = [c for c in self.comparisons if best in (c.first, c.second)]
        return [c.towards_leader() for c in mine if c.winner is None]

    def __str__(self) -> str:
        from duelist.analysis.text import format_analysis  # which stands on this module

        return format_analysis(self)

    def summary(self) -> dict[str, Any]:
        """The numbers for JSON."""
        adjusted = adjusted_tests(self.comparisons)
        return {
            "winner": self.winner,
            "valid": self.health.valid,
            "frozen": self.frozen,
            "impressions": self.impressions,
            "unit": self.unit,
            "window": self.window,
            "alpha": self.alpha,
            "rankers": [{"name": ranker.name, **ranker.credit._asdict()} for ranker in self.rankers],
            "comparisons": [
                comparison.summary() | {"adjusted": row}
                for comparison, row in zip(self.comparisons, adjusted, strict=True)
            ],
            "health": self.health.summary(),
        }


def analyze(
    log: Log,
    alpha: float = 0.05,
    window: float | None = None,
    unit: str = "user",
    ended: bool = False,
    seed: int = 0,
    cap: float | None = None,
) -> Analysis:
    """Compare the rankers of a log by users' totals (or queries'), for as long as the log lasts.

    With a `window`, a user counts by the mean preference in so many hours after the first impression, and is frozen
    then; users whose window is open wait, unless the experiment has `ended`. Where no window has closed yet users
    are counted as they stand and `frozen` is False: nobody wins. A `cap` cuts preferences at plus and minus so much;
    limits then hold at any number of users, in windows of 24 hours unless another is given.

    >>> from duelist.clicks.log import Record
    >>> def impression(i):
    ...     clicked = 1 if i % 3 == 0 else 0
    ...     return Record(f"i{i}", f"u{i}", "q", 3600.0 * i, ("a", "b"), (clicked,), ("new", "old"), (0, 1))
    >>> analysis = analyze(Log(tuple(map(impression, range(300)))))
    >>> analysis.comparisons[0].wins, analysis.comparisons[0].winner
    ((200, 100, 0), 'new')
    >>> analysis.health.valid, analysis.winner  # "new" always picked first
    (False, None)
    """
    check_share("alpha", alpha)
    window = 24.0 if window is None and cap is not None else window
    if window is not None and not window >= 0:
        raise BadInput(f"window must be at least 0 hours, not {window!r}")
    if unit not in UNITS:
        raise BadInput(f"unit must be one of {', '.join(UNITS)}, not {unit!r}")
    earned = credits_of(log.records)
    units = [getattr(record, unit) for record in earned.records]
    windows = None if window is None else _windows(earned, units, HOUR * window, ended, cap)
    rankers = sorted((_ranker(earned, name, seed) for name in earned.rankers), key=lambda r: -r.credit.estimate)
    leaders = [ranker.name for ranker in rankers]
    comparisons = compare_all(earned, leaders, units, alpha, windows, seed)
    return Analysis(
        rankers=tuple(rankers),
        comparisons=comparisons,
        health=_health(log, earned, comparisons[0], alpha, seed),
        impressions=len(earned.records),
        unit=unit,
        window=window,
        alpha=alpha,
        frozen=not (windows and windows.provisional),
    )


def _windows(earned: Credits, units: Sequence[str], seconds: float, ended: bool, cap: float | None) -> Windows:
    """They close until the end of the log, or for ever if it has ended or none has closed by then."""
    end = float(earned.times.max())
    closed = len(freeze(units, earned.times, np.zeros(len(units)), seconds, end).deltas)
    return Windows(seconds, math.inf if ended or not closed else end, cap, provisional=not (ended or closed))


def _ranker(earned: Credits, name: str, seed: int) -> RankerCredit:
    credit = earned.credit[:, earned.rankers.index(name)]
    chosen = np.flatnonzero(~np.isnan(credit))
    users = [earned.records[i].user for i in chosen]
    return RankerCredit(name, cluster_bootstrap(credit[chosen], users, seed=seed))


def _health(log: Log, earned: Credits, leading: Comparison, alpha: float, seed: int) -> Health:
    alone = sum(len(record.rankers) == 1 for record in log.records)
    false_alarms = replay(leading.totals, REPLAYS, alpha, seed=seed)
    most = alpha + 3 * math.sqrt(alpha * (1 - alpha) / REPLAYS)
    return Health(
        checks=check_balance(team_counts(earned.records)),
        replay=false_alarms,
        unreliable=tuple(name for name in ALWAYS_VALID if false_alarms.get(name, 0) > most),
        rejected=len(log.rejected),
        example="".join(f"line {row.line}: {row.reason}" for row in log.rejected[:1]),
        duplicates=log.duplicates,
        alone=alone,
        unusable=len(log.records) - len(earned.records) - alone,
    )
