import math

import numpy as np
import pytest
from scipy.special import betainc, betaln

from duelist.core.compile import plain, specialise
from duelist.core.memory import Floats
from duelist.dueling.signs import Signs, log_density, set_sign, tell_signs


def follow(signs: Signs, wins: Floats, left: int, right: int, outcome: float) -> None:
    """One duel, counted and followed."""
    wins[left, right] += outcome
    wins[right, left] += 1.0 - outcome
    plain(tell_signs)(signs.memory, wins, left, right, outcome)


def expect_exact(signs: Signs, wins: Floats) -> None:
    """Chances as the definition has them: I_{1/2}(b, a) is the chance that Beta(a, b) > 1/2."""
    expected = betainc(wins.T + 1, wins + 1, 0.5)
    assert np.allclose(signs.chance, expected, rtol=0, atol=2e-13)


@pytest.mark.parametrize("outcomes", [(1.0, 0.0), (1.0, 0.0, 0.5), (1.0, 0.0, 0.5, 0.25, 0.9)])
def test_chances_follow_wins_losses_ties_and_graded_outcomes(outcomes: tuple[float, ...]) -> None:
    luck = np.random.default_rng(4)
    signs, wins = Signs(4, {}), np.zeros((4, 4))
    for step in range(2000):
        left, right = (int(arm) for arm in luck.choice(4, 2, replace=False))
        outcome = float(left < right) if luck.random() < 0.1 else float(luck.choice(outcomes))
        follow(signs, wins, left, right, outcome)
        if step % 50 == 0:
            expect_exact(signs, wins)
    expect_exact(signs, wins)
    assert np.all(signs.chance + signs.chance.T == 1.0)


def test_rounding_errors_stay_small_over_many_wins_and_losses() -> None:
    luck = np.random.default_rng(5)
    signs, wins = Signs(2, {}), np.zeros((2, 2))
    for outcome in luck.random(8_000) < 0.503:
        follow(signs, wins, 0, 1, float(outcome))
    expect_exact(signs, wins)
    assert 0.001 < signs.chance[0, 1] < 0.999  # or the chance is stuck at its limit and tests nothing


def test_a_pair_decided_beyond_the_range_of_floats_can_turn_round() -> None:
    signs, wins = Signs(2, {}), np.zeros((2, 2))
    for outcome in [1.0] * 1500 + [0.0] * 1600:
        follow(signs, wins, 0, 1, outcome)
        assert np.isfinite(signs.density).all()
    expect_exact(signs, wins)
    assert 0.01 < signs.chance[0, 1] < 0.05


@pytest.mark.parametrize(("won", "lost"), [(1, 1), (1.5, 1.5), (1, 40.25), (300.5, 311), (5e5, 5.003e5), (2, 900)])
def test_a_chance_computed_afresh_is_exact(won: float, lost: float) -> None:
    signs = Signs(2, {})
    plain(set_sign)(signs.memory, 0, 1, won, lost)
    assert signs.chance[0, 1] == pytest.approx(betainc(lost, won, 0.5), rel=1e-9, abs=1e-300)
    assert plain(log_density)(won, lost) == pytest.approx(-betaln(won, lost) - (won + lost - 2) * math.log(2), abs=1e-8)


def tell(signs: object, wins: Floats, outcome: float) -> None:
    tell_signs(signs, wins, 0, 1, outcome)  # type: ignore[arg-type]


def test_compiled_and_plain_agree_to_the_last_digit() -> None:
    compiled, interpreted, wins = Signs(2, {}), Signs(2, {}), np.zeros((2, 2))
    step, luck = specialise(tell, {}), np.random.default_rng(6)
    for _ in range(500):
        outcome = float(luck.choice([1.0, 0.0, 0.5, 0.3]))
        follow(interpreted, wins, 0, 1, outcome)
        step(compiled.memory, wins, outcome)
        assert np.array_equal(compiled.chance, interpreted.chance)
        assert np.array_equal(compiled.density, interpreted.density)
