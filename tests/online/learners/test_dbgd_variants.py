"""Several queries a step, and one winner instead of the mean."""

from __future__ import annotations

from collections import Counter

import numpy as np

from duelist.online.learners.dbgd import DBGD, MGD, Drafted
from duelist.testing import check_learner


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


def test_the_contract() -> None:
    check_learner(DBGD, queries=3, rate=0.03)
    check_learner(MGD, random_winner=True)
