"""The contract notices what it says it notices: each policy here is broken in one way."""

import math
from typing import Any

import numpy as np
import pytest

from duelist import Duel, Policy
from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, per_arm, per_pair, single
from duelist.core.sampling import argmax, below
from duelist.testing import check_policy
from duelist.testing.policy import check_json, check_other_process


class Greedy(Policy):
    """A policy that keeps the contract: win rates with decaying exploration."""

    wins: Floats = per_arm(fill=1)
    duels: Floats = per_arm(fill=2)
    rate: Floats = per_arm(fill=0.5)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        explore = min(1.0, 20.0 / t)
        left = below(self.n_arms, rng) if rng.random() < explore else argmax(self.rate, rng)
        right = below(self.n_arms, rng) if rng.random() < explore else argmax(self.rate, rng)
        return Duel(left, right, t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if duel.left != duel.right:
            learn(self, duel, outcome)

    def best_arm(self) -> int:
        return int(self.rate.argmax())


@kernel
def learn(self: Any, duel: Duel, outcome: float) -> None:
    self.wins[duel.left] += outcome
    self.wins[duel.right] += 1 - outcome
    for arm in (duel.left, duel.right):
        self.duels[arm] += 1
        self.rate[arm] = self.wins[arm] / self.duels[arm]


class NeverSettles(Greedy):
    """Its champion never duels itself."""

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        left = argmax(self.rate, rng)
        right = below(self.n_arms - 1, rng)
        return Duel(left, right + (right >= left), t)


class LikesLowNumbers(Greedy):
    """Breaks ties by the number of the arm."""

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        explore = min(1.0, 20.0 / t)
        right = below(self.n_arms, rng) if rng.random() < explore else self.rate.argmax()
        return Duel(self.rate.argmax(), right, t)


class AdvancesInChoose(Greedy):
    """Goes round the arms when asked instead of when told."""

    place: Ints = single(int)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        self.place[0] = (self.place[0] + 1) % self.n_arms
        explore = rng.random() < 20.0 / t
        best = argmax(self.rate, rng)
        return Duel(self.place[0] if explore else best, best, t)


class WrongBest(Greedy):
    """Names the worst arm."""

    def best_arm(self) -> int:
        return int(self.rate.argmin())


class TripsOverLateTells(Greedy):
    """Believes that every duel is told before the next is asked."""

    last: Floats = single(float, 1)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        if t > duel.t:
            self.last[0] = math.inf
        if duel.left != duel.right:
            learn(self, duel, outcome)


class CompiledDiffers(Greedy):
    """Integer overflow: wraps when compiled, does not as plain Python."""

    seen: Ints = single(int)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        self.seen[0] = 1 if t * 2**62 * 4 > 0 else 0
        if duel.left != duel.right:
            learn(self, duel, outcome)


class StartDoesNotCompile(Greedy):
    """Uses what numba cannot compile, where a holder would need it."""

    def start(self, rng: np.random.Generator) -> None:
        self.rate[:] = [float(f"{0.5:.1f}") for _ in range(self.n_arms)]


class OneArmIsFine(Greedy):
    """Takes a single arm."""

    def __init__(self, n_arms: int | None = None, **rest: Any) -> None:
        super().__init__(max(2, n_arms or 2), **rest)


LUCK = np.random.default_rng()


class ForgetsInJson(Greedy):
    """Keeps a part of its state outside its declared memory."""

    def __init__(self, *args: Any, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.wins[:] = LUCK.random(len(self.rate))


class RefusesTwoArms(Greedy):
    """Divides by zero with two arms."""

    ratio: Floats = per_pair()

    def start(self, rng: np.random.Generator) -> None:
        self.ratio[0, 0] = math.log(self.n_arms - 2)


def test_a_sound_policy_passes() -> None:
    check_policy(Greedy)


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (NeverSettles, "strong regret still grows"),
        (LikesLowNumbers, "the order of the arms matters"),
        (AdvancesInChoose, "progress belongs in update|asked again"),
        (WrongBest, r"best\(\) is right|best arm was found 0 times"),
        (TripsOverLateTells, "after late tells, last holds infinite"),
        (CompiledDiffers, "compiled and plain Python remember different things: seen"),
        (OneArmIsFine, "one arm must be refused"),
    ],
)
def test_a_broken_policy_is_noticed(broken: type[Policy], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint), np.errstate(all="ignore"):
        check_policy(broken)


def test_a_start_that_does_not_compile_is_noticed() -> None:
    with pytest.raises(Exception, match="not supported"):
        check_policy(StartDoesNotCompile)


def test_two_arms_must_work() -> None:
    with pytest.raises(ValueError, match="math domain error"):
        check_policy(RefusesTwoArms)


def test_luck_from_outside_is_noticed_in_another_process() -> None:
    with pytest.raises(AssertionError, match="ran differently in another process"):
        check_other_process(ForgetsInJson, {})


def test_state_that_json_does_not_carry_is_noticed() -> None:
    class Hidden(Greedy):
        def tell(self, *args: Any, **rest: Any) -> None:
            self.count = getattr(self, "count", 0) + 1
            super().tell(*args, **rest)
            if self.count > 200:
                self.rate[0] = 0.9

    with pytest.raises(AssertionError, match=r"instead of|another state"):
        check_json(lambda: Hidden(5, seed=0))
