import math

import numpy as np
import pytest

from duelist import simulate
from duelist.dueling.policies.winner_stays import WinnerStaysStrong, WinnerStaysWeak

CYCLE = np.array([[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]])


class ArgmaxForm:
    """WS-W as the paper prints it: two arms with the highest scores, those of the last duel preferred."""

    def __init__(self, n_arms: int) -> None:
        self.score = np.zeros(n_arms, int)
        self.last: tuple[int, ...] = ()

    def allowed(self) -> list[set[int]]:
        """Every pair that the rule may choose now."""
        pairs = []
        first = self.prefer(self.argmax(np.arange(len(self.score))))
        for i in first:
            others = np.delete(np.arange(len(self.score)), i)
            pairs += [{i, j} for j in self.prefer(self.argmax(others))]
        return pairs

    def argmax(self, arms: np.ndarray) -> list[int]:
        return [int(arm) for arm in arms if self.score[arm] == self.score[arms].max()]

    def prefer(self, arms: list[int]) -> list[int]:
        return [arm for arm in arms if arm in self.last] or arms

    def told(self, left: int, right: int, left_won: bool) -> None:
        self.last = (left, right)
        self.score[left] += 1 if left_won else -1
        self.score[right] -= 1 if left_won else -1


def test_the_matches_are_those_of_the_argmax_form() -> None:
    for seed in range(20):
        policy, reference = WinnerStaysWeak(n_arms=4, seed=seed), ArgmaxForm(4)
        luck = np.random.default_rng(seed)
        for _ in range(400):
            duel = policy.ask()
            assert {duel.left, duel.right} in reference.allowed()
            left_won = bool(luck.random() < CYCLE[duel.left, duel.right])
            policy.tell(duel, float(left_won))
            reference.told(duel.left, duel.right, left_won)
            assert (policy.rounds.score == reference.score).all()


def test_every_other_arm_is_met_once_a_round_the_last_loser_first_and_the_rest_at_random() -> None:
    counts = np.zeros((4, 4))
    for seed in range(1200):
        policy, met = WinnerStaysWeak(n_arms=4, seed=seed), list[int]()
        for _ in range(9):  # three rounds: a champion that always wins needs one duel a match
            duel = policy.ask()
            met.append(duel.right)
            policy.tell(duel, 1.0)
        champion = duel.left
        assert all(sorted([champion, *met[i : i + 3]]) == [0, 1, 2, 3] for i in (0, 3, 6))
        assert met[3] == met[2]
        assert met[6] == met[5]
        counts[champion, met[7]] += 1
    assert (np.abs(counts[~np.eye(4, dtype=bool)] - 100) < 40).all()


def test_the_winner_of_each_round_is_rewarded_with_a_growing_number_of_duels_with_itself() -> None:
    beta = 1.7
    strong, weak = WinnerStaysStrong(n_arms=4, beta=beta, seed=5), WinnerStaysWeak(n_arms=4, seed=5)
    luck = np.random.default_rng(0)
    for number in range(1, 12):
        while weak.rounds.round[0] == number:  # the same seed plays the same rounds
            duel, same = strong.ask(), weak.ask()
            assert (duel.left, duel.right) == (same.left, same.right)
            outcome = float(luck.random() < CYCLE[duel.left, duel.right])
            strong.tell(duel, outcome)
            weak.tell(same, outcome)
        for _ in range(math.floor(beta**number)):
            duel = strong.ask()
            assert duel.left == duel.right == weak.ask().left
            strong.tell(duel, 1.0)
    assert strong.ask().left != strong.ask().right


@pytest.mark.parametrize("kind", [WinnerStaysWeak, WinnerStaysStrong])
def test_a_duel_asked_before_the_match_began_is_ignored(kind: type[WinnerStaysWeak | WinnerStaysStrong]) -> None:
    policy = kind(n_arms=2, seed=0)  # so that the pair is always the same
    late = policy.ask()
    for _ in range(2):
        policy.tell(policy.ask(), 1.0)
    before = {name: table.copy() for name, table in policy.tables().items()}
    policy.tell(late, 0.0)
    assert all((table == before[name]).all() for name, table in policy.tables().items())


def test_ties_are_decided_by_a_coin() -> None:
    scores = []
    for seed in range(400):
        policy = WinnerStaysWeak(n_arms=2, seed=seed)
        duel = policy.ask()
        policy.tell(duel, 0.25)
        scores.append(int(policy.rounds.score[duel.left]))
    assert set(scores) == {-1, 1}
    assert abs(np.mean(scores) + 0.5) < 4 * math.sqrt(0.75 / 400)


# Means and standard errors of 150 runs of the argmax form in plain Python.
@pytest.mark.parametrize(
    ("instance", "regret", "error"), [("arxiv", 8.23, 1.01), ("savage-30", 27.0, 2.63), ("cyclic", 2.84, 0.42)]
)
def test_weak_regret_is_constant_in_time(instance: str, regret: float, error: float) -> None:
    result = simulate(WinnerStaysWeak, instance, 300_000, runs=150, seed=1)
    curve = result.curve("weak")
    early = int(np.searchsorted(result.checkpoints, 100_000))
    assert (curve[:, -1] == curve[:, early]).all()
    assert abs(curve[:, -1].mean() - regret) < 3 * math.hypot(error, curve[:, -1].std() / math.sqrt(150))


def test_weak_regret_under_a_total_order_grows_as_k_log_k() -> None:
    means = []
    for arms in (10, 160):
        result = simulate(WinnerStaysWeak, f"worst-case:arms={arms},epsilon=0.3", 100_000, runs=200, seed=4)
        means.append(result.regret("weak").mean)
    # K ln K grows 35-fold and K^2 256-fold.
    assert 20 < means[1] / means[0] < 45


def test_strong_regret_grows_with_the_logarithm_of_time() -> None:
    result = simulate(WinnerStaysStrong, "arxiv", 1_000_000, runs=200, seed=2)
    at = [int(np.searchsorted(result.checkpoints, t)) for t in (10_000, 100_000, 1_000_000)]
    first, second, third = (result.curve()[:, i].mean() for i in at)
    assert 20 < third - second < 1.15 * (second - first)  # a constant amount for each factor of ten
