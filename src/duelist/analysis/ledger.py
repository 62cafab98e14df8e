"""What is counted of one outcome for its health: who earned it, and what of it is late, lost or nobody's.

Clicks may all be there while a tenth of the purchases is lost: each outcome answers for itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from duelist.analysis.clocks import Moments
from duelist.analysis.comparison import Comparison
from duelist.analysis.credits import Crediting, Credits, has_credit, is_usable, number_of, once_a_slot, told_credit
from duelist.analysis.losses import (
    UNTOLD,
    UNVALUED,
    Favoured,
    Loss,
    Sides,
    could_undo,
    favourites,
    loss_of,
    losses_of,
    things,
)
from duelist.analysis.outcomes import CLICKS, Outcome
from duelist.analysis.unused import Unused
from duelist.clicks.impressions import CREDIT, NO_TEAMS, NOWHERE, Array, Done, Impressions
from duelist.clicks.records import CLICK
from duelist.core.memory import Flags, Floats


class Strays(NamedTuple):
    """Impressions whose date does not fit the others."""

    number: int
    rankers: Sequence[int]  # how many of them favour each
    credit: Sequence[float]  # and what each earned in them


class Ledger:
    """What is counted of one outcome, one portion after another."""

    def __init__(self, outcome: Outcome, head: Impressions, crediting: Crediting, cap: float | None = None) -> None:
        rankers = crediting.rankers
        self.cap, self.dearest = cap, -math.inf  # the largest credit that comes with a list
        self.outcome, self.crediting, self.rankers, self.losses = outcome, crediting, rankers, head.losses
        self.number = number_of(head, outcome)
        self.favoured, self.unused = Favoured(len(rankers)), Unused(rankers, outcome)
        self.delayed, self.unvalued = Sides(len(rankers)), Sides(len(rankers))
        self.unsaid = np.zeros(len(rankers) + 1, np.int64)  # actions without a value, of nobody and of each ranker
        self.placed = 0  # and all of them
        self.missed = np.zeros(len(rankers))  # what each would have earned by what is late
        self.rows = self.done = self.late = 0

    def add(self, log: Impressions, earned: Credits, whole: Floats, late: Flags) -> None:
        """Enter a portion: all of it, what compares rankers, their credit with late actions and which are late."""
        is_click, usable = self.outcome.action == CLICK, is_usable(log, self.outcome)
        # What was done in time and again later is not late.
        mine = once_a_slot(log, self.outcome, log.done.names == self.number, late)
        nowhere = mine & (log.done.slots == NOWHERE)
        told = mine | (log.done.names == CREDIT) if is_click else mine
        acted, delayed, lost = (
            np.bincount(log.done.rows[chosen], minlength=len(log)) > 0
            for chosen in (mine & ~late, told & late, nowhere)
        )
        self.favoured.add(whole, (log.lost > 0 if is_click else lost)[usable])
        self.missed += np.nansum(whole - earned.credit, 0)
        self._add_late(log, mine, usable, late, delayed[usable], whole)
        if self.outcome.by_value:
            self._add_values(log, mine & ~late & ~nowhere)
        self.unused.add(log, earned, acted, self.crediting.touched(log, self.outcome, late)[usable])
        self.rows += len(log)
        self.done += int(told.sum())
        self.late += int((told & late).sum())
        if self.outcome == CLICKS:
            scores = np.where(has_credit(earned.log)[:, None], told_credit(earned.log), 1.0)
            self.dearest = max(self.dearest, float(np.nanmax(scores, initial=-math.inf)))

    def _add_late(
        self, log: Impressions, mine: Flags, usable: Flags, late: Flags, delayed: Flags, whole: Floats
    ) -> None:
        """Whose clicks are late: of each impression one, for a list of many is likelier to have a late one.

        It is the one that is highest in its list, whenever it was. Where nobody knows whose it is, the credit of the
        impression stands for it.
        """
        owned = usable & (log.firsts > NO_TEAMS)
        done = log.done
        picked = highest(done, mine & owned[done.rows] & ~np.isnan(done.times))
        self.delayed.add(self._whose(log, picked), late[picked])
        others = ~owned[usable]
        self.delayed.add(favourites(whole[others]), delayed[others])

    def _add_values(self, log: Impressions, timely: Flags) -> None:
        """Whose actions say what they are worth: one of each list is asked, for a whole order may lack its values."""
        unsaid = np.isnan(log.done.values)
        picked = highest(log.done, timely & (log.done.teams >= 0))
        self.unvalued.add(self._whose(log, picked), unsaid[picked])
        self.unsaid += np.bincount(self._whose(log, timely & unsaid) + 1, minlength=len(self.unsaid))
        self.placed += int(timely.sum())

    def _whose(self, log: Impressions, chosen: Array) -> Array:
        """The rankers that own the slots of some of what was done; -1 nobody."""
        return self.crediting.columns[log.setups[log.done.rows[chosen]], log.done.teams[chosen]]

    def all_losses(self, moments: Moments, strays: Strays, threshold: float) -> tuple[Loss, ...]:
        """Every way in which something was lost, of the whole log."""
        action, others = self.outcome.action, strays.number + self.losses.rows.total()
        known = self.number < len(moments.acted)
        lost = self.losses.clicks.total()
        if action != CLICK:
            lost = self.losses.homeless[action] + (int(moments.nowhere[self.number]) if known else 0)
        done = lost + (int(moments.acted[self.number]) if known else 0)
        counts = {"lost": lost, "done": done, "late": self.late, "told": self.done}
        counts |= {"rows": moments.impressions + others, "misdated": strays.number}
        found = losses_of(
            self.losses, self.rankers, self.favoured, self.delayed, strays.rankers, counts, threshold, action
        )
        if self.outcome.by_value:
            name, sides = f"{things(action)} {UNVALUED}", (self.unvalued.hit, self.unvalued.others)
            found += (loss_of(self.rankers, threshold, name, int(self.unsaid.sum()), self.placed, *sides),)
        return (*found, self.unused.loss(self.rows + others, threshold))

    def undone(self, losses: Sequence[Loss], strays: Strays, pair: Comparison, counted: float) -> str:
        """Why what was lost could undo the lead of a pair; empty if nobody leads, or it cannot.

        Each loss is asked alone, and then all of them together. Only a share of the log is counted as yet, and so is
        what it lost. What is lost weighs 1 at most, as a first visit does: all that counts weighs less than its number.
        """
        ahead = pair.towards_leader()
        if ahead.winner is None:
            return ""
        parts = self._swings(losses, strays, counted, ahead.first, ahead.second)
        lead = ahead.first, ahead.second, ahead.accounts.weight, ahead.limits[0]
        alone = next(filter(None, (could_undo([part], *lead) for part in parts)), "")
        return alone or could_undo(parts, *lead)

    def _swings(
        self, losses: Sequence[Loss], strays: Strays, counted: float, winner: str, loser: str
    ) -> list[tuple[Loss, float]]:
        """What each loss may have been worth to the loser, beyond the winner."""
        rejected, unplaced, late, _, misdated, _, *unvalued, silent = losses
        first, second = self.rankers.index(winner), self.rankers.index(loser)
        worth = [self.favoured.worth(place, self._most) for place in (first, second)]
        told = rejected.rankers.get(loser, 0) * worth[1] - rejected.rankers.get(winner, 0) * worth[0]
        untold = self.losses.rankers.get("", 0)
        found = [  # of the whole log, and of what is counted as yet
            (unplaced, counted * unplaced.count * self._most),
            (rejected.named(f"{rejected.name} {UNTOLD}", untold), counted * untold * worth[1]),
            (rejected, counted * told),
            (misdated, counted * (strays.credit[second] - strays.credit[first])),
            (late, float(self.missed[second] - self.missed[first])),
            *((loss, int(self.unsaid[1 + second]) * self._most) for loss in unvalued),
            (silent, self.unused.beyond * worth[1]),
        ]
        return [(loss, amount) for loss, amount in found if amount > 0]

    @property
    def _most(self) -> float:
        """What one action may have counted: nobody knows what the lost ones were worth, or where they were clicked."""
        if self.cap is not None and (self.outcome.by_value or math.isfinite(self.dearest)):
            return self.cap
        if self.outcome.examination:
            return float(self.outcome.weights().max())
        return self.dearest if math.isfinite(self.dearest) else 1.0


def highest(done: Done, chosen: Flags) -> Array:
    """Of what is chosen of each list the place of the one with the first slot, if it has any."""
    places = np.flatnonzero(chosen & (done.slots != NOWHERE))
    places = places[np.lexsort((done.slots[places], done.rows[places]))]
    return np.asarray(places[np.unique(done.rows[places], return_index=True)[1]])
