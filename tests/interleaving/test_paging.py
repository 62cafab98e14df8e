from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.interleaving import (
    CompetitivePair,
    Method,
    Optimized,
    Paged,
    Probabilistic,
    Shown,
    TeamDraft,
    continued,
    stable_seed,
)
from duelist.interleaving.audit import built_in

LUCK = np.random.default_rng(8)
rankings = st.lists(st.lists(st.integers(0, 15), max_size=9, unique=True), min_size=2, max_size=2)


@pytest.mark.parametrize("method", built_in(), ids=str)
@given(rankings, st.integers(1, 4), st.integers(0, 2**62))
@settings(max_examples=30, deadline=None)
def test_pages_continue_each_other(method: Method, rankings: list[list[int]], page_length: int, seed: int) -> None:
    found = Paged(method, rankings, page_length, seed)
    pages = [found.page(number) for number in range(1, 9)]
    whole = found.shown(pages=8).ranking
    assert whole == tuple(document for page in pages for document in page)
    assert len(set(whole)) == len(whole) == min(8 * page_length, len({d for r in rankings for d in r}))
    assert found.page(1) == pages[0], "a refresh shows the same"


@pytest.mark.parametrize("method", built_in(), ids=str)
def test_long_lists_are_stable(method: Method) -> None:
    """Longer than any block in which luck is drawn."""
    long = [list(range(120)), np.random.default_rng(0).permutation(120).tolist()]
    found = Paged(method, long, 10, seed=5)
    whole = found.shown(12).ranking
    assert sorted(map(int, map(str, whole))) == long[0]
    for pages in (1, 2, 5, 11):
        assert found.shown(pages).ranking == whole[: 10 * pages]


def test_the_first_page_is_the_methods_own() -> None:
    method, rankings = Optimized(), ["abcdefgh", "badchgfe"]
    firsts = {Paged(method, rankings, 4, seed).page(1) for seed in range(200)}
    assert firsts == {shown.ranking for _, shown in method.distribution(rankings, 4)}


def test_later_pages_of_optimized_are_neutral() -> None:
    method = Optimized()
    found = Paged(method, ["abcdefgh", "badchgfe"], 4, seed=1)
    shown = found.shown(pages=2)
    assert len(shown.ranking) == 8
    assert not method.credit(shown, [4, 5, 6, 7]).any()
    assert method.credit(shown, [0]).tolist() == method.credit(found.shown(1), [0]).tolist()


def test_later_pages_of_team_draft_count() -> None:
    shown = Paged(TeamDraft(), ["abcdefgh", "badchgfe"], 4, seed=1).shown(pages=2)
    assert sorted(shown.teams[4:]) == [0, 0, 1, 1]


def test_methods_of_ones_own_are_paged_safely() -> None:
    class Shuffled(TeamDraft):
        extends = False

    method: Method = Shuffled()
    shown = Paged(method, ["abcdefgh", "badchgfe"], 4, seed=1).shown(pages=2)
    assert shown.teams[4:] == (-1,) * 4
    assert not method.credit(shown, [4, 5, 6, 7]).any()


def test_seeds_are_the_same_in_every_process() -> None:
    command = "from duelist.interleaving import stable_seed; print(stable_seed('e', 7, 'q'))"
    done = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "1"}
    )
    assert int(done.stdout) == stable_seed("e", 7, "q")


def test_seeds_tell_experiment_user_and_query_apart() -> None:
    same = [("ab", "c", "d"), ("a", "bc", "d"), ("a", "b", "cd"), ("a", "c", "b"), ("a", "b", "c"), ("a", 1, "2")]
    seeds = {stable_seed(*key) for key in same}
    assert len(seeds) == len(same)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_seeds_spread_evenly() -> None:
    """First picks of a thousand users are fair coins."""
    leads = [Paged(TeamDraft(), ["ab", "ba"], 2, stable_seed("e", user, "q")).shown(1).teams[0] for user in range(1000)]
    assert abs(np.mean(leads) - 0.5) < 4 * 0.5 / np.sqrt(1000)


def test_bad_pages_and_keys_are_named() -> None:
    with pytest.raises(BadInput, match="counted from 1, not 0"):
        Paged(TeamDraft(), ["ab", "ba"], 2, 1).page(0)
    with pytest.raises(BadInput, match="must fit in JSON"):
        stable_seed("e", object(), "q")


# Lists that are continued from where they were stored.

CREDITED = ("team-draft", "competitive-pair", "probabilistic")


