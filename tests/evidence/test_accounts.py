"""Users' totals in one pass, against dictionaries and sums made from scratch."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.evidence import Accounts, e_value
from duelist.evidence.limits import START, boundary
from duelist.evidence.sequential import log_e_value
from duelist.evidence.table import BEGAN, CROSS, SIZES


def visits(number: int = 6000, users: int = 2500, seed: int = 0) -> tuple[Any, Floats]:
    rng = np.random.default_rng(seed)
    names = rng.integers(0, 2**64, users, dtype=np.uint64)
    names[:2] = 0, 2**64 - 1
    values: Floats = np.array([-1.0, -0.25, 0.0, 2.0])
    return names[rng.integers(users, size=number)], rng.choice(values, number)


def weight(count: int) -> float:
    """Of a user's count-th impression."""
    return (math.sqrt(count + 0.5) - math.sqrt(count - 0.5)) / (math.sqrt(1.5) - math.sqrt(0.5))


def by_hand(users: Any, preferences: Floats) -> tuple[dict[int, float], dict[int, float], dict[int, float]]:
    """Users' totals, weights and first preferences that are not 0."""
    counts: dict[int, int] = defaultdict(int)
    totals: dict[int, float] = defaultdict(float)
    weights: dict[int, float] = defaultdict(float)
    first: dict[int, float] = {}
    for user, preference in zip(users.tolist(), preferences.tolist(), strict=True):
        counts[user] += 1
        totals[user] += preference * weight(counts[user])
        weights[user] += weight(counts[user])
        if preference and user not in first:
            first[user] = preference
    return totals, weights, first


def test_later_impressions_of_a_user_weigh_less_and_never_change() -> None:
    assert [round(weight(count), 2) for count in (1, 2, 3, 4, 100)] == [1.0, 0.69, 0.56, 0.48, 0.1]
    accounts = Accounts()
    accounts.add([7] * 400, [1.0] * 400)
    assert accounts.weight == pytest.approx(sum(map(weight, range(1, 401))))
    assert 37 < accounts.total < 38  # twice the root, as weights of 1/sqrt(k) would give


def test_sums_are_those_of_a_dictionary() -> None:
    users, preferences = visits()
    accounts = Accounts()
    accounts.add(users, preferences)
    totals, weights, first = by_hand(users, preferences)
    values, sizes = np.array(list(totals.values())), np.array([weights[user] for user in totals])
    assert (accounts.users, accounts.impressions) == (len(totals), 6000)
    assert len(accounts.keys) == 4096  # it has doubled twice
    signs = [int((np.sign(values) == sign).sum()) for sign in (1, -1, 0)]
    assert [accounts.wins, accounts.losses, accounts.ties] == signs
    assert accounts.total == pytest.approx(values.sum())
    assert accounts.squares == pytest.approx((values**2).sum())
    assert accounts.effective == pytest.approx((values**2).sum() ** 2 / (values**4).sum())
    assert accounts.weight == pytest.approx(sizes.sum())
    assert accounts.sums[[CROSS, SIZES]] == pytest.approx([(values * sizes).sum(), (sizes**2).sum()])
    mine, heavy = accounts.per_user()
    assert np.sort(mine) == pytest.approx(np.sort(values))
    assert heavy.sum() == pytest.approx(sizes.sum())
    won = sum(preference > 0 for preference in first.values())
    assert accounts.e_value == pytest.approx(e_value(won, len(first) - won))


def test_the_p_value_keeps_the_largest_e_value() -> None:
    users, preferences = np.arange(400, dtype=np.uint64), np.repeat([1.0, -1.0], 200)
    accounts = Accounts()
    accounts.add(users, preferences)
    path = log_e_value(np.cumsum(preferences > 0), np.cumsum(preferences < 0))
    assert accounts.p_value == pytest.approx(math.exp(-path.max()))
    assert accounts.e_value == pytest.approx(math.exp(path[-1]))


def test_one_by_one_in_batches_and_through_records_is_the_same() -> None:
    users, preferences = visits(3000)
    whole, single, batches = Accounts(), Accounts(), Accounts()
    whole.add(users, preferences)
    for user, preference in zip(users, preferences, strict=True):
        single.add(user, preference)
    for part in np.array_split(np.arange(3000), 7):
        batches = Accounts.from_record(batches.record())
        batches.add(users[part], preferences[part])
    for other in (single, batches):
        assert all((whole.record()[name] == array).all() for name, array in other.record().items())


