import math

import numpy as np
import pytest

from duelist.core.memory import Floats
from duelist.dueling import Duel, simulate
from duelist.dueling.policies.rmed import RMED1, RMED2, RMED2FH

HORIZON = 4000
# Arm 3 beats all by little; arms 0, 1 and 2 beat each other in a cycle by much, so they are cheaper opponents.
CYCLE = np.array([[0.5, 0.9, 0.1, 0.42], [0.1, 0.5, 0.9, 0.42], [0.9, 0.1, 0.5, 0.42], [0.58, 0.58, 0.58, 0.5]])
STEPS = np.array([[0.5 + 0.05 * np.sign(j - i) + 0.05 * (j - i) for j in range(6)] for i in range(6)])


class Reference:
    """Algorithms 1 to 3 with all statistics computed afresh; ties and orders are the policy's."""

    def __init__(self, policy: RMED1) -> None:
        self.policy = policy
        self.arms = range(policy.n_arms)
        self.line = policy.line.tolist()
        self.duels = np.zeros((policy.n_arms, policy.n_arms))
        self.wins = self.duels.copy()
        self.current = self.remaining = list(self.arms)
        self.next: list[int] = []
        self.frozen: list[list[int]] = []  # of each arm, the opponents that are equally cheap
        self.prepare(1)

    def shares(self) -> Floats:
        return np.where(self.duels > 0, self.wins / np.maximum(self.duels, 1), 0.5)

    def divergences(self) -> Floats:
        mean = self.shares()
        return np.array(
            [sum(self.duels[i, j] * kl(mean[i, j]) for j in self.arms if mean[i, j] < 0.5) for i in self.arms]
        )

    def favourite(self) -> int:
        divergences, favourite = self.divergences(), int(self.policy.favourite[0])
        assert divergences[favourite] <= divergences.min() + 1e-9
        return favourite

    def prepare(self, t: int) -> None:
        """Lines 2 and 9: how often every pair must have met, and the pairs that have not."""
        alpha = self.policy.parameter_values().get("alpha", 0.0)
        moment = HORIZON if type(self.policy) is RMED2FH else max(t, 3)
        quota = max(1, math.ceil(alpha * math.log(math.log(moment))))
        pairs = [(i, j) for place, i in enumerate(self.line) for j in self.line[place + 1 :]]
        self.waiting = [pair for pair in pairs for _ in range(quota - int(self.duels[pair]))]

    def cheapest(self, arm: int, favourite: int) -> list[int]:
        """Eq. (5)."""
        mean = self.shares()
        price = {
            j: max(mean[favourite, arm] + mean[favourite, j] - 1, 0.01) / kl(mean[arm, j])
            for j in self.arms
            if mean[arm, j] < 0.5
        }
        return [j for j in price if price[j] <= min(price.values()) * (1 + 1e-9)]

    def opponents(self, arm: int, t: int) -> set[int]:
        """Algorithms 2 and 3: who may duel `arm`, one arm unless prices tie."""
        mean, favourite = self.shares(), self.favourite()
        better = [j for j in self.line if j != arm and mean[arm, j] <= 0.5]
        if favourite in better or not better:
            plain = favourite
        else:
            plain = min((j for j in self.line if j != arm), key=lambda j: mean[arm, j])
        if type(self.policy) is RMED1:
            return {plain}
        choices = self.frozen[arm] if type(self.policy) is RMED2FH else self.cheapest(arm, favourite)
        enough = [
            b in better and self.duels[arm, favourite] >= self.duels[arm, b] / math.log(math.log(t)) for b in choices
        ]
        return {b if enough[k] else plain for k, b in enumerate(choices)} or {plain}

    def check(self, duel: Duel, t: int) -> None:
        if self.waiting:
            assert duel[:2] == self.waiting[0]
            return
        if not self.frozen:
            self.frozen = [self.cheapest(arm, self.favourite()) for arm in self.arms]
        assert duel.left in self.remaining
        assert duel.right in self.opponents(duel.left, t)

    def told(self, duel: Duel, outcome: float, t: int) -> None:
        i, j = duel.left, duel.right
        if i != j:
            self.wins[i, j] += outcome
            self.wins[j, i] += 1 - outcome
            self.duels[i, j] += 1
            self.duels[j, i] += 1
        if self.waiting:
            self.waiting.pop(0)
            return
        self.remaining = [arm for arm in self.remaining if arm != i]
        limit = math.log(t) + 0.3 * self.policy.n_arms**1.01
        divergences = self.divergences()
        for arm in self.arms:
            if arm not in self.remaining and arm not in self.next and divergences[arm] - divergences.min() <= limit:
                self.next.append(arm)
        if not self.remaining:
            self.current = self.remaining = self.next
            self.next = []
            assert sorted(self.policy.sweep[: self.policy.n_sweep[0]]) == sorted(self.current)
            self.prepare(t)


