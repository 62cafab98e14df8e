from __future__ import annotations

import numpy as np
import pytest

from duelist import simulate
from duelist.clicks.cascade import cascade
from duelist.core.errors import BadInput
from duelist.data import evaluate, synthetic
from duelist.dueling.environments import Rankers, load_environment
from duelist.dueling.environments.rankers import draw_rankers, rank_all
from duelist.interleaving import TeamDraft

DATA = synthetic(queries=30, documents=12, features=5, grades=3, seed=2).normalised()


def slow_outcome(left: int, right: int, duels: int) -> float:
    """The mean outcome by the public classes: team draft, and a user of the cascade model."""
    luck, method, user = np.random.default_rng(3), TeamDraft(), cascade("navigational")
    pages = DATA.select(DATA.relevant_queries())
    rankings, total = rank_all(pages, np.eye(5), 10), 0.0
    for _ in range(duels):
        query = int(luck.integers(pages.n_queries))
        pair = [[int(d) for d in rankings[query, arm] if d >= 0] for arm in (left, right)]
        shown = method.combine(pair, 10, luck)
        labels = pages.labels[pages.rows(query)][list(shown.ranking)]
        one, other = method.credit(shown, user.clicks(labels, luck))
        total += 0.5 * (1 + np.sign(one - other))
    return total / duels


def test_a_duel_is_a_click_experiment() -> None:
    world = Rankers(DATA, np.eye(5), cascade("navigational"), checks=40_000)
    for left, right in ((0, 1), (2, 4)):
        assert world.matrix.preference[left, right] == pytest.approx(slow_outcome(left, right, 8000), abs=0.02)
    assert np.allclose(world.matrix.preference + world.matrix.preference.T, 1)


def test_policies_find_the_ranker_that_people_click_and_regret_is_by_it() -> None:
    world = load_environment("rankers:arms=4,clicks=perfect,seed=1")
    result = simulate("rucb", world, 20_000, runs=4, seed=1)
    assert result.found.all()
    plain = simulate("uniform", world, 20_000, runs=2, seed=1)
    gaps = world.matrix.gap[:, 0]  # type: ignore[attr-defined]
    assert plain.regret().mean == pytest.approx(20_000 * gaps[gaps > 0].sum() / 4, rel=0.05)
    assert result.regret().mean < 0.5 * plain.regret().mean
    again = simulate("rucb", world, 20_000, runs=4, seed=1, cores=1)
    assert np.array_equal(result.sums["strong"], again.sums["strong"])  # runs share no scratch space


def test_people_who_see_both_rankings_prefer_by_ndcg() -> None:
    world = load_environment("ndcg-rankers:arms=3,seed=4")
    data, weights = draw_rankers("", 1, 3, "random", 4)
    data = data.select(data.relevant_queries())
    one, other = (evaluate(data, data.features @ weights[arm], ["ndcg@10"])["ndcg@10"] for arm in (0, 2))
    expected = np.mean([1 / (1 + np.exp(-10 * (a - b))) for a, b in zip(one, other, strict=True)])
    assert world.preference[0, 2] == pytest.approx(expected)  # type: ignore[attr-defined]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(BadInput, match="at most 20, the features that differ, not 30"):
        load_environment("rankers:arms=30")
    with pytest.raises(BadInput, match="source"):
        load_environment("rankers:source=oracle")
