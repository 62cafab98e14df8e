import math

import numpy as np

from duelist import BeatTheMean, simulate

MATRIX = np.array([[0.5, 0.7, 0.8, 0.8, 0.9]] + [[0.5] * 5] * 4)
for _i in range(5):
    for _j in range(_i + 1, 5):
        MATRIX[_i, _j] = max(MATRIX[_i, _j], 0.6)
        MATRIX[_j, _i] = 1 - MATRIX[_i, _j]


def test_records_and_eliminations_follow_from_the_duels_of_those_alive() -> None:
    horizon, gamma = 4000, 1.1
    for seed in range(5):
        policy = BeatTheMean(n_arms=5, horizon=horizon, gamma=gamma, seed=seed)
        luck = np.random.default_rng(seed)
        alive = set(range(5))
        met, beaten = np.zeros((5, 5), int), np.zeros((5, 5))  # duels that b chose, by opponent; and won
        for _ in range(horizon):
            duels = {b: sum(met[b, y] for y in alive) for b in alive}
            duel = policy.ask()
            if len(alive) == 1:
                assert {duel.left, duel.right} == alive
                break
            assert duel.left != duel.right
            assert {duel.left, duel.right} <= alive
            assert duels[duel.left] == min(duels.values())
            outcome = float(luck.random() < MATRIX[duel.left, duel.right])
            policy.tell(duel, outcome)
            met[duel.left, duel.right] += 1
            beaten[duel.left, duel.right] += outcome
            duels[duel.left] += 1
            won = {b: sum(beaten[b, y] for y in alive) for b in alive}
            share = {b: won[b] / duels[b] if duels[b] else 0.5 for b in alive}
            least = min(duels.values())
            radius = gamma**2 * math.sqrt(math.log(2 * horizon * 5) / least) if least else 1.0
            if min(share.values()) + radius <= max(share.values()) - radius:
                gone = next(b for b in alive if policy.place[b] < 0)
                assert share[gone] == min(share.values())
                alive.remove(gone)
            assert {b for b in range(5) if policy.place[b] >= 0} == alive
        assert policy.best() == 0
        assert len(alive) == 1


def test_a_lenient_one_asks_for_as_much_evidence_as_one_chance_in_the_horizon() -> None:
    width = 4 * 1.1**4
    for lenient, chances in ((False, 2 * 5 * 4000), (True, 4000)):
        policy = BeatTheMean(n_arms=5, horizon=4000, gamma=1.1, lenient=lenient)
        assert math.isclose(policy.evidence[0], width * math.log(chances))


def test_the_proved_radius_drops_nobody_on_real_rankers() -> None:
    # The reason why the default radius is 1: with 3 the regret is that of uniform play.
    proved = simulate("btm", "arxiv", 100_000, 20, 1, {"radius": 3.0})
    assert proved.regret().mean > 5900
