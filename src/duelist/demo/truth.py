"""Which ranker a taste prefers, exactly: every query, every list that team draft can make of two rankers, every way in
which a visitor can click it. So the regret of the demo is not an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from duelist.clicks.cascade import Cascade, cascade
from duelist.core.memory import Floats, Ints
from duelist.demo.tastes import Task
from duelist.interleaving.team_draft import TeamDraft
from duelist.search.engine import RANKERS, Engine

LENGTH = 10  # documents of a list
VISITOR = "navigational"  # reads from the top, clicks what fits, and mostly stops there


class Truth(NamedTuple):
    """How often a ranker (row) wins a duel against another (column), of the lists that are clicked; ties count half."""

    preference: Floats

    @property
    def best(self) -> int:
        """The ranker that is preferred to every other one; if there is none, to most."""
        ahead = self.preference - 0.5
        return int(np.argmax((ahead > 0).sum(1) + 0.01 * ahead.sum(1)))

    def regret(self, left: str, right: str) -> float:
        """What a list of these two rankers loses against one of the best alone."""
        row = self.preference[self.best]
        return float(row[RANKERS.index(left)] + row[RANKERS.index(right)] - 1) / 2


def visitor() -> Cascade:
    """How a visitor clicks."""
    return cascade(VISITOR, grades=3)


def truth_of(engine: Engine, tasks: Sequence[Task]) -> Truth:
    """The truth of visitors with these tasks."""
    rankings = [engine.rankings(task.query) for task in tasks]
    labels = [
        {name: task.label(engine.by_name[name]) for ranking in each.values() for name in ranking}
        for task, each in zip(tasks, rankings, strict=True)
    ]
    preference = np.full((len(RANKERS), len(RANKERS)), 0.5)
    for first, second in combinations(range(len(RANKERS)), 2):
        pairs = [(each[RANKERS[first]], each[RANKERS[second]]) for each in rankings]
        preference[first, second] = _preferred(pairs, labels)
        preference[second, first] = 1 - preference[first, second]
    return Truth(preference)


def _preferred(pairs: Sequence[Sequence[Sequence[str]]], labels: Sequence[dict[str, int]]) -> float:
    """How often the first of two rankers wins, over all tasks."""
    method, rows = TeamDraft(), []
    for rankings, label in zip(pairs, labels, strict=True):
        for chance, shown in method.distribution(rankings, LENGTH):
            empty = LENGTH - len(shown.ranking)
            labelled = [label[str(document)] for document in shown.ranking]
            rows.append((chance, labelled + [-1] * empty, [*shown.teams] + [-1] * empty))
    chances, grades, teams = (np.array(column) for column in zip(*rows, strict=True))
    won, lost, clicked = outcomes(grades, teams, visitor())
    return float(0.5 + 0.5 * (chances * (won - lost)).sum() / (chances * clicked).sum())


def outcomes(grades: Ints, teams: Ints, user: Cascade) -> tuple[Floats, Floats, Floats]:
    """For lists of grades (-1: no document) and teams (0, 1, or -1), a row each: how likely the first team has more
    clicks, the second has, and there are clicks at all.

    >>> won, lost, clicked = outcomes(np.array([[2, 0]]), np.array([[1, 0]]), Cascade([0.0, 0.5, 1.0], [0.0, 0.0, 1.0]))
    >>> won.tolist(), lost.tolist(), clicked.tolist()
    ([0.0], [1.0], [1.0])
    """
    n_lists, length = grades.shape
    click = np.where(grades >= 0, user.click[grades], 0.0)
    leave = user.stop[grades]
    middle = length + 1  # where a difference of 0 clicks is counted
    reading, left = (np.zeros((n_lists, 2 * length + 3)) for _ in range(2))
    reading[:, middle] = 1.0
    step = np.where(teams == 0, 1, np.where(teams == 1, -1, 0))
    places = np.arange(reading.shape[1])
    for slot in range(length):
        came_from = np.clip(places[None] - step[:, slot, None], 0, reading.shape[1] - 1)
        clicks = np.take_along_axis(reading, came_from, 1) * click[:, slot, None]
        left += clicks * leave[:, slot, None]
        reading = reading * (1 - click[:, slot, None]) + clicks * (1 - leave[:, slot, None])
    ended = reading + left
    return ended[:, middle + 1 :].sum(1), ended[:, :middle].sum(1), 1 - (1 - click).prod(1)
