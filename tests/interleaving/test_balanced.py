from __future__ import annotations

import numpy as np
import pytest

from duelist.interleaving import Balanced
from duelist.interleaving.balanced import merge


def merge_by_pointers(first: str, second: str, first_leads: bool) -> str:
    """The published algorithm: the ranking whose pointer is behind adds its document, ties go to the leader."""
    shown, i, j = "", 0, 0
    while i < len(first) and j < len(second):
        if i < j or (i == j and first_leads):
            shown += first[i] if first[i] not in shown else ""
            i += 1
        else:
            shown += second[j] if second[j] not in shown else ""
            j += 1
    return shown


def test_lists_are_those_of_the_published_algorithm() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        first, second = ("".join(rng.permutation(list("abcdefgh"))) for _ in range(2))
        assert "".join(merge(tuple(first), tuple(second), 8)) == merge_by_pointers(first, second, True)[:8]
        assert "".join(merge(tuple(second), tuple(first), 8)) == merge_by_pointers(first, second, False)[:8]


def test_the_known_bias() -> None:
    """Of one click on a random slot of abcd and bcda, the second gets three quarters."""
    method, wins = Balanced(), np.zeros(2)
    for chance, shown in method.distribution(["abcd", "bcda"], 4):
        for slot in range(4):
            wins += chance / 4 * method.credit(shown, [slot])
    assert wins.tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("clicks", "scores"),
    [
        ([0], [1, 0]),  # a: rank 1 and 4, so k = 1: one document against none
        ([2], [0, 1]),  # c: rank 3 and 2, so k = 2
        ([0, 1], [0, 0]),  # lowest is b: rank 2 and 1, so k = 1, and each has one clicked document at its top
        ([0, 1, 2, 3], [0, 0]),  # d: rank 4 and 3, so k = 3: three each
    ],
)
def test_credit_by_hand(clicks: list[int], scores: list[float]) -> None:
    shown = next(shown for _, shown in Balanced().distribution(["abcd", "bcda"], 4) if shown.ranking[0] == "a")
    assert Balanced().credit(shown, clicks).tolist() == scores


def test_a_list_that_runs_out_leaves_the_rest_to_the_other() -> None:
    assert merge(tuple("ab"), tuple("xbyz"), 9) == tuple("axbyz")
    assert merge((), tuple("xy"), 9) == ("x", "y")


@pytest.mark.parametrize("second", ["cadb", "xaby", "abxy", "ba"])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 6])
def test_lists_in_a_hurry_are_those_that_are_enumerated(second: str, length: int) -> None:
    """Rankings of the same documents take a shorter way; the same coin leads on both."""
    for seed in range(8):
        leader = int(np.random.default_rng(seed).random() < 0.5)
        shown = Balanced().combine(["abcd", iter(second)], length, np.random.default_rng(seed))
        assert shown == Balanced()._shown(tuple("abcd"), tuple(second), length, leader)
        assert shown in [each for _, each in Balanced().distribution(["abcd", second], length)]
