"""The dynamic Bayesian model: a satisfied user stops, any other may lose patience.

Chapelle, Zhang. A Dynamic Bayesian Network Click Model for Web Search Ranking. WWW 2009.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from duelist.clicks.chain import Chain, ChainModel
from duelist.clicks.fitting import Prior, click_prior, climb
from duelist.clicks.model import Chances, look_up, probabilities_by_key, probability
from duelist.clicks.pages import ClickedPage, Slots
from duelist.core.memory import Floats

Parameters = tuple[Floats, Floats, Floats]  # attractiveness and satisfaction by pair; one continuation


class DynamicBayesian(ChainModel):
    """Reads from the top; stops when satisfied by a clicked document, else goes on with `continuation`.

    A query-document pair that is not known has the attractiveness `prior` and the satisfaction
    `satisfaction_prior`.

    >>> model = DynamicBayesian({("", "a"): 0.5, ("", "b"): 1.0}, {("", "a"): 0.4}, continuation=0.9)
    >>> model.probabilities(["a", "b"]).round(2).tolist()
    [0.5, 0.72]
    >>> model.probabilities(["a", "b"], clicks=[0]).round(2).tolist()
    [0.5, 0.54]
    """

    def __init__(
        self,
        attractiveness: Chances,
        satisfaction: Chances,
        continuation: float,
        prior: float = 0.5,
        satisfaction_prior: float = 0.5,
        trace: tuple[float, ...] = (),
    ) -> None:
        self.attractiveness = probabilities_by_key("attractiveness", attractiveness)
        self.satisfaction = probabilities_by_key("satisfaction", satisfaction)
        self.continuation = probability("continuation", continuation)
        self.prior = probability("prior", prior)
        self.satisfaction_prior = probability("satisfaction_prior", satisfaction_prior)
        self.trace = trace  # of a fitted model: log likelihood and log prior before each step

    def chain(self, slots: Slots) -> Chain:
        attraction = look_up(self.attractiveness, slots, self.prior)
        satisfaction = look_up(self.satisfaction, slots, self.satisfaction_prior)
        return _chain(attraction, satisfaction, self.continuation)

    @classmethod
    def fit(
        cls, pages: Iterable[ClickedPage], strength: float = 2.0, iterations: int = 1000, tolerance: float = 1e-3
    ) -> DynamicBayesian:
        """Fit by expectation maximisation.

        `strength` is how many impressions the prior is worth; with 0 the likelihood alone is
        maximised.
        """
        slots = Slots.of(pages)
        prior, neutral = click_prior(slots, strength), Prior(0.5, strength)

        def step(parameters: Parameters) -> tuple[Parameters, float]:
            following, height = improve(slots, parameters, prior, neutral)
            height += prior.log_density(parameters[0])
            return following, height + sum(map(neutral.log_density, parameters[1:]))

        start = np.full(len(slots.keys), 0.5), np.full(len(slots.keys), 0.5), np.array([0.5])
        (attraction, satisfaction, continuation), trace = climb(step, start, iterations, tolerance)
        known, satisfying = (dict(zip(slots.keys, v.tolist(), strict=True)) for v in (attraction, satisfaction))
        return cls(known, satisfying, float(continuation[0]), prior.mean, neutral.mean, trace)


def _chain(attraction: Floats, satisfaction: Floats, continuation: float) -> Chain:
    return Chain(attraction, (1 - satisfaction) * continuation, np.full(attraction.size, continuation))


def improve(slots: Slots, parameters: Parameters, prior: Prior, neutral: Prior) -> tuple[Parameters, float]:
    """One step of expectation maximisation, and the log likelihood before it."""
    satisfaction, continuation = parameters[1][slots.key], float(parameters[2][0])
    found = _chain(parameters[0][slots.key], satisfaction, continuation).posterior(slots)
    clicked = slots.clicked.astype(float)
    # Nothing is below the last slot of a page: satisfaction and continuation do not show there.
    decided = clicked * slots.has_next
    went_on = found.went_on * decided
    # Who stopped after a click was either satisfied or lost patience.
    patience_lost = (1 - satisfaction) * (1 - continuation)
    stopped = satisfaction + patience_lost
    satisfied = (decided - went_on) * satisfaction / np.where(stopped > 0, stopped, 1.0)
    unsatisfied = (found.examined - clicked) * slots.has_next + decided - satisfied
    following = (
        prior.update(slots.per_key(clicked), slots.per_key(found.examined)),
        neutral.update(slots.per_key(satisfied), slots.per_key(decided)),
        neutral.update(np.array([found.went_on.sum()]), np.array([unsatisfied.sum()])),
    )
    return following, float(found.log_likelihood.sum())
