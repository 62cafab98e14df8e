import math
from collections.abc import Generator

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import betaln, rel_entr

from duelist.dueling.policies.scb import SCB
from duelist.dueling.simulate import simulate

# Arm 0 beats all but arm 4; every other arm beats two at most.
CYCLE = np.array(
    [
        [0.5, 0.9, 0.8, 0.9, 0.2],
        [0.1, 0.5, 0.8, 0.9, 0.1],
        [0.2, 0.2, 0.5, 0.8, 0.8],
        [0.1, 0.1, 0.2, 0.5, 0.9],
        [0.8, 0.9, 0.2, 0.1, 0.5],
    ]
)


def bound(mean: float, budget: float, end: float) -> float:
    """How far a chance can be from `mean`, towards 0 or 1, with a divergence within the budget."""
    if mean == end:
        return end
    edge = abs(end - 1e-15)
    return float(brentq(lambda q: rel_entr(mean, q) + rel_entr(1 - mean, 1 - q) - budget, mean, edge, xtol=1e-14))


class Transcription:
    """Algorithms 2 to 4, with the luck of the policy; every bound of every arm is looked for."""

    def __init__(self, n_arms: int, seed: int) -> None:
        self.n_arms, self.rng = n_arms, np.random.default_rng(np.random.SeedSequence(seed))
        self.eliminated = self.all_known = 0

    def below(self, n: int) -> int:
        return int(self.rng.random() * n)

    def opponent(self, arm: int) -> int:
        return [other for other in range(self.n_arms) if other != arm][self.below(self.n_arms - 1)]

    def duels(self) -> Generator[tuple[int, int], float]:
        """Each duel in turn; its outcome is sent back."""
        for r in range(1, 6):
            length = 2 ** (2**r)
            yield from self.solve(length, math.log(length) / length)

    def solve(self, length: int, delta: float) -> Generator[tuple[int, int], float]:
        arms = list(range(self.n_arms))
        for last in range(self.n_arms - 1, 0, -1):
            other = self.below(last + 1)
            arms[last], arms[other] = arms[other], arms[last]
        wins, gains, pulls, made = np.zeros((self.n_arms, self.n_arms)), np.zeros(self.n_arms), 0, 0
        known: dict[tuple[int, int], bool] = {}
        opponent = self.opponent(arms[0])
        while True:
            for place, arm in enumerate(arms):
                while (arm, opponent) not in known:
                    outcome = yield arm, opponent
                    made += 1
                    if made == length:
                        return
                    wins[arm, opponent] += outcome
                    wins[opponent, arm] += 1 - outcome
                    won, lost = wins[arm, opponent], wins[opponent, arm]
                    if betaln(won + 1, lost + 1) + (won + lost) * math.log(2) >= math.log(self.n_arms**2 / delta):
                        known[arm, opponent], known[opponent, arm] = won > lost, won < lost
                gains[arm] += known[arm, opponent]
                if place + 1 < len(arms):
                    opponent = self.opponent(arms[place + 1])
            pulls += 1
            arms = self.eliminate(arms, gains / pulls, pulls, delta)
            winner = self.decide(arms, known)
            opponent = self.opponent(arms[0])
            if winner >= 0:
                while made < length:
                    yield winner, winner
                    made += 1
                return

    def eliminate(self, arms: list[int], means: np.ndarray, pulls: int, delta: float) -> list[int]:
        if pulls < 2:
            return arms
        budget = (math.log(4 * pulls * self.n_arms / delta) + 2 * math.log(math.log(pulls))) / pulls
        low = max(bound(means[arm], budget, 0) for arm in arms)
        left = [arm for arm in arms if bound(means[arm], budget, 1) >= low]
        self.eliminated += len(left) < len(arms)
        return left

    def decide(self, arms: list[int], known: dict[tuple[int, int], bool]) -> int:
        scores = {arm: sum(known.get((arm, other), False) for other in range(self.n_arms)) for arm in arms}
        complete = all((arm, other) in known for arm in arms for other in range(self.n_arms) if arm != other)
        if len(arms) > 1 and not complete:
            return -1
        self.all_known += complete
        best, ties = arms[0], 0
        for arm in arms:
            if scores[arm] >= scores[best]:
                ties = ties + 1 if ties and scores[arm] == scores[best] else 1
                if self.rng.random() * ties < 1:
                    best = arm
        return best


def follow(matrix: np.ndarray, steps: int, seed: int) -> tuple[SCB, Transcription]:
    """Run the policy beside the transcription and compare every duel."""
    policy, paper = SCB(len(matrix), seed=seed), Transcription(len(matrix), seed)
    luck, duels = np.random.default_rng(seed), paper.duels()
    expected = next(duels)
    for _ in range(steps):
        duel = policy.ask()
        assert (duel.left, duel.right) == expected
        outcome = float(luck.random() < matrix[duel.left, duel.right])
        policy.tell(duel, outcome)
        expected = duels.send(outcome)
    return policy, paper


@pytest.mark.parametrize("seed", range(3))
def test_every_duel_is_that_of_the_algorithms(seed: int) -> None:
    policy, paper = follow(CYCLE, 4000, seed)
    assert paper.all_known > 0
    assert policy.best() == 0
    assert policy.decided[0]


def test_arms_are_eliminated_before_all_pairs_are_known() -> None:
    order = np.full((40, 40), 0.5) + 0.45 * np.sign(np.arange(40)[None, :] - np.arange(40)[:, None])
    policy, paper = follow(order, 32_000, seed=0)
    assert paper.eliminated > 0
    assert policy.n_left[0] < 40


def test_any_of_several_winners_may_be_found() -> None:
    circle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    assert {follow(circle, 1000, seed)[0].best() for seed in range(12)} == {0, 1, 2}


def test_a_new_round_keeps_the_old_answer_until_it_has_its_own() -> None:
    policy, _ = follow(CYCLE, 300, seed=1)  # the third round ends at 276
    assert not policy.decided[0]
    policy.winner[0] = 3
    assert policy.best() == 3


def test_it_settles_on_the_copeland_winner_where_there_is_no_condorcet_winner() -> None:
    result = simulate(SCB, CYCLE, 20_000, runs=20, seed=3, progress=False)
    curve = result.curve("copeland")
    half = int(np.searchsorted(result.checkpoints, 10_000))
    assert result.best_arm_rate == 1.0
    assert (curve[:, -1] == curve[:, half]).all()
