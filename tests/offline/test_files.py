from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.data import read_fold
from duelist.offline.files import load_folds, read_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [f"{row % 2} qid:{row // 2} 1:{row} 2:7 3:{row % 3}\n" for row in range(6)]
    for name in ("train", "vali", "test"):
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    (tmp_path / "test.txt").write_text("1 qid:9 1:2 4:8\n0 qid:9 1:5\n")
    return tmp_path


def test_three_files_are_the_fold_that_a_directory_holds(folder: Path) -> None:
    files, fold = read_files(*(folder / f"{name}.txt" for name in ("train", "vali", "test"))), read_fold(folder)
    for one, other in zip(files, fold, strict=True):
        np.testing.assert_array_equal(one.features, other.features)
        assert one.feature_numbers.tolist() == other.feature_numbers.tolist() == [1, 3]


def test_either_files_or_a_directory(folder: Path) -> None:
    train, vali, test = (folder / f"{name}.txt" for name in ("train", "vali", "test"))
    assert len(load_folds(train, vali, test, None, [])) == 1
    assert len(load_folds(None, None, None, folder, [])) == 1
    with pytest.raises(BadInput, match="give either --data or --train"):
        load_folds(train, vali, test, folder, [])
    with pytest.raises(BadInput, match="data is missing"):
        load_folds(train, None, test, None, [])
