import math

import numpy as np
import pytest

from duelist import SAVAGE, Policy, SAVAGEBorda, SAVAGECopeland


def matrix(lead: float) -> np.ndarray:
    """Arm 0 beats everyone by `lead`, and arm 1 beats the others always."""
    up, down = 0.5 + lead, 0.5 - lead
    return np.array([[0.5, up, up, up], [down, 0.5, 1.0, 1.0], [down, 0.0, 0.5, 0.8], [down, 0.0, 0.2, 0.5]])


def bounds(wins: np.ndarray, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """The clipped confidence interval of every pair, from the definition; delta is 1 / horizon."""
    arms, duels = len(wins), wins + wins.T
    with np.errstate(divide="ignore", invalid="ignore"):
        radius = np.sqrt(math.log(arms * (arms - 1) * horizon * horizon) / (2 * duels))
        low = np.where(duels > 0, np.maximum(wins / duels - radius, 0), 0.0)
        high = np.where(duels > 0, np.minimum(wins / duels + radius, 1), 1.0)
    return low, high


def condorcet_pairs(low: np.ndarray, high: np.ndarray, gone: set[int]) -> set[tuple[int, int]]:
    defeated = np.asarray((high < 0.5).any(1))
    return {(i, j) for i in range(4) for j in range(i) if not defeated[i] and not defeated[j]}


def copeland_pairs(low: np.ndarray, high: np.ndarray, gone: set[int]) -> set[tuple[int, int]]:
    off = ~np.eye(4, dtype=bool)
    certain, hope = ((low > 0.5) & off).sum(1), ((high > 0.5) & off).sum(1)
    # An interval that touches 1/2 from above leaves the sign open.
    hope = np.maximum(hope, ((high >= 0.5) & off).sum(1))
    pairs = set()
    for i in range(4):
        for j in range(i):
            known = low[i, j] > 0.5 or high[i, j] < 0.5
            others = [certain[k] for k in range(4) if k not in (i, j)]
            if not known and max(others) < max(hope[i], hope[j]):
                pairs.add((i, j))
    return pairs


def borda_pairs(low: np.ndarray, high: np.ndarray, gone: set[int]) -> set[tuple[int, int]]:
    low_mean, high_mean = ((b * ~np.eye(4, dtype=bool)).sum(1) for b in (low, high))
    gone |= {int(arm) for arm in np.flatnonzero(high_mean < low_mean.max())}  # for good
    return {(i, j) for i in range(4) for j in range(i) if not {i, j} <= gone} if len(gone) < 3 else set()


@pytest.mark.parametrize(
    ("kind", "remaining", "lead", "winner"),
    [(SAVAGE, condorcet_pairs, 0.2, 0), (SAVAGECopeland, copeland_pairs, 0.2, 0), (SAVAGEBorda, borda_pairs, 0.02, 1)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_duel_is_always_of_a_remaining_pair_and_the_rest_exploits(
    kind: type[Policy], remaining: object, lead: float, winner: int
) -> None:
    horizon = 6000
    for seed in range(4):
        policy, luck = kind(n_arms=4, horizon=horizon, seed=seed), np.random.default_rng(seed)
        exploited, gone = 0, set[int]()
        for _ in range(horizon):
            wins = policy.tables()["wins"]
            pairs = remaining(*bounds(wins, horizon), gone)  # type: ignore[operator]
            duel = policy.ask()
            if pairs:
                assert (max(duel.left, duel.right), min(duel.left, duel.right)) in pairs
                duels = (wins + wins.T)[tuple(np.array(sorted(pairs)).T)]
                assert (wins + wins.T)[duel.left, duel.right] <= duels.min() + 1
            else:
                assert duel.left == duel.right == winner
                exploited += 1
            policy.tell(duel, float(luck.random() < matrix(lead)[duel.left, duel.right]))
        assert exploited > 1000
        assert policy.best() == winner
