import math

import numpy as np
import pytest

from duelist import IF1, IF2, BadInput, simulate

MATRIX = np.array([[0.5, 0.8, 0.8, 0.9], [0.2, 0.5, 0.7, 0.8], [0.2, 0.3, 0.5, 0.7], [0.1, 0.2, 0.3, 0.5]])


class Reference:
    """Algorithms 2 and 3 of the COLT paper, line by line."""

    def __init__(self, policy: IF2) -> None:
        self.prune = policy.prune
        self.strength = policy.radius_constant * math.log(policy.horizon * policy.n_arms**2)
        self.incumbent = int(policy.incumbent[0])
        self.waiting = [int(arm) for arm in policy.waiting[: policy.n_waiting[0]]]
        self.won = dict.fromkeys(self.waiting, 0.0)
        self.n = 0
        self.queue = list(self.waiting)

    def next(self) -> tuple[int, int]:
        return (self.incumbent, self.queue[0]) if self.waiting else (self.incumbent, self.incumbent)

    def told(self, outcome: float) -> None:
        if not self.waiting:
            return
        self.won[self.queue.pop(0)] += outcome
        if not self.queue:
            self.n += 1
            self.finish_sweep()
            self.queue = list(self.waiting)

    def finish_sweep(self) -> None:
        radius = math.sqrt(self.strength / self.n)
        share = {arm: self.won[arm] / self.n for arm in self.waiting}
        self.waiting = [arm for arm in self.waiting if not share[arm] - radius > 0.5]
        better = [arm for arm in self.waiting if share[arm] + radius < 0.5]
        if better:
            if self.prune:
                self.waiting = [arm for arm in self.waiting if not share[arm] > 0.5]
            self.incumbent = min(better, key=lambda arm: share[arm])
            self.waiting.remove(self.incumbent)
            self.won = dict.fromkeys(self.waiting, 0.0)
            self.n = 0


@pytest.mark.parametrize("kind", [IF1, IF2])
@pytest.mark.parametrize("constant", [1.0, 4.0])
def test_every_duel_is_the_one_of_the_paper(kind: type[IF2], constant: float) -> None:
    for seed in range(6):
        policy = kind(n_arms=4, horizon=1500, radius_constant=constant, seed=seed)
        reference, luck = Reference(policy), np.random.default_rng(seed)
        for _ in range(1500):
            duel = policy.ask()
            assert (duel.left, duel.right) == reference.next()
            outcome = float(luck.random() < MATRIX[duel.left, duel.right])
            policy.tell(duel, outcome)
            reference.told(outcome)
        assert policy.best() == reference.incumbent


def test_a_duel_told_after_its_turn_is_ignored() -> None:
    policy = IF2(n_arms=3, horizon=100, seed=0)
    first, again = policy.ask(), policy.ask()
    policy.tell(first, 1.0)
    before = {name: table.copy() for name, table in policy.tables().items()}
    policy.tell(again, 1.0)
    assert all((table == before[name]).all() for name, table in policy.tables().items())


def test_both_filters_start_alike_and_only_one_prunes() -> None:
    settings = {"radius_constant": 1.0}
    regrets = [simulate(kind, "worst-case:arms=30", 200_000, 60, 1, settings).regret().mean for kind in (IF1, IF2)]
    assert regrets[0] > 1.3 * regrets[1]


def test_the_horizon_must_be_given() -> None:
    with pytest.raises(BadInput, match="IF2 needs horizon"):
        IF2(n_arms=3)
