from __future__ import annotations

from collections import Counter

import pytest

from duelist.interleaving import PairwisePreference, Shown


def find(method: PairwisePreference, rankings: list[str], ranking: str) -> Shown:
    return next(s for _, s in method.distribution(rankings, len(ranking)) if s.ranking == tuple(ranking))


def test_slots_are_drawn_from_what_some_ranker_puts_there() -> None:
    """abc and bca: slot 1 from a, b; slot 2 from the other one and c; slot 3 the last."""
    outcomes = {"".join(map(str, s.ranking)): p for p, s in PairwisePreference().distribution(["abc", "bca"], 3)}
    assert outcomes == {"abc": 0.25, "acb": 0.25, "bac": 0.25, "bca": 0.25}


def test_the_number_of_choices_is_kept() -> None:
    assert find(PairwisePreference(), ["abcd", "dcba"], "adbc").choices == (2, 3, 2, 1)


def test_a_pair_by_hand() -> None:
    """a and d come into question in slot 1, b and c in slot 2.

    A click on b, slot 3, passed over a and d, which were both above slot 2 or in it: a was in slot 1, before b
    came into question, and does not count; d was in slot 2. One of a and d waited in slot 1, with probability
    1/2, so the pair weighs 2. The next below is c, which came into question with b: weight 1.
    """
    method = PairwisePreference()
    shown = find(method, ["abcd", "dcba"], "adbc")
    assert method.credit(shown, [2]).tolist() == [2 + 1, -2 - 1]


def test_pairings() -> None:
    """Clicks on slots 1 and 3 of 5: the first passed over slot 2 as the next, the third slots 2 and 4."""
    above, every = (Counter(PairwisePreference(pairing=pairing)._pairs({0, 2}, 5)) for pairing in ("above", "all"))
    assert above == Counter([(0, 1), (2, 1), (2, 3)])
    assert every == Counter([(0, 1), (0, 3), (2, 1), (2, 3)])
    assert Counter(PairwisePreference()._pairs({4}, 5)) == Counter([(4, 0), (4, 1), (4, 2), (4, 3)])


def test_rankers_that_lack_both_documents_do_not_care() -> None:
    method = PairwisePreference()
    shown = find(method, ["abc", "bac", "xyz"], "abx")
    assert method.credit(shown, [0])[2] == 0
    assert method.credit(shown, [0])[0] == pytest.approx(-method.credit(shown, [0])[1])
    assert method.credit(shown, [0])[0] > 0
