import math

import numpy as np
import pytest

from duelist import simulate
from duelist.dueling.environment import SUMS
from duelist.dueling.environments import Matrix
from duelist.dueling.loop import compiled_run
from duelist.dueling.policies.beat_the_winner import BeatTheWinner, BeatTheWinnerReset
from duelist.testing import check_policy

MATRIX = np.array([[0.5, 0.6, 0.7, 0.6], [0.4, 0.5, 0.8, 0.3], [0.3, 0.2, 0.5, 0.6], [0.4, 0.7, 0.4, 0.5]])


class Reference:
    """The rule with a list as the queue; `resets` tells its two forms apart."""

    def __init__(self, order: list[int], resets: bool, gap: float) -> None:
        self.incumbent, self.challenger, *self.queue = order
        self.resets, self.gap, self.r = resets, gap, 1
        self.score = {self.incumbent: 0, self.challenger: 0}

    def length(self) -> int:
        if self.gap == 0:
            return self.r
        return math.ceil(math.log(self.r * (self.r + 1) * math.e / (math.e - 1)) / (4 * self.gap**2))

    def told(self, winner: int) -> None:
        self.score[winner] += 1
        if self.score[winner] < self.length():
            return
        beaten = winner == self.challenger
        self.queue.append(self.incumbent if beaten else self.challenger)
        self.r = 1 if beaten and self.resets else self.r + 1
        self.incumbent, self.challenger = winner, self.queue.pop(0)
        self.score = {self.incumbent: 0, self.challenger: 0}


@pytest.mark.parametrize(("resets", "gap"), [(False, 0), (True, 0), (True, 0.3)])
def test_every_duel_is_the_one_of_the_rule(resets: bool, gap: float) -> None:
    beaten = 0
    for seed in range(10):
        policy = BeatTheWinnerReset(4, gap=gap, seed=seed) if resets else BeatTheWinner(4, seed=seed)
        reference = Reference([int(policy.champion[0]), *map(int, policy.queue)], resets, gap)
        luck = np.random.default_rng(seed)
        for _ in range(1000):
            duel = policy.ask()
            assert (duel.left, duel.right) == (reference.incumbent, reference.challenger)
            outcome = float(luck.random() < MATRIX[duel.left, duel.right])
            policy.tell(duel, outcome)
            reference.told(duel.left if outcome else duel.right)
            beaten += reference.incumbent == duel.right
        assert policy.best() == reference.incumbent
    assert beaten > 30  # or the reset was never put to the test


def test_the_first_order_is_random() -> None:
    orders = [(p.champion[0], *p.queue) for p in (BeatTheWinner(n_arms=3, seed=seed) for seed in range(600))]
    counts = np.array([orders.count(order) for order in set(orders)])
    assert len(counts) == 6
    assert (np.abs(counts - 100) < 40).all()


def test_a_duel_asked_before_the_match_began_is_ignored() -> None:
    policy = BeatTheWinner(n_arms=2, seed=0)  # so that the pair is always the same
    late = policy.ask()
    policy.tell(policy.ask(), 1.0)
    before = {name: table.copy() for name, table in policy.tables().items()}
    policy.tell(late, 0.0)
    assert all((table == before[name]).all() for name, table in policy.tables().items())


def test_the_contract_holds_with_a_gap_too() -> None:
    check_policy(BeatTheWinnerReset, gap=0.3)


@pytest.mark.parametrize(
    ("kind", "instance", "parameters"),
    [
        (BeatTheWinner, "cyclic", {}),
        (BeatTheWinnerReset, "cyclic", {"gap": 0.1}),
        (BeatTheWinnerReset, "arxiv", {"gap": 0.04}),
    ],
)
def test_weak_regret_is_constant_in_time(
    kind: type[BeatTheWinner], instance: str, parameters: dict[str, float]
) -> None:
    result = simulate(kind, instance, 1_000_000, runs=60, seed=1, parameters=parameters)
    curve = result.curve("weak")
    early = int(np.searchsorted(result.checkpoints, 200_000))
    assert curve[:, -1].mean() > 2
    assert (curve[:, -1] == curve[:, early]).all()


def test_with_a_known_gap_weak_regret_grows_as_k_log_k_and_without_as_k_squared() -> None:
    growth = []
    for gap in (0.3, 0.0):
        means = [
            simulate(BeatTheWinnerReset, f"worst-case:arms={arms},epsilon=0.3", 100_000, 300, 4, {"gap": gap})
            .regret("weak")
            .mean
            for arms in (20, 160)
        ]
        growth.append(means[1] / means[0])
    # K ln K grows 14-fold, K^2 64-fold.
    assert 10 < growth[0] < 24
    assert 45 < growth[1] < 85


def test_the_reset_form_follows_a_new_winner_sooner() -> None:
    order = 0.5 + 0.3 * np.sign(np.arange(4)[None, :] - np.arange(4)[:, None])
    before, after = Matrix(order).memory(3100), Matrix(order.T).memory(3100)  # then the order turns round
    found = []
    for kind in (BeatTheWinner, BeatTheWinnerReset):
        run, totals, right = compiled_run(kind, Matrix), np.zeros(len(SUMS)), 0
        for seed in range(400):
            policy, luck = kind(n_arms=4, seed=seed), np.random.default_rng(seed)
            run(policy.memory, before, 0, 3000, totals, policy.rng, luck)
            run(policy.memory, after, 3000, 3100, totals, policy.rng, luck)
            right += policy.best_arm() == 3
        found.append(right)
    assert found[0] < 120  # a quarter of 400, as of a thousand others, and three quarters
    assert found[1] > 260
