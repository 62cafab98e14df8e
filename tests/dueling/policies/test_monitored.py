import math
from collections import deque

import numpy as np

from duelist import Drifting, Monitored, simulate

FLIP = Drifting([1, 40_001], [[0.95, 0.1, 0.1], [0.1, 0.95, 0.1]])


def test_a_restart_comes_when_the_halves_of_a_window_differ_and_only_then() -> None:
    horizon, segments, change, arms = 20_000, 2, 0.5, 3
    policy = Monitored(n_arms=arms, horizon=horizon, segments=segments, change=change, seed=1)
    luck = np.random.default_rng(0)
    term = math.log((4 * horizon + 2) * math.sqrt(horizon) / (math.sqrt(segments) * arms))
    length = 2 * math.ceil(4 * term / change**2)
    threshold = math.sqrt(length * term / 2)
    rate = math.sqrt(segments * length / horizon) * (arms - 1) / 2
    cycle = max(6, int(3 / rate))
    windows: dict[int, deque[float]] = {pair: deque(maxlen=length) for pair in range(3)}
    restarts, since = 0, 0
    order = [(int(policy.pairs.first[k]), int(policy.pairs.second[k])) for k in range(3)]
    for step in range(12_000):
        duel, turn = policy.ask(), since % cycle
        if turn < 3:
            assert (duel.left, duel.right) == order[turn]
        flipped = step > 6000
        outcome = float(luck.random() < (0.9 if (duel.left < duel.right) != flipped else 0.1))
        policy.tell(duel, outcome)
        since += 1
        if turn < 3:
            window = windows[turn]
            window.append(outcome)
            halves = list(window)[: length // 2], list(window)[length // 2 :]
            if len(window) == length and abs(sum(halves[0]) - sum(halves[1])) > threshold:
                restarts, since = restarts + 1, 0
                windows = {pair: deque(maxlen=length) for pair in range(3)}
        assert policy.restarts[0] == restarts
    assert restarts == 1


def test_a_change_is_noticed_and_followed() -> None:
    settings = {"segments": 2, "change": 0.6}
    plain, watched = (
        simulate(name, FLIP, 80_000, 20, 1, parameters).regret("dynamic")
        for name, parameters in (("rucb", {}), ("monitored", settings))
    )
    assert watched.high < plain.low


def test_monitoring_takes_at_most_half_of_the_duels() -> None:
    policy = Monitored(n_arms=4, horizon=500, change=0.1, seed=0)
    assert policy.cycle[0] == 12
