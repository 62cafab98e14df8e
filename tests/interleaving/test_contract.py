"""What holds of every method, for any rankings."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from duelist.core.errors import BadInput
from duelist.interleaving import (
    Balanced,
    CompetitivePair,
    DebiasedBalanced,
    Method,
    Optimized,
    PairwisePreference,
    Probabilistic,
    SampleScoredOnly,
    Shown,
    TeamDraft,
)
from duelist.testing import check_interleaving, interleaving

TWO: list[Method] = [Balanced(), DebiasedBalanced(), CompetitivePair()]
MANY: list[Method] = [
    TeamDraft(),
    Probabilistic(),
    Optimized(),
    SampleScoredOnly(),
    PairwisePreference(),
    PairwisePreference(pairing="all"),
]
LINEAR = (TeamDraft, Optimized, SampleScoredOnly, DebiasedBalanced, CompetitivePair)

documents = st.one_of(st.integers(0, 9), st.sampled_from("abcdef"), st.tuples(st.integers(0, 3)), st.none())
ranking = st.lists(documents, max_size=7, unique=True)
pairs = st.lists(ranking, min_size=2, max_size=2)
several = st.lists(ranking, min_size=2, max_size=4)
seeds = st.integers(0, 2**32)


def check_impression(method: Method, rankings: list[list[object]], length: int, seed: int) -> None:
    shown = method.combine(rankings, length, np.random.default_rng(seed))
    every = {document for each in rankings for document in each}
    assert len(shown.ranking) == min(length, len(every))
    assert len(set(shown.ranking)) == len(shown.ranking)
    assert set(shown.ranking) <= every
    nobody = method.credit(shown, [])
    assert nobody.shape == (len(rankings),)
    assert not nobody.any()
    shortest = min(map(len, rankings))
    assert not method.credit(shown, range(shortest, len(shown.ranking))).any(), "slots beyond the shortest are neutral"
    assert np.isfinite(method.credit(shown, range(len(shown.ranking)))).all()


@pytest.mark.parametrize("method", [*TWO, *MANY], ids=str)
@given(pairs, st.integers(1, 12), seeds)
@settings(max_examples=60, deadline=None)
def test_lists_of_two_rankings(method: Method, rankings: list[list[object]], length: int, seed: int) -> None:
    check_impression(method, rankings, length, seed)


@pytest.mark.parametrize("method", MANY, ids=str)
@given(several, st.integers(1, 5), seeds)
@settings(max_examples=40, deadline=None)
def test_lists_of_several_rankings(method: Method, rankings: list[list[object]], length: int, seed: int) -> None:
    check_impression(method, rankings, length, seed)


@pytest.mark.parametrize("method", [*TWO, *MANY], ids=str)
@given(pairs, st.integers(1, 4), seeds)
@settings(max_examples=40, deadline=None)
def test_what_combine_draws_is_in_the_distribution(
    method: Method, rankings: list[list[object]], length: int, seed: int
) -> None:
    rankings = [each[:4] for each in rankings]
    outcomes = method.distribution(rankings, length)
    assert_allclose(sum(chance for chance, _ in outcomes), 1, atol=1e-9)
    assert min(chance for chance, _ in outcomes) > 0
    drawn = method.combine(rankings, length, np.random.default_rng(seed))
    same = [shown for _, shown in outcomes if (shown.ranking, shown.teams) == (drawn.ranking, drawn.teams)]
    assert len(same) == 1
    for clicks in ([], [0], range(len(drawn.ranking))) if drawn.ranking else ([],):
        assert_allclose(method.credit(same[0], clicks), method.credit(drawn, clicks), atol=1e-12)


@pytest.mark.parametrize("method", [*TWO, *MANY], ids=str)
def test_the_public_contract(method: Method) -> None:
    check_interleaving(method, require=())


@pytest.mark.parametrize("method", [Balanced(), SampleScoredOnly(), DebiasedBalanced()], ids=str)
def test_the_public_contract_refuses_a_biased_method_unless_told(
    method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interleaving, "DRAWS", 100)  # that these are drawn by distribution is seen above
    with pytest.raises(AssertionError, match=f"{method.name}: unbiased: no "):
        check_interleaving(method)


@pytest.mark.parametrize("method", [m for m in MANY if not isinstance(m, SampleScoredOnly | Optimized)], ids=str)
@pytest.mark.parametrize("length", [2, 4])
def test_unbiased_with_three_rankings(method: Method, length: int) -> None:
    """A click on any one slot is expected to give all three the same."""
    for second, third in (("bcda", "dcba"), ("acbd", "badc"), ("dabc", "cdab"), ("abdc", "bcad")):
        outcomes = method.distribution(["abcd", second, third], length)
        for slot in range(length):
            expected = sum(chance * method.credit(shown, [slot]) for chance, shown in outcomes)
            assert_allclose(np.ptp(expected), 0, atol=1e-9)


@pytest.mark.parametrize("method", [TeamDraft(), Probabilistic(), CompetitivePair(), PairwisePreference()], ids=str)
def test_unbiased_with_rankings_of_unequal_length(method: Method) -> None:
    for first, second in (("abcd", "cx"), ("ab", "xyzb"), ("abcde", "eda")):
        size = len(method.distribution([first, second], 9)[0][1].ranking)
        for slot in range(size):
            outcomes = method.distribution([first, second], 9)
            mine, theirs = np.sum([p * method.credit(shown, [slot]) for p, shown in outcomes], axis=0)
            assert_allclose(mine, theirs, atol=1e-12)


@pytest.mark.parametrize("method", [*TWO, *MANY], ids=str)
def test_identical_rankings_are_shown_as_they_are_unless_any_document_may_come_anywhere(method: Method) -> None:
    rankings = ["abcd", "abcd"]
    outcomes = method.distribution(rankings, 4)
    if not isinstance(method, Probabilistic):
        assert {shown.ranking for _, shown in outcomes} == {tuple("abcd")}
    for _, shown in outcomes:
        for clicks in ([0], [1, 3]):
            first, second = method.credit(shown, clicks)
            assert_allclose(first, second, atol=1e-12)


@pytest.mark.parametrize("kind", LINEAR)
def test_each_click_adds_its_own_credit(kind: type[Method]) -> None:
    method = kind()
    shown = method.combine(["abcdef", "fbdace"], 6, np.random.default_rng(5))
    alone = sum(method.credit(shown, [slot]) for slot in (1, 2, 5))
    assert_allclose(method.credit(shown, [5, 1, 2]), alone)


@pytest.mark.parametrize("method", [*TWO, *MANY], ids=str)
def test_bad_input_is_named(method: Method) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(BadInput, match="ranking 1 has the document 'b' 2 times"):
        method.combine(["abc", "bcb"], 3, rng)
    with pytest.raises(BadInput, match="not 1"):
        method.combine(["abc"], 3, rng)
    for length in (0, -1, True, 2.0, "3"):
        with pytest.raises(BadInput, match="length must be a whole number"):
            method.combine(["abc", "bca"], length, rng)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="hashable"):
        method.combine([[["list"]], [["list"]]], 1, rng)
    shown = method.combine(["abc", "bca"], 3, rng)
    for click, complaint in ((3, "no position 3"), (-1, "no position -1"), (True, "whole"), (1.0, "whole")):
        with pytest.raises(BadInput, match=complaint):
            method.credit(shown, [click])  # type: ignore[list-item]
    with pytest.raises(BadInput, match="made by another"):
        method.credit(shown._replace(method="another"), [0])


@pytest.mark.parametrize("method", TWO, ids=str)
def test_methods_for_two_refuse_three(method: Method) -> None:
    with pytest.raises(BadInput, match="exactly two rankings, not 3"):
        method.combine(["abc", "bca", "cab"], 3, np.random.default_rng(0))


@pytest.mark.parametrize("method", [*TWO, *MANY], ids=str)
def test_a_list_survives_json(method: Method) -> None:
    rankings: list[list[object]] = [["a", 1, ("x", 2), None], [None, "b", "a", 2.5]]
    shown = method.combine(rankings, 4, np.random.default_rng(2))
    again = Shown.from_json(shown.to_json())
    assert again == shown
    assert hash(again) == hash(shown)
    assert (method.credit(again, [0, 2]) == method.credit(shown, [0, 2])).all()


# Not optimized: several distributions may be equally good, and which is found depends on the order.
@pytest.mark.parametrize("method", [m for m in MANY if not isinstance(m, Optimized)], ids=str)
def test_the_order_of_the_rankings_does_not_matter(method: Method) -> None:
    """Expected scores of clicks on documents move with the rankings."""
    rankings = ["abcd", "bdac", "dcab"]
    scores = {}
    for order in permutations(range(3)):
        expected: dict[str, float] = defaultdict(float)
        for chance, shown in method.distribution([rankings[i] for i in order], 3):
            clicks = [slot for slot, document in enumerate(shown.ranking) if document in "ac"]
            for i, score in zip(order, method.credit(shown, clicks), strict=True):
                expected[rankings[i]] += chance * score
        scores[order] = [expected[each] for each in rankings]
    for order in scores:
        assert_allclose(scores[order], scores[0, 1, 2], atol=1e-9)
