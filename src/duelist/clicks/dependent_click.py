"""The dependent click model: after a click, the rank decides whether the user reads on.

Guo, Liu, Wang. Efficient Multiple-Click Models in Web Search. WSDM 2009.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from duelist.clicks.chain import Chain, ChainModel
from duelist.clicks.fitting import Prior, click_prior, climb
from duelist.clicks.model import (
    Chances,
    at_rank,
    look_up,
    probabilities_by_key,
    probabilities_by_rank,
    probability,
)
from duelist.clicks.pages import ClickedPage, Slots
from duelist.core.memory import Floats


class DependentClick(ChainModel):
    """Reads from the top; after a click goes on with a probability by rank, after a skip always.

    Ranks beyond the known ones are like the last; a query-document pair that is not known has
    the attractiveness `prior`.

    Departs: the paper takes the last click for the end of reading and then needs no iteration;
    the documents below it are left out, which makes attractiveness too high and continuation
    too low. Here the end is a hidden variable and the likelihood is maximised.

    >>> model = DependentClick({("", "a"): 0.5, ("", "b"): 1.0}, continuation=[0.6])
    >>> model.probabilities(["a", "b"]).tolist()
    [0.5, 0.8]
    """

    def __init__(
        self,
        attractiveness: Chances,
        continuation: Sequence[float] | Floats,
        prior: float = 0.5,
        trace: tuple[float, ...] = (),
    ) -> None:
        self.attractiveness = probabilities_by_key("attractiveness", attractiveness)
        self.continuation = probabilities_by_rank("continuation", continuation)
        self.prior = probability("prior", prior)
        self.trace = trace  # of a fitted model: log likelihood and log prior before each step

    def chain(self, slots: Slots) -> Chain:
        attraction = look_up(self.attractiveness, slots, self.prior)
        return Chain(attraction, at_rank(self.continuation, slots), np.ones(slots.key.size))

    @classmethod
    def fit(
        cls, pages: Iterable[ClickedPage], strength: float = 2.0, iterations: int = 1000, tolerance: float = 1e-3
    ) -> DependentClick:
        """Fit by expectation maximisation.

        `strength` is how many impressions the prior is worth; with 0 the likelihood alone is
        maximised. Nothing is below the last slot of a page, so that nothing is known of
        continuation there.
        """
        slots = Slots.of(pages)
        prior, neutral = click_prior(slots, strength), Prior(0.5, strength)
        clicked, always = slots.clicked.astype(float), np.ones(slots.key.size)
        decided = clicked * slots.has_next

        def step(parameters: tuple[Floats, Floats]) -> tuple[tuple[Floats, Floats], float]:
            attraction, continuation = parameters
            found = Chain(attraction[slots.key], continuation[slots.rank], always).posterior(slots)
            height = float(found.log_likelihood.sum())
            height += prior.log_density(attraction) + neutral.log_density(continuation)
            attraction = prior.update(slots.per_key(clicked), slots.per_key(found.examined))
            continuation = neutral.update(slots.per_rank(decided * found.went_on), slots.per_rank(decided))
            return (attraction, continuation), height

        start = np.full(len(slots.keys), 0.5), np.full(slots.ranks, 0.5)
        (attraction, continuation), trace = climb(step, start, iterations, tolerance)
        known = dict(zip(slots.keys, attraction.tolist(), strict=True))
        return cls(known, continuation[: max(1, slots.ranks - 1)], prior.mean, trace)
