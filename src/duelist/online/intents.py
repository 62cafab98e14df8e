"""People whose wishes change while a learner learns.

What people want is a *taste*, hidden weights over the features. In every query the labels of the data are dealt
out anew: the best label to the document that the taste scores highest, and so on down. So each query keeps its
labels, and with them its share of relevant documents, and the ranker whose weights are the taste is perfect
(documents with equal features apart). Online and offline NDCG are by the taste of the moment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from duelist.core.errors import BadInput
from duelist.core.intervals import Interval, interval
from duelist.core.memory import Floats, Ints
from duelist.data import Dataset
from duelist.online.result import Learning

KINDS: dict[str, dict[str, Any]] = {
    "fixed": {"seed": 0},
    "abrupt": {"times": (), "seed": 0},
    "smooth": {"turns": 1.0, "stages": 100, "seed": 0},
}
USAGE = "fixed:seed=1, abrupt:times=3000+6000,seed=1 or smooth:turns=1,stages=100,seed=1"


@dataclass(frozen=True)
class Intents:
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


def read_drift(text: str, impressions: int, n_features: int) -> Intents:
    """The schedule that `text` describes: fixed, abrupt (another taste at each time) or smooth.

    smooth turns the taste in a plane, `turns` times around in the run, in `stages` small steps. Tastes
    are drawn by `seed`, uniformly among all directions, and differ from the seed of the runs.
    """
    kind, settings = _parse(text)
    if kind == "smooth" and n_features < 2:
        raise BadInput("drift: a taste turns with at least 2 features, not with 1")
    luck = np.random.default_rng(settings["seed"])
    times = np.array([0, *settings.get("times", ())])
    if kind == "smooth":
        times = np.unique(np.arange(settings["stages"]) * impressions // settings["stages"])
    if (np.diff(times) <= 0).any() or times[-1] >= impressions:
        raise BadInput(f"drift: times must rise from 1 to at most {impressions - 1}, not {times[1:].tolist()}")
    drawn = luck.standard_normal((max(2, len(times)), n_features))
    if kind != "smooth":
        return Intents(times, (drawn / np.linalg.norm(drawn, axis=1, keepdims=True))[: len(times)])
    plane = np.linalg.qr(drawn[:2].T)[0]
    angle = 2 * math.pi * settings["turns"] * times / impressions
    return Intents(times, np.cos(angle)[:, None] * plane[:, 0] + np.sin(angle)[:, None] * plane[:, 1])


def _parse(text: str) -> tuple[str, dict[str, Any]]:
    kind, _, rest = text.partition(":")
    if kind not in KINDS:
        raise BadInput(f"drift must be such as {USAGE}; not {text!r}")
    return kind, KINDS[kind] | dict(_settings(kind, rest, text))


def _settings(kind: str, rest: str, text: str) -> Iterator[tuple[str, Any]]:
    for part in filter(None, rest.split(",")):
        name, _, value = part.partition("=")
        try:
            read: Any = tuple(map(int, value.split("+"))) if name == "times" else type(KINDS[kind].get(name, 0))(value)
            fits = name in KINDS[kind] and (name == "times" or 0 <= read < math.inf) and (name != "stages" or read > 0)
        except ValueError:
            fits = False
        if not fits:
            raise BadInput(f"drift {text!r}: {part!r} cannot be used; allowed is such as {USAGE}")
        yield name, read


@dataclass(frozen=True)
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

    def summary(self) -> dict[str, Any]:
        found = {name: float(v) if np.isfinite(v) else None for name, v in self.dynamic_regret._asdict().items()}
        return {**super().summary(), "drift": self.drift, "dynamic_regret": found}
