"""One pass over a log: everything that the report adds up, one portion of impressions after another.

What is kept is a few numbers a user, a bit an impression and ranker, and the hashes of users and queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from duelist.analysis.clocks import Moments, is_late
from duelist.analysis.credits import Crediting, Credits
from duelist.analysis.days import Daily
from duelist.analysis.guardrails import Guardrail, Guards
from duelist.analysis.health import Watch
from duelist.analysis.ledger import Ledger, Strays
from duelist.analysis.losses import Favoured
from duelist.analysis.outcomes import Outcome
from duelist.analysis.pairs import Counting, Pairs
from duelist.clicks.impressions import Array, Impressions
from duelist.clicks.portions import Portions
from duelist.core.growing import Growing
from duelist.core.memory import Flags
from duelist.evidence.bootstrap import Bootstrap, bootstrap_totals


class Fold:
    """The sums of a log, by each of some outcomes; the first is the one that decides."""

    def __init__(
        self,
        log: Portions,
        moments: Moments,
        outcomes: Sequence[tuple[Outcome, Counting]],
        guardrails: Sequence[str],
        unit: str,
    ) -> None:
        self.log, self.moments, self.unit = log, moments, unit
        self.crediting = Crediting.read(log)
        self.outcomes = [outcome for outcome, _ in outcomes]
        rankers = self.crediting.rankers
        self.pairs = [Pairs(rankers, counting) for _, counting in outcomes]
        self.daily, self.watch = Daily(rankers), Watch(log.head)
        self.ledgers = [Ledger(outcome, log.head, self.crediting, counting.cap) for outcome, counting in outcomes]
        self.guards = Guards(tuple(map(Guardrail.read, guardrails)))
        self.totals = [(Growing(), Growing(0, np.int32)) for _ in rankers]  # of each user: credit, impressions

    def run(self) -> Fold:
        """Go through the log."""
        for portion in self.log.portions():
            self._add(portion)
        self.watch.coins.seen.clear()  # the largest table, and no longer needed
        return self

    def _add(self, log: Impressions) -> None:
        late = is_late(log, self.moments.attribution)
        earned = self._earned(log, late, 0)
        self.watch.add(log, earned)
        self.daily.add(earned)
        self.guards.add(log)
        for place, (total, number) in enumerate(self.totals):
            credit = earned.credit[:, place]
            chosen = ~np.isnan(credit)
            total.add(earned.log.users[chosen], credit[chosen])
            number.add(earned.log.users[chosen], 1)
        self.pairs[0].add(earned, self._units(earned))
        for place in range(1, len(self.outcomes)):
            other = self._earned(log, late, place)
            self.pairs[place].add(other, self._units(other))

    def _earned(self, log: Impressions, late: Flags, place: int) -> Credits:
        """The credit of a portion by one of the outcomes, which its ledger takes note of."""
        outcome = self.outcomes[place]
        earned = self.crediting.credits(log, outcome, late)
        whole = self.crediting.credits(log, outcome).credit if late.any() else earned.credit
        self.ledgers[place].add(log, earned, whole, late)
        return earned

    def _units(self, earned: Credits) -> Array:
        return earned.log.users if self.unit == "user" else earned.log.queries

    def earnings(self) -> Iterator[tuple[Credits, Array]]:
        """The credit by the first outcome once more, and the unit of each impression."""
        for portion in self.log.portions():
            earned = self.crediting.credits(portion, self.outcomes[0], is_late(portion, self.moments.attribution))
            yield earned, self._units(earned)

    def strays(self, others: Portions | None, outcome: Outcome) -> Strays:
        """Impressions that do not count, by the ranker that they favour."""
        number, favoured, total = 0, Favoured(len(self.crediting.rankers)), np.zeros(len(self.crediting.rankers))
        for portion in others.portions() if others else ():
            credit = self.crediting.credits(portion, outcome).credit
            favoured.add(credit, np.zeros(len(credit), np.bool_))
            total += np.nansum(credit, 0)
            number += len(portion)
        return Strays(number, favoured.all.tolist(), total.tolist())

    def credit(self, ranker: int, seed: int) -> Bootstrap:
        """What a ranker earned in an impression."""
        total, number = (sums.values for sums in self.totals[ranker])
        return bootstrap_totals(total[number > 0], number[number > 0], seed=seed)
