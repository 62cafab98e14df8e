"""Expectation maximisation, and the priors that keep rare documents from certainty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.clicks.pages import Slots
from duelist.core.errors import BadInput
from duelist.core.memory import Floats

T = TypeVar("T")


@dataclass(frozen=True)
class Prior:
    """What is believed of a probability before any trial: `strength` trials with this mean.

    >>> Prior(mean=0.25, strength=4).update(np.array([3.0]), np.array([4.0])).tolist()
    [0.5]
    """

    mean: float
    strength: float

    def update(self, successes: Floats, trials: Floats) -> Floats:
        """The most probable value given expected successes and trials; the mean if there is nothing to go by."""
        weight = trials + self.strength
        some = np.where(weight > 0, weight, 1.0)
        return np.asarray(np.where(weight > 0, (successes + self.strength * self.mean) / some, self.mean))

    def log_density(self, values: Floats) -> float:
        """Summed over the values, up to a constant."""
        successes, failures = self.strength * self.mean, self.strength * (1 - self.mean)
        return float(np.sum(scipy.special.xlogy(successes, values) + scipy.special.xlog1py(failures, -values)))


def click_prior(slots: Slots, strength: float) -> Prior:
    """For attractiveness: a prior with the click rate of all slots as its mean."""
    if not slots.key.size:
        raise BadInput("a click model is fitted to pages with at least one document; there is none")
    if not strength >= 0:
        raise BadInput(f"strength must be at least 0, not {strength!r}")
    return Prior(float(slots.clicked.mean()), strength)


def climb(
    step: Callable[[T], tuple[T, float]], start: T, iterations: int, tolerance: float
) -> tuple[T, tuple[float, ...]]:
    """Repeat a step of expectation maximisation; the parameters, and the height before each step.

    `step` returns the next parameters and the height (log likelihood and log prior) of the ones
    it was given. It ends when a step gains less than `tolerance`, in nats of all pages together,
    or after `iterations`.
    """
    if iterations < 1:
        raise BadInput(f"iterations must be at least 1, not {iterations!r}")
    parameters, heights = start, [-np.inf]
    for _ in range(iterations):
        following, height = step(parameters)
        heights.append(height)
        if height - heights[-2] < tolerance:
            break
        parameters = following
    return parameters, tuple(heights[1:])
