"""How many users each interleaving method needs to find the better of two real rankers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from duelist.clicks.cascade import Cascade, cascade
from duelist.core.intervals import Interval, interval
from duelist.core.memory import Floats
from duelist.data import Dataset, read_letor
from duelist.data.dataset import join
from duelist.evidence.power import users_needed
from duelist.evidence.weights import click_features, inverse_z_weights
from duelist.interleaving.audit import built_in
from duelist.interleaving.method import Method
from duelist.interleaving.team_draft import TeamDraft
from duelist.present.charts import Lines, Panel, Series
from duelist.reproductions.catalogue import listed
from duelist.reproductions.reproduction import Report, Reproduction, Setting
from duelist.reproductions.verdicts import Reference, Row

LENGTH = 10
SESSIONS, QUICK = 20_000, 2_000
# Features of MQ2008 that rank, the better first, with their NDCG@10 over all queries.
PAIRS = {
    "title model against BM25 (.496, .399)": (39, 25),
    "title model against body BM25 (.496, .465)": (39, 21),
}
TEACHERS = ((23, 12), (38, 2), (22, 15))  # pairs that click weights are learned on
WEIGHTED = "team-draft, learned weights"
FOUND = Reference(
    "claim", "docs/interleaving.md: every method finds the better ranker", below=1e6, reason="with fewer than a million"
)


class Sessions:
    """Simulated users of a data set who are shown two rankers as one list."""

    def __init__(self, data: Dataset, users: Cascade) -> None:
        self.data, self.users = data, users
        self.labels = [data.labels[data.rows(query)] for query in range(data.n_queries)]

    def rankings(self, feature: int) -> list[list[int]]:
        """Of each query, by one feature; ties in the order of the file."""
        column = int(np.flatnonzero(self.data.feature_numbers == feature)[0])
        rows = map(self.data.rows, range(self.data.n_queries))
        return [np.argsort(-self.data.features[row, column], kind="stable").tolist() for row in rows]

    def run(self, method: Method, pair: tuple[int, int], sessions: int, seed: int) -> list[tuple[Any, list[int]]]:
        """The list shown in each session, and the clicks on it."""
        rng = np.random.default_rng(seed)
        rankers = [self.rankings(feature) for feature in pair]
        seen = []
        for query in rng.integers(self.data.n_queries, size=sessions).tolist():
            shown = method.combine([ranker[query] for ranker in rankers], LENGTH, rng)
            seen.append((shown, self.users.clicks(self.labels[query][list(shown.ranking)], rng)))
        return seen

    def preferences(self, method: Method, pair: tuple[int, int], sessions: int, seed: int) -> Floats:
        """For the first ranker, in each session."""
        scores = [method.credit(shown, clicks) for shown, clicks in self.run(method, pair, sessions, seed)]
        return np.array([first - second for first, second in scores])

    def features(self, pair: tuple[int, int], sessions: int, seed: int) -> Floats:
        """Of the clicks in each session of a team draft, thesis 7.3.2."""
        seen = self.run(TeamDraft(), pair, sessions, seed)
        return np.array([click_features(clicks, shown.teams) for shown, clicks in seen])


def needed(cell: str, preferences: Floats) -> Row:
    """Users for 80 % power of a test planned for that number; infinitely many where the worse ranker may be ahead."""
    mean, low, high = interval(preferences)
    spread = float(preferences.std())
    users = [
        float(users_needed(effect, spread, watched=False)) if effect > 0 else math.inf for effect in (mean, high, low)
    ]
    return Row(cell, FOUND, Interval(*users))


def run(setting: Setting) -> Report:
    folder = setting.folder("mq2008")
    data = join([read_letor(folder / f"S{part}.txt.gz", features=46, cache=True) for part in range(1, 6)])
    sessions, world = QUICK if setting.quick else SESSIONS, Sessions(data, cascade("navigational"))
    taught = np.concatenate([world.features(pair, sessions, seed) for seed, pair in enumerate(TEACHERS)])
    weights = inverse_z_weights(taught)
    setting.advance(1)
    rows, samples = [], {}
    for label, pair in PAIRS.items():
        found = {WEIGHTED: world.features(pair, sessions, 100) @ weights}
        for method in built_in():
            found[str(method)] = world.preferences(method, pair, sessions, 100)
            setting.advance(1)
        rows += [needed(f"{label}: {name}", preferences) for name, preferences in found.items()]
        samples[label] = found
    return Report(rows, power_chart(samples))


def power_chart(samples: dict[str, dict[str, Floats]]) -> Lines:
    """The chance to find the better ranker, by the number of users."""
    panels = []
    for label, found in samples.items():
        users = np.geomspace(50, 20_000, 60)
        lines = []
        for name, preferences in found.items():
            effect = float(preferences.mean() / preferences.std())
            power = 0.5 * (1 + np.vectorize(math.erf)((effect * np.sqrt(users) - 1.96) / math.sqrt(2)))
            lines.append(Series(name, users, power))
        panels.append(Panel(f"power: {label}", lines))
    return Lines(panels, "users", "Users needed by each method, navigational clicks on MQ2008")


INTERLEAVING_USERS = Reproduction(
    *listed("interleaving-users"),
    (
        "No paper: the numbers are users for 80 % power of a two-sided test at 5 %, planned for that number, one "
        "session a user. Weights were learned on three other pairs."
    ),
    code=run,
    steps=1 + len(PAIRS) * len(built_in()),
)
