"""Debiased balanced interleaving: balanced lists, inverse-propensity credit.

Bi, Dai, Yankov, et al. Debiased Balanced Interleaving at Amazon Search. CIKM 2022.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from duelist.core.memory import Floats
from duelist.core.parameters import limits
from duelist.interleaving.balanced import either, merge
from duelist.interleaving.method import (
    Method,
    Ranking,
    Rankings,
    Shown,
    check_clicks,
    check_rankings,
    credited,
    ranks_of,
    sum_weights,
)


@dataclass(frozen=True)
class DebiasedBalanced(Method):
    """A click is worth how likely the ranker's own position is looked at, over how likely the shown one was.

    `examination` holds the probability that users look at position 1, 2, ...; the last goes on for all
    below, and without it position r has 1 / r; `PositionBased.fit(pages).examination` is that of your users.
    A reconstruction: only the paper's abstract was read.
    Unbiased when users look as `examination` says and the whole of both rankings is shown.

    >>> import numpy as np
    >>> method = DebiasedBalanced()
    >>> shown = method.combine(["abcd", "bcda"], length=4, rng=np.random.default_rng(3))
    >>> method.credit(shown, clicks=[0]).round(3)
    array([0.667, 1.333])
    """

    examination: Annotated[tuple[float, ...], limits("how likely each position is looked at", each=float, above=0)] = ()

    name = "debiased-balanced"
    only_two = True
    extends = True

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        outcomes = self._outcomes(check_rankings(self, rankings, length), length)
        return outcomes[int(rng.random() < 0.5)]

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        return sum_weights(shown, check_clicks(self, shown, clicks))

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        return either(self._outcomes(check_rankings(self, rankings, length), length))

    def _outcomes(self, rankings: Sequence[Ranking], length: int) -> list[Shown]:
        """The list of either leader, each with weights that know the other."""
        first, second = rankings
        lists = [merge(first, second, length), merge(second, first, length)]
        looked = [{d: self._looked_at(slot) for slot, d in enumerate(each)} for each in lists]
        outcomes = []
        for ranking in lists:
            counted = ranking[: credited(rankings, length)]
            weights = []
            for document, ranks in zip(counted, ranks_of(rankings, counted), strict=True):
                shown = sum(each.get(document, 0.0) for each in looked) / 2
                own = (self._looked_at(r - 1) if r <= len(x) else 0.0 for r, x in zip(ranks, rankings, strict=True))
                weights.append(tuple(chance / shown for chance in own))
            outcomes.append(Shown(ranking, 2, self.text, weights=tuple(weights)))
        return outcomes

    def _looked_at(self, slot: int) -> float:
        if not self.examination:
            return 1 / (slot + 1)
        return self.examination[min(slot, len(self.examination) - 1)]
