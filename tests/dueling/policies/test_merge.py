import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from duelist import BadInput, simulate
from duelist.dueling.policies.merge import Merge, MergeDTS, MergeRUCB
from duelist.testing import check_policy

Partition = set[frozenset[int]]


def batches(policy: Merge) -> Partition:
    """The surviving arms, batch by batch, from the policy's memory."""
    part = policy.batches
    seats = (part.members[a : a + n] for a, n in zip(part.first, part.size, strict=True))
    return {frozenset(map(int, policy.arm[s])) for s in list(seats)[: part.n_batches[0]]}


def paired(sizes: list[int], batch_size: int) -> list[int]:
    """The sizes after one merge: smallest with largest, while they fit together."""
    waiting, merged = sorted(sizes), []
    while waiting:
        largest = waiting.pop()
        if waiting and waiting[0] + largest <= 1.5 * batch_size:
            largest += waiting.pop(0)
        merged.append(largest)
    return merged


class Reference:
    """The published procedure with whole matrices of bounds; where it draws, it checks and follows."""

    def __init__(self, policy: Merge) -> None:
        self.policy, self.batches = policy, batches(policy)
        self.wins = np.ones((policy.n_arms, policy.n_arms))
        self.clock, self.stage = policy.delay + 1, 1
        self.exact_merges = self.dropped_at_merges = 0

    def bounds(self) -> np.ndarray:
        n = self.wins + self.wins.T
        upper = self.wins / n + np.sqrt(self.policy.alpha * math.log(self.clock) / n)
        np.fill_diagonal(upper, 0.5)
        return upper

    def told(self, left: int, right: int, outcome: float) -> None:
        self.wins[left, right] += outcome
        self.wins[right, left] += 1 - outcome
        batch = next(b for b in self.batches if left in b)
        upper = self.bounds()
        beaten = {i for i in batch if any(upper[i, j] < 0.5 for j in batch)}
        assert beaten <= {left, right}
        if beaten:
            self.batches = self.batches - {batch} | {batch - beaten}
            self.regroup(batches(self.policy))
        assert batches(self.policy) == self.batches
        self.clock += 1

    def regroup(self, after: Partition) -> None:
        """Take over which batches were merged, once all is as it must be."""
        sizes, size = [len(batch) for batch in self.batches], self.policy.batch_size
        due = sum(sizes) <= self.policy.n_arms // 2**self.stage + 1 and len(sizes) > 1
        if due:
            sizes = paired(sizes, size)
            if min(sizes) <= 0.5 * size:
                sizes = paired(sizes, size)
            self.stage, self.clock = self.stage + 1, self.policy.delay
        arms, left = ({arm for batch in part for arm in batch} for part in (self.batches, after))
        upper = self.bounds()  # with the clock set back, more arms may be beaten
        assert all(any(batch & left <= whole for whole in after) for batch in self.batches)
        assert not any(upper[i, j] < 0.5 for batch in after for i in batch for j in batch)
        assert all((upper[i, list(arms)] < 0.5).any() for i in arms - left)
        self.dropped_at_merges += len(arms - left)
        lonely = sizes.count(1) if len(sizes) > 1 else 0  # they join other batches
        if arms == left:
            assert len(sizes) - lonely <= len(after) <= len(sizes) - (lonely > 0)
            assert lonely or sorted(map(len, after)) == sorted(sizes)
            self.exact_merges += due and not lonely
        self.batches = after


def order(n_arms: int, lead: float) -> np.ndarray:
    """Every arm beats those of higher numbers, the next one by `lead`, others by more."""
    gap = np.subtract.outer(np.arange(n_arms), np.arange(n_arms))
    return 0.5 - np.sign(gap) * np.minimum(lead + 0.02 * np.abs(gap), 0.49)


@pytest.mark.parametrize("kind", [MergeRUCB, MergeDTS])
@pytest.mark.parametrize(("arms", "batch_size", "delay"), [(33, 4, 1000), (33, 4, 1e6), (33, 16, 1e6), (20, 3, 1000)])
def test_batches_shrink_and_merge_as_published(kind: type[Merge], arms: int, batch_size: int, delay: float) -> None:
    matrix, exact, early = order(arms, 0.2), 0, 0
    for seed in range(4):
        policy = kind(n_arms=arms, batch_size=batch_size, delay=delay, seed=seed)
        reference, luck, turns = Reference(policy), np.random.default_rng(seed), list[frozenset[int]]()
        for _ in range(6000):
            duel = policy.ask()
            batch = next(b for b in reference.batches if duel.left in b)
            assert duel.right in batch
            assert (duel.left == duel.right) == (len(batch) == 1)
            turns = [*turns, batch] if all(b in reference.batches for b in turns) else [batch]
            if len(turns) >= len(reference.batches):  # each batch has its turn
                assert set(turns[-len(reference.batches) :]) == reference.batches
            if duel.left == duel.right:
                break
            outcome = 0.5 if luck.random() < 0.1 else float(luck.random() < matrix[duel.left, duel.right])
            policy.tell(duel, outcome)
            reference.told(duel.left, duel.right, outcome)
        assert policy.best() == duel.left == duel.right == 0
        exact, early = exact + reference.exact_merges, early + reference.dropped_at_merges
    assert exact > 0
    assert early > 0 or delay > 1000


