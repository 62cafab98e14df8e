"""Sample-scored-only multileaving (SOSM).

Brost, Cox, Seldin, Lioma. An Improved Multileaving Algorithm for Online Ranker Evaluation.
SIGIR 2016.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from duelist.core.memory import Floats
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
from duelist.interleaving.team_draft import TeamDraft

DRAFT = TeamDraft()
DECAY = 3  # a click on the document that is r-th among those shown is worth r^-3


class SampleScoredOnly(Method):
    """A team draft list, in which every ranker is scored by how it would order the documents shown.

    Each click counts for all rankers, so many can be compared at once; slightly biased for clicks that
    depend on the position. Slots beyond the shortest ranking are neutral.

    >>> import numpy as np
    >>> method = SampleScoredOnly()
    >>> shown = method.combine(["abcd", "bcda", "dacb"], length=3, rng=np.random.default_rng(3))
    >>> shown.ranking
    ('a', 'b', 'd')
    >>> method.credit(shown, clicks=[0]).round(3)
    array([1.   , 0.037, 0.125])
    """

    name = "sample-scored-only"
    extends = True

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        checked = check_rankings(self, rankings, length)
        return self._shown(checked, DRAFT.combine(checked, length, rng).ranking)

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        return sum_weights(shown, check_clicks(self, shown, clicks))

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        checked = check_rankings(self, rankings, length)
        lists: dict[Ranking, float] = defaultdict(float)
        for chance, shown in DRAFT.distribution(checked, length):
            lists[shown.ranking] += chance
        return [(chance, self._shown(checked, ranking)) for ranking, chance in lists.items()]

    def _shown(self, rankings: Sequence[Ranking], ranking: Ranking) -> Shown:
        counted = ranking[: credited(rankings, len(ranking))]
        ranks = np.array(ranks_of(rankings, counted), np.int64).reshape(len(counted), len(rankings))
        among_shown = 1 + (ranks[None, :, :] < ranks[:, None, :]).sum(1)
        weights = tuple(map(tuple, (1.0 / among_shown**DECAY).tolist()))
        return Shown(ranking, len(rankings), self.text, weights=weights)
