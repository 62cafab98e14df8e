import math

import numpy as np
import pytest

from duelist import simulate
from duelist.dueling.policies.reductions import Doubler, MultiSBM

# Utilities 0.9, 0.6, 0.4, 0.2 with a linear link.
UTILITY = np.array([0.9, 0.6, 0.4, 0.2])
LINEAR = (1 + UTILITY[:, None] - UTILITY[None, :]) / 2


def bounds(plays: np.ndarray, gains: np.ndarray, factor: float, t: int) -> np.ndarray:
    """Upper confidence bounds by definition; arms never played first."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(plays > 0, gains / plays + np.sqrt(factor * math.log(t) / plays), np.inf)


def test_doubler_plays_ucb_against_the_arms_of_the_epoch_before() -> None:
    policy, luck = Doubler(n_arms=4, seed=0), np.random.default_rng(1)
    before = np.eye(4)[policy.ask().left]  # one arm, whichever
    for epoch in range(1, 12):
        plays, gains, lefts = np.zeros(4), np.zeros(4), np.zeros(4)
        for step in range(1, 2**epoch + 1):
            duel = policy.ask()
            upper = bounds(plays, gains, 2, step)
            assert upper[duel.right] == pytest.approx(upper.max(), abs=1e-12)
            outcome = float(luck.choice([luck.random() < LINEAR[duel.left, duel.right], 0.5], p=[0.9, 0.1]))
            policy.tell(duel, outcome)
            plays[duel.right] += 1
            gains[duel.right] += 1 - outcome
            lefts[duel.left] += 1
        # As often as they were played, not uniformly among them: within 4 standard errors.
        assert lefts / 2**epoch == pytest.approx(before / before.sum(), abs=2 / 2 ** (epoch / 2))
        assert (lefts[before == 0] == 0).all()
        before = plays
    assert policy.best() == 0


def test_doubler_ignores_a_tell_from_an_epoch_that_is_over() -> None:
    policy = Doubler(n_arms=3, seed=2)
    late = policy.ask()
    for _ in range(2):
        policy.tell(policy.ask(), 1.0)
    during = policy.ask()
    state = {name: array.tolist() for name, array in policy.tables().items()}
    policy.tell(late, 0.0)
    assert {name: array.tolist() for name, array in policy.tables().items()} == state
    policy.tell(during, 0.0)
    assert policy.bandit.plays.sum() == 1


def test_multisbm_asks_the_bandit_of_the_arm_played_last() -> None:
    policy, luck = MultiSBM(n_arms=4, seed=0), np.random.default_rng(1)
    plays, gains = np.zeros((4, 4)), np.zeros((4, 4))
    current = policy.ask().left
    for _ in range(4000):
        duel = policy.ask()
        assert duel.left == current
        upper = bounds(plays[current], gains[current], (3 + 2) / 2, int(plays[current].sum()) + 1)
        assert upper[duel.right] == pytest.approx(upper.max(), abs=1e-12)
        outcome = float(luck.choice([luck.random() < LINEAR[duel.left, duel.right], 0.5], p=[0.9, 0.1]))
        policy.tell(duel, outcome)
        plays[current, duel.right] += 1
        gains[current, duel.right] += 1 - outcome
        current = duel.right
    assert policy.best() == 0


def test_regret_of_multisbm_is_that_of_an_independent_simulation() -> None:
    regret = simulate(MultiSBM, "arxiv", 100_000, runs=100, seed=1, progress=False).curve()[:, -1]
    error = math.hypot(regret.std(ddof=1) / 10, 4.5)  # 2721 +- 4.5, 1,500 runs in numpy; 2630 in one run of C++
    assert abs(regret.mean() - 2721) < 3.5 * error


def test_regret_of_doubler_is_that_of_an_independent_simulation() -> None:
    regret = simulate(Doubler, "arxiv", 100_000, runs=100, seed=1, progress=False).curve()[:, -1]
    error = math.hypot(regret.std(ddof=1) / 10, 8.6)  # 2780 +- 8.6, 200 runs in numpy
    assert abs(regret.mean() - 2780) < 3.5 * error


def test_regret_grows_like_the_squared_logarithm_for_doubler_and_the_logarithm_for_multisbm() -> None:
    growth = {}
    for kind in (Doubler, MultiSBM):
        result = simulate(kind, LINEAR, 1_000_000, runs=20, points=601, seed=1, progress=False)
        curve = result.curve().mean(0)
        by_decade = np.diff([curve[np.searchsorted(result.checkpoints, 10**d)] for d in (4, 5, 6)])
        growth[kind] = by_decade[1] / by_decade[0]
    # From ln to ln^2: decades 4 to 5 and 5 to 6 of the logarithm add 9 and 11 parts of its square.
    assert 1.1 < growth[Doubler] < 1.7
    assert growth[MultiSBM] < 1.1
