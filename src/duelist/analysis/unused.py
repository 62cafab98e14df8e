"""Impressions that compare nothing, and whether clicks had a say in which these are.

A row may lack its teams by chance, and a policy that is sure shows one ranker alone. But where clicked rows lack them,
or lists of one ranker have more clicks than its documents earn elsewhere, something was lost after the click.
"""

from __future__ import annotations

import math

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.analysis.credits import Credits, tells
from duelist.analysis.losses import Loss, learnt, one_sided_e_value, things
from duelist.analysis.outcomes import CLICKS, Outcome
from duelist.clicks.impressions import Impressions
from duelist.core.memory import Flags, Floats
from duelist.evidence.balance import Check
from duelist.evidence.sequential import LARGEST

WITHOUT = "without teams or credit"
SURE = 3.0  # standard deviations by which a share may be larger than it was found


class Unused:
    """What is counted of impressions that compare nothing, one portion after another."""

    def __init__(self, rankers: tuple[str, ...], outcome: Outcome) -> None:
        self.rankers, self.outcome = rankers, outcome
        self.silent, self.telling = np.zeros((2, 2), np.int64)  # clicked and not clicked: without teams, and with them
        # Of each ranker: impressions, and those in which people click what it shows, be it shown by others too.
        self.alone, self.shared = np.zeros((2, len(rankers), 2), np.int64)
        self.most = 2  # rankers of a list

    def add(self, log: Impressions, earned: Credits, clicked: Flags, touched: Flags) -> None:
        """Enter a portion: all of it, what compares rankers, and where there were clicks (or other actions) in time.

        Of what compares rankers it is known for each of them (`Crediting.touched`).
        """
        sizes = np.array([len(names) for names in log.setup_names])[log.setups]
        silent = (sizes == 0) | ((sizes > 1) & ~tells(log, self.outcome))
        for counts, chosen in ((self.silent, silent), (self.telling, (sizes > 1) & ~silent)):
            counts += np.bincount(~clicked[chosen], minlength=2)
        self.most = max(self.most, int(sizes.max(initial=0)))
        took_part = ~np.isnan(earned.credit)
        self.shared += np.stack([took_part, took_part & touched], -1).sum(0)
        column = [self._column(names) for names in log.setup_names]
        whose = np.array(column)[log.setups]
        for place in range(len(self.rankers)):
            self.alone[place] += (whose == place).sum(), clicked[whose == place].sum()

    def _column(self, names: tuple[str, ...]) -> int:
        """The ranker that is shown alone; -1 if there is none, or one that is never compared."""
        return self.rankers.index(names[0]) if len(names) == 1 and names[0] in self.rankers else -1

    def loss(self, rows: int, threshold: float) -> Loss:
        """Clicked impressions of which nobody can tell who earned the clicks; of what is rarer, a share of itself."""
        hit, others = self.silent.tolist(), self.telling.tolist()
        what, without = things(self.outcome.action), WITHOUT if self.outcome == CLICKS else "without teams"
        name = f"impressions with {what} {without}"
        check = None
        if hit[0] * sum(others) > others[0] * sum(hit):  # unclicked ones without teams lose nothing
            shares = tuple(amount / sum(others) for amount in others)
            check = Check(f"{name}, by {what}", tuple(hit), shares, one_sided_e_value(hit, others), threshold)
        of = rows if self.outcome == CLICKS else hit[0] + others[0]
        said = f"rows {without} have {what} in {hit[0]:,} of {sum(hit):,}, others in {others[0]:,} of {sum(others):,}"
        return Loss(name, hit[0], of, {}, check, True, said=said)

    @property
    def beyond(self) -> float:
        """Clicked impressions without teams or credit beyond what the share of the others lets expect."""
        return max(0.0, float(self.silent[0] - self.silent.sum() * self.telling[0] / max(1, self.telling.sum())))

    def reasons(self, threshold: float) -> list[str]:
        """Why lists of one ranker forbid a verdict: people click in them more often than its documents account for."""
        found = []
        for name, (number, clicked), (shown, own) in zip(self.rankers, self.alone, self.shared, strict=True):
            most = highest_share(int(own), int(shown), self.most)
            if number and clicked > most * number and excess(int(clicked), int(number), most) >= threshold:
                rate = f"{clicked / number:.1%} of {number:,} impressions of {name} alone have clicks"
                found.append(f"{rate}, where its clicks in lists of several let expect {most:.1%} at most")
        return found


def highest_share(own: int, shown: int, rankers: int) -> float:
    """How many lists of one ranker may have clicks, if so many of those that it shares have clicks on its slots.

    Its list is made of what it shows by each outcome of the coins, so that the shares of these add up at most.

    >>> round(highest_share(200, 1000, 2), 2), highest_share(600, 1000, 2)  # with room for luck
    (0.48, 1.0)
    """
    share = own / max(1, shown)
    room = SURE * math.sqrt(share * (1 - share) / max(1, shown)) + SURE / max(1, shown)
    return min(1.0, rankers * (share + room))


def excess(clicked: int, number: int, most: float) -> float:
    """How strongly clicks in so many of a number of lists speak against a share of `most`."""
    counts: Floats = np.array([clicked, number - clicked], np.float64)
    expected = float(scipy.special.xlogy(counts, [most, 1 - most]).sum())
    return float(np.exp(min(learnt(counts.tolist()) - expected, LARGEST)))
