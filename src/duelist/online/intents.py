"""People whose wishes change while a learner learns.

What people want is a *taste*, hidden weights over the features. In every query the labels of the data are dealt
out anew: the best label to the document that the taste scores highest, and so on down. So each query keeps its
labels, and with them its share of relevant documents, and the ranker whose weights are the taste is perfect
(documents with equal features apart). Online and offline NDCG are by the taste of the moment.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.intervals import Interval, interval
from duelist.core.memory import Floats, Ints
from duelist.core.named import Named, named
from duelist.core.parameters import limits
from duelist.core.registry import Registry
from duelist.core.spec import Spec
from duelist.data import Dataset
from duelist.online.result import Learning

DRIFTS: Registry[Callable[..., Intents]] = Registry("drift")

Seed = Annotated[int, limits("of the tastes, which are not the luck of the runs", low=0)]


@dataclass(frozen=True)
class Intents(Named):
    """Tastes, and the impression, counted from 0, with which each comes into force.

    >>> read_drift("abrupt:times=300+600,seed=1", impressions=1000, n_features=4).times.tolist()
    [0, 300, 600]
    """

    times: Ints
    tastes: Floats

    def at(self, impression: int) -> int:
        """Which taste is in force."""
        return int(np.searchsorted(self.times, impression, side="right")) - 1

    def relabel(self, data: Dataset, stage: int) -> Dataset:
        """The data set with its labels dealt out by a taste; of equal documents the first gets the better label."""
        query = np.repeat(np.arange(data.n_queries), np.diff(data.offsets))
        # Rounded, because the same document must score the same whichever way its products are added up.
        wanted = np.lexsort((-(data.features @ self.tastes[stage]).round(9), query))
        labels = np.empty_like(data.labels)
        labels[wanted] = data.labels[np.lexsort((-data.labels, query))]
        return replace(data, labels=labels)


def read_drift(given: str | Spec, impressions: int, n_features: int) -> Intents:
    """The schedule that a text or a spec describes: fixed, abrupt or smooth, with parameters.

    Tastes are drawn by `seed`, uniformly among all directions.
    """
    intents: Intents = Spec.read("drift", given).make(impressions, n_features)
    return intents


@named(DRIFTS, "fixed")
def fixed(impressions: int, n_features: int, seed: Seed = 0) -> Intents:
    """One taste, other than the labels say."""
    return Intents(np.zeros(1, np.int64), _draw_tastes(1, n_features, seed))


@named(DRIFTS, "abrupt")
def abrupt(
    impressions: int,
    n_features: int,
    times: Annotated[tuple[int, ...], limits("impressions with which another taste begins", low=1)] = (),
    seed: Seed = 0,
) -> Intents:
    """Another taste from each of the `times` on."""
    begins = np.array([0, *times], np.int64)
    if (np.diff(begins) <= 0).any() or begins[-1] >= impressions:
        raise BadInput(f"abrupt: times must rise from 1 to at most {impressions - 1}, not {list(times)}")
    return Intents(begins, _draw_tastes(len(begins), n_features, seed))


@named(DRIFTS, "smooth")
def smooth(
    impressions: int,
    n_features: int,
    turns: Annotated[float, limits("how often the taste goes around in the run", low=0)] = 1.0,
    stages: Annotated[int, limits("small steps in which it turns", low=1)] = 100,
    seed: Seed = 0,
) -> Intents:
    """The taste turns in a plane."""
    if n_features < 2:
        raise BadInput("smooth: a taste turns with at least 2 features, not with 1")
    begins = np.unique(np.arange(stages) * impressions // stages)
    plane = np.linalg.qr(np.random.default_rng(seed).standard_normal((2, n_features)).T)[0]
    angle = 2 * math.pi * turns * begins / impressions
    return Intents(begins, np.cos(angle)[:, None] * plane[:, 0] + np.sin(angle)[:, None] * plane[:, 1])


def _draw_tastes(number: int, n_features: int, seed: int) -> Floats:
    drawn = np.random.default_rng(seed).standard_normal((number, n_features))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def changes_of(drift: str) -> tuple[int, ...]:
    """The impressions with which another taste begins, where that happens all at once.

    >>> changes_of("abrupt:times=300+600,seed=1"), changes_of("smooth:turns=1,seed=1")
    ((300, 600), ())
    """
    times = Spec.read("drift", drift).parameters.get("times", ())
    return times if isinstance(times, tuple) else (times,)


@dataclass(frozen=True, kw_only=True)
class DriftLearning(Learning):
    """Learning curves under wishes that change; dynamic regret is against the best ranker of the moment.

    That ranker is the taste itself, whose NDCG is 1: each list of a query with relevant documents costs 1 - NDCG.
    """

    drift: str
    lost: Floats  # dynamic regret up to each checkpoint

    @property
    def dynamic_regret(self) -> Interval:
        """Sum of 1 - NDCG of the lists shown."""
        return interval(self.lost[:, -1])

    @property
    def changes(self) -> Sequence[int]:
        return changes_of(self.drift)

    def summary(self, curves: bool = False) -> dict[str, Any]:
        found = {name: float(v) if np.isfinite(v) else None for name, v in self.dynamic_regret._asdict().items()}
        return {**super().summary(curves), "drift": self.drift, "dynamic_regret": found}
