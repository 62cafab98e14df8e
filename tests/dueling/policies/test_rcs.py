import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import chisquare

from duelist.core.memory import Floats
from duelist.dueling.policies.rcs import RCS

MATRIX = np.array([[0.5, 0.6, 0.7, 0.8], [0.4, 0.5, 0.6, 0.7], [0.3, 0.4, 0.5, 0.6], [0.2, 0.3, 0.4, 0.5]])


def champions(policy: RCS) -> Floats:
    """The chance of each arm to be champion: pairs of the tournament are independent."""
    chance = betainc(policy.wins.T + 1, policy.wins + 1, 0.5)  # that Beta(wins + 1, losses + 1) > 1/2
    np.fill_diagonal(chance, 1.0)
    winner = chance.prod(1)
    least = policy.reigns == policy.reigns.min()
    return np.asarray(winner + (1 - winner.sum()) * least / least.sum())


def bounds(policy: RCS) -> Floats:
    """U[i, j] from the definition, with x / 0 = 1."""
    duels = policy.wins + policy.wins.T
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(duels > 0, policy.wins / duels, 1.0)
        radius = np.where(duels > 0, np.sqrt(policy.alpha * np.log(policy.told + 1) / duels), 1.0)
    return np.asarray(mean + radius)


@pytest.mark.parametrize("told", [0, 7, 40, 150])
@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_champions_come_as_often_as_in_a_full_tournament(told: int, ties: float) -> None:
    policy, luck = RCS(n_arms=4, seed=1), np.random.default_rng(told)
    for _ in range(told):
        duel = policy.ask()
        tie = luck.random() < ties
        policy.tell(duel, luck.choice([0.5, 0.3]) if tie else luck.random() < MATRIX[duel.left, duel.right])
    expected = champions(policy)
    for last in range(4):  # who leads the tournament changes nothing
        policy.last[0] = last
        seen = np.bincount([policy.ask().left for _ in range(8000)], minlength=4)
        assert np.all(seen[expected < 1e-9] == 0)
        possible = expected >= 1e-9
        assert chisquare(seen[possible], 8000 * expected[possible]).pvalue > 1e-4


def test_the_challenger_is_the_most_hopeful_other_arm() -> None:
    policy, luck = RCS(n_arms=4, seed=2), np.random.default_rng(3)
    reigns, self_duels = np.zeros(4), 0
    for _ in range(6000):
        duel = policy.ask()
        hopes = bounds(policy)[:, duel.left]
        hopes[duel.left] = -1
        if hopes.max() >= 0.5:
            assert duel.right != duel.left
            assert hopes[duel.right] == pytest.approx(hopes.max(), abs=1e-12)
        else:
            assert duel.right == duel.left
            self_duels += 1
        policy.tell(duel, float(luck.random() < MATRIX[duel.left, duel.right]))
        reigns[duel.left] += 1
        assert policy.reigns.tolist() == reigns.tolist()
    assert self_duels > 100
    assert reigns.argmax() == policy.best() == 0


def test_all_challengers_are_alike_before_the_first_duel() -> None:
    policy = RCS(n_arms=4, seed=4)
    pairs = np.zeros((4, 4))
    for _ in range(6000):
        duel = policy.ask()
        pairs[duel.left, duel.right] += 1
    assert np.all(np.diag(pairs) == 0)
    assert chisquare(pairs[~np.eye(4, dtype=bool)]).pvalue > 1e-4


def test_champions_are_taken_in_turn_while_no_arm_beats_all() -> None:
    policy = RCS(n_arms=64, seed=0)  # a random tournament of 64 has no champion
    for _ in range(64):
        policy.tell(policy.ask(), 0.5)
    assert policy.reigns.tolist() == [1] * 64
