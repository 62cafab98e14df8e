"""What of a log did not count, and whether it was one ranker's more than another's.

Clicks that are lost for both rankers alike cost users. Clicks that are lost for one of them decide who wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.clicks.impressions import Array, Losses
from duelist.clicks.records import CLICK
from duelist.core.memory import Flags, Floats
from duelist.evidence.balance import ALARM, Check, ratio_e_value
from duelist.evidence.sequential import LARGEST

MOST = 0.05  # share of rows or clicks that may be lost before a verdict is withheld
TELLING = 1.0  # e-value by which it must be above that: one of two lost is no share yet
PRIOR = 0.5  # of the e-value
THRESHOLD = 9 / ALARM  # of each check: seven ways to lose something, rows without teams, lists of one ranker
UNPLACED = "without a place"
UNVALUED = "without a value"
UNTOLD = "of no known ranker"
MISDATED = "impressions dated far from all others"
AGAIN = "rows of impressions told before"


@dataclass(frozen=True)
class Loss:
    """One way in which something did not count."""

    name: str
    count: int
    of: int
    rankers: Mapping[str, int]  # impressions hit, by the ranker that their clicks favour, where that can be told
    check: Check | None  # whether it hit one ranker more than another; None: nothing to tell by
    fatal: bool  # whether too much of it, or too much of one ranker's, withholds the verdict
    example: str = ""
    said: str = ""  # that it is one-sided, in words of its own
    guessed: bool = False  # `rankers` go by what else was clicked in its lists: whose it was, nobody can tell

    @property
    def share(self) -> float:
        """Of all there was."""
        return self.count / self.of if self.of else 0.0

    @property
    def one_sided(self) -> bool:
        """Whether it hit one ranker more than another."""
        return self.check is not None and not self.check.healthy

    def named(self, name: str, count: int) -> Loss:
        """A part of it, of which nobody can tell whose it was."""
        return replace(self, name=name, count=count, guessed=True)


def one_sided_e_value(hit: Sequence[int], others: Sequence[int]) -> float:
    """How strongly counts by ranker speak against "what was hit is like what was not".

    Two distributions, each learnt as it goes, bet against the best single one; that they win by more than 1/alpha at
    any time has a chance of at most alpha if there is only one.

    >>> one_sided_e_value([150, 3], [900, 1000]) > 1e6, one_sided_e_value([80, 73], [900, 1000]) < 1
    (True, True)
    """
    both = np.add(hit, others).astype(np.float64)
    best = float(scipy.special.xlogy(both, both / max(1.0, both.sum())).sum())
    return float(np.exp(min(learnt(hit) + learnt(others) - best, LARGEST)))


def learnt(counts: Sequence[int]) -> float:
    """The logarithm of the chance that Dirichlet(1/2) bets gave these counts."""
    seen = np.asarray(counts, np.float64)
    start = scipy.special.gammaln(PRIOR * len(seen)) - len(seen) * scipy.special.gammaln(PRIOR)
    return float(
        start + scipy.special.gammaln(seen + PRIOR).sum() - scipy.special.gammaln(seen.sum() + PRIOR * len(seen))
    )


def favourites(credit: Floats) -> Array:
    """The ranker that each impression favours; -1 where several share the most credit.

    >>> favourites(np.array([[1.0, 0], [0, 3], [1, 1]])).tolist()
    [0, 1, -1]
    """
    filled = np.where(np.isnan(credit), -np.inf, credit)
    most = filled.max(1, initial=-np.inf)
    return np.where((filled == most[:, None]).sum(1) == 1, filled.argmax(1), -1)


class Sides:
    """Things by the ranker whose they are: those that something hit, and the others.

    >>> sides = Sides(2)
    >>> sides.add(np.array([0, 1, -1, 1]), np.array([True, False, True, False]))  # -1: nobody's
    >>> sides.hit.tolist(), sides.others.tolist()
    ([1, 0], [0, 2])
    """

    def __init__(self, rankers: int) -> None:
        self.hit, self.others = np.zeros((2, rankers), np.int64)

    def add(self, whose: Array, hit: Flags) -> None:
        """Enter some."""
        for counts, chosen in ((self.hit, hit), (self.others, ~hit)):
            counts += np.bincount(whose[chosen & (whose >= 0)], minlength=len(counts))


class Favoured:
    """The ranker that impressions favour, counted: of all, and of those that lost a click.

    >>> favoured = Favoured(2)
    >>> favoured.add(np.array([[1.0, 0], [0, 3], [1, 1], [0, 1]]), np.array([0, 1, 1, 0]) > 0)
    >>> favoured.all.tolist(), favoured.lost.tolist()
    ([1, 2], [0, 1])
    """

    def __init__(self, rankers: int) -> None:
        self.all, self.lost = np.zeros((2, rankers), np.int64)
        self.credit = np.zeros(rankers)  # of each ranker in the impressions that favour it

    def add(self, credit: Floats, lost: Flags) -> None:
        """Enter impressions."""
        best = favourites(credit)
        alone = best >= 0
        for counts, hit in ((self.all, alone), (self.lost, alone & lost)):
            counts += np.bincount(best[hit], minlength=len(counts))
        self.credit += np.bincount(best[alone], credit[alone, best[alone]], len(self.credit))

    def worth(self, ranker: int, otherwise: float) -> float:
        """What an impression that favours a ranker gives it on average, if there is any."""
        return float(self.credit[ranker]) / int(self.all[ranker]) if self.all[ranker] else otherwise


def things(action: str) -> str:
    """Many of an action, in words.

    >>> things("click"), things("purchase")
    ('clicks', "actions 'purchase'")
    """
    return "clicks" if action == CLICK else f"actions {action!r}"


def losses_of(
    losses: Losses,
    rankers: Sequence[str],
    favoured: Favoured,
    late: Sides,
    strays: Sequence[int],
    counts: Mapping[str, int],
    threshold: float = THRESHOLD,
    action: str = CLICK,
) -> tuple[Loss, ...]:
    """Every way in which something was lost; `counts` are how many there were of what.

    `strays` are misdated impressions by the ranker that they favour.
    """
    by_rows = np.array([losses.rankers.get(name, 0) for name in rankers])
    repeated, again = (np.array([each.get(name, 0) for name in rankers]) for each in (losses.repeated, losses.again))
    everyone, lost = favoured.all, favoured.lost
    rows, done, what = losses.rows.total(), counts["done"], things(action)
    without = _example(losses, losses.clicks) if action == CLICK else losses.examples.get(action, "")
    named: list[tuple[str, int, int, Any, Any, bool, str]] = [
        ("rejected rows", rows, counts["rows"], by_rows, everyone, True, _example(losses, losses.rows)),
        (f"{what} {UNPLACED}", counts["lost"], done, lost, everyone - lost, True, without),
        (f"late {what}", counts["late"], counts["told"], late.hit, late.others, True, ""),
        ("repeated clicks", losses.repeated.total(), done, repeated, everyone, False, ""),
        (MISDATED, counts["misdated"], counts["rows"], np.array(strays), everyone, True, ""),
        (AGAIN, losses.duplicates, counts["rows"] + losses.duplicates, again, everyone, False, ""),
    ]
    return tuple(loss_of(rankers, threshold, *each) for each in named)


def loss_of(
    rankers: Sequence[str],
    threshold: float,
    name: str,
    count: int,
    of: int,
    hit: Array,
    others: Array,
    fatal: bool = True,
    example: str = "",
) -> Loss:
    """One way to lose something, with what it hit of each ranker and what it did not."""
    check = None
    if hit.any() and others.any():
        shares = tuple((others / others.sum()).tolist())
        e_value = one_sided_e_value(hit.tolist(), others.tolist())
        check = Check(f"{name} by ranker", tuple(hit.tolist()), shares, e_value, threshold)
    guessed = name.endswith(UNPLACED)
    said = _in_lists(name, rankers, hit.tolist()) if guessed else ""
    whose = dict(zip(rankers, hit.tolist(), strict=True))
    return Loss(name, count, of, whose, check, fatal, example, said, guessed)


def _in_lists(name: str, rankers: Sequence[str], hit: Sequence[int]) -> str:
    counts = ", ".join(f"{ranker} {count:,}" for ranker, count in zip(rankers, hit, strict=True))
    return f"{name} are in lists that favour one ranker more than another: {counts}; whose they were nobody can tell"


def could_undo(lost: Sequence[tuple[Loss, float]], winner: str, loser: str, weight: float, low: float) -> str:
    """Why a lead of at least `low` an impression is not sure, if the loser had got what was lost; empty if it is.

    With each loss comes what it may have been worth to the loser; `weight` is that of all impressions. Nobody can tell
    whose clicks without a place or broken lines were; of other rows that are lost, the ranker that they favour may be
    known.

    >>> few = Loss(MISDATED, 40, 1000, {"old": 30, "new": 2}, None, True)
    >>> could_undo([(few, 28.0)], "new", "old", 1000, 0.03), could_undo([(few, 28.0)], "new", "old", 1000, 0.02)
    ('', 'with the 40 impressions dated far from all others (0.028 an impression for old) new would not surely win')
    """
    most = sum(amount for _, amount in lost)
    if not lost or most < low * weight:
        return ""
    rate = f"{most / max(1.0, weight):.3g} an impression"
    if len(lost) > 1:
        each = ", ".join(f"{loss.count:,} {loss.name}" for loss, _ in lost)
        return f"with all that was lost ({each}: up to {rate} for {loser}) {winner} would not surely win"
    ((loss, _),) = lost
    if loss.guessed:
        return f"if all {loss.count:,} {loss.name} were {loser}'s ({rate}), {winner} would not surely win"
    return f"with the {loss.count:,} {loss.name} ({rate} for {loser}) {winner} would not surely win"


def _example(losses: Losses, kinds: Mapping[str, int]) -> str:
    """The first row of the most frequent kind."""
    most = max(kinds, key=lambda kind: kinds[kind], default="")
    return losses.examples.get(most, "")


def _tells(loss: Loss, most: float) -> bool:
    """Whether its share speaks against `most`.

    >>> [_tells(Loss("late clicks", *numbers, {}, None, True), 0.05) for numbers in ((1, 2), (3, 9))]
    [False, True]
    """
    return ratio_e_value((loss.count, loss.of - loss.count), (most, 1 - most)) > TELLING


def withheld(losses: Sequence[Loss], most: float = MOST) -> list[str]:
    """Why the losses forbid a verdict; nothing if they do not."""
    reasons = []
    for loss in losses:
        if loss.fatal and loss.share > most and _tells(loss, most):
            example = f" (most often as in {loss.example})" if loss.example else ""
            reasons.append(f"{loss.name}: {loss.share:.1%} of {loss.of:,}, more than {most:.0%}{example}")
        if loss.fatal and loss.one_sided and loss.check is not None:
            hit = ", ".join(f"{name} {count:,}" for name, count in loss.rankers.items())
            said = loss.said or f"{loss.name} hit one ranker more than another: {hit}"
            reasons.append(f"{said} (e-value {loss.check.e_value:.3g})")
    return reasons
