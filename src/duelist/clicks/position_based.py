"""The position-based model: a slot is examined by its rank alone.

Craswell, Zoeter, Taylor, Ramsey. An Experimental Comparison of Click Position-Bias Models.
WSDM 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.clicks.fitting import Prior, click_prior, climb
from duelist.clicks.model import (
    Chances,
    ClickModel,
    at_rank,
    look_up,
    probabilities_by_key,
    probabilities_by_rank,
    probability,
)
from duelist.clicks.pages import ClickedPage, Slots, sums
from duelist.core.memory import Floats, Ints


class PositionBased(ClickModel):
    """Clicks with probability examination by rank times attractiveness by query and document.

    Ranks beyond the known ones are examined like the last; a query-document pair that is not
    known has the attractiveness `prior`.

    >>> model = PositionBased({("jazz", "a"): 0.8}, examination=[1.0, 0.5], prior=0.1)
    >>> model.probabilities(["b", "a"], query="jazz").tolist()
    [0.1, 0.4]
    """

    def __init__(
        self,
        attractiveness: Chances,
        examination: Sequence[float] | Floats,
        prior: float = 0.5,
        trace: tuple[float, ...] = (),
    ) -> None:
        self.attractiveness = probabilities_by_key("attractiveness", attractiveness)
        self.examination = probabilities_by_rank("examination", examination)
        self.prior = probability("prior", prior)
        self.trace = trace  # of a fitted model: log likelihood and log prior before each step

    def clicks(self, documents: Sequence[str], rng: np.random.Generator, query: str = "") -> list[int]:
        chance = self.probabilities(documents, query=query)
        return [int(position) for position in np.flatnonzero(rng.random(chance.size) < chance)]

    def predict(self, slots: Slots, given_clicks: bool) -> Floats:
        """As clicks do not depend on each other, it makes no difference which are given."""
        return look_up(self.attractiveness, slots, self.prior) * at_rank(self.examination, slots)

    @classmethod
    def fit(
        cls, pages: Iterable[ClickedPage], strength: float = 2.0, iterations: int = 1000, tolerance: float = 1e-3
    ) -> PositionBased:
        """Fit by expectation maximisation.

        Attractiveness and examination are known up to a common factor only; the rank examined
        most gets examination 1. `strength` is how many impressions the prior is worth; with 0
        the likelihood alone is maximised.
        """
        slots = Slots.of(pages)
        prior, neutral = click_prior(slots, strength), Prior(0.5, strength)
        cells = Cells(slots)

        def step(parameters: tuple[Floats, Floats]) -> tuple[tuple[Floats, Floats], float]:
            attraction, examination = parameters
            height = cells.log_likelihood(attraction, examination)
            height += prior.log_density(attraction) + neutral.log_density(examination)
            return cells.improve(attraction, examination, prior, neutral), height

        start = np.full(len(slots.keys), 0.5), np.full(slots.ranks, 0.5)
        (attraction, examination), trace = climb(step, start, iterations, tolerance)
        most = examination.max() or 1.0
        known = dict(zip(slots.keys, (attraction * most).tolist(), strict=True))
        return cls(known, examination / most, prior.mean * most, trace)


class Cells:
    """Impressions and clicks of each query-document pair at each rank: all that this model needs of a log."""

    def __init__(self, slots: Slots) -> None:
        cell, inverse = np.unique(slots.key * slots.ranks + slots.rank, return_inverse=True)
        self.key: Ints = cell // slots.ranks
        self.rank: Ints = cell % slots.ranks
        self.clicks = sums(inverse, slots.clicked.astype(float), cell.size)
        self.skips = sums(inverse, np.ones(inverse.size), cell.size) - self.clicks

    def log_likelihood(self, attraction: Floats, examination: Floats) -> float:
        chance = attraction[self.key] * examination[self.rank]
        return float(np.sum(scipy.special.xlogy(self.clicks, chance) + scipy.special.xlog1py(self.skips, -chance)))

    def improve(self, attraction: Floats, examination: Floats, prior: Prior, neutral: Prior) -> tuple[Floats, Floats]:
        """One step: a click was examined and attractive; a skip lacked one of them, perhaps both."""
        a, e = attraction[self.key], examination[self.rank]
        skips = self.skips / np.where(a * e < 1, 1 - a * e, 1.0)
        attracted, examined = self.clicks + skips * a * (1 - e), self.clicks + skips * e * (1 - a)
        impressions, keys, ranks = self.clicks + self.skips, attraction.size, examination.size
        return (
            prior.update(sums(self.key, attracted, keys), sums(self.key, impressions, keys)),
            neutral.update(sums(self.rank, examined, ranks), sums(self.rank, impressions, ranks)),
        )
