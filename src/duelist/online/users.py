"""The people of a simulation: what they come for, how they click, and the queries that judge what was learnt."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelist.clicks.cascade import Cascade
from duelist.core.errors import BadInput
from duelist.core.memory import Floats, Ints
from duelist.data import Dataset, Fold, evaluate
from duelist.data import mean as mean_over_queries
from duelist.online.intents import read_drift

CUTOFF = 10


class Users(NamedTuple):
    """People who come with a query of a data set, and how they click."""

    features: Floats
    keys: Ints  # who a document is across impressions
    labels: Ints
    offsets: Ints
    ideal: Floats  # of each query, the best discounted gain of a list
    gains: Floats  # by label
    discounts: Floats  # by slot
    click: Floats  # by label
    stop: Floats
    examined: bool  # whether stopping is decided after any document, not only after a click


def measure_gains(data: Dataset, length: int) -> tuple[Floats, Floats, Floats]:
    """Gains by label, discounts by slot, and the best discounted gain of a list, by query."""
    gains: Floats = 2.0 ** np.arange(data.max_label + 1.0) - 1
    discounts: Floats = 1 / np.log2(np.arange(length) + 2.0)
    ideal = np.zeros(data.n_queries)
    for query in range(data.n_queries):
        best = np.sort(gains[data.labels[data.rows(query)]])[::-1][:length]
        ideal[query] = best @ discounts[: len(best)]
    return gains, discounts, ideal


def make_users(data: Dataset, model: Cascade, length: int) -> Users:
    """The users of a data set."""
    if data.n_documents == 0:
        raise BadInput("the data set to learn from has no documents")
    model.check_labels(data.labels)
    gains, discounts, ideal = measure_gains(data, length)
    examined = model.rule == "examined"
    keys = np.arange(data.n_documents)
    return Users(
        data.features, keys, data.labels, data.offsets, ideal, gains, discounts, model.click, model.stop, examined
    )


class Stage(NamedTuple):
    """What people want from some impression on."""

    begins: int
    users: Users
    test: Dataset


def stages_of(fold: Fold, model: Cascade, length: int, drift: str | None, impressions: int) -> list[Stage]:
    """What people want, from the beginning on; `drift` is that of `learn`."""
    if drift is None:
        return [Stage(0, make_users(fold.train, model, length), fold.test)]
    intents = read_drift(drift, impressions, fold.train.n_features)
    return [
        Stage(begins, make_users(intents.relabel(fold.train, k), model, length), intents.relabel(fold.test, k))
        for k, begins in enumerate(intents.times.tolist())
    ]


def offline(weights: Floats, test: Dataset) -> float:
    """NDCG of a ranker on queries with relevant documents; nan without any."""
    if test.n_queries == 0:
        return np.nan
    measure = f"ndcg@{CUTOFF}"
    return mean_over_queries(evaluate(test, test.features @ weights, [measure]), test, empty="skip")[measure]
