from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from duelist.core.errors import BadInput
from duelist.core.memory import Floats
from duelist.interleaving import Optimized
from duelist.interleaving.optimized import _candidates


def credits_of(ranking: str, rankings: list[str]) -> Floats:
    """worth[slot, ranker] of a list."""
    return np.array([[1 / (r.index(d) + 1 if d in r else len(r) + 1) for r in rankings] for d in ranking])


def candidates(rankings: list[str], length: int) -> list[str]:
    """By recursion: whose best document not yet there comes next."""
    found = {""}
    for _ in range(length):
        found = {f"{s}{next(d for d in r if d not in s)}" for s in found for r in rankings}
    return sorted(found)


def bias_at_cuts(rankings: list[str], length: int) -> Floats:
    """The largest difference of two rankers' expected credits down to each cut."""
    outcomes = Optimized().distribution(rankings, length)
    sums = sum(p * credits_of("".join(map(str, s.ranking)), rankings).cumsum(0) for p, s in outcomes)
    bias: Floats = np.ptp(np.asarray(sums), axis=1)
    return bias


@pytest.mark.parametrize("length", [2, 3, 4])
@pytest.mark.parametrize("per_click", ["inverse", "negative"])
def test_two_rankings_of_the_same_documents_are_always_treated_alike(length: int, per_click: str) -> None:
    method = Optimized(per_click, strict=True)
    for second in map("".join, permutations("abcd")):
        outcomes = method.distribution(["abcd", second], length)
        for slot in range(length):
            first, second = np.sum([p * method.credit(s, [slot]) for p, s in outcomes], axis=0)
            assert_allclose(first, second, atol=1e-9)


def test_the_variance_is_the_least_that_any_fair_distribution_has() -> None:
    """By another formulation: equality slot by slot instead of cut by cut, solved by interior points."""
    for second in ("bcda", "dbac", "cdab", "abdc"):
        rankings = ["abcd", second]
        lists = candidates(rankings, 4)
        worth = np.array([credits_of(each, rankings) for each in lists])
        weighted = (worth / np.arange(1, 5)[:, None]).sum(1)
        variance = ((weighted - weighted.mean(1, keepdims=True)) ** 2).sum(1)
        equal = np.vstack([worth[:, :, 0].T - worth[:, :, 1].T, np.ones(len(lists))])
        least = linprog(variance, A_eq=equal, b_eq=[0, 0, 0, 0, 1], method="highs-ipm").fun
        mine = {"".join(map(str, s.ranking)): p for p, s in Optimized().distribution(rankings, 4)}
        assert set(mine) <= set(lists)
        assert sum(mine.get(each, 0) * v for each, v in zip(lists, variance, strict=True)) == pytest.approx(least)


def test_where_nothing_is_fair_the_bias_is_least() -> None:
    """Only a or b can be first for abcd, acbd and badc: every mixture of the two, in small steps."""
    rankings = ["abcd", "acbd", "badc"]
    with pytest.raises(BadInput, match="no probabilities"):
        Optimized(strict=True).distribution(rankings, 1)
    only_a, only_b = (credits_of(document, rankings)[0] for document in "ab")
    least = min(np.ptp(p * only_a + (1 - p) * only_b) for p in np.linspace(0, 1, 100_001))
    assert bias_at_cuts(rankings, 1)[0] == pytest.approx(least, abs=1e-4)
    for length in (2, 3, 4):
        assert len(Optimized().combine(rankings, length, np.random.default_rng(0)).ranking) == length