def kl(p: float) -> float:
    """d(p, 1/2)."""
    return sum(q * math.log(2 * q) for q in (p, 1 - p) if q > 0)


def make(kind: type[RMED1], n_arms: int, seed: int) -> RMED1:
    return RMED2FH(n_arms, horizon=HORIZON, seed=seed) if kind is RMED2FH else kind(n_arms, seed=seed)


@pytest.mark.parametrize("kind", [RMED1, RMED2, RMED2FH])
@pytest.mark.parametrize("matrix", [CYCLE, STEPS], ids=["cycle", "steps"])
@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_every_duel_is_the_one_of_the_paper(kind: type[RMED1], matrix: np.ndarray, ties: float) -> None:
    policy, luck = make(kind, len(matrix), 1), np.random.default_rng(2)
    reference, self_duels, cheaper = Reference(policy), 0, 0
    for t in range(1, HORIZON + 1):
        duel = policy.ask()
        reference.check(duel, t)
        outcome = float(luck.random() < matrix[duel.left, duel.right])
        if luck.random() < ties:
            outcome = float(luck.choice([0.5, 0.25, 0.75]))
        self_duels += duel.left == duel.right
        cheaper += duel.right not in (duel.left, policy.favourite[0]) and not reference.waiting
        policy.tell(duel, outcome)
        reference.told(duel, outcome, t)
        assert np.allclose(policy.divergence, reference.divergences(), rtol=0, atol=1e-9)
    winner = int(np.flatnonzero((matrix >= 0.5).all(1))[0])
    assert policy.best() == winner
    assert self_duels > 500  # or the sweeps never narrow
    assert kind is RMED1 or cheaper > 50  # or the cheaper opponents are never met


def test_cheap_opponents_save_regret_where_the_winner_beats_everybody_by_little() -> None:
    regrets = [simulate(kind, CYCLE, 20_000, 60, progress=False).regret().mean for kind in (RMED1, RMED2, RMED2FH)]
    assert regrets[1] < 0.5 * regrets[0]
    assert regrets[2] < 0.5 * regrets[0]


def test_rmed2_makes_up_for_neglected_pairs_as_time_goes_on() -> None:
    policy, counts = RMED2(n_arms=5, seed=0), []
    for t in range(1, 40_001):
        duel = policy.ask()
        policy.tell(duel, float(duel.left < duel.right))
        if t in (300, 40_000):
            duels = (policy.wins + policy.wins.T)[np.triu_indices(5, 1)]
            counts.append(int(duels.min()))
    # alpha ln ln t is 5.2 at t = 300 and 7.1 at t = 40,000.
    assert counts == [6, 8]


def test_a_late_duel_is_learned_from_and_does_not_move_the_sweep() -> None:
    policy = RMED1(n_arms=4, seed=3)
    for _ in range(6):
        policy.tell(policy.ask(), 1.0)
    first, again = policy.ask(), policy.ask()
    assert first[:2] == again[:2]
    assert first.left != first.right
    policy.tell(first, 1.0)
    place, won = int(policy.place[0]), policy.wins[first.left, first.right]
    policy.tell(again, 1.0)
    assert policy.place[0] == place
    assert policy.wins[first.left, first.right] == won + 1
