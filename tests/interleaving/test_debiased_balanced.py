from __future__ import annotations

from itertools import permutations

import pytest

from duelist.interleaving import DebiasedBalanced


def bias(method: DebiasedBalanced, first: str, second: str, length: int, looks: list[float]) -> float:
    """Expected preference of users who look at each slot with this probability and click what they see."""
    total = 0.0
    for chance, shown in method.distribution([first, second], length):
        for slot in range(length):
            mine, theirs = method.credit(shown, [slot])
            total += chance * looks[slot] * (mine - theirs)
    return total


@pytest.mark.parametrize("looks", [[1, 1 / 2, 1 / 3, 1 / 4], [0.9, 0.8, 0.3, 0.1]])
def test_unbiased_for_users_who_look_as_it_is_told_and_see_all(looks: list[float]) -> None:
    method = DebiasedBalanced(tuple(looks))
    for second in map("".join, permutations("abcd")):
        assert abs(bias(method, "abcd", second, 4, looks)) < 1e-12


def test_biased_at_a_cut_and_for_other_users() -> None:
    looks = [1, 1 / 2, 1 / 3, 1 / 4]
    cut = max(abs(bias(DebiasedBalanced(), "abcd", "".join(second), 2, looks)) for second in permutations("abcd"))
    assert cut == pytest.approx(0.25)
    assert abs(bias(DebiasedBalanced((0.9, 0.8, 0.3, 0.1)), "abcd", "bcda", 4, looks)) > 0.1


def test_the_usual_examination_is_one_over_the_position() -> None:
    explicit = DebiasedBalanced((1, 1 / 2, 1 / 3, 1 / 4)).distribution(["abcd", "cadb"], 4)
    usual = DebiasedBalanced().distribution(["abcd", "cadb"], 4)
    assert [shown.weights for _, shown in usual] == [shown.weights for _, shown in explicit]


def test_the_last_examination_goes_on() -> None:
    outcomes = (DebiasedBalanced(e).distribution(["abcd", "cadb"], 4) for e in ((1, 0.2), (1, 0.2, 0.2, 0.2)))
    short, long = ([(chance, shown.ranking, shown.weights) for chance, shown in each] for each in outcomes)
    assert short == long
