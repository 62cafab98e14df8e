import numpy as np

from duelist import Uniform


def test_every_ordered_pair_of_different_arms_is_as_likely() -> None:
    policy = Uniform(n_arms=4, seed=0)
    counts = np.zeros((4, 4))
    for _ in range(12_000):
        duel = policy.ask()
        counts[duel.left, duel.right] += 1
    assert (counts.diagonal() == 0).all()
    # 1,000 expected a cell, standard deviation 30.
    assert np.abs(counts[~np.eye(4, dtype=bool)] - 1000).max() < 120