def test_the_course_is_what_the_limits_were() -> None:
    users, preferences = visits(5000, 1500)
    whole, single = Accounts(), Accounts()
    whole.add(users, preferences)
    course = whole.course(0.1)
    assert course.impressions[:4].tolist() == [50, 100, 150, 200]
    assert course.impressions[-1] == 5000
    assert len(course.n) < 110
    seen = 0
    for place, look in enumerate(course.impressions.tolist()):
        single.add(users[seen:look], preferences[seen:look])
        seen = look
        assert (course.n[place], course.mean[place]) == (single.users, single.mean)
        assert (course.low[place], course.high[place]) == pytest.approx(single.limits(0.1))
    assert np.isfinite(course.low[-1])


def test_hashes_are_never_rounded() -> None:
    accounts = Accounts()
    accounts.add([1, 2**64 - 1, 2**64 - 2, 2**63], [1.0, 1.0, 1.0, 1.0])
    assert accounts.users == 4
    assert set(accounts.keys.tolist()) == {0, 1, 2**64 - 1, 2**64 - 2, 2**63}


def test_a_record_is_not_the_accounts_themselves() -> None:
    accounts = Accounts()
    accounts.add(1, 1.0)
    record = accounts.record()
    accounts.add(2, 1.0)
    assert Accounts.from_record(record).users == 1
    assert Accounts.from_record({name: array.tolist() for name, array in accounts.record().items()}).users == 2


def test_limits_exclude_0_where_the_sum_is_beyond_the_boundary() -> None:
    rng = np.random.default_rng(3)
    decided = []
    for _ in range(300):
        users = rng.integers(0, 1000, 2000).astype(np.uint64)
        accounts = Accounts()
        accounts.add(users, rng.choice([-1.0, 0.0, 1.0], 2000, p=[0.3, 0.35, 0.35]))
        low, high = accounts.limits()
        clock = START * accounts.squares / accounts.sums[BEGAN]
        beyond = abs(accounts.total) > boundary(clock) * math.sqrt(accounts.squares * (1 + 1 / accounts.effective))
        assert low <= accounts.mean <= high
        assert (low > 0 or high < 0) == beyond
        decided.append(beyond)
    assert 0.1 < np.mean(decided) < 0.9


def test_limits_are_the_means_within_the_boundary() -> None:
    users, preferences = visits(4000, 900)
    accounts = Accounts()
    accounts.add(users, preferences)
    totals, weights, _ = by_hand(users, preferences)
    values, sizes = np.array(list(totals.values())), np.array([weights[user] for user in totals])
    factor = float(boundary(START * accounts.squares / accounts.sums[BEGAN], 0.01))
    for limit in accounts.limits(0.01):
        apart = values - limit * sizes
        assert abs(apart.sum()) == pytest.approx(
            factor * math.sqrt((apart**2).sum() + (values**4).sum() / (values**2).sum())
        )


def test_a_rare_large_value_takes_the_verdict_back() -> None:
    accounts = Accounts()
    accounts.add(np.arange(200), np.ones(200))
    assert accounts.limits()[0] > 0
    accounts.add(999, 60.0)
    assert accounts.effective < 5
    assert accounts.limits() == (-math.inf, math.inf)
    accounts.add(np.arange(1000, 40_000), np.ones(39_000))
    assert accounts.limits()[0] > 0


def test_it_begins_at_the_effective_size() -> None:
    accounts = Accounts()
    accounts.add(np.arange(69), np.ones(69))
    assert not accounts.begun
    accounts.add(np.arange(100, 5000), np.zeros(4900))  # users who prefer neither do not help
    assert not accounts.begun
    accounts.add(99, 1.0)
    assert accounts.begun
    assert accounts.effective == 70


def test_a_heavy_user_does_not_outweigh_the_crowd() -> None:
    luck, users = np.random.default_rng(5), np.arange(2000)
    accounts = Accounts()
    accounts.add(users, luck.choice([-1.0, 1.0], 2000, p=[0.42, 0.58]))
    before = accounts.limits()
    accounts.add(np.full(60, 10_000), np.full(60, -1.0))
    assert accounts.limits()[0] > 0
    assert accounts.limits()[0] < before[0]


