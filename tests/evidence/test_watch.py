"""Watching many experiments at once is the same as watching each of them alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.evidence.accounts import Accounts
from duelist.evidence.betting import BettingSequence
from duelist.evidence.fixed import z_test
from duelist.evidence.sequential import confidence_sequence, log_e_path
from duelist.evidence.watch import CAPPED, first_alarms, looks_at, watch


def test_each_look_says_what_the_method_says_then() -> None:
    deltas = np.random.default_rng(3).choice([-1.0, 0.0, 2.0], (12, 380), p=[0.5, 0.15, 0.35])
    looks = looks_at(380, every=10)
    alarms = watch(deltas, looks, alpha=0.1)
    for row, experiment in enumerate(deltas):
        band = confidence_sequence(experiment, alpha=0.1)
        excluded = (band.low > 0) | (band.high < 0)
        assert alarms["confidence sequence"][row].tolist() == excluded[looks - 1].tolist()
        assert alarms["e-value"][row].tolist() == (log_e_path(experiment)[looks - 1] >= math.log(10)).tolist()
        assert alarms["z-test"][row].tolist() == [z_test(experiment[:n]).p_value < 0.1 for n in looks]
    assert all(alarm.any() for alarm in alarms.values())


def test_what_knows_a_bound_is_what_accounts_say() -> None:
    deltas = np.random.default_rng(4).choice([-1.0, 0.0, 6.0], (8, 600), p=[0.5, 0.2, 0.3])
    looks = looks_at(600)
    alarms = watch(deltas, looks, bound=30)
    for row, experiment in enumerate(deltas):
        accounts, seen = Accounts(bound=30), 0
        for place, look in enumerate(looks):
            accounts.add(np.arange(seen, look), experiment[seen:look])
            seen = look
            low, high = accounts.limits()
            assert alarms[CAPPED][row, place] == (low > 0 or high < 0)
    assert alarms[CAPPED].any()
    assert alarms[CAPPED].sum() < alarms["confidence sequence"].sum()


def test_bets_against_0_are_those_of_the_sequence() -> None:
    deltas = np.random.default_rng(4).choice([-1.0, 0.0, 2.0], (8, 300), p=[0.5, 0.15, 0.35])
    looks = looks_at(300)
    alarms = watch(deltas, looks, bound=2)["betting sequence"]
    for row, experiment in enumerate(deltas):
        sequence, seen = BettingSequence(2), 0
        for place, look in enumerate(looks):
            sequence.add(experiment[seen:look])
            seen = look
            assert alarms[row, place] == (sequence.e_value >= 20)
            low, high = sequence.limits()
            assert alarms[row, place] == (low > 0 or high < 0)
    assert alarms.any()
    assert not alarms.all()


def test_the_first_alarm_is_counted_in_users() -> None:
    looks = looks_at(100)
    assert looks.tolist() == [50, 75, 100]
    assert first_alarms(np.array([[False, True, True], [False, False, False]]), looks).tolist() == [75, 0]


def test_too_few_users_are_never_looked_at() -> None:
    assert looks_at(49).tolist() == []
    with pytest.raises(BadInput, match="every and first must be at least 1"):
        looks_at(100, every=0)
