"""The contract notices what it says it notices: each policy here is broken in one way."""

import math
from typing import Any

import numpy as np
import pytest

from duelist import Duel, Policy
from duelist.core.compile import kernel
from duelist.core.memory import Floats, Ints, per_arm, per_pair, scratch, single
from duelist.core.sampling import argmax, below
from duelist.testing import check_policy
from duelist.testing.policy import check_applied, check_copies, check_json, check_other_process, check_scratch, trace


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


class SettlesByLuck(Greedy):
    """Derives a part of its state when it chooses, by luck: the same luck gives the same, other luck does not."""

    lately: Ints = single(int)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        explore = rng.random() < 20.0 / t
        self.lately[0] = below(self.n_arms, rng)
        best = argmax(self.rate, rng)
        return Duel(self.lately[0] if explore else best, best, t)


class RemembersInScratch(Greedy):
    """Counts its duels where nothing may be kept."""

    count: Ints = scratch(lambda k: (1,), int)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        self.count[0] += 1
        best = argmax(self.rate, rng)
        return Duel(below(self.n_arms, rng) if self.count[0] < 100 else best, best, t)


class PointsIntoScratch(Greedy):
    """Takes an arm from where nothing may be kept."""

    last: Ints = scratch(lambda k: (1,), int)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        self.rate[self.last[0]] += 0.0
        self.last[0] = duel.left
        if duel.left != duel.right:
            learn(self, duel, outcome)


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


def test_a_trace_is_the_same_twice_and_has_no_ids() -> None:
    first = trace(Greedy, {})
    assert first == trace(Greedy, {})
    assert {len(duel) for duel in first["duels"]} == {5}
    assert not {"open", "closed"} & first.keys()


@pytest.mark.parametrize(
    ("broken", "complaint"), [(RemembersInScratch, "it chose"), (PointsIntoScratch, "out of bounds")]
)
def test_what_is_kept_in_scratch_is_noticed(broken: type[Policy], complaint: str) -> None:
    with pytest.raises(AssertionError, match=f"it read what was left in its scratch: .*{complaint}"):
        check_scratch(lambda: broken(5, seed=0))


def test_draws_that_matter_to_what_is_applied_are_noticed() -> None:
    with pytest.raises(AssertionError, match="what was drawn in between matters: lately"):
        check_applied(lambda: SettlesByLuck(5, seed=0))


def test_luck_of_its_own_used_by_a_draw_is_noticed() -> None:
    class Spends(Greedy):
        def draw(self, luck: np.random.Generator) -> Duel:
            return super().draw(self.rng)

    with pytest.raises(AssertionError, match="used up the policy's own luck"):
        check_applied(lambda: Spends(5, seed=0))


def test_ids_that_come_again_are_noticed() -> None:
    class Counts(Greedy):
        def ask(self, id: str | None = None, *, n: Any = None) -> Any:
            return super().ask(id or f"{self.asked}")

    with pytest.raises(AssertionError, match="a copy by JSON issued the id '21' of another"):
        check_copies(lambda: Counts(5, seed=0))


def test_a_copy_that_shares_arrays_is_noticed() -> None:
    class Shares(Greedy):
        def __deepcopy__(self, memo: Any) -> Policy:
            return self

    with pytest.raises(AssertionError, match="what a copy was told changed the original"):
        check_copies(lambda: Shares(5, seed=0))


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
