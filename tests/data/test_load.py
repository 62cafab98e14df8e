"""Synthetic data is named on the command line like a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.data import load_fold
from duelist.data.load import describe_data


def test_five_folds_of_one_set_test_on_every_query_once() -> None:
    folds = [load_fold("synthetic:queries=23,documents=4", number) for number in range(1, 6)]
    tested = [query for fold in folds for query in fold.test.queries]
    assert sorted(tested, key=int) == [str(number) for number in range(1, 24)]
    for fold in folds:
        parts = [set(part.queries) for part in fold]
        assert len(set.union(*parts)) == 23
        assert sum(map(len, parts)) == 23
        assert fold.train.n_queries > 2 * fold.test.n_queries


def test_parameters_and_the_seed_decide_what_it_is() -> None:
    one, same, other = (load_fold(f"synthetic:features=3,seed={seed}").train for seed in (1, 1, 2))
    assert np.array_equal(one.features, same.features)
    assert not np.array_equal(one.features, other.features)
    assert one.n_features == 3
    assert load_fold("synthetic").train.max_label == 2
    assert [one.features.min(), one.features.max()] == [0, 1]


@pytest.mark.parametrize(
    ("data", "fold", "complaint"),
    [
        ("synthetic:querys=3", 1, "has no parameter 'querys' .did you mean 'queries'"),
        ("synthetic:queries=3", 1, "queries must be a whole number at least 5, not 3"),
        ("synthetic:queries=20,30", 1, "queries must be a whole number"),
        ("synthetic:", 1, "written synthetic:NAME=VALUE"),
        ("synthetic", 6, "has the folds 1 to 5, not 6"),
        ("nowhere", 1, "no directory 'nowhere'"),
        (Path("synthetic"), 1, "no directory 'synthetic'"),
    ],
)
def test_what_cannot_be_made_is_said(data: str | Path, fold: int, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        load_fold(data, fold)


def test_titles_name_the_data() -> None:
    assert describe_data("synthetic:seed=1") == "synthetic:seed=1"
    assert describe_data("/data/MQ2008/") == "MQ2008"
