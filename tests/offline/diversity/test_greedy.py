from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from duelist.core.compile import plain
from duelist.core.errors import BadInput
from duelist.offline.diversity.greedy import (
    choose_exactly,
    choose_greedily,
    choose_into,
    make_cover,
    pairs_of,
    value_of,
)

from .cases import Case, cases, fast


def worth(case: Case, chosen: set[int]) -> float:
    covered = set().union(*(case.sets[d] for d in chosen))
    return float(sum(case.benefits[item] for item in covered) + sum(case.bonus[d] for d in chosen))


def transcribed(case: Case) -> list[int]:
    """Algorithm 3, line by line; of equal documents the first."""
    chosen: list[int] = []
    for _ in range(min(case.k, len(case.sets))):
        left = [d for d in range(len(case.sets)) if d not in chosen]
        chosen.append(max(left, key=lambda d: worth(case, {*chosen, d})))
    return chosen


@fast
@given(cases(negative=True))
def test_the_greedy_choice_is_that_of_the_thesis(case: Case) -> None:
    assert choose_greedily(case.cover, case.benefits, case.k, case.bonus).tolist() == transcribed(case)


@fast
@given(cases(negative=True))
def test_compiled_and_plain_agree(case: Case) -> None:
    chosen = np.zeros(min(case.k, len(case.sets)), np.int64)
    plain(choose_into)(case.cover, case.benefits, case.bonus, np.zeros((0, 0)), np.zeros(len(case.benefits)), chosen)
    assert chosen.tolist() == choose_greedily(case.cover, case.benefits, case.k, case.bonus).tolist()


@fast
@given(cases(negative=True))
def test_the_exact_choice_is_the_best_of_all(case: Case) -> None:
    found = choose_exactly(case.cover, case.benefits, case.k, case.bonus)
    size = min(case.k, len(case.sets))
    assert len(set(found.tolist())) == size
    best = max(worth(case, set(subset)) for subset in combinations(range(len(case.sets)), size))
    assert worth(case, set(found.tolist())) == best == value_of(case.cover, case.benefits, found, case.bonus)


@fast
@given(cases())
def test_greed_is_worth_at_least_its_share_of_the_best(case: Case) -> None:
    greedy = value_of(
        case.cover, case.benefits, choose_greedily(case.cover, case.benefits, case.k, case.bonus), case.bonus
    )
    best = value_of(
        case.cover, case.benefits, choose_exactly(case.cover, case.benefits, case.k, case.bonus), case.bonus
    )
    size = min(case.k, len(case.sets))
    assert greedy >= (1 - (1 - 1 / size) ** size) * best - 1e-9
    assert greedy >= (1 - 1 / math.e) * best - 1e-9


def test_greed_is_not_always_the_best() -> None:
    """Two halves of eight items, and a document in front that takes half of both: greed covers 3/4."""
    sets = [[0, 1, 4, 5], [0, 1, 2, 3], [4, 5, 6, 7]]
    cover, ones = make_cover(np.repeat([0, 1, 2], 4), np.concatenate(sets), 3), np.ones(8)
    assert value_of(cover, ones, choose_greedily(cover, ones, 2)) == 6.0
    assert value_of(cover, ones, choose_exactly(cover, ones, 2)) == 8.0


def test_the_bound_needs_benefits_of_0_or_more() -> None:
    """Two documents share an item that costs as much as each earns: together they are worth 5, alone 0."""
    cover = make_cover(np.array([0, 1, 1, 2, 2]), np.array([0, 1, 2, 3, 2]), 3)
    benefits = np.array([1.0, 5.0, -5.0, 5.0])
    assert value_of(cover, benefits, choose_greedily(cover, benefits, 2)) == 1.0
    assert value_of(cover, benefits, choose_exactly(cover, benefits, 2)) == 5.0


@fast
@given(cases())
def test_pairs_give_the_cover_back(case: Case) -> None:
    documents, items = pairs_of(case.cover)
    again = make_cover(documents, items, case.cover.n_documents)
    assert [array.tolist() for array in again] == [array.tolist() for array in case.cover]
    assert sorted(zip(documents.tolist(), items.tolist(), strict=True)) == sorted(
        (d, item) for d, own in enumerate(case.sets) for item in own
    )


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "3"])
def test_a_bad_size_is_named(k: int) -> None:
    cover = make_cover(np.array([0]), np.array([0]), 1)
    for choose in (choose_greedily, choose_exactly):
        with pytest.raises(BadInput, match="at least 1"):
            choose(cover, np.ones(1), k)


def test_too_many_subsets_are_refused() -> None:
    cover = make_cover(np.arange(100), np.arange(100), 100)
    with pytest.raises(BadInput, match="75287520 ways"):
        choose_exactly(cover, np.ones(100), 5)
