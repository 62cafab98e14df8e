from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.interleaving import Method, Optimized, Paged, TeamDraft, stable_seed
from duelist.interleaving.audit import built_in

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
