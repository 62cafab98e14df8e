from __future__ import annotations

import numpy as np
import pytest

from duelist.interleaving import SampleScoredOnly, TeamDraft


def test_scores_are_ranks_among_the_documents_shown() -> None:
    """Shown are b, e and a; the second ranking, edcba, orders them e, b, a."""
    rankings, method = ["abcde", "edcba"], SampleScoredOnly()
    shown = next(s for _, s in method.distribution(rankings, 3) if s.ranking == ("a", "e", "b"))
    assert method.credit(shown, [0]).tolist() == pytest.approx([1, 1 / 27])
    assert method.credit(shown, [1]).tolist() == pytest.approx([1 / 27, 1])
    assert method.credit(shown, [0, 2]).tolist() == pytest.approx([1 + 1 / 8, 1 / 27 + 1 / 8])


def test_lists_are_drafted() -> None:
    rankings = ["abcde", "cbdea", "eabcd"]
    drafted = TeamDraft().combine(rankings, 4, np.random.default_rng(1)).ranking
    assert SampleScoredOnly().combine(rankings, 4, np.random.default_rng(1)).ranking == drafted


def test_documents_a_ranker_lacks_share_the_place_below_those_it_has() -> None:
    rankings, method = ["abc", "xyz"], SampleScoredOnly()
    shown = next(s for _, s in method.distribution(rankings, 2) if s.ranking == ("a", "x"))
    assert method.credit(shown, [1]).tolist() == pytest.approx([1 / 8, 1])
