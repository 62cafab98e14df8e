"""Each class here has one mistake, and the suites say in one sentence which, and where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duelist import Duel, Policy
from duelist.clicks import cascade
from duelist.core.memory import Flags, Floats, Ints, parameter, per_arm, single
from duelist.core.sampling import argmax, below
from duelist.interleaving import Shown, TeamDraft
from duelist.interleaving.method import Method, Rankings
from duelist.online import Learner
from duelist.online.page import Page
from duelist.testing import check_interleaving, check_learner, check_policy


class Sound(Policy):
    """Nothing is wrong with it, but that it learns little."""

    speed: float = parameter(1.0, "of nothing")
    count: Ints = single(int)
    rate: Floats = per_arm(fill=0.5)

    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return Duel(below(self.n_arms, rng), argmax(self.rate, rng), t)

    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        self.rate[duel.left] += (outcome - self.rate[duel.left]) / t

    def best_arm(self) -> int:
        return int(self.rate.argmax())


class AssignsSingle(Sound):
    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        self.count = self.count + 1


class AssignsArray(Sound):
    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        self.rate += 0.5


class AssignsParameter(Sound):
    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        self.speed *= 0.5


class Undeclared(Sound):
    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return Duel(self.champion, 0, t)  # type: ignore[attr-defined]


class ReturnsTuple(Sound):
    def choose(self, t: int, rng: np.random.Generator) -> Any:
        return 1, 0


class BeyondTheLast(Sound):
    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return Duel(self.n_arms, 0, t)


class HalfAnArm(Sound):
    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return Duel(self.n_arms / 2, 0, t)


class OwnLuck(Sound):
    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return Duel(np.random.randint(self.n_arms), 0, t)


class Formats(Sound):
    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        return Duel(int(float(f"{self.rate[0]:.0f}")), 0, t)


class Sorts(Sound):
    def choose(self, t: int, rng: np.random.Generator) -> Duel:
        order = sorted(range(self.n_arms), key=lambda arm: -self.rate[arm])
        return Duel(order[0], order[1], t)


class Divides(Sound):
    def update(self, duel: Duel, outcome: float, t: int, rng: np.random.Generator) -> None:
        self.rate[duel.left] = 1 / (t - 1)


HERE = r"line \d+ of test_source.py: "


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (AssignsSingle, rf"AssignsSingle.update, {HERE}`self.count = .*`: .* in place: self.count\[0\] = ..."),
        (AssignsArray, rf"AssignsArray.update, {HERE}`self.rate \+= 0.5`: .* in place: self.rate\[:\] = ..."),
        (
            AssignsParameter,
            rf"AssignsParameter.update, {HERE}`self.speed .*`: .* is declared by single\(\)",
        ),
        (
            Undeclared,
            rf"Undeclared.choose, {HERE}.*self.champion is not declared; .* n_arms, speed, count, rate,",
        ),
        (ReturnsTuple, r"returns-tuple: at t=1 choose returned \(1, 0\), not a Duel: Duel\(left, right, t\)"),
        (BeyondTheLast, "beyond-the-last: at t=1 choose returned the arm 5; 5 arms are 0 to 4"),
        (HalfAnArm, "half-an-arm: at t=1 choose returned the arm 2.5; 5 arms are 0 to 4"),
        (OwnLuck, rf"OwnLuck.choose, {HERE}.*np.random is used; draw from rng"),
        (Formats, rf"Formats: numba cannot compile {HERE}`return .*`: format spec in f-strings not supported"),
        (Sorts, rf"Sorts: numba cannot compile {HERE}`order = sorted.*`: .*in a function that may escape"),
        (Divides, rf"Divides.update fails at {HERE}`self.rate.*`: ZeroDivisionError"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_policys_mistake_is_one_sentence(broken: type[Policy], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint) as error:
        check_policy(broken)
    assert len(str(error.value).splitlines()) == 1


def test_a_class_inside_a_function_is_noticed() -> None:
    from duelist.testing.policy import check_other_process

    class Local(Sound):
        pass

    home = "test_a_class_inside_a_function_is_noticed"
    with pytest.raises(AssertionError, match=f"Local is defined inside {home}, .* define it at the top of a module"):
        check_other_process(Local, {})


class LuckyLearner(Learner):
    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        impression.count[0] = min(page.size, self.length)
        for slot in range(impression.count[0]):
            impression.shown[slot] = np.random.randint(page.size)

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        self.weights[0, 0] += clicked[0]


class AssigningLearner(Learner):
    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        impression.count[0] = 0

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        self.weights = self.weights + 1.0


class PrintingLearner(Learner):
    def choose(self, page: Page, impression: Any, rng: np.random.Generator) -> None:
        impression.count[0] = len(f"{page.size:.1f}")

    def update(self, impression: Any, clicked: Flags, rng: np.random.Generator) -> None:
        self.weights[0, 0] += clicked[0]


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (LuckyLearner, rf"LuckyLearner.choose, {HERE}.*np.random is used; draw from rng"),
        (AssigningLearner, rf"AssigningLearner.update, {HERE}.*self.weights is assigned; .*self.weights\[:\] = ..."),
        (PrintingLearner, rf"PrintingLearner: numba cannot compile {HERE}.*format spec in f-strings not supported"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_learners_mistake_is_one_sentence(broken: type[Learner], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_learner(broken)


class TwoAlone(TeamDraft):
    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        first, second = rankings
        return super().combine((first, second), length, rng)


class TwoScores(TeamDraft):
    def credit(self, shown: Shown, clicks: Any) -> Floats:
        return super().credit(shown, clicks)[:2]


class NoShown(TeamDraft):
    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Any:
        return list(next(iter(rankings)))


class Unrepeatable(TeamDraft):
    def combine(self, rankings: Rankings, length: int, rng: np.random.Generator) -> Shown:
        return super().combine(rankings, length, np.random.default_rng())


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (TwoAlone, r"two-alone fails with 3 rankings \(a method for two rankings alone says only_two = True\): ValueE"),
        (TwoScores, r"two-scores: credit gives 2 scores for 3 rankings \(a method for two"),
        (NoShown, r"no-shown: combine must return a Shown, not \['a', 'b'"),
        (Unrepeatable, rf"Unrepeatable.combine, {HERE}.*np.random is used; draw from rng"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_methods_mistake_is_one_sentence(broken: type[Method], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_interleaving(broken)


def test_every_built_in_class_is_without_these_mistakes() -> None:
    from duelist.dueling.policy import POLICIES
    from duelist.online.learner import LEARNERS
    from duelist.testing.source import check_kernels

    assert cascade("perfect") is not None  # families are loaded
    for name in POLICIES:
        kind = POLICIES.get(name)
        if kind.__module__.startswith("duelist."):
            settings: dict[str, Any] = {"horizon": 1000} if "horizon" in kind.parameters() else {}
            check_kernels(kind, kind(5, seed=0, **settings).memory, ("start", "choose", "update"))
    for name in LEARNERS:
        learner = LEARNERS.get(name)
        if learner.__module__.startswith("duelist."):
            check_kernels(learner, learner(4, seed=0).memory, ("start", "choose", "update"))
