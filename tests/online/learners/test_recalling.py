from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from duelist.data.load import load_fold
from duelist.online import learn
from duelist.online.learners.recalling import RecallingTally

SETTINGS: dict[str, Any] = {
    "n_features": 3,
    "length": 2,
    "rate": 0.1,
    "contrast": 2.0,
    "lesson": 0.3,
    "strength": 5.0,
    "sights": 4.0,
}


def recalled_of(learner: RecallingTally, x: Any, keys: list[int] | None = None) -> list[int]:
    impression: Any = learner.ask(x, keys=keys)
    found: list[int] = impression.recalled.tolist()
    return found


def test_every_remembered_document_is_recalled_as_often_as_any_other() -> None:
    learner = RecallingTally(n_features=1, length=3, seed=1)
    x = np.linspace(-1, 1, 8)[:, None]
    keys = list(range(100, 108))
    for _ in range(60):
        learner.tell(learner.ask(x, keys=keys), [0])
    known = {int(key) for key in learner.known if key >= 0}
    assert len(known) == 8
    counts = dict.fromkeys(known, 0)
    asked = 4000
    for _ in range(asked):
        impression: Any = learner.ask(x, keys=keys)
        found = impression.recalled.tolist()
        assert len(set(found)) == 3
        for place, key in enumerate(found):
            counts[key] += 1
            assert impression.described[place, 0] == x[key - 100, 0]
    share = np.array(list(counts.values())) / asked
    assert np.abs(share - 3 / 8).max() < 4.5 * math.sqrt(3 / 8 * 5 / 8 / asked)


def test_who_was_never_seen_is_not_recalled() -> None:
    learner = RecallingTally(n_features=1, seed=1)
    assert set(recalled_of(learner, [[1.0], [2.0]], [5, 6])) == {-1}
    learner.tell(learner.ask([[1.0]], keys=[5]), [0])
    assert sorted(set(recalled_of(learner, [[1.0], [2.0]], [5, 6]))) == [-1, 5]
    assert set(recalled_of(learner, [[1.0], [2.0]])) == {-1}


def test_the_lesson_is_that_of_the_pairs_recalled() -> None:
    """With clicks that teach nothing, the weights move by the sum over recalled pairs, from the definition."""
    luck = np.random.default_rng(3)
    learner = RecallingTally(**SETTINGS, seed=2)
    pages = luck.standard_normal((4, 6, 3))
    for step in range(60):
        number = step % 4
        x, keys = pages[number], [10 * number + place for place in range(6)]
        impression: Any = learner.ask(x, keys=keys)
        before, recalled = learner.moving[0].copy(), [key for key in impression.recalled.tolist() if key >= 0]
        learner.tell(impression, [0, 1] if step % 3 else [])  # all clicked or none: no pair of PDGD's
        repeated = min(0.99, max(0.01, learner.agreement[0] / learner.spread[0]))
        places = {int(key): place for place, key in enumerate(learner.known) if key >= 0}
        tally = {
            k: learner.surplus[places[k]] / (learner.seen[places[k]] + (1 - repeated) / repeated) for k in recalled
        }
        expected = before.copy()
        for i in recalled:
            for j in recalled:
                if i < j:
                    apart = x[i % 10] - x[j % 10]
                    p = 1 / (1 + math.exp(-abs(float(before @ apart))))
                    expected += SETTINGS["lesson"] * p * (1 - p) * (tally[i] - tally[j]) * apart
        np.testing.assert_allclose(learner.moving[0], expected, atol=1e-12)
    assert np.abs(learner.moving[0]).max() > 0.01


@pytest.mark.parametrize(("repeats", "share"), [(0.9, 0.08), (0.6, 0.32), (0.1, 0.4)])
def test_lists_without_tallies_are_the_more_the_less_clicks_repeat_themselves(repeats: float, share: float) -> None:
    learner = RecallingTally(n_features=1, explore=0.4, seed=1)
    learner.tell(learner.ask([[1.0]], keys=[5]), [0])
    learner.agreement[0], learner.spread[0] = repeats, 1.0
    asked, plain = 3000, 0
    for _ in range(asked):
        impression: Any = learner.ask([[1.0], [2.0]], keys=[5, 6])
        plain += bool((impression.scores[:2] == impression.general[:2]).all())
    assert abs(plain / asked - share) < 4.5 * math.sqrt(share * (1 - share) / asked)


def test_lists_without_tallies_keep_the_ranker_good_where_clicks_are_noisy() -> None:
    fold = load_fold("synthetic:queries=60,documents=100,features=20,noise=1,seed=5", 1)
    exploring, not_so, pdgd = (
        learn(name, fold, clicks="navigational", impressions=6000, runs=6, seed=1, cores=1)
        for name in ("tally-recall", "tally-recall:explore=0.0", "pdgd")
    )
    assert exploring.final[:, -1].mean() > not_so.final[:, -1].mean() + 0.03
    assert exploring.online[:, -1].mean() > 1.2 * pdgd.online[:, -1].mean()


def test_few_queries_shown_often_do_not_spoil_the_ranker() -> None:
    fold = load_fold("synthetic:queries=60,documents=100,features=20,noise=1,seed=5", 1)
    ours, tally = (
        learn(name, fold, clicks="perfect", impressions=4000, runs=4, seed=1, cores=1)
        for name in ("tally-recall", "tally")
    )
    assert ours.final[:, -1].mean() > tally.final[:, -1].mean() + 0.01
    assert ours.online[:, -1].mean() > 0.98 * tally.online[:, -1].mean()
