"""The cluster bootstrap draws users, not impressions."""

from __future__ import annotations

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.evidence import bootstrap
from duelist.evidence.bootstrap import cluster_bootstrap


def users_who_return(luck: np.random.Generator, users: int) -> tuple[list[float], list[str]]:
    """Each user has a preference of their own, and comes one to six times."""
    values, names = [], []
    for user in range(users):
        taste = luck.normal()
        for _ in range(luck.integers(1, 7)):
            values.append(taste + luck.normal())
            names.append(f"user {user}")
    return values, names


def test_the_interval_is_that_of_drawing_users_one_by_one() -> None:
    luck = np.random.default_rng(0)
    values, names = users_who_return(luck, 60)
    groups = [[v for v, n in zip(values, names, strict=True) if n == name] for name in dict.fromkeys(names)]
    draws = []
    for _ in range(4000):
        chosen = [groups[i] for i in luck.integers(len(groups), size=len(groups))]
        draws.append(sum(map(sum, chosen)) / sum(map(len, chosen)))
    result = cluster_bootstrap(values, names, draws=4000)
    spread = float(np.std(draws))
    assert result.estimate == pytest.approx(np.mean(values))
    assert [result.low, result.high] == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.15 * spread)


def test_the_interval_covers_the_mean_as_often_as_it_says_and_one_of_impressions_does_not() -> None:
    luck = np.random.default_rng(1)
    covered = naive = 0
    for seed in range(200):
        values, names = users_who_return(luck, 80)
        by_user = cluster_bootstrap(values, names, draws=400, seed=seed)
        by_impression = cluster_bootstrap(values, list(map(str, range(len(values)))), draws=400, seed=seed)
        covered += by_user.low <= 0 <= by_user.high
        naive += by_impression.low <= 0 <= by_impression.high
    assert 178 <= covered <= 199  # 190 expected; three and a half standard errors
    assert naive < 170


def test_batches_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    values, names = users_who_return(np.random.default_rng(2), 30)
    whole = cluster_bootstrap(values, names, draws=100)
    monkeypatch.setattr(bootstrap, "CELLS", 30 * 7)
    assert cluster_bootstrap(values, names, draws=100) == whole


def test_bad_input_is_named() -> None:
    with pytest.raises(BadInput, match="one user a preference and at least one, not 0 and 0"):
        cluster_bootstrap([], [])
    with pytest.raises(BadInput, match="draws must be at least 1, not 0"):
        cluster_bootstrap([1.0], ["a"], draws=0)
    with pytest.raises(BadInput, match="level must be above 0 and below 1, not 1"):
        cluster_bootstrap([1.0], ["a"], level=1)
