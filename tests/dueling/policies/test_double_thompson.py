import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import beta, chi2_contingency, kstest

from duelist.core.compile import plain
from duelist.core.memory import Floats, Ints
from duelist.dueling.policies.double_thompson import DoubleThompson, DoubleThompsonPlus, draw_above_half
from duelist.dueling.policy import Duel

Told = tuple[int, int, float]  # left, right, outcome

ALPHA = 0.51
ORDER = np.array(
    [
        [0.5, 0.6, 0.7, 0.8, 0.6],
        [0.4, 0.5, 0.6, 0.7, 0.6],
        [0.3, 0.4, 0.5, 0.6, 0.6],
        [0.2, 0.3, 0.4, 0.5, 0.6],
        [0.4] * 5,
    ]
)
ORDER[4, 4] = 0.5
# Arms 0, 1, 2 beat each other in a circle and everybody else.
CIRCLE = np.array(
    [
        [0.5, 0.8, 0.2, 0.7, 0.7],
        [0.2, 0.5, 0.8, 0.7, 0.7],
        [0.8, 0.2, 0.5, 0.7, 0.7],
        [0.3] * 3 + [0.5, 0.6],
        [0.3] * 3 + [0.4, 0.5],
    ]
)


def bounds(wins: Floats, t: int) -> tuple[Floats, Floats]:
    """L and U from the definition, with x / 0 = 1."""
    duels = wins + wins.T
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(duels > 0, wins / duels, 1.0)
        radius = np.where(duels > 0, np.sqrt(ALPHA * math.log(t) / duels), 1.0)
    low, high = mean - radius, mean + radius
    np.fill_diagonal(low, 0.5)
    np.fill_diagonal(high, 0.5)
    return low, high


def candidates(wins: Floats, t: int) -> Ints:
    """The arms of the highest optimistic Copeland score."""
    score = (bounds(wins, t)[1] > 0.5).sum(1)
    return np.flatnonzero(score == score.max())


def estimated_regret(theta: Floats, score: Floats) -> Floats:
    """The sum over the other arms of regret / d(theta, 1/2), for each arm."""
    with np.errstate(divide="ignore", invalid="ignore"):
        d = theta * np.log(2 * theta) + (1 - theta) * np.log(2 * (1 - theta))
        regret = score.max(1)[:, None, None] - (score[:, :, None] + score[:, None, :]) / 2
        return np.asarray(np.where(theta == 0.5, 0.0, regret / d).sum(2))


def transcribed(wins: Floats, t: int, plus: bool, rng: np.random.Generator, times: int) -> tuple[Ints, Ints]:
    """One step of the paper's Algorithm 1, with every draw made; so many times from the same state."""
    arms, each = len(wins), np.arange(times)
    theta = np.full((times, arms, arms), 0.5)
    for i, j in combinations(range(arms), 2):
        theta[:, i, j] = rng.beta(wins[i, j] + 1, wins[j, i] + 1, times)
        theta[:, j, i] = 1 - theta[:, i, j]
    score = (theta > 0.5).sum(2).astype(np.float64)
    possible = np.isin(np.arange(arms), candidates(wins, t))
    tied = possible & (score == score[:, possible].max(1, keepdims=True))
    if plus:
        cost = np.where(tied, estimated_regret(theta, score), np.inf)
        tied = cost == cost.min(1, keepdims=True)
    first = np.where(tied, rng.random((times, arms)), -1.0).argmax(1)
    again = rng.beta(wins.T[first] + 1, wins[first] + 1)
    again[each, first] = 0.5
    again[bounds(wins, t)[0].T[first] > 0.5] = -1
    return first, again.argmax(1)


def record(matrix: Floats, duels: int, ties: bool) -> list[Told]:
    """`duels` duels of every pair; with `ties`, half of them are tied or graded."""
    luck = np.random.default_rng(duels)
    told = []
    for i, j in combinations(range(len(matrix)), 2):
        for _ in range(duels):
            graded = ties and luck.random() < 0.5
            told.append((i, j, float(luck.choice([0.5, 0.25]) if graded else luck.random() < matrix[i, j])))
    return told


RECORDS = {
    "fresh": [],
    "order, 2 duels": record(ORDER, 2, ties=False),
    "order, 6 duels, ties": record(ORDER, 6, ties=True),
    "order, 25 duels": record(ORDER, 25, ties=False),
    "circle, 25 duels": record(CIRCLE, 25, ties=False),
    "circle, 150 duels": record(CIRCLE, 150, ties=False),
    "everybody equal": [(arm, (arm + step) % 5, 1.0) for arm in range(5) for step in (1, 2)] * 20,
    # Arms 0 and 1 are even candidates; arm 3, which 1 surely beats, is none but draws the best score.
    "best score not a candidate": [(0, 1, 0.5)] * 30
    + [(1, 3, 1.0)] * 12
    + [(3, 2, 1.0)] * 30
    + [(0, 4, 1.0), (3, 4, 1.0)] * 4
    + [(2, 0, 1.0), (3, 0, 1.0), (4, 1, 1.0)] * 2,
}