@pytest.mark.parametrize("method", built_in(), ids=str)
@given(rankings, rankings, st.integers(1, 6), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_a_list_goes_on_whatever_became_of_the_rankings(
    method: Method, before: list[list[int]], after: list[list[int]], length: int, seed: int
) -> None:
    first = method.combine(before, length, np.random.default_rng(seed))
    stored = Shown.from_json(first.to_json())
    longer = continued(stored, after, length + 5, np.random.default_rng(seed + 1))
    assert longer.ranking[: len(first.ranking)] == first.ranking
    assert len(set(longer.ranking)) == len(longer.ranking)
    every = {*first.ranking, *after[0], *after[1]}
    assert set(longer.ranking) <= every
    assert len(longer.ranking) == min(max(length + 5, len(first.ranking)), len(every))
    begun = range(len(first.ranking))
    for clicks in (begun, begun[:1], begun[1:]):
        np.testing.assert_array_equal(method.credit(longer, clicks), method.credit(first, clicks))
    assert Shown.from_json(longer.to_json()) == longer
    behind = method.credit(longer, range(len(first.ranking), len(longer.ranking)))
    assert np.isfinite(behind).all()
    if method.name not in CREDITED:
        assert not behind.any()


@pytest.mark.parametrize("method", [TeamDraft(), CompetitivePair(), Probabilistic()], ids=str)
def test_what_is_added_is_credited_without_bias_and_to_who_offered_it(method: Method) -> None:
    """Unbiased: a click on any slot prefers nobody. Telling: a click on what one ranking likes better prefers it."""
    luck, first = np.random.default_rng(1), method.combine(["abcd", "badc"], 2, np.random.default_rng(0))
    now = ["xaybzc", "zbycxa"]
    lists = [continued(first, now, 5, luck) for _ in range(4000)]
    for slot in (2, 3, 4):
        leads = np.array([np.subtract(*method.credit(shown, [slot])) for shown in lists])
        assert abs(leads.mean()) <= 4.5 * leads.std() / np.sqrt(len(lists)), slot
    liked = [method.credit(shown, [shown.ranking.index("x")]) for shown in lists if "x" in shown.ranking]
    assert np.mean([first - second for first, second in liked]) > 0.1


def test_probabilistic_goes_on_as_if_it_had_never_stopped() -> None:
    method, rankings, luck = Probabilistic(tau=1.0), ["abcd", "dbac"], np.random.default_rng(3)
    whole = {shown.ranking: (chance, shown) for chance, shown in method.distribution(rankings, 4)}
    seen = dict.fromkeys(whole, 0)
    for _ in range(6000):
        shown = continued(method.combine(rankings, 2, luck), rankings, 4, luck)
        np.testing.assert_allclose(shown.weights, whole[shown.ranking][1].weights, atol=1e-12)
        seen[shown.ranking] += 1
    for ranking, (chance, _) in whole.items():
        assert abs(seen[ranking] - 6000 * chance) < 5 * np.sqrt(6000 * chance * (1 - chance)) + 1


def test_neutral_slots_of_the_beginning_stay_neutral() -> None:
    """The second ranking had one document, so that two of three slots are neutral; now it has more."""
    for method in (TeamDraft(), CompetitivePair(), Probabilistic()):
        first = method.combine(["abc", "x"], 3, np.random.default_rng(1))
        longer = continued(first, ["abcdefgh", "xhgfedcb"], 7, np.random.default_rng(2))
        assert not method.credit(longer, [1, 2]).any()
        assert method.credit(longer, [3, 4, 5, 6]).any()


def test_an_inherited_continuation_does_not_speak_for_a_combine_of_ones_own() -> None:
    class Sorted(TeamDraft):
        def combine(self, rankings: Any, length: int, rng: np.random.Generator) -> Shown:
            return super().combine([sorted(ranking) for ranking in rankings], length, rng)

    longer = continued(Sorted().combine(["abcd", "bdca"], 2, np.random.default_rng(0)), ["cxyd", "dycx"], 5, LUCK)
    assert longer.teams[2:] == (-1, -1, -1)


def test_a_list_that_is_long_enough_stays() -> None:
    shown = TeamDraft().combine(["abc", "cab"], 3, np.random.default_rng(0))
    for length in (1, 3):
        assert continued(shown, ["xyz", "zyx"], length, LUCK) == shown


def test_what_cannot_continue_is_named() -> None:
    shown = TeamDraft().combine(["abc", "cab"], 2, np.random.default_rng(0))
    with pytest.raises(BadInput, match="made of 2 rankings, which 3 cannot continue"):
        continued(shown, ["abc", "cab", "bca"], 3, LUCK)
    with pytest.raises(BadInput, match="document 'a' 2 times"):
        continued(shown, ["aa", "cab"], 3, LUCK)
    with pytest.raises(BadInput, match="does not say which method"):
        continued(shown._replace(method=""), ["abc", "cab"], 3, LUCK)
