from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelist.data import read_fold
from duelist.online import DBGD, MGD, learn
from duelist.online.learners.dbgd import Drafted


@pytest.mark.parametrize("kind", [DBGD, MGD])
def test_every_step_is_towards_the_mean_of_the_winners(kind: type[DBGD]) -> None:
    luck, learner, moved = np.random.default_rng(2), kind(5, rate=0.3, seed=1), 0
    for _ in range(300):
        impression = learner.ask(luck.standard_normal((12, 5)))
        assert isinstance(impression, Drafted)
        clicks = np.flatnonzero(luck.random(10) < 0.3)
        teams = Counter(impression.teams[clicks].tolist())
        winners = [c for c in range(learner.candidates) if teams[c + 1] > teams[0]]
        before = learner.weights[0].copy()
        learner.tell(impression, clicks.tolist())
        expected = 0.3 * impression.directions[winners].mean(0) if winners else np.zeros(5)
        assert np.allclose(learner.weights[0] - before, expected)
        moved += bool(winners)
    assert 50 < moved < 300


def test_each_team_has_the_best_documents_of_its_ranker() -> None:
    luck, learner = np.random.default_rng(3), DBGD(4, distance=2.0, seed=1)
    learner.weights[0] = [1.0, -1.0, 0.5, 0.0]
    owned = set()
    for _ in range(200):
        features = luck.standard_normal((8, 4))
        impression = learner.ask(features)
        assert isinstance(impression, Drafted)
        scores = features @ np.array([learner.weights[0], learner.weights[0] + 2.0 * impression.directions[0]]).T
        shown, teams = list(impression.ranking), impression.teams.tolist()
        for slot, (document, team) in enumerate(zip(shown, teams, strict=False)):
            left = sorted(set(range(8)) - set(shown[:slot]), key=lambda other: -scores[other, max(team, 0)])
            assert document == left[0]
            owned.add(team)
        counts = [teams[: len(shown)].count(team) for team in (0, 1)]
        assert abs(counts[0] - counts[1]) <= 1
    assert owned == {0, 1}


def test_directions_are_uniform_on_the_sphere() -> None:
    impressions = [MGD(3, seed=seed).ask(np.zeros((2, 3))) for seed in range(200)]
    directions = np.concatenate([i.directions for i in impressions if isinstance(i, Drafted)])
    assert np.allclose(np.linalg.norm(directions, axis=1), 1.0)
    assert np.abs(directions.mean(0)).max() < 4.5 / np.sqrt(3 * len(directions))
    # A coordinate of a uniform point on the sphere in three dimensions is uniform from -1 to 1.
    assert np.abs(np.quantile(directions[:, 0], [0.25, 0.5, 0.75]) - [-0.5, 0, 0.5]).max() < 0.06


def test_several_queries_decide_on_a_step_by_majority() -> None:
    luck, learner, moved = np.random.default_rng(2), DBGD(5, rate=0.3, queries=7, seed=1), 0
    for _ in range(60):
        votes, directions, before = 0, learner.proposed.copy(), learner.weights[0].copy()
        for _ in range(7):
            assert np.array_equal(learner.weights[0], before)
            impression = learner.ask(luck.standard_normal((12, 5)))
            assert isinstance(impression, Drafted)
            assert np.array_equal(impression.directions, directions)
            clicks = np.flatnonzero(luck.random(10) < 0.3)
            teams = Counter(impression.teams[clicks].tolist())
            votes += int(np.sign(teams[1] - teams[0]))
            learner.tell(impression, clicks.tolist())
        assert np.allclose(learner.weights[0] - before, 0.3 * directions[0] if votes > 0 else 0.0)
        assert not np.array_equal(learner.proposed, directions)
        moved += votes > 0
    assert 15 < moved < 45


def test_a_vote_on_a_step_already_taken_is_ignored() -> None:
    learner, luck = DBGD(3, queries=2, seed=1), np.random.default_rng(1)
    late, *others = [learner.ask(luck.standard_normal((6, 3))) for _ in range(3)]
    for impression in others:
        learner.tell(impression, [0])
    state = learner.weights.copy(), learner.proposed.copy(), learner.votes.copy(), learner.outcomes.copy()
    learner.tell(late, [0, 1])
    after = learner.weights, learner.proposed, learner.votes, learner.outcomes
    assert all(np.array_equal(a, b) for a, b in zip(state, after, strict=True))


def test_a_random_winner_is_one_of_the_winners_and_each_as_often() -> None:
    luck, learner, places = np.random.default_rng(3), MGD(6, rate=1.0, random_winner=True, seed=1), []
    for _ in range(800):
        impression = learner.ask(luck.standard_normal((15, 6)))
        assert isinstance(impression, Drafted)
        clicks = np.flatnonzero(luck.random(10) < 0.3)
        teams = Counter(impression.teams[clicks].tolist())
        winners = [c for c in range(9) if teams[c + 1] > teams[0]]
        before = learner.weights[0].copy()
        learner.tell(impression, clicks.tolist())
        step = learner.weights[0] - before
        assert bool(winners) == bool(step.any())
        if winners:
            (place,) = np.flatnonzero([np.allclose(step, impression.directions[w]) for w in winners])
            if len(winners) == 3:
                places.append(int(place))
        learner.weights[:] = 0.0
    assert len(places) > 80
    assert (abs(np.bincount(places, minlength=3) / len(places) - 1 / 3) < 4 * np.sqrt(2 / 9 / len(places))).all()


# Five folds of ten seeds, an independent implementation: 95 % interval about 4 online.
@pytest.mark.parametrize(("clicks", "online", "final"), [("perfect", 866.0, 0.6838), ("informational", 798.7, 0.6540)])
def test_figures_on_mq2008(data: Callable[[str], Path], clicks: str, online: float, final: float) -> None:
    folder = data("mq2008/S1.txt.gz").parent
    results = [
        learn("dbgd", read_fold(folder, f, cache=False), clicks, runs=10, seed=[3, f], points=2, progress=False)
        for f in range(1, 6)
    ]
    shown = [result.online[:, -1] for result in results]
    error = np.mean([part.var(ddof=1) / len(part) for part in shown]) ** 0.5 / 5**0.5
    assert abs(np.mean(shown) - online) < 3.5 * np.hypot(error, 2)
    assert abs(np.mean([result.final[:, -1] for result in results]) - final) < 0.01
