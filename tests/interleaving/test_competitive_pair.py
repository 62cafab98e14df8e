from __future__ import annotations

import numpy as np

from duelist.interleaving import CompetitivePair


def outcomes(first: str, second: str, length: int) -> dict[str, tuple[int, ...]]:
    found = CompetitivePair().distribution([first, second], length)
    return {"".join(map(str, shown.ranking)): shown.teams for _, shown in found}


def test_one_coin_orders_every_pair() -> None:
    """abcd and badc: a and b, then c and d, both pairs in the same order."""
    assert outcomes("abcd", "badc", 4) == {"abcd": (0, 1, 0, 1), "badc": (1, 0, 1, 0)}


def test_equal_next_documents_are_neutral_wherever_they_are() -> None:
    """After a and c compete, b is next for both."""
    assert outcomes("abcd", "cbad", 4) == {"acbd": (0, 1, -1, -1), "cabd": (1, 0, -1, -1)}


def test_documents_placed_by_the_other_are_skipped() -> None:
    """eabdc: e against a; then b for both; then c against d."""
    assert outcomes("abcde", "eabdc", 5) == {"aebcd": (0, 1, -1, 0, 1), "eabdc": (1, 0, -1, 1, 0)}


def test_a_pair_cut_by_the_end_keeps_its_owner() -> None:
    assert outcomes("abcd", "badc", 3) == {"abc": (0, 1, 0), "bad": (1, 0, 1)}
    assert outcomes("abcd", "badc", 1) == {"a": (0,), "b": (1,)}


def test_beyond_the_shorter_ranking_the_list_goes_on_neutral() -> None:
    shown = CompetitivePair().combine(["abcd", "x"], 5, np.random.default_rng(0))
    assert set(shown.ranking) == set("abcdx")
    assert shown.teams[0] in (0, 1)
    assert shown.teams[1:] == (-1,) * 4
