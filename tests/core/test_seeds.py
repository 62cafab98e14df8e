"""A seed means the same luck whenever, and wherever, it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.core.seeds import check_seed, split_seed


def draws(seed: np.random.SeedSequence) -> list[float]:
    return list(np.random.default_rng(seed).random(3))


@pytest.mark.parametrize("seed", [0, 7, np.int64(7), [7, 1], (7, 1)])
def test_a_seed_gives_numpys_own_luck(seed: Any) -> None:
    assert draws(check_seed("Thing", seed)) == np.random.default_rng(seed).random(3).tolist()


def test_a_sequence_is_taken_as_it_is() -> None:
    sequence = np.random.SeedSequence(3, spawn_key=(1, 2))
    assert check_seed("Thing", sequence) is sequence


def test_without_a_seed_luck_differs() -> None:
    assert draws(check_seed("Thing", None)) != draws(check_seed("Thing", None))


@pytest.mark.parametrize("seed", [-1, 1.0, True, "7", [], [7, -1], [7, None], np.array([7])])
def test_what_is_no_seed_is_refused_by_name(seed: Any) -> None:
    with pytest.raises(BadInput, match="Thing: seed must be a whole number of at least 0 or None, not"):
        check_seed("Thing", seed)


def test_parts_are_those_of_numpy_and_the_same_at_every_call() -> None:
    seed = np.random.SeedSequence(5)
    first, again = split_seed(seed, 3), split_seed(seed, 3)
    spawned = np.random.SeedSequence(5).spawn(3)
    assert [draws(part) for part in first] == [draws(part) for part in again] == [draws(part) for part in spawned]


def test_a_part_does_not_depend_on_how_many_there_are_and_splits_again() -> None:
    alone, among = split_seed(np.random.SeedSequence(5), 1)[0], split_seed(np.random.SeedSequence(5), 9)[0]
    assert draws(alone) == draws(among)
    assert draws(split_seed(alone, 2)[1]) == draws(split_seed(among, 4)[1])
    assert split_seed(alone, 2)[1].spawn_key == (0, 1)


def test_parts_differ_from_each_other_and_from_the_whole() -> None:
    whole = np.random.SeedSequence(5)
    assert len({tuple(draws(seed)) for seed in [whole, *split_seed(whole, 20)]}) == 21


def test_seeds_from_a_number_on_are_those_of_the_whole() -> None:
    seed = np.random.SeedSequence([3, 5])
    whole, later = split_seed(seed, 7), split_seed(seed, 3, first=4)
    assert list(map(draws, later)) == list(map(draws, whole[4:]))
