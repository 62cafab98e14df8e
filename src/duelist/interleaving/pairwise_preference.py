"""Pairwise preference multileaving (PPM).

Oosterhuis, de Rijke. Sensitive and Scalable Online Evaluation with Theoretical Guarantees.
CIKM 2017.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from duelist.core.memory import Floats
from duelist.core.parameters import limits
from duelist.interleaving.method import (
    Method,
    Ranking,
    Rankings,
    Shown,
    check_clicks,
    check_rankings,
    credited,
    ranks_of,
)


@dataclass(frozen=True)
class PairwisePreference(Method):
    """A click says that its document is preferred to those passed over; rankers that order the pair so gain.

    Slot i holds, uniformly at random, a document that some ranker puts at i or above. A pair counts only
    where its two documents could have been in either order, weighted by the inverse of that probability.
    `pairing` "above": a clicked document against the unclicked ones above it and the next below;
    "all": every clicked one against every unclicked one down to the next below the last click.
    Slots beyond the shortest ranking are neutral.

    >>> import numpy as np
    >>> method = PairwisePreference()
    >>> shown = method.combine(["abcd", "bcda", "acbd"], length=4, rng=np.random.default_rng(3))
    >>> shown.ranking
    ('a', 'b', 'd', 'c')
    >>> method.credit(shown, clicks=[0])
    array([ 1., -1.,  1.])
    """

    pairing: Annotated[str, limits("which documents a click is compared with", choices=("above", "all"))] = "above"

    name = "pairwise-preference"
    extends = True

    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        checked = check_rankings(self, rankings, length)
        arrivals = _arrivals(checked, length)
        placed: list[Hashable] = []
        waiting: list[Hashable] = []
        for arriving, luck in zip(arrivals, rng.random(len(arrivals)).tolist(), strict=True):
            waiting += arriving
            placed.append(waiting.pop(int(luck * len(waiting))))
        return self._shown(checked, tuple(placed), length)

    def credit(self, shown: Shown, clicks: Iterable[int]) -> Floats:
        scores = np.zeros(shown.rankers)
        clicked = {slot for slot in check_clicks(self, shown, clicks) if slot < len(shown.ranks)}
        for winner, loser in self._pairs(clicked, len(shown.ranks)):
            earliest = sorted((min(shown.ranks[winner]), min(shown.ranks[loser])))
            if 1 + min(winner, loser) >= earliest[1]:
                waiting = shown.choices[earliest[0] - 1 : earliest[1] - 1]
                weight = 1 / math.prod(1 - 1 / choices for choices in waiting)
                scores += weight * np.sign(np.subtract(shown.ranks[loser], shown.ranks[winner]))
        return scores

    def distribution(self, rankings: Rankings, length: int) -> list[tuple[float, Shown]]:
        checked = check_rankings(self, rankings, length)
        lists: list[tuple[float, Ranking, Ranking]] = [(1.0, (), ())]  # chance, placed, still open
        for arriving in _arrivals(checked, length):
            lists = [
                (chance / len(candidates), (*placed, document), tuple(d for d in candidates if d != document))
                for chance, placed, waiting in lists
                for candidates in [waiting + arriving]
                for document in candidates
            ]
        return [(chance, self._shown(checked, placed, length)) for chance, placed, _ in lists]

    def _pairs(self, clicked: set[int], size: int) -> Iterator[tuple[int, int]]:
        """Slots of a preferred document and of one that it is preferred to."""
        for winner in clicked:
            last = winner if self.pairing == "above" else max(clicked)
            yield from ((winner, loser) for loser in range(min(last + 2, size)) if loser not in clicked)

    def _shown(self, rankings: Sequence[Ranking], ranking: Ranking, length: int) -> Shown:
        counted = credited(rankings, length)
        choices = np.cumsum([len(arriving) for arriving in _arrivals(rankings, counted)]) - np.arange(counted)
        ranks = ranks_of(rankings, ranking[:counted])
        return Shown(ranking, len(rankings), self.text, ranks=ranks, choices=tuple(choices.tolist()))


def _arrivals(rankings: Sequence[Ranking], length: int) -> list[Ranking]:
    """For each slot, the documents that come into question there and not above; as many slots as can be filled."""
    seen: dict[Hashable, None] = {}
    arrivals: list[Ranking] = []
    for slot in range(min(length, max(map(len, rankings)))):
        fresh = dict.fromkeys(
            ranking[slot] for ranking in rankings if slot < len(ranking) and ranking[slot] not in seen
        )
        seen |= fresh
        arrivals.append(tuple(fresh))
    later = min(len(seen), length) - len(arrivals)  # slots left when no new documents come
    return arrivals + [()] * later