def told_policy(kind: type[DoubleThompson], told: list[Told]) -> tuple[DoubleThompson, Floats]:
    """A policy that was told a record of duels, and the wins in it."""
    policy, wins = kind(n_arms=5, seed=1), np.zeros((5, 5))
    update = plain(kind.method("update", plain))
    for i, j, outcome in told:
        policy.told += 1
        update(policy.memory, Duel(i, j, policy.told), outcome, policy.told, policy.rng)
        wins[i, j] += outcome
        wins[j, i] += 1 - outcome
    return policy, wins


@pytest.mark.parametrize("kind", [DoubleThompson, DoubleThompsonPlus])
@pytest.mark.parametrize("told", RECORDS.values(), ids=RECORDS.keys())
def test_pairs_come_as_often_as_when_every_draw_is_made(kind: type[DoubleThompson], told: list[Told]) -> None:
    policy, wins = told_policy(kind, told)
    luck, counts = np.random.default_rng(2), np.zeros((2, 5, 5))
    for _ in range(6000):
        duel = policy.ask()
        counts[0, duel.left, duel.right] += 1
    np.add.at(counts[1], transcribed(wins, policy.told + 1, kind is DoubleThompsonPlus, luck, 6000), 1)
    assert p_value(counts.sum(2)) > 1e-4  # champions
    assert p_value(counts.reshape(2, -1)) > 1e-4


def p_value(counts: Floats) -> float:
    """How likely two rows of counts differ as much by chance; rare columns are taken together."""
    often = counts.sum(0) >= 20
    table = np.column_stack([counts[:, often], counts[:, ~often].sum(1) + 1])
    assert table.shape[1] > 2
    return float(chi2_contingency(table).pvalue)


@pytest.mark.parametrize("kind", [DoubleThompson, DoubleThompsonPlus])
def test_every_duel_is_one_the_definition_allows(kind: type[DoubleThompson]) -> None:
    policy, luck, wins = kind(n_arms=5, seed=2), np.random.default_rng(3), np.zeros((5, 5))
    self_duels = fewer = excluded = 0
    for t in range(1, 6001):
        possible, low = candidates(wins, t), bounds(wins, t)[0]
        duel = policy.ask()
        assert duel.left in possible
        assert low[duel.right, duel.left] <= 0.5
        outcome = float(luck.random() < CIRCLE[duel.left, duel.right])
        policy.tell(duel, outcome)
        if duel.left != duel.right:
            wins[duel.left, duel.right] += outcome
            wins[duel.right, duel.left] += 1 - outcome
        self_duels += duel.left == duel.right
        fewer += len(possible) < 5
        excluded += bool((low[:, duel.left] > 0.5).any())
    assert np.array_equal(policy.clock.wins, wins)
    assert min(self_duels, fewer, excluded) > 100  # or the test has not seen all there is
    assert policy.best() in (0, 1, 2)


FEW = [(0, 0), (6, 3), (3, 6), (0, 1), (2, 9), (12, 0), (8, 7.5), (0.5, 0), (0.25, 0.75)]
MANY = [(30, 20), (17, 19), (30, 70), (0, 40), (100.25, 160.5)]


@pytest.mark.parametrize(("won", "lost"), FEW + MANY)
def test_a_draw_above_half_has_the_distribution_of_the_posterior_there(won: float, lost: float) -> None:
    policy, rng = DoubleThompson(n_arms=2, seed=0), np.random.default_rng(4)
    policy.clock.wins[:] = [[0, won], [lost, 0]]
    policy.signs.chance[0, 1] = beta.sf(0.5, won + 1, lost + 1)
    draw, posterior = plain(draw_above_half), beta(won + 1, lost + 1)
    values = [draw(policy.memory, 0, 1, rng) for _ in range(4000)]
    assert min(values) > 0.5
    assert kstest(values, lambda x: 1 - posterior.sf(x) / posterior.sf(0.5)).pvalue > 1e-4


@pytest.mark.parametrize("kind", [DoubleThompson, DoubleThompsonPlus])
def test_the_best_arm_is_a_candidate(kind: type[DoubleThompson]) -> None:
    # Arm 0 beats arm 1 surely and lost a duel to each of the others, all of which arm 1 beats.
    told = [(0, 1, 1.0)] * 40 + [(1, arm, 1.0) for arm in (2, 3, 4)] * 10 + [(arm, 0, 1.0) for arm in (2, 3, 4)]
    policy, _ = told_policy(kind, told)
    policy.ask()
    assert policy.best() == 0
