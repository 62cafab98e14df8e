"""Learned click weights: not every click says equally much (thesis 7.2 and 7.3).

A click is described by fourteen features, an impression by the sum over the clicks of the first
ranker's team minus the sum over the other's. Weights are learned on pairs of rankers of known
order, the better one first, and make a delta out of the features of a new pair.

The features hold what was clicked, in which order and at which rank; downloads and the words in
bold print are the caller's to give, and 0 otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its parts when they are used

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence.fixed import FixedTest, t_test

# In the order and with the numbers of thesis Table 7.1.
FEATURES = {
    "1": "click",
    "2": "download",
    "3": "more clicks and downloads than the other team",
    "4a": "as many clicks as the other team: share of the query's words bold in the title",
    "4b": "as many clicks as the other team: share of the query's words bold in the abstract",
    "5a": "single click, below rank 1",
    "5b": "single click, in the top 10",
    "6a": "several clicks: the first",
    "6b": "several clicks: the last",
    "6c": "several clicks: the first, below rank 1",
    "6d": "several clicks: at rank 1",
    "6e": "several clicks: at ranks 1 to 3",
    "6f": "several clicks: in the top 10",
    "6g": "several clicks: the next click is higher up",
}
Learner = Callable[[Any], Floats]


def click_features(
    clicks: Sequence[int],
    teams: Sequence[int],
    downloads: Sequence[int] = (),
    bold_title: Mapping[int, float] | None = None,
    bold_abstract: Mapping[int, float] | None = None,
) -> Floats:
    """The features of one impression, thesis 7.3.2: team 0's clicks minus team 1's.

    `clicks` are positions from 0 in the order of clicking, `teams` the owner of each slot (-1 for
    neutral ones, whose clicks are nobody's but still make several clicks of one), `downloads` the
    clicked positions that led to a download; bold words are per position, divided by the words of
    the query.

    >>> features = click_features(clicks=[2], teams=[0, 1, 0])
    >>> [name for name, value in zip(FEATURES, features) if value]
    ['1', '5a', '5b']
    """
    if not all(0 <= click < len(teams) for click in clicks):
        raise BadInput(f"clicks must be positions from 0 to {len(teams) - 1}, not {list(clicks)!r}")
    sides = [[click for click in clicks if teams[click] == team] for team in (0, 1)]
    saved = [sum(click in downloads for click in side) for side in sides]
    total = np.zeros(len(FEATURES))
    for place, click in enumerate(clicks):
        team = teams[click]
        if team not in (0, 1):
            continue
        own, other = sides[team], sides[1 - team]
        more = len(own) > len(other) and saved[team] > saved[1 - team]
        equal = len(own) == len(other)
        described = [
            1,
            click in downloads,
            more / len(own),
            equal * min((bold_title or {}).get(click, 0), 1),
            equal * min((bold_abstract or {}).get(click, 0), 2),
            *_place_features(clicks, place),
        ]
        total += np.array(described, dtype=np.float64) * (1 if team == 0 else -1)
    return total


def _place_features(clicks: Sequence[int], place: int) -> list[bool]:
    """Features 5a to 6g: where and when the click was made."""
    click, several = clicks[place], len(clicks) > 1
    first, last = place == 0, place == len(clicks) - 1
    alone = [click > 0, click < 10]
    among = [
        first,
        last,
        first and click > 0,
        click == 0,
        click < 3,
        click < 10,
        not last and clicks[place + 1] < click,
    ]
    return [not several and fact for fact in alone] + [several and fact for fact in among]


def mean_difference_weights(features: Any) -> Floats:
    """The weights of length 1 with the largest mean delta (7.2.1).

    >>> mean_difference_weights([[1, 1], [1, -1], [1, 0]]).tolist()
    [1.0, 0.0]
    """
    total = _matrix(features).sum(0)
    length = float(np.linalg.norm(total))
    return np.asarray(total / length) if length > 0 else total


def inverse_z_weights(features: Any, ridge: float = 1.0) -> Floats:
    """The weights with the largest z-score (7.2.2): Sigma^-1 Psi, Sigma = sum of Psi Psi^T + ridge.

    The ridge, which the thesis offers and did not use, keeps features that always come together
    from cancelling each other with huge weights.

    >>> inverse_z_weights([[1, 1], [1, -1], [1, 2], [-1, 1]], ridge=0).round(3).tolist()
    [0.294, 0.267]
    """
    rows = _matrix(features)
    if not ridge >= 0:
        raise BadInput(f"ridge must be at least 0, not {ridge!r}")
    total, sigma = rows.sum(0), rows.T @ rows + ridge * np.eye(rows.shape[1])
    direction = np.linalg.lstsq(sigma, total, rcond=None)[0]
    scale = math.sqrt(max(0.0, float(total @ direction)))
    return np.asarray(direction / scale) if scale > 0 else direction


def inverse_rank_weights(features: Any, penalty: float = 1.0) -> Floats:
    """The weights of a logistic regression without intercept, every label being +1 (7.2.3).

    The penalty on squared weights keeps them finite where they separate the training data. (Adding
    every sample mirrored, with its label turned, changes nothing: the likelihood is the same twice.)

    >>> inverse_rank_weights([[1, 1], [1, -1], [1, 2], [-1, 1]]).round(3).tolist()
    [0.474, 0.559]
    """
    rows = _matrix(features)
    if not penalty > 0:
        raise BadInput(f"penalty must be above 0, not {penalty!r}")
    weights = np.zeros(rows.shape[1])
    for _ in range(100):  # Newton's method, each step shortened until it helps
        wrong = scipy.special.expit(-rows @ weights)
        gradient = rows.T @ wrong - penalty * weights
        if np.abs(gradient).max() <= 1e-10 * max(1.0, float(np.abs(rows).sum())):
            break
        curvature = (rows.T * (wrong * (1 - wrong))) @ rows + penalty * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        before = _objective(rows, weights, penalty)
        while _objective(rows, weights + step, penalty) > before:
            step = step / 2
        weights = weights + step
    return weights


def _objective(rows: Floats, weights: Floats, penalty: float) -> float:
    return float(np.logaddexp(0, -rows @ weights).sum() + penalty / 2 * weights @ weights)


class HeldOut(NamedTuple):
    """Learned weights on a pair of rankers, and on users, they were not learned on."""

    pair: str
    weights: Floats
    learned: FixedTest  # of users' totals
    baseline: FixedTest  # every click counts 1
    shared: int = 0  # users of this pair whose impressions of other pairs were left out

    @property
    def samples(self) -> float:
        """The share of the baseline's users that the learned weights need for the same p-value.

        Infinite where they point to the wrong ranker, 0 where only the baseline does.
        """
        if self.learned.statistic <= 0:
            return math.inf
        return (max(0.0, self.baseline.statistic) / self.learned.statistic) ** 2


def leave_one_pair_out(
    pairs: Mapping[str, Any], users: Mapping[str, Sequence[Any]], learn: Learner = inverse_z_weights
) -> list[HeldOut]:
    """Learn on all pairs but one and test on the users of that one, for each in turn (7.4.3).

    `pairs` are the features of the impressions of each pair, the better ranker first; the first feature is the
    click itself. `users` says whose they are: users are tested, not impressions, and nothing is learned from
    those who are tested.

    >>> rng = np.random.default_rng(0)
    >>> def pair():  # the second feature is worth more than the first
    ...     informative = rng.choice([-1, 1], 400, p=[0.4, 0.6])
    ...     return np.column_stack([informative + rng.choice([-1, 1], 400), informative])
    >>> users = {name: [f"{name}{i}" for i in range(400)] for name in "abc"}
    >>> [round(held.samples, 2) for held in leave_one_pair_out({name: pair() for name in "abc"}, users)]
    [0.6, 0.65, 0.62]
    """
    if len(pairs) < 2:
        raise BadInput(f"two or more pairs of rankers are needed, one to test on, not {len(pairs)}")
    if missing := [name for name in pairs if name not in users]:
        raise BadInput(f"users must say whose the impressions of every pair are; {missing[0]!r} is missing")
    rows = {name: feature_rows(features, users[name]) for name, features in pairs.items()}
    results = []
    for name, held in rows.items():
        tested = set(users[name])
        others = [other for other in rows if other != name]
        known = {other: np.array([user in tested for user in users[other]]) for other in others}
        learned_on = np.concatenate([rows[other][~known[other]] for other in others])
        if not len(learned_on):
            raise BadInput(f"every user of other pairs is one of {name!r} too: there is nobody else to learn from")
        weights = learn(learned_on)
        learned, baseline = (t_test(totals_of(values, users[name])) for values in (held @ weights, held[:, 0]))
        shared = len(tested & {user for other in others for user in users[other]})
        results.append(HeldOut(name, weights, learned, baseline, shared))
    return results


def totals_of(values: Floats, users: Sequence[Any]) -> Floats:
    """The sum of each user's values."""
    _, of_value = np.unique(np.array(users, dtype=object), return_inverse=True)
    return np.bincount(of_value, values).astype(np.float64)


def feature_rows(features: Any, users: Sequence[Any]) -> Floats:
    """Features as an array, one row an impression of a user."""
    rows = _matrix(features)
    if len(users) != len(rows):
        raise BadInput(f"one user an impression, not {len(users)} and {len(rows)}")
    return rows


def p_value_curve(deltas: Any, sizes: Sequence[int], draws: int = 1000, seed: int = 0) -> Floats:
    """The mean p-value of the t-test over random samples (with replacement) of each size.

    The curves of thesis Figures 7.2 to 7.4 are this one, with its axes swapped.

    >>> deltas = np.random.default_rng(0).choice([-1.0, 1.0], 1000, p=[0.45, 0.55])
    >>> p_value_curve(deltas, [100, 400, 1600]).round(2).tolist()
    [0.25, 0.02, 0.0]
    """
    values, rng = np.asarray(deltas, dtype=np.float64), np.random.default_rng(seed)
    means = []
    for size in sizes:
        sample = values[rng.integers(len(values), size=(draws, size))]
        mean, spread = sample.mean(1), sample.std(1, ddof=1)
        score = np.divide(np.abs(mean), spread, out=np.zeros(draws), where=spread > 0) * math.sqrt(size)
        means.append(float(2 * scipy.special.stdtr(size - 1, -score).mean()))
    return np.array(means)


def _matrix(features: Any) -> Floats:
    rows = np.asarray(features, dtype=np.float64)
    if rows.ndim != 2 or not len(rows) or not np.isfinite(rows).all():
        raise BadInput(f"features must be finite numbers, one row an impression, not of shape {rows.shape}")
    return rows
