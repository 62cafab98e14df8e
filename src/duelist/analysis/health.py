"""Whether an experiment may be believed: its coins, what was lost, its clocks, its users and days."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from duelist.analysis.clocks import Moments
from duelist.analysis.coins import TeamCounts
from duelist.analysis.comparison import Comparison
from duelist.analysis.credits import Credits
from duelist.analysis.days import Day, crowds, pauses, strange_days
from duelist.analysis.guardrails import Guarded
from duelist.analysis.ledger import Ledger, Strays
from duelist.analysis.losses import THRESHOLD, Loss, withheld
from duelist.analysis.settings import Settings
from duelist.clicks.impressions import Impressions
from duelist.core.growing import Growing
from duelist.evidence.balance import Check, check_balance, replay
from duelist.evidence.watch import ALWAYS_VALID

REPLAYS = 500
AGAIN = "rows of impressions told before"
DECIDES = "confidence sequence"  # the method that names winners, where there is no bound


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
    undone: tuple[tuple[str, str], ...] = ()  # pairs whose lead could be undone by what was lost

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
                {name: getattr(loss, name) for name in ("name", "count", "of", "guessed")}
                | {"rankers": dict(loss.rankers)}
                for loss in self.losses
            ],
            **{name: getattr(self, name) for name in plain},
        }


class Watch:
    """What is counted for the health of an experiment, one portion after another: all but what each outcome has."""

    def __init__(self, head: Impressions) -> None:
        self.losses, self.coins = head.losses, TeamCounts(head)
        self.users = Growing(0, np.int32)  # impressions of each
        self.rows = self.usable = self.single = 0
        self.dates = math.inf, 0.0  # of the first impression and the last
        self.names, self.acted = head.action_names, np.zeros(len(head.action_names), np.int64)

    def actions(self) -> list[str]:
        """What people did, by name."""
        return [name for name, number in zip(self.names, self.acted.tolist(), strict=True) if number]

    def add(self, log: Impressions, earned: Credits) -> None:
        """Enter a portion: all of it, and what compares rankers."""
        self.coins.add(earned.log)
        self.users.add(earned.log.users, 1)
        self.rows += len(log)
        self.dates = min(self.dates[0], float(log.times.min())), max(self.dates[1], float(log.times.max()))
        self.usable += len(earned.log)
        self.single += int(np.array([len(names) == 1 for names in log.setup_names])[log.setups].sum())
        self.acted += np.bincount(log.done.names[log.done.names >= 0], minlength=len(self.acted))


def health_of(
    watch: Watch,
    ledger: Ledger,
    pairs: Sequence[Comparison],
    days: tuple[Day, ...],
    moments: Moments,
    strays: Strays,
    guarded: tuple[Guarded, ...],
    alone: bool,
    settings: Settings,
) -> Health:
    """All of it, by one outcome: every two rankers, the leaders first."""
    threshold = THRESHOLD * len(settings.outcomes)
    losses = ledger.all_losses(moments, strays, threshold)
    checks = check_balance(watch.coins.named())
    reasons = [f"{check.name} are not equal (e-value {check.e_value:.3g})" for check in checks if not check.healthy]
    reasons += withheld(losses, settings.most_lost) + ledger.unused.reasons(threshold)
    leading = pairs[0]
    counted = watch.rows / max(1, moments.impressions)
    undone = [ledger.undone(losses, strays, pair, counted) for pair in pairs]
    reasons += undone[:1] if undone[0] else []
    for rail in guarded:
        if rail.broken:
            mean = f"{rail.mean:.3g}, surely {'above' if rail.guardrail.below else 'below'} the limit"
            reasons.append(f"the guardrail {rail.guardrail} is broken: {mean}")
    false_alarms = replay_of(leading, settings.seed) if leading.users else {}
    unreliable = unreliable_methods(false_alarms, leading.alpha, bounded=leading.betting is not None)
    if DECIDES in unreliable and leading.needs_cap is None:
        rate = f"{false_alarms[DECIDES]:.1%} of experiments like this one, where {leading.alpha:.1%} are promised"
        reasons.append(f"without a difference the {DECIDES} would name a winner in {rate}: a few users weigh too much")
    return Health(
        checks=checks,
        losses=losses,
        reasons=tuple(reasons),
        notes=(*_notes(watch, losses, days, moments, alone), *(f"{why}." for why in undone[1:] if why)),
        undone=tuple(pair_of(pair) for pair, why in zip(pairs, undone, strict=True) if why),
        replay=false_alarms,
        unreliable=unreliable,
        duplicates=watch.losses.duplicates,
        alone=watch.single,
        unusable=watch.rows - watch.usable - watch.single,
        misdated=strays.number,
    )


def pair_of(comparison: Comparison) -> tuple[str, str]:
    """The two rankers, in the order of their names."""
    first, second = sorted((comparison.first, comparison.second))
    return first, second


def replay_of(leading: Comparison, seed: int) -> dict[str, float]:
    """How often each method would name a winner without a difference, on these users."""
    bound = leading.capped.cap if leading.capped and not leading.betting else None
    return replay(leading.totals, REPLAYS, leading.alpha, seed=seed, bound=bound)


def unreliable_methods(false_alarms: Mapping[str, float], alpha: float, bounded: bool) -> tuple[str, ...]:
    """Always-valid methods whose replays raise more false alarms than they may, by more than luck.

    Where outcomes are `bounded` the betting sequence decides, which needs no replay.

    >>> unreliable_methods({"e-value": 0.01, "confidence sequence": 0.12}, 0.05, bounded=False)
    ('confidence sequence',)
    """
    most = alpha + 3 * math.sqrt(alpha * (1 - alpha) / REPLAYS)
    asked = [name for name in ALWAYS_VALID if not (bounded and name == DECIDES)]
    return tuple(name for name in asked if false_alarms.get(name, 0) > most)


def called(loss: Loss) -> str:
    """What is lost, in words; a row with a click that is new says more than a duplicate would."""
    return AGAIN if loss.name == "duplicates" else loss.name


def _notes(watch: Watch, losses: tuple[Loss, ...], days: tuple[Day, ...], moments: Moments, alone: bool) -> list[str]:
    """What is strange, but decides nothing."""
    notes = crowds(watch.users.values) + strange_days(days) + pauses(days)
    if moments.early:
        notes.append(f"{moments.early:,} of {moments.timed:,} dated clicks are dated before their list: clocks differ.")
    notes += [
        f"{called(loss)} are more one ranker's than another's." for loss in losses if loss.one_sided and not loss.fatal
    ]
    if alone:
        notes.append("The log has clicks alone: nobody can tell how often each ranker was shown, or by fair coins.")
    return notes