@pytest.mark.parametrize("rankings", [["abcd", "acbd", "badc"], ["abcd", "abdc", "bcad"], ["abcd", "bcda", "cdab"]])
def test_of_the_least_biased_the_least_variance_is_taken(rankings: list[str]) -> None:
    """Both stages by another formulation: the credits of each cut lie between a top and a bottom."""
    lists = candidates(rankings, 3)
    worth = np.array([credits_of(each, rankings) for each in lists])
    weighted = (worth / np.arange(1, 4)[:, None]).sum(1)
    variance = ((weighted - weighted.mean(1, keepdims=True)) ** 2).sum(1)
    sums = worth.cumsum(1).transpose(1, 2, 0).reshape(9, -1)  # [cut and ranker, list]
    cut = np.kron(np.eye(3), np.ones((3, 1)))
    zero = np.zeros_like(cut)
    limits = np.block([[sums, -cut, zero], [-sums, zero, cut]])  # below the top, above the bottom
    spread = np.concatenate([np.zeros(len(lists)), np.ones(3), -np.ones(3)])
    one = [[*np.ones(len(lists)), *np.zeros(6)]]
    least = float(linprog(spread, A_ub=limits, b_ub=np.zeros(18), A_eq=one, b_eq=[1]).fun or 0)
    stage = np.vstack([limits, spread]), np.append(np.zeros(18), least + 1e-9)
    cost = np.concatenate([variance, np.zeros(6)])
    smallest = linprog(cost, A_ub=stage[0], b_ub=stage[1], A_eq=one, b_eq=[1]).fun
    mine = {"".join(map(str, s.ranking)): p for p, s in Optimized().distribution(rankings, 3)}
    assert bias_at_cuts(rankings, 3).sum() == pytest.approx(least, abs=1e-7)
    own = sum(mine.get(each, 0) * v for each, v in zip(lists, variance, strict=True))
    assert own == pytest.approx(smallest, abs=1e-6)


def test_candidates_are_what_rankers_would_add_next() -> None:
    rng = np.random.default_rng(0)
    for rankers in (2, 3):
        rankings = tuple(tuple(rng.permutation(6).tolist()) for _ in range(rankers))
        text = ["".join(map(str, ranking)) for ranking in rankings]
        mine = sorted("".join(map(str, each)) for each in _candidates(rankings, 5, 10_000))
        assert mine == candidates(text, 5)


def test_too_many_candidates_are_sampled_the_same_way_every_time() -> None:
    rng = np.random.default_rng(1)
    rankings = [rng.permutation(12).tolist() for _ in range(5)]
    method = Optimized(candidates=500)
    first, second = (method.combine(rankings, 8, np.random.default_rng(3)) for _ in range(2))
    assert first == second
    outcomes = method.distribution(rankings, 8)
    assert sum(p for p, _ in outcomes) == pytest.approx(1)
    assert 1 < len(outcomes) < 500


def test_relabelled_rankings_share_their_solution() -> None:
    from duelist.interleaving.optimized import _solve_numbered

    method = Optimized()
    method.distribution(["abcd", "cbda"], 4)
    before = _solve_numbered.cache_info().misses
    method.distribution(["wxyz", "yxzw"], 4)
    assert _solve_numbered.cache_info().misses == before


@pytest.mark.parametrize(("per_click", "worth"), [("inverse", lambda r: 1 / r), ("negative", lambda r: -r)])
def test_credit_by_hand(per_click: str, worth: Callable[[int], float]) -> None:
    method = Optimized(per_click)
    for _, shown in method.distribution(["abcd", "bcda"], 4):
        for slot, document in enumerate(shown.ranking):
            ranks = [ranking.index(str(document)) + 1 for ranking in ("abcd", "bcda")]
            assert method.credit(shown, [slot]).tolist() == pytest.approx([worth(rank) for rank in ranks])


@pytest.mark.parametrize(("size", "length"), [(4, 4), (4, 1), (10, 2), (26, 1)])
def test_how_biased_three_rankers_can_be(size: int, length: int) -> None:
    method, others = Optimized(), "cdefghijklmnopqrstuvwxyz"[: size - 2]
    lists = method.distribution([f"ab{others}", f"a{others}b", f"b{others}a"], length)
    mean = sum(chance * method.credit(shown, [0]) for chance, shown in lists)
    assert np.ptp(mean) == pytest.approx(0.25 - 0.5 / size)


@pytest.mark.parametrize(
    ("rankings", "slot", "bias"),
    [
        (["abcd", "acdb", "bcda"], 0, 1 / 4 - 1 / 8),
        (["abcdef", "acdefb", "bcdefa"], 0, 1 / 4 - 1 / 12),
        (["abcd", "adbc", "dacb", "dbca"], 1, 0.1625),
        (["abcd", "dbca"], 0, 0.0),
    ],
)
def test_how_far_clicks_by_position_prefer_somebody(rankings: list[str], slot: int, bias: float) -> None:
    method, length = Optimized(), len(rankings[0])
    every = method.distribution(rankings, length)
    expected = np.sum([chance * method.credit(shown, [slot]) for chance, shown in every], 0)
    assert expected.max() - expected.min() == pytest.approx(bias, abs=1e-6)
