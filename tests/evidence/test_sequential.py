"""E-values and confidence sequences: the formulas, and the promise."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.evidence.limits import START, boundary, effective_size
from duelist.evidence.sequential import (
    ConfidenceSequence,
    EValue,
    confidence_sequence,
    e_value,
    log_e_path,
)

DELTAS = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0]), min_size=1, max_size=120)


def wealth(outcomes: tuple[int, ...], prior: int = 10) -> Fraction:
    """What a gambler has who stakes on a win as much as wins so far and the imagined ones suggest."""
    money, wins = Fraction(1), prior
    for turn, won in enumerate(outcomes):
        money *= 2 * Fraction(wins if won else 2 * prior + turn - wins, 2 * prior + turn)
        wins += won
    return money


def test_the_e_value_is_the_wealth_of_a_gambler() -> None:
    for outcomes in product((0, 1), repeat=6):
        assert e_value(sum(outcomes), 6 - sum(outcomes)) == pytest.approx(float(wealth(outcomes)), rel=1e-12)
    assert e_value(60, 30) == pytest.approx(float(wealth((1,) * 60 + (0,) * 30)), rel=1e-10)


def test_the_e_value_of_a_fair_coin_is_one_on_average() -> None:
    for n in (1, 7, 40):
        mean = sum(math.comb(n, wins) * e_value(wins, n - wins) for wins in range(n + 1)) / 2**n
        assert mean == pytest.approx(1, rel=1e-10)


def test_a_huge_e_value_is_a_number() -> None:
    assert 1e300 < e_value(10**6, 0) < math.inf


def test_bad_counts_are_refused() -> None:
    with pytest.raises(BadInput, match="wins and losses must be at least 0, not -1 and 2"):
        e_value(-1, 2)
    with pytest.raises(BadInput, match="prior must be above 0"):
        e_value(1, 2, prior=0)


@settings(deadline=None)
@given(DELTAS)
def test_one_by_one_is_the_same_as_all_at_once(deltas: list[float]) -> None:
    bets, sequence = EValue(), ConfidenceSequence(start=3)
    path, band = log_e_path(deltas), confidence_sequence(deltas, start=3)
    for place, delta in enumerate(deltas):
        bets, sequence = bets.add(delta), sequence.add(delta)
        low, high = sequence.interval
        assert math.log(bets.value) == pytest.approx(path[place], abs=1e-9)
        assert bets.p_value == pytest.approx(math.exp(-max(0.0, path[: place + 1].max())))
        assert (sequence.mean, low, high) == pytest.approx(
            (band.mean[place], band.low[place], band.high[place]), abs=1e-9
        )
    assert (bets.wins, bets.losses, bets.ties) == tuple(sum(np.sign(d) == s for d in deltas) for s in (1, -1, 0))


def test_the_boundary_is_the_printed_formula() -> None:
    n, alpha, tuned = 300, 0.05, 500
    rho2 = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / tuned
    width = math.sqrt(2 * (n * rho2 + 1) / (n**2 * rho2) * math.log(math.sqrt(n * rho2 + 1) / alpha))
    assert boundary(n) == pytest.approx(width * math.sqrt(n), rel=1e-12)
    coins = np.random.default_rng(0).choice([-1.0, 1.0], n, p=[0.4, 0.6])
    band = confidence_sequence(coins)
    for limit in (band.low[-1], band.high[-1]):  # deltas around a limit are as far from it as the boundary says
        assert abs(coins.mean() - limit) == pytest.approx(width * math.sqrt(((coins - limit) ** 2).mean() + 1 / n))


def test_the_sequence_is_narrowest_where_it_is_tuned() -> None:
    others = [float(boundary(500, tuned=tuned)) for tuned in (50, 150, 1500, 5000)]
    assert boundary(500, tuned=500) < min(others)


def test_before_the_effective_size_nothing_is_excluded() -> None:
    band = confidence_sequence([1.0] * 160)
    assert np.isinf(band.low[:69]).all()
    assert np.isfinite(band.low[69:]).all()
    tied = confidence_sequence([1.0, 0.0] * 160)
    assert np.isinf(tied.low[:138]).all()
    assert np.isfinite(tied.low[138:]).all()
    assert ConfidenceSequence().add(1.0).interval == (-math.inf, math.inf)


def test_a_rare_large_value_takes_the_limits_away_until_there_are_enough_like_it() -> None:
    deltas = np.concatenate([np.full(150, -5.0), [50.0], np.tile([-5.0] * 10 + [50.0], 300)])
    band = confidence_sequence(deltas)
    assert band.high[149] < 0
    assert np.isinf(band.low[150])
    sizes = effective_size(np.cumsum(deltas**2), np.cumsum(deltas**4))
    assert (np.isfinite(band.low) == (sizes >= START)).all()
    assert np.isfinite(band.low[-1])


def test_deltas_without_spread_are_judged_by_their_size() -> None:
    for value in (0.125, 1.0, 7.5):
        band = confidence_sequence([value] * 200)
        assert 0 < band.low[-1] < value < band.high[-1]
        assert band.low[-1] / value == pytest.approx(confidence_sequence([1.0] * 200).low[-1])
    assert np.isinf(confidence_sequence([0.0] * 600).high[-1])


@pytest.mark.parametrize(
    ("name", "mean"), [("nineteen of twenty win", 0.9), ("exponential", 1.0), ("lognormal and 3", 3 + math.exp(0.5))]
)
def test_watched_limits_hold_the_mean_of_outcomes_that_are_all_on_one_side(name: str, mean: float) -> None:
    luck = np.random.default_rng(8)
    draws = {
        "nineteen of twenty win": np.where(luck.random((300, 1000)) < 0.95, 1.0, -1.0),
        "exponential": luck.exponential(1.0, (300, 1000)),
        "lognormal and 3": 3 + luck.lognormal(0, 1, (300, 1000)),
    }
    missed = 0
    for deltas in draws[name]:
        band = confidence_sequence(deltas)
        looks = slice(49, None, 25)
        missed += bool(((band.low[looks] > mean) | (band.high[looks] < mean)).any())
    assert missed <= 15 + 3 * math.sqrt(15)  # 5 % of 300 may miss


def test_limits_go_on_until_the_effective_size_is_enough() -> None:
    deltas = np.array([1.0] * 297 + [-1.0] * 3)
    band = confidence_sequence(deltas)
    for limit in (band.low[-1], band.high[-1]):
        apart = deltas - limit
        assert effective_size((apart**2).sum(), (apart**4).sum()) == pytest.approx(START / 2, rel=1e-6)
    assert 0 < band.low[-1] < deltas.mean() < band.high[-1]


def test_no_users_give_no_band() -> None:
    assert len(confidence_sequence([]).mean) == 0


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1])
def test_alpha_must_be_a_probability(alpha: float) -> None:
    with pytest.raises(BadInput, match="alpha must be above 0 and below 1"):
        confidence_sequence([1.0], alpha=alpha)
