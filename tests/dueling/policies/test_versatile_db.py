import math

import numpy as np
import pytest

from duelist import Adversarial, simulate
from duelist.dueling.policies.versatile_db import SparringTsallis, VersatileDB

# Arm 0 beats the others clearly.
EASY = np.array([[0.5, 0.8, 0.8, 0.8], [0.2, 0.5, 0.6, 0.6], [0.2, 0.4, 0.5, 0.6], [0.2, 0.4, 0.4, 0.5]])


def weights(loss: np.ndarray, rate: float) -> np.ndarray:
    """4 / (rate (loss - x))^2, by bisection for x."""
    low, high = float(loss.min() - 2 * math.sqrt(len(loss)) / rate), float(loss.min() - 2 / rate)
    losses = loss.tolist()  # numbers are faster than arrays of four
    for _ in range(100):
        x = (low + high) / 2
        low, high = (low, x) if sum(4 / (rate * (own - x)) ** 2 for own in losses) > 1 else (x, high)
    return np.asarray(4 / (rate * (loss - x)) ** 2)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("reduced", [False, True])
def test_each_side_follows_the_losses_of_its_own_arms(shared: bool, reduced: bool) -> None:
    luck = np.random.default_rng(0)
    policy = VersatileDB(n_arms=4, shared=shared, reduced_variance=reduced, seed=1)
    loss = np.zeros((1 if shared else 2, 4))
    for t in range(1, 2001):
        rate = (4 if reduced else 2) / math.sqrt(t)
        w = [weights(loss[0], rate), weights(loss[-1], rate)]
        duel = policy.ask()
        assert duel.left_p == pytest.approx(w[0][duel.left], rel=1e-8)
        assert duel.right_p == pytest.approx(w[1][duel.right], rel=1e-8)
        outcome = float(luck.choice([luck.random() < EASY[duel.left, duel.right], 0.5, 0.3], p=[0.8, 0.1, 0.1]))
        policy.tell(duel, outcome)
        # Estimates divide by the probabilities reported: tiny differences would feed on themselves.
        told = ((duel.left, duel.left_p, 1 - outcome), (duel.right, duel.right_p, outcome))
        for side, (arm, p, lost) in enumerate(told):
            baseline = 0.5 * (w[side] >= rate**2) if reduced else np.zeros(4)
            estimate = baseline + (np.arange(4) == arm) * (lost - baseline) / p
            loss[0 if shared else side] += estimate / (2 if shared else 1)
    assert policy.best() == 0


@pytest.mark.parametrize("reduced", [False, True])
def test_versatile_db_and_sparring_with_tsallis_inf_are_the_same_duel_by_duel(reduced: bool) -> None:
    luck = np.random.default_rng(3)
    one = VersatileDB(n_arms=4, reduced_variance=reduced, seed=5)
    two = SparringTsallis(n_arms=4, reduced_variance=reduced, seed=5)
    for _ in range(1000):
        here, there = one.ask(), two.ask()
        assert here[:5] == there[:5]
        outcome = float(luck.random() < EASY[here.left, here.right])
        one.tell(here, outcome)
        two.tell(there, outcome)


@pytest.mark.parametrize("kind", [VersatileDB, SparringTsallis])
def test_regret_grows_like_the_logarithm_when_nothing_changes(kind: type[VersatileDB]) -> None:
    result = simulate(kind, EASY, 100_000, runs=30, points=301, seed=1, progress=False)
    curve = result.curve().mean(0)
    by_decade = np.diff([curve[np.searchsorted(result.checkpoints, 10**d)] for d in (3, 4, 5)])
    assert 0.7 < by_decade[1] / by_decade[0] < 1.5  # sqrt(T) would have 3.2


@pytest.mark.parametrize("kind", [VersatileDB, SparringTsallis])
def test_regret_is_of_order_sqrt_k_t_against_an_adversary(kind: type[VersatileDB]) -> None:
    """The lead of the best arm, sqrt(K / T), is the hardest to see."""
    arms, ratios = 5, []
    for horizon in (1000, 10_000, 100_000):
        means = 0.5 + math.sqrt(arms / horizon) * (np.arange(arms) == 2)
        utilities = (np.random.default_rng(horizon).random((horizon, arms)) < means).astype(float)
        regret = simulate(kind, Adversarial(utilities), horizon, runs=30, seed=2, progress=False).curve()[:, -1]
        ratios.append(regret.mean() / math.sqrt(arms * horizon))
    assert max(ratios) < 0.65  # the bound of the papers has 4
    assert max(ratios) / min(ratios) < 1.5


def test_both_settings_together_have_less_regret() -> None:
    plain, best = (
        simulate(VersatileDB, "arxiv", 100_000, runs=40, seed=3, parameters=settings, progress=False).curve()[:, -1]
        for settings in ({}, {"shared": True, "reduced_variance": True})
    )
    assert best.mean() < 0.5 * plain.mean()
