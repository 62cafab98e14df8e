"""Quicksorts that are counted: the fact they rest on, by enumeration; every step, against lists; how often wrong."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, permutations, product
from types import SimpleNamespace

import numpy as np
import pytest

from duelist import PLAMPR, PLPAC
from duelist.core.compile import plain
from duelist.core.memory import Floats
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.policies.plackett_luce import sure_lead
from duelist.dueling.until import until_certain

Pair = tuple[int, int]
Chances = dict[Pair, Fraction]  # that the first beats the second


def chances_of(strengths: list[int]) -> Chances:
    return {(i, j): Fraction(v, v + w) for i, v in enumerate(strengths) for j, w in enumerate(strengths) if i != j}


def matrix_of(strengths: list[float]) -> Floats:
    values = np.array(strengths, float)
    return np.asarray(values[:, None] / (values[:, None] + values))


# The fact


def sorts(arms: tuple[int, ...], budget: int, chances: Chances) -> dict[tuple[frozenset[Pair], int], Fraction]:
    """Every way a quicksort may go: the pairs it puts in order and the comparisons left, with its probability."""
    if len(arms) < 2 or budget == 0:
        return {(frozenset(), budget): Fraction(1)}
    found: dict[tuple[frozenset[Pair], int], Fraction] = defaultdict(Fraction)
    for pivot in arms:
        others = [arm for arm in arms if arm != pivot]
        met = others[:budget]
        for wins in product((True, False), repeat=len(met)):
            chance = Fraction(1, len(arms))
            for arm, won in zip(met, wins, strict=True):
                chance *= chances[arm, pivot] if won else chances[pivot, arm]
            first = tuple(arm for arm, won in zip(met, wins, strict=True) if won)
            last = tuple(arm for arm, won in zip(met, wins, strict=True) if not won)
            apart = frozenset([*product(first, (pivot, *last)), *product((pivot,), last)])
            if len(met) < len(others):
                found[apart, 0] += chance
                continue
            for (one, left), here in sorts(first, budget - len(met), chances).items():
                for (two, rest), there in sorts(last, left, chances).items():
                    found[apart | one | two, rest] += chance * here * there
    return found


def put_first(arms: int, budget: int, chances: Chances) -> Chances:
    """How probable it is that a sort puts the first arm of a pair before the second."""
    total: Chances = defaultdict(Fraction)
    for (pairs, _), chance in sorts(tuple(range(arms)), budget, chances).items():
        for pair in pairs:
            total[pair] += chance
    return total


@pytest.mark.parametrize("strengths", [[5, 3, 1], [7, 4, 4, 1]])
def test_a_pair_that_a_sort_decides_is_decided_as_by_a_duel_whatever_the_budget(strengths: list[int]) -> None:
    chances, arms = chances_of(strengths), len(strengths)
    for budget in range(1, arms * (arms - 1) // 2 + 1):
        first = put_first(arms, budget, chances)
        for i, j in combinations(range(arms), 2):
            decided = first[i, j] + first[j, i]
            assert first[i, j] == chances[i, j] * decided
            assert decided > 0 or budget < arms - 1
    assert decided == 1  # with this budget all pairs are


def test_under_sst_the_better_arm_comes_first_in_half_of_them_or_more_and_not_without() -> None:
    steps = {(i, j): Fraction(1, 2) + Fraction(j - i, 10) for i, j in permutations(range(4), 2)}
    # Arm 0 beats all, each narrowly; arm 1 beats arm 2 nearly always. As pivot, arm 2 puts 1 before 0.
    narrow = {(0, 1): Fraction(51, 100), (0, 2): Fraction(51, 100), (1, 2): Fraction(99, 100)}
    narrow |= {(j, i): 1 - chance for (i, j), chance in narrow.items()}
    for budget in range(1, 7):
        first = put_first(4, budget, steps)
        assert all(first[i, j] >= first[j, i] for i, j in combinations(range(4), 2))
    first = put_first(3, 2, narrow)
    assert first[0, 1] < first[1, 0]


@pytest.mark.parametrize("kind", [PLPAC, PLAMPR])
def test_what_is_counted_agrees_with_the_strengths(kind: type[PLPAC | PLAMPR]) -> None:
    chances, luck = matrix_of([8, 4, 2, 1]), np.random.default_rng(7)
    policy = kind(n_arms=4, delta=1e-300, seed=7)  # so small that nothing is known for long
    for _ in range(8000):
        duel = policy.ask()
        policy.tell(duel, float(luck.random() < chances[duel.left, duel.right]))
    assert policy.certain() is None
    n = policy.before + policy.before.T
    off = ~np.eye(4, dtype=bool)
    assert n[off].min() > 900
    apart = (policy.before - n * chances) / np.sqrt(np.where(off, n, 1.0) * chances * (1 - chances))
    assert np.abs(apart[off]).max() < 4


def radius(n: int, arms: int, delta: float) -> float:
    return math.sqrt(math.log(4 * arms**2 * n**2 / delta) / (2 * n))


def test_all_radii_together_fail_less_often_than_promised() -> None:
    """With radii 30 % smaller the sum has no end."""
    arms, delta, total = 6, 0.1, 0.0
    for n in range(1, 3000):
        told = SimpleNamespace(n_arms=arms, delta=delta, before=np.array([[0.0, n], [0.0, 0.0]]))
        total += math.comb(arms, 2) * 2 * math.exp(-2 * n * (0.5 - plain(sure_lead)(told, 0, 1)) ** 2)
    assert total == pytest.approx(delta * math.pi**2 / 24 * (1 - 1 / arms), rel=1e-3)
    assert total < 0.42 * delta


# Step by step


class Told:
    """Plays a policy, sort by sort, with lists; each duel must be one that is expected."""

    def __init__(self, policy: PLPAC | PLAMPR, preference: Floats) -> None:
        self.policy, self.preference, self.luck = policy, preference, np.random.default_rng(4)
        self.before: dict[Pair, int] = defaultdict(int)

    def around_pivot(self, arms: list[int]) -> tuple[list[int], int, list[int]]:
        """Those who won against the pivot that the policy drew, the pivot, and the others."""
        pivot = int(self.policy.sorting.order[self.policy.sorting.low[0]])
        assert pivot in arms
        won: list[int] = []
        lost: list[int] = []
        for _ in range(len(arms) - 1):
            duel = self.policy.ask()
            assert duel.right == pivot
            assert duel.left in set(arms) - {pivot, *won, *lost}
            outcome = float(self.luck.random() < self.preference[duel.left, pivot])
            (won if outcome else lost).append(duel.left)
            self.policy.tell(duel, outcome)
        return won, pivot, lost

    def sort(self, arms: list[int]) -> list[int]:
        if len(arms) < 2:
            return arms
        won, pivot, lost = self.around_pivot(arms)
        behind = self.sort(lost)  # which the policy sorts first
        return [*self.sort(won), pivot, *behind]

    def count(self, pairs: list[Pair]) -> None:
        for pair in pairs:
            self.before[pair] += 1
        arms = range(self.policy.n_arms)
        assert self.policy.before.tolist() == [[self.before[i, j] for j in arms] for i in arms]

    def lead(self, i: int, j: int) -> float:
        n = self.before[i, j] + self.before[j, i]
        return self.before[i, j] / n - 0.5 - radius(n, self.policy.n_arms, self.policy.delta) if n else -1.0

    def close(self, i: int, j: int) -> bool:
        return min(self.lead(i, j), self.lead(j, i)) > -self.policy.epsilon


@pytest.mark.parametrize(("ratio", "epsilon"), [(1.6, 0.0), (1.3, 0.08)])
def test_one_pivot_after_the_other_until_an_arm_is_good_enough(ratio: float, epsilon: float) -> None:
    policy = PLPAC(n_arms=5, epsilon=epsilon, delta=0.1, seed=3)
    told, left, good = Told(policy, matrix_of([ratio**-i for i in range(5)])), list(range(5)), list[int]()
    while not good:
        assert policy.certain() is None
        assert policy.best() in left
        won, pivot, lost = told.around_pivot(left)
        told.count([*product(won, [pivot, *lost]), *product([pivot], lost)])
        left = [i for i in left if not any(told.lead(j, i) > 0 for j in left)]
        good = [i for i in left if all(told.lead(i, j) > -epsilon for j in left if j != i)]
        assert sorted(policy.sorting.order[: policy.n_left[0]].tolist()) == left
    certainty = policy.certain()
    assert certainty is not None
    assert certainty.duels == policy.told
    assert certainty.arm in good
    settled = policy.ask()
    assert settled.left == settled.right == policy.best() == certainty.arm


def parted(block: list[int], known: set[Pair]) -> list[list[int]]:
    """The block as parts, as many as can be: all arms of each are known to be better than all of the next."""
    for size in range(1, len(block)):
        for first in combinations(block, size):
            rest = [arm for arm in block if arm not in first]
            if set(product(first, rest)) <= known:
                return [list(first), *parted(rest, known)]
    return [block]


def closed(known: set[Pair]) -> set[Pair]:
    more = known | {(one[0], two[1]) for one, two in product(known, known) if one[1] == two[0]}
    return known if more == known else closed(more)


@pytest.mark.parametrize(("ratio", "epsilon"), [(1.5, 0.0), (1.3, 0.15)])
def test_blocks_are_sorted_in_turn_until_each_is_settled(ratio: float, epsilon: float) -> None:
    policy = PLAMPR(n_arms=5, epsilon=epsilon, delta=0.1, seed=5)
    told, known = Told(policy, matrix_of([ratio**-i for i in range(5)])), set[Pair]()
    blocks, turn = [list(range(5))], 0

    def is_open(block: list[int]) -> bool:
        return not all(told.close(i, j) or {(i, j), (j, i)} & known for i, j in combinations(block, 2))

    while any(is_open(block) for block in blocks):
        assert policy.certain() is None
        assert sorted(policy.ranking()) == [0, 1, 2, 3, 4]
        if is_open(blocks[turn]):
            told.count(list(combinations(told.sort(blocks[turn]), 2)))
            known = closed(known | {pair for pair in permutations(blocks[turn], 2) if told.lead(*pair) > 0})
            parts = parted(blocks[turn], known)
            blocks[turn : turn + 1] = parts
            turn += len(parts) - 1
        turn = (turn + 1) % len(blocks)
    certainty = policy.certain()
    assert certainty is not None
    assert certainty.arm == policy.ranking()
    assert certainty.duels == policy.told
    order = iter(certainty.arm)
    for block in blocks:
        assert {next(order) for _ in block} == set(block)
    assert all((j, i) not in known for i, j in combinations(certainty.arm, 2))
    # With epsilon a block is left in which neighbours are close, and others known.
    assert epsilon == 0 or any(known & set(permutations(block, 2)) for block in blocks)
    assert epsilon > 0 or len(blocks) == 5
    settled = policy.ask()
    assert settled.left == settled.right == policy.best() == certainty.arm[0]


# How often wrong


@pytest.mark.parametrize("kind", ["pl-pac", "pl-ampr"])
@pytest.mark.parametrize(("ratio", "runs"), [(2.0, 300), (1.1, 100)])
def test_easy_and_near_arms_are_answered_wrongly_no_more_often_than_promised(
    kind: str, ratio: float, runs: int
) -> None:
    ended = until_certain(f"{kind}:delta=0.1", matrix_of([ratio**-i for i in range(4)]), runs)
    right = (0,) if kind == "pl-pac" else (0, 1, 2, 3)
    assert (ended.duels > 0).all()
    assert sum(answer != right for answer in ended.answers) <= runs // 10


def test_where_sst_holds_and_strengths_do_not_answers_are_right_too() -> None:
    preference = arithmetic(arms=4, step=0.12).preference
    for kind, right in (("pl-pac", (0,)), ("pl-ampr", (0, 1, 2, 3))):
        ended = until_certain(f"{kind}:delta=0.1", preference, 100)
        assert sum(answer != right for answer in ended.answers) <= 10


def test_arms_as_good_as_each_other_are_told_apart_up_to_epsilon_alone() -> None:
    twins = matrix_of([2, 2, 1, 1])
    for kind in ("pl-pac", "pl-ampr"):
        assert (until_certain(kind, twins, 3, most=20_000).duels == -1).all()
    best = until_certain("pl-pac:epsilon=0.08", twins, 30)
    assert {answer[0] for answer in best.answers} == {0, 1}
    orders = until_certain("pl-ampr:epsilon=0.08", twins, 30)
    assert {frozenset(answer[:2]) for answer in orders.answers} == {frozenset({0, 1})}


def test_a_circle_comes_to_an_end() -> None:
    circle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    policy, luck = PLPAC(n_arms=3, delta=0.5, seed=1), np.random.default_rng(1)
    policy.before[...] = 100 * circle
    for _ in range(2):
        duel = policy.ask()
        policy.tell(duel, float(luck.random() < 0.5))
    assert policy.certain() is not None
