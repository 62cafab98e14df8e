from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.interleaving import Balanced, Shown, continued
from duelist.interleaving.balanced import UNKNOWN, merge, tops_of
from duelist.interleaving.method import ranks_of

documents = st.one_of(st.integers(0, 5), st.sampled_from("abcd"), st.none(), st.tuples(st.integers(0, 1)))
ranking = st.lists(documents, min_size=1, max_size=8, unique=True)


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


def credit_by_ranks(rankings: list[list[Any]], shown: list[Any], clicks: list[int]) -> list[float]:
    """The published rule, document by document; a ranking without a document has it behind its last."""

    def rank(ranking: list[Any], document: Any) -> int:
        return ranking.index(document) + 1 if document in ranking else len(ranking) + 1

    clicked = [shown[slot] for slot in sorted(set(clicks)) if slot < min(map(len, rankings))]
    if not clicked:
        return [0, 0]
    k = min(rank(ranking, clicked[-1]) for ranking in rankings)
    first, second = (sum(rank(ranking, document) <= k for document in clicked) for ranking in rankings)
    return [float(first > second), float(second > first)]


def subsets(slots: range) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(slots, size) for size in range(len(slots) + 1)))


def with_ranks(shown: Shown, rankings: list[list[Any]]) -> Shown:
    """A list as it was before lists had tops."""
    counted = min(len(shown.ranking), *map(len, rankings))
    ranks = ranks_of([tuple(ranking) for ranking in rankings], shown.ranking[:counted])
    return shown._replace(ranks=ranks, tops=())


@given(ranking, ranking, st.integers(1, 10), st.integers(0, 2**32))
@settings(max_examples=300, deadline=None)
def test_credit_is_that_of_the_published_rule(first: list[Any], second: list[Any], length: int, seed: int) -> None:
    """Of any rankings, at any length; of lists stored before they had tops, and of those that were continued."""
    luck, method = np.random.default_rng(seed), Balanced()
    shown = method.combine([first, second], length, luck)
    size, old = len(shown.ranking), with_ranks(shown, [first, second])
    longer = continued(shown, [second, [*first, "new"]], size + 2, luck)
    behind = list(range(size, len(longer.ranking)))
    for number in (0, 1, 2, 4, 7):
        clicks = luck.integers(0, size, number).tolist()
        right = credit_by_ranks([first, second], list(shown.ranking), clicks)
        assert method.credit(shown, clicks).tolist() == right
        assert method.credit(old, clicks).tolist() == right
        assert method.credit(longer, [*behind, *clicks]).tolist() == right


OLD = (
    '{"schema": 1, "ranking": ["g", "a", "b", "x", "c", "d"], "rankers": 2, "method": "balanced", "teams": [],'
    ' "ranks": [[7, 1], [1, 5], [2, 2], [8, 3], [3, 4]], "weights": [], "choices": []}'
)


def test_a_text_from_before_lists_had_tops_is_credited_the_same() -> None:
    old, rankings = Shown.from_json(OLD), ["abcdefg", "gbxca"]
    assert tops_of(old) == (("a", "b", "c", UNKNOWN, UNKNOWN), tuple("gbxca"))
    shown = next(shown for _, shown in Balanced().distribution(rankings, 6) if shown.ranking == old.ranking)
    for clicks in subsets(range(6)):
        right = credit_by_ranks(list(map(list, rankings)), list(old.ranking), list(clicks))
        assert Balanced().credit(old, clicks).tolist() == Balanced().credit(shown, clicks).tolist() == right
    assert Shown.from_json(old.to_json()) == old
    assert continued(old, ["abz", "zba"], 8, np.random.default_rng(0)).ranks == old.ranks


def test_a_list_knows_how_its_rankings_begin() -> None:
    shown = Balanced().combine(["abcdef", "fbaced"], 3, np.random.default_rng(0))
    assert (shown.tops, shown.ranks) == ((("a", "b", "c"), ("f", "b", "a")), ())
    assert '"tops": [["a", "b", "c"], ["f", "b", "a"]]' in shown.to_json()


def test_a_list_that_runs_out_leaves_the_rest_to_the_other() -> None:
    assert merge(tuple("ab"), tuple("xbyz"), 9) == tuple("axbyz")
    assert merge((), tuple("xy"), 9) == ("x", "y")


@pytest.mark.parametrize("second", ["cadb", "xaby", "abxy", "ba", "xbcyda"])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 6])
def test_lists_in_a_hurry_are_those_that_are_enumerated(second: str, length: int) -> None:
    """Rankings that both fill the list take a shorter way; the same coin leads on both."""
    for seed in range(8):
        leader = int(np.random.default_rng(seed).random() < 0.5)
        shown = Balanced().combine(["abcd", iter(second)], length, np.random.default_rng(seed))
        assert shown == Balanced()._shown(tuple("abcd"), tuple(second), length, leader)
        assert shown in [each for _, each in Balanced().distribution(["abcd", second], length)]
