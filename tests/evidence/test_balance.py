"""Balance checks hold their promise while they are watched, and notice what is broken."""

from __future__ import annotations

import math

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.evidence import balance
from duelist.evidence.balance import check_balance, ratio_e_value, replay, without_a_difference
from duelist.evidence.sequential import e_value


def test_two_equal_shares_are_the_beta_binomial_e_value() -> None:
    for wins, losses in ((0, 0), (3, 9), (400, 300)):
        assert ratio_e_value([wins, losses]) == pytest.approx(e_value(wins, losses), rel=1e-9)


def test_the_e_value_of_right_shares_is_one_on_average() -> None:
    shares, n = (0.5, 0.3, 0.2), 9
    mean = 0.0
    for a in range(n + 1):
        for b in range(n + 1 - a):
            c = n - a - b
            ways = math.factorial(n) / (math.factorial(a) * math.factorial(b) * math.factorial(c))
            mean += ways * shares[0] ** a * shares[1] ** b * shares[2] ** c * ratio_e_value([a, b, c], shares)
    assert mean == pytest.approx(1, rel=1e-9)


def test_checks_that_are_watched_for_long_seldom_accuse_the_healthy() -> None:
    luck = np.random.default_rng(0)
    accused = 0
    for _ in range(300):
        picks, slots = luck.binomial(1, 0.5, (2, 3000)).cumsum(1)
        for n in range(50, 3001, 50):
            counts = {"first picks": [picks[n - 1], n - picks[n - 1]], "slots": [slots[n - 1], n - slots[n - 1]]}
            if not all(check.healthy for check in check_balance(counts, alarm=0.1)):
                accused += 1
                break
    assert accused <= 30  # at most a tenth


def test_a_biased_coin_is_found() -> None:
    wins = np.random.default_rng(1).binomial(10_000, 0.53)
    (check,) = check_balance({"first picks": [wins, 10_000 - wins]})
    assert not check.healthy
    assert check.shares == (0.5, 0.5)
    assert check.threshold == pytest.approx(100)


def test_counts_and_shares_are_checked() -> None:
    with pytest.raises(BadInput, match="two or more numbers"):
        ratio_e_value([3])
    with pytest.raises(BadInput, match="shares must be 2 positive numbers that sum to 1"):
        ratio_e_value([3, 4], [0.5, 0.6])


def test_a_replay_has_no_difference_whatever_the_experiment_had() -> None:
    deltas = np.random.default_rng(2).normal(1.0, 1.0, 600)  # a huge difference
    rates = replay(deltas, replays=2000)
    assert rates["z-test, once"] == pytest.approx(0.05, abs=0.018)
    assert rates["z-test, watched"] > 0.15
    assert rates["e-value"] <= 0.05
    assert rates["confidence sequence"] <= 0.05


def test_a_replay_sees_what_is_skewed() -> None:
    deltas = np.concatenate([np.full(20, 50.0), np.full(200, -5.0), np.zeros(780)])  # of mean 0
    assert replay(deltas, replays=1000)["confidence sequence"] <= 0.05
    # The sequence as it was: at 50 users, whatever they weigh.
    assert replay(deltas, replays=1000, start=1)["confidence sequence"] > 0.1


def test_a_replay_warns_of_large_values_that_come_too_seldom() -> None:
    luck = np.random.default_rng(1)
    deltas = np.where(luck.random(3000) < 0.01, 100.0, 0.0) - np.where(luck.random(3000) < 0.5, 2.0, 0.0)
    assert replay(deltas, replays=500)["confidence sequence"] > 0.1  # twice as often as promised
    assert replay(deltas, replays=500, bound=float(np.abs(deltas).max()))["confidence sequence"] <= 0.05


def test_a_replay_keeps_ties_where_hardly_anybody_buys() -> None:
    """Of 6,000 healthy users 165 bought: those who did not are not thousands who agree a little."""
    deltas = np.concatenate([np.ones(127), -np.ones(38), np.zeros(5835)])
    rates = replay(deltas, replays=200)
    assert rates["confidence sequence"] <= 0.05
    assert rates["z-test, once"] == pytest.approx(0.05, abs=0.05)


def test_a_replay_warns_of_one_user_who_outweighs_all_others() -> None:
    deltas = np.full(400, 0.01)
    deltas[40] = 1000.0
    rates = replay(deltas, replays=500)
    assert rates["e-value"] <= 0.05
    assert rates["confidence sequence"] > 0.3  # hundreds of users come before the one who turns everything


def test_batches_and_too_few_users(monkeypatch: pytest.MonkeyPatch) -> None:
    deltas = np.random.default_rng(4).normal(size=100)
    whole = replay(deltas, replays=50)
    monkeypatch.setattr(balance, "CELLS", 1000)
    assert replay(deltas, replays=50) == whole
    assert replay(deltas[:49]) == {}
    with pytest.raises(BadInput, match="replays must be at least 1, not 0"):
        replay(deltas, replays=0)


def test_a_replay_does_not_take_a_clear_winner_for_a_few_who_weigh_too_much() -> None:
    """Nobody weighs more than another: 98 of 100 who prefer one prefer the same."""
    for against in (13, 2):
        deltas = np.zeros(2500)
        deltas[:1231], deltas[1231 : 1231 + against] = 1.0, -1.0
        assert replay(np.random.default_rng(1).permutation(deltas), replays=500)["confidence sequence"] <= 0.05


def test_a_crowd_without_a_difference_has_none_and_the_same_totals() -> None:
    luck = np.random.default_rng(2)
    for deltas in (
        luck.standard_t(3, 3000) + 0.1,
        np.where(luck.random(3000) < 0.02, 50.0, -luck.integers(0, 2, 3000)),
    ):
        crowd = without_a_difference(deltas)
        assert abs(crowd.mean()) < 1e-3 * deltas.std()
        assert set(crowd) <= set(deltas)
        assert (crowd == 0).mean() == (deltas == 0).mean()