def test_a_batch_of_one_arm_joins_another() -> None:
    sizes = {tuple(sorted(map(len, batches(MergeDTS(n_arms=n, batch_size=4, seed=0))))) for n in (4, 5, 8, 9, 10)}
    assert sizes == {(4,), (5,), (4, 4), (4, 5), (2, 4, 4)}


def test_the_champion_is_any_arm_of_the_batch_and_the_challenger_its_most_hopeful() -> None:
    policy, luck = MergeRUCB(n_arms=6, batch_size=6, seed=1), np.random.default_rng(1)
    reference = Reference(policy)
    for _ in range(400):
        duel = policy.ask()
        hopes = reference.bounds()[:, duel.left]
        hopes[duel.left] = 0
        assert hopes[duel.right] > hopes.max() - 1e-12
        outcome = float(luck.random() < order(6, 0.05)[duel.left, duel.right])
        policy.tell(duel, outcome)
        reference.told(duel.left, duel.right, outcome)
    champions = np.bincount([policy.ask().left for _ in range(6000)], minlength=6)
    assert chisquare(champions).pvalue > 1e-4


def test_equally_hopeful_challengers_take_turns_at_random() -> None:
    policy = MergeRUCB(n_arms=4, batch_size=4, seed=0)
    pairs = np.zeros((4, 4))
    for _ in range(6000):
        duel = policy.ask()
        pairs[duel.left, duel.right] += 1
    assert chisquare(pairs[~np.eye(4, dtype=bool)]).pvalue > 1e-4


def test_pairs_are_drawn_as_often_as_from_the_posterior() -> None:
    policy, luck = MergeDTS(n_arms=4, batch_size=4, alpha=5, seed=3), np.random.default_rng(3)
    for _ in range(60):
        duel = policy.ask()
        policy.tell(duel, float(luck.choice([0.0, 0.25, 1.0])))
    seats = policy.seat[np.arange(4)]
    wins = policy.wins[np.ix_(seats, seats)] + 1
    expected, seen, draws = np.zeros((4, 4)), np.zeros((4, 4)), 60_000
    theta = np.full((draws, 4, 4), 0.5)
    for i, j in combinations(range(4), 2):
        theta[:, i, j] = luck.beta(wins[i, j], wins[j, i], draws)
        theta[:, j, i] = 1 - theta[:, i, j]
    score = (theta > 0.5).sum(2)
    tied = score == score.max(1, keepdims=True)
    champions = np.where(tied, luck.random((draws, 4)), -1.0).argmax(1)
    chances = luck.beta(wins.T[champions], wins[champions])
    chances[np.arange(draws), champions] = 2
    np.add.at(expected, (champions, chances.argmin(1)), 1 / 3)
    for _ in range(20_000):
        duel = policy.ask()
        seen[duel.left, duel.right] += 1
    often = expected > 20
    assert often.sum() >= 6
    # The expectation is drawn too, which adds a third to the variance of the difference.
    assert ((seen - expected)[often] ** 2 / (expected[often] * 4 / 3)).sum() < 40
    assert (seen - expected)[~often].sum() < 60


@pytest.mark.parametrize("kind", [MergeRUCB, MergeDTS])
def test_a_late_duel_counts_while_both_arms_are_left(kind: type[Merge]) -> None:
    policy = kind(n_arms=12, batch_size=4, seed=0)
    late = [policy.ask() for _ in range(40)]  # all of one batch
    while all(policy.batches.home[policy.seat[duel.left]] >= 0 for duel in late):
        duel = policy.ask()
        policy.tell(duel, winner=min(duel.left, duel.right))
    counted = 0
    for duel in late:
        before = {name: table.copy() for name, table in policy.tables().items()}
        left = {arm for batch in batches(policy) for arm in batch}
        policy.tell(duel, 0.5)
        same = all((table == before[name]).all() for name, table in policy.tables().items())
        assert same == (not {duel.left, duel.right} <= left)
        counted += not same
    assert 0 < counted < len(late)


def test_the_delay_of_the_theory() -> None:
    policy = MergeRUCB(n_arms=136, alpha=1.01, epsilon=0.01, batch_size=4)
    assert math.isclose(math.exp(policy.log_delay[0]), (3.04 * 136**2 / (1.02 * 0.01)) ** (1 / 1.02), rel_tol=1e-9)
    assert math.isclose(math.exp(MergeDTS(n_arms=136).log_delay[0]), 400_000)
    with pytest.raises(BadInput, match="needs alpha above"):
        MergeDTS(n_arms=136, epsilon=0.01)


def test_the_contract_holds_with_several_batches() -> None:
    check_policy(MergeRUCB, batch_size=2)


@pytest.mark.parametrize(("kind", "regret", "deviation"), [(MergeRUCB, 5647, 150), (MergeDTS, 5218, 185)])
def test_regret_on_136_rankers_is_that_of_an_independent_simulation(
    kind: type[Merge], regret: float, deviation: float, data: Callable[[str], Path]
) -> None:
    result = simulate(kind, data("preferences/MSLR_Navigational_PMat.npz"), 100_000, runs=30, seed=7)
    assert abs(result.regret().mean - regret) < 3 * deviation * math.sqrt(1 / 16 + 1 / 30)
