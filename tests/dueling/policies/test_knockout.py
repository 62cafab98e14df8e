import math

import numpy as np
import pytest

from duelist import SAVAGE, BeatTheMeanPAC, Knockout, Policy, SAVAGEBorda, SAVAGECopeland
from duelist.dueling.environments.instances import arithmetic
from duelist.dueling.until import until_certain

MATRIX = arithmetic(arms=7, step=0.07).preference


def run_until_certain(policy: Policy, seed: int) -> None:
    luck = np.random.default_rng(seed)
    while policy.certain() is None:
        duel = policy.ask()
        left, right = policy.numbers[duel.left], policy.numbers[duel.right]
        policy.tell(duel, float(luck.random() < MATRIX[left, right]))


def test_matches_and_rounds_are_those_of_the_paper() -> None:
    epsilon, delta = 0.2, 0.1
    policy, luck = Knockout(n_arms=7, epsilon=epsilon, delta=delta, seed=2), np.random.default_rng(2)
    round_, players, duels = 1, 7, 0
    while players > 1:
        error = (2 ** (1 / 3) - 1) * epsilon / 2 ** (round_ / 3)
        doubt = delta / 2**round_
        survivors = []
        for _ in range(players // 2):
            first = policy.ask()
            n, won = 0, 0.0
            most, radius = math.log(2 / doubt) / (2 * error**2), 0.5
            # Compare: while |share - 1/2| <= radius - error and n <= most
            while (abs(won / n - 0.5) if n else 0.0) <= radius - error and n <= most:
                duel = policy.ask()
                assert (duel.left, duel.right) == (first.left, first.right)
                outcome = float(luck.random() < MATRIX[duel.left, duel.right])
                policy.tell(duel, outcome)
                n, won, duels = n + 1, won + outcome, duels + 1
                radius = math.sqrt(math.log(4 * n * n / doubt) / (2 * n))
            survivors.append(first.left if won / n > 0.5 else first.right)
        players = players - players // 2
        if policy.certain() is None:
            assert set(survivors) <= set(policy.players[:players].tolist())
        round_ += 1
    certainty = policy.certain()
    assert certainty is not None
    assert certainty.duels == duels
    assert certainty.arm in survivors


@pytest.mark.parametrize(
    ("policy", "epsilon", "runs", "least_too_many"),
    # At delta 0.1: 34 wrong answers of 200 would be a one in a thousand event; of the second none was ever seen.
    [("knockout:epsilon=0.1,delta=0.1", 0.1, 200, 34), ("btm-pac:epsilon=0.3,delta=0.1", 0.3, 10, 1)],
)
def test_answers_are_as_good_as_asked_for(policy: str, epsilon: float, runs: int, least_too_many: int) -> None:
    ended = until_certain(policy, MATRIX, runs)
    assert (ended.duels > 0).all()
    assert sum(bool(MATRIX[0, arm] - 0.5 > epsilon) for (arm,) in ended.answers) < least_too_many


def test_beat_the_mean_ends_at_the_papers_number_of_duels_if_not_before() -> None:
    policy = BeatTheMeanPAC(n_arms=2, epsilon=0.5, delta=0.1, seed=0)
    limit = int(policy.limit[0])
    scale = 36 / 0.25
    assert scale * math.log(8 * limit / 0.1) <= limit < scale * math.log(8 * limit / 0.1) + 2
    while policy.certain() is None:
        policy.tell(policy.ask(), 0.5)  # nobody is ever dropped
    certainty = policy.certain()
    assert certainty is not None
    assert certainty.duels == 2 * limit - 1 or certainty.duels == 2 * limit


def test_savage_says_when_it_knows() -> None:
    for kind in (SAVAGE, SAVAGECopeland, SAVAGEBorda):
        policy = kind(arms=list("abcdefg"), horizon=50_000, delta=0.05, seed=1)
        assert policy.certain() is None
        run_until_certain(policy, 1)
        certainty = policy.certain()
        assert certainty is not None
        assert (certainty.arm, certainty.confidence) == ("a", 0.95)
        assert certainty.duels == policy.told
        policy.tell(policy.ask(), 1.0)
        assert policy.certain() == certainty


def test_a_policy_that_never_claims_anything_is_never_certain() -> None:
    from duelist import RUCB

    assert RUCB(n_arms=2).certain() is None
