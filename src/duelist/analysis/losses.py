"""What of a log did not count, and whether it was one ranker's more than another's.

Clicks that are lost for both rankers alike cost users. Clicks that are lost for one of them decide who wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from duelist.clicks.impressions import Losses
from duelist.core.memory import Flags, Floats
from duelist.evidence.balance import ALARM, Check
from duelist.evidence.sequential import LARGEST

MOST = 0.05  # share of rows or clicks that may be lost before a verdict is withheld
PRIOR = 0.5  # of the e-value


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

    @property
    def share(self) -> float:
        """Of all there was."""
        return self.count / self.of if self.of else 0.0

    @property
    def one_sided(self) -> bool:
        """Whether it hit one ranker more than another."""
        return self.check is not None and not self.check.healthy


def one_sided_e_value(hit: Sequence[int], others: Sequence[int]) -> float:
    """How strongly counts by ranker speak against "what was hit is like what was not".

    Two distributions, each learnt as it goes, bet against the best single one; that they win by more than 1/alpha at
    any time has a chance of at most alpha if there is only one.

    >>> one_sided_e_value([150, 3], [900, 1000]) > 1e6, one_sided_e_value([80, 73], [900, 1000]) < 1
    (True, True)
    """
    both = np.add(hit, others).astype(np.float64)
    best = float(special.xlogy(both, both / max(1.0, both.sum())).sum())
    return float(np.exp(min(_learnt(hit) + _learnt(others) - best, LARGEST)))


def _learnt(counts: Sequence[int]) -> float:
    """The logarithm of the chance that Dirichlet(1/2) bets gave these counts."""
    seen = np.asarray(counts, np.float64)
    start = special.gammaln(PRIOR * len(seen)) - len(seen) * special.gammaln(PRIOR)
    return float(start + special.gammaln(seen + PRIOR).sum() - special.gammaln(seen.sum() + PRIOR * len(seen)))


def favoured(credit: Floats) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The ranker with the most credit in each impression; -1 where several share it."""
    filled = np.where(np.isnan(credit), -np.inf, credit)
    best = filled.max(1, initial=-np.inf)
    alone = (filled == best[:, None]).sum(1) == 1
    return np.where(alone, filled.argmax(1), -1)


def losses_of(
    losses: Losses, rankers: Sequence[str], credit: Floats, lost: Flags, late: Flags, counts: Mapping[str, int]
) -> tuple[Loss, ...]:
    """Every way in which something was lost. `lost` and `late` are the impressions hit, `counts` how many of what."""
    best = favoured(credit)
    by_rows = [losses.rankers.get(name, 0) for name in rankers]
    again = [losses.repeated.get(name, 0) for name in rankers]
    named = [
        ("rejected rows", losses.rows.total(), counts["rows"], by_rows, best >= 0, True, _example(losses, losses.rows)),
        (
            "clicks without a place",
            losses.clicks.total(),
            counts["clicks"],
            None,
            lost,
            True,
            _example(losses, losses.clicks),
        ),
        ("late clicks and actions", counts["late"], counts["done"], None, late, True, ""),
        ("repeated clicks", losses.repeated.total(), counts["clicks"], again, best >= 0, False, ""),
    ]
    threshold = len(named) / ALARM
    found = []
    for name, count, of, given, hit, fatal, example in named:
        own = np.bincount(best[hit & (best >= 0)], minlength=len(rankers)).tolist() if given is None else given
        rest = np.bincount(best[(~hit if given is None else hit) & (best >= 0)], minlength=len(rankers)).tolist()
        check = None
        if sum(own) and sum(rest):
            shares = tuple(amount / sum(rest) for amount in rest)
            check = Check(f"{name} by ranker", tuple(own), shares, one_sided_e_value(own, rest), threshold)
        found.append(Loss(name, count, of, dict(zip(rankers, own, strict=True)), check, fatal, example))
    return tuple(found)


def _example(losses: Losses, kinds: Mapping[str, int]) -> str:
    """The first row of the most frequent kind."""
    most = max(kinds, key=lambda kind: kinds[kind], default="")
    return losses.examples.get(most, "")


def withheld(losses: Sequence[Loss], most: float = MOST) -> list[str]:
    """Why the losses forbid a verdict; nothing if they do not."""
    reasons = []
    for loss in losses:
        if loss.fatal and loss.share > most:
            example = f" (most often as in {loss.example})" if loss.example else ""
            reasons.append(f"{loss.name}: {loss.share:.1%} of {loss.of:,}, more than {most:.0%}{example}")
        if loss.fatal and loss.one_sided and loss.check is not None:
            hit = ", ".join(f"{name} {count:,}" for name, count in loss.rankers.items())
            reasons.append(f"{loss.name} hit one ranker more than another: {hit} (e-value {loss.check.e_value:.3g})")
    return reasons
