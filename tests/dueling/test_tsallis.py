import math

import numpy as np
import pytest
from scipy.optimize import brentq

from duelist.core.compile import plain
from duelist.dueling.bandits import Pull
from duelist.dueling.tsallis import TsallisINF, find_weights


def reference(loss: np.ndarray, rate: float) -> np.ndarray:
    """The weights from their definition, the normaliser by Brent's method."""
    ahead = loss - loss.min()

    def excess(x: float) -> float:
        return float((4 / (rate * (ahead + x)) ** 2).sum() - 1)

    x = brentq(excess, 1.99 / rate, 2.01 * math.sqrt(len(loss)) / rate, xtol=1e-13 / rate, rtol=1e-14)
    return np.asarray(4 / (rate * (ahead + x)) ** 2)


@pytest.mark.parametrize("arms", [2, 3, 10, 300])
@pytest.mark.parametrize("spread", [0.0, 0.1, 30.0, 1e5])
@pytest.mark.parametrize("start", [-1e9, -50.0, 0.0, 1e9])
def test_the_weights_are_found_from_any_start(arms: int, spread: float, start: float) -> None:
    luck = np.random.default_rng(arms)
    for t in (1, 10, 100_000):
        bandit = TsallisINF(arms, {})
        bandit.loss[:] = spread * luck.random(arms)
        bandit.normaliser[0] = start
        plain(find_weights)(bandit.memory, t)
        assert bandit.weight == pytest.approx(reference(bandit.loss, 4 / math.sqrt(t)), rel=1e-8)
        assert bandit.weight.sum() == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("reduced", [False, True])
def test_pulls_and_estimates_are_those_of_the_paper(reduced: bool) -> None:
    arms, luck = 5, np.random.default_rng(1)
    bandit = TsallisINF(arms, {"reduced_variance": reduced})
    start, pull, reward = (plain(getattr(TsallisINF, name)) for name in ("start", "pull", "reward"))
    start(bandit.memory, luck)
    estimated, baselines = np.zeros(arms), set()
    for t in range(1, 3001):
        rate = (4 if reduced else 2) / math.sqrt(t)
        weight = reference(estimated, rate)
        drawn = pull(bandit.memory, t, luck)
        assert drawn.p == pytest.approx(weight[drawn.arm], rel=1e-8)
        loss = float(luck.random() < 0.3 + 0.1 * drawn.arm)
        reward(bandit.memory, drawn, 1 - loss, t)
        baseline = 0.5 * (weight >= rate**2) if reduced else np.zeros(arms)
        estimated += baseline
        estimated[drawn.arm] += (loss - baseline[drawn.arm]) / drawn.p  # our weight: errors would feed on themselves
        baselines.add(tuple(baseline))
    assert bandit.best_arm() == 0
    assert len(baselines) > 5 or not reduced  # the arms had different baselines now and then


def test_arms_are_pulled_as_often_as_their_weights_say() -> None:
    bandit, luck = TsallisINF(4, {}), np.random.default_rng(2)
    bandit.loss[:] = [3, 0, 9, 1]
    plain(find_weights)(bandit.memory, 5)
    pull = plain(TsallisINF.pull)
    drawn = np.bincount([pull(bandit.memory, 5, luck).arm for _ in range(40_000)], minlength=4) / 40_000
    assert drawn == pytest.approx(bandit.weight, abs=0.012)


@pytest.mark.parametrize("reduced", [False, True])
def test_the_estimate_of_a_late_reward_is_unbiased(reduced: bool) -> None:
    """Over all arms that might have been drawn long ago, the estimates average to the true losses."""
    losses, drawn_with = np.array([0.2, 0.9, 0.5]), np.array([0.5, 0.3, 0.2])
    mean = np.zeros(3)
    for arm in range(3):
        bandit = TsallisINF(3, {"reduced_variance": reduced})
        bandit.loss[:] = [0, 40, 400]
        plain(find_weights)(bandit.memory, 100)
        before = bandit.loss.copy()
        plain(TsallisINF.reward)(bandit.memory, Pull(arm, drawn_with[arm]), 1 - losses[arm], 100)
        mean += drawn_with[arm] * (bandit.loss - before)
    assert np.diff(mean) == pytest.approx(np.diff(losses))
