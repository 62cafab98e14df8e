import math

import numpy as np

from duelist.core.compile import plain
from duelist.dueling.clock import Clock, advance, start_clock, tell_clock


def test_beaten_arms_are_those_whose_upper_bound_is_below_a_half() -> None:
    alpha, arms, luck = 0.4, 5, np.random.default_rng(8)
    clock = Clock(arms, {})
    step, tell = plain(advance), plain(tell_clock)
    plain(start_clock)(clock.memory)
    t = 1
    for _ in range(4000):
        i, j = luck.choice(arms, 2, replace=False)
        # Long lucky streaks, ties, and leads that turn round, told long after the last release.
        outcome = float(luck.choice([1.0, 0.0, 0.5, 0.9, 1.0, 1.0]))
        tell(clock.memory, int(i), int(j), outcome, alpha)
        t += int(luck.integers(1, 40)) ** 2
        if luck.random() < 0.5:
            continue
        step(clock.memory, math.log(t))
        wins = clock.wins
        duels = np.maximum(wins + wins.T, 1e-9)
        beaten = (wins / duels + np.sqrt(alpha * math.log(t) / duels) < 0.5) & (wins + wins.T > 0)
        assert clock.beaten_by.tolist() == beaten.sum(1).tolist()
        assert clock.unbeaten[0] == (beaten.sum(1) == 0).sum()


def test_the_heap_never_outgrows_the_pairs() -> None:
    clock = Clock(3, {})
    plain(start_clock)(clock.memory)
    luck = np.random.default_rng(0)
    for t in range(2, 2000):
        i, j = luck.choice(3, 2, replace=False)
        plain(tell_clock)(clock.memory, int(i), int(j), float(i < j), 0.51)
        plain(advance)(clock.memory, math.log(t))
        assert clock.size[0] <= 3