def test_one_user_with_most_impressions_is_no_evidence() -> None:
    accounts = Accounts()
    accounts.add(np.arange(150), np.ones(150))
    accounts.add(np.full(50_000, 7), np.zeros(50_000))
    assert accounts.limits() == (-math.inf, math.inf)


def test_empty_accounts_know_nothing() -> None:
    accounts = Accounts()
    accounts.add([], [])
    assert (accounts.users, accounts.mean, accounts.e_value, accounts.p_value) == (0, 0.0, 1.0, 1.0)
    assert accounts.limits() == (-math.inf, math.inf)


@pytest.mark.parametrize("preference", [math.nan, math.inf, 1e200])
def test_what_cannot_be_added_up_is_refused(preference: float) -> None:
    with pytest.raises(BadInput, match=f"not {preference}".replace("+", r"\+")):
        Accounts().add([1, 2], [1.0, preference])


def test_other_records_are_refused() -> None:
    with pytest.raises(BadInput, match="one user a preference"):
        Accounts().add([1, 2], [1.0])
    with pytest.raises(BadInput, match="no 'keys'"):
        Accounts.from_record({})
    with pytest.raises(BadInput, match="entries"):
        Accounts.from_record(Accounts().record() | {"totals": [1.0]})


def test_turned_accounts_prefer_the_other() -> None:
    users, preferences = visits(4000, 1500)
    accounts, opposite = Accounts(), Accounts()
    accounts.add(users, preferences)
    opposite.add(users, -preferences)
    turned = accounts.turned()
    low, high = accounts.limits()
    assert turned.limits() == pytest.approx((-high, -low))
    assert (turned.wins, turned.losses, turned.ties) == (accounts.losses, accounts.wins, accounts.ties)
    for name in ("totals", "sums", "looks"):
        assert getattr(turned, name) == pytest.approx(getattr(opposite, name), abs=1e-9)


def test_turned_accounts_go_their_own_way() -> None:
    accounts = Accounts()
    accounts.add(np.arange(500), np.ones(500))
    before, turned = accounts.record(), accounts.turned()
    turned.add(np.arange(400, 700), np.ones(300))
    assert all((accounts.record()[name] == array).all() for name, array in before.items())
    seen = turned.record()
    accounts.add(np.arange(600, 800), np.ones(200))
    assert all((turned.record()[name] == array).all() for name, array in seen.items())
    assert (accounts.users, turned.users) == (700, 700)


def test_sums_after_more_users_are_those_of_adding_them() -> None:
    accounts = Accounts()
    accounts.add(np.arange(300), np.where(np.arange(300) % 3 == 0, -1.0, 1.0))
    foreseen = accounts.after(50, -2.0, 1.0)
    accounts.add(np.arange(1000, 1050), np.full(50, -2.0))
    assert foreseen.limits() == pytest.approx(accounts.limits())
    assert (foreseen.users, foreseen.losses) == (accounts.users, accounts.losses)


def test_a_bound_imagines_one_user_more() -> None:
    """Ninety users of 1 begin at once; where 40 may come, they weigh as much as the imagined one lets them."""
    plain, bounded = Accounts(), Accounts(bound=40)
    for accounts in (plain, bounded):
        accounts.add(np.arange(90, dtype=np.uint64), np.ones(90))
    assert (plain.begun, bounded.begun) == (True, False)
    assert bounded.effective == pytest.approx((90 + 20**2) ** 2 / (90 + 20**4))
    assert (bounded.mean, bounded.weight) == (plain.mean, plain.weight)
    bounded.add(np.arange(90, 4000, dtype=np.uint64), np.ones(3910))
    assert bounded.begun
    turned, again = bounded.turned(), Accounts.from_record(bounded.record())
    assert turned.limits() == tuple(-limit for limit in reversed(bounded.limits()))
    assert again.limits() == bounded.limits()
    with pytest.raises(BadInput, match="between -40 and 40, not 41"):
        turned.add(1, 41)
    with pytest.raises(BadInput, match="bound must be a number above 0, at most 1e\\+30, not 0"):
        Accounts(bound=0)
