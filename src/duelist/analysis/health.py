"""Whether an experiment may be believed: its coins, what was lost, its clocks, its users and days."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.analysis.clocks import Moments
from duelist.analysis.comparison import Comparison
from duelist.analysis.credits import Credits, team_counts
from duelist.analysis.days import Day, crowds, strange_days
from duelist.analysis.guardrails import Guarded
from duelist.analysis.losses import Loss, losses_of, withheld
from duelist.clicks.impressions import Impressions
from duelist.core.memory import Floats
from duelist.evidence.balance import Check, check_balance, replay
from duelist.evidence.watch import ALWAYS_VALID

REPLAYS = 500


@dataclass(frozen=True)
class Health:
    """Whether the experiment may be believed."""

    checks: tuple[Check, ...]
    losses: tuple[Loss, ...]
    reasons: tuple[str, ...]  # why a verdict is withheld
    notes: tuple[str, ...]  # what is strange, but decides nothing
    replay: dict[str, float]  # false alarms of each method on these users without a difference
    unreliable: tuple[str, ...]  # always-valid methods whose replays raise more false alarms than they may
    duplicates: int
    alone: int  # impressions of one ranker, which compare nothing: a policy that is sure asks for these
    unusable: int  # impressions that do not say who earned their clicks
    misdated: int  # impressions whose date does not fit the others: they do not count

    @property
    def valid(self) -> bool:
        """Whether nothing forbids a verdict."""
        return not self.reasons

    @property
    def rejected(self) -> int:
        """Rows that could not be used."""
        return self.losses[0].count

    @property
    def example(self) -> str:
        """A rejected row of the most frequent kind, or else a lost click, and why; empty if there is none."""
        return next((loss.example for loss in self.losses if loss.example), "")

    def summary(self) -> dict[str, Any]:
        """Its numbers for JSON."""
        checks = [*self.checks, *(loss.check for loss in self.losses if loss.check)]
        shown = ("name", "counts", "e_value", "threshold", "healthy")
        plain = ("replay", "unreliable", "rejected", "example", "duplicates", "alone", "unusable", "misdated")
        return {
            "reasons": self.reasons,
            "notes": self.notes,
            "checks": [{name: getattr(check, name) for name in shown} for check in checks],
            "losses": [
                {"name": loss.name, "count": loss.count, "of": loss.of, "rankers": dict(loss.rankers)}
                for loss in self.losses
            ],
            **{name: getattr(self, name) for name in plain},
        }


def health_of(
    log: Impressions,
    earned: Credits,
    whole: Floats,
    leading: Comparison,
    days: tuple[Day, ...],
    moments: Moments,
    misdated: int,
    guarded: tuple[Guarded, ...],
    most_lost: float,
    seed: int,
    alone: bool,
) -> Health:
    """All of it. `log` has every impression with a date that fits, `earned` those that compare rankers.

    `whole` is their credit with late clicks.
    """
    losses = _losses(log, earned, whole, moments, misdated)
    checks = check_balance(team_counts(earned.log))
    reasons = [f"{check.name} are not equal (e-value {check.e_value:.3g})" for check in checks if not check.healthy]
    reasons += withheld(losses, most_lost)
    for rail in guarded:
        if rail.broken:
            mean = f"{rail.mean:.3g}, surely {'above' if rail.guardrail.below else 'below'} the limit"
            reasons.append(f"the guardrail {rail.guardrail} is broken: {mean}")
    notes = crowds(earned.log.users) + strange_days(days)
    if moments.early:
        notes.append(f"{moments.early:,} of {moments.timed:,} dated clicks are dated before their list: clocks differ.")
    notes += [
        f"{loss.name} are more one ranker's than another's." for loss in losses if loss.one_sided and not loss.fatal
    ]
    if alone:
        notes.append("The log has clicks alone: nobody can tell how often each ranker was shown, or by fair coins.")
    false_alarms = replay(leading.totals, REPLAYS, leading.alpha, seed=seed) if leading.users else {}
    most = leading.alpha + 3 * math.sqrt(leading.alpha * (1 - leading.alpha) / REPLAYS)
    single = int(np.array([len(names) == 1 for names in log.setup_names])[log.setups].sum())
    return Health(
        checks=checks,
        losses=losses,
        reasons=tuple(reasons),
        notes=tuple(notes),
        replay=false_alarms,
        unreliable=tuple(name for name in ALWAYS_VALID if false_alarms.get(name, 0) > most),
        duplicates=log.losses.duplicates,
        alone=single,
        unusable=len(log) - len(earned.log) - single,
        misdated=misdated,
    )


def _losses(log: Impressions, earned: Credits, whole: Floats, moments: Moments, misdated: int) -> tuple[Loss, ...]:
    clicks = int((log.done.names == 0).sum())
    lost = log.losses.clicks.total()
    late = moments.late
    counts = {
        "rows": len(log) + misdated + log.losses.rows.total(),
        "clicks": clicks + lost,
        "late": int(late.sum()),
        "done": len(log.done),
    }
    hit_late = np.zeros(len(earned.log), np.bool_)
    if late.any():
        again = np.isnan(earned.log.done.times) | (earned.log.done.times <= _deadline(earned.log, moments))
        hit_late[earned.log.done.rows[~again]] = True
    return losses_of(log.losses, earned.rankers, whole, earned.log.lost > 0, hit_late, counts)


def _deadline(log: Impressions, moments: Moments) -> Any:
    return log.times[log.done.rows] + moments.attribution
