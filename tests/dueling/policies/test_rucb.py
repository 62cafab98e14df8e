import numpy as np

from duelist import RUCB


def bounds(policy: RUCB) -> np.ndarray:
    """U[i, j] from the definition, with x / 0 = 1."""
    wins, t = policy.clock.wins, policy.told + 1
    duels = wins + wins.T
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(duels > 0, wins / duels, 1.0)
        radius = np.where(duels > 0, np.sqrt(policy.alpha * np.log(t) / duels), 1.0)
    upper = mean + radius
    np.fill_diagonal(upper, 0.5)
    return upper


def test_every_duel_is_one_the_definition_allows() -> None:
    matrix = np.array([[0.5, 0.6, 0.7, 0.8], [0.4, 0.5, 0.6, 0.7], [0.3, 0.4, 0.5, 0.6], [0.2, 0.3, 0.4, 0.5]])
    luck = np.random.default_rng(3)
    policy = RUCB(n_arms=4, seed=2)
    self_duels = 0
    for _ in range(6000):
        upper = bounds(policy)
        candidates = np.flatnonzero((upper >= 0.5).all(1))
        duel = policy.ask()
        assert sorted(candidates) == sorted(np.flatnonzero(policy.clock.beaten_by == 0))
        assert len(candidates) == 0 or duel.left in candidates
        hopes = upper[:, duel.left].copy()
        hopes[duel.left] = -1
        if hopes.max() >= 0.5:
            assert duel.right != duel.left
            assert abs(hopes[duel.right] - hopes.max()) <= 1e-12
        else:
            assert duel.right == duel.left
            self_duels += 1
        policy.tell(duel, float(luck.random() < matrix[duel.left, duel.right]))
    assert self_duels > 100  # or the champion never settles


def test_the_favourite_gets_half_of_the_duels_and_the_others_share_the_rest() -> None:
    policy = RUCB(n_arms=4, seed=0)
    policy.favourite[0] = 2  # every arm is still a candidate
    champions = np.bincount([policy.ask().left for _ in range(6000)], minlength=4) / 6000
    assert np.allclose(champions, [1 / 6, 1 / 6, 1 / 2, 1 / 6], atol=0.025)
