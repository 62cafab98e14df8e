from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.data import Fold, read_fold


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "duelist"


def write(path: Path, text: str = "1 qid:{} 1:1 2:1\n0 qid:{} 2:2\n") -> None:
    """Two documents of a query named after the file."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.replace("{}", path.parent.name[:5] + path.name.split(".txt")[0]))


def ids(fold: Fold) -> list[tuple[str, ...]]:
    return [part.queries for part in fold]


@pytest.mark.parametrize(
    ("fold", "train", "vali", "test"), [(1, "123", "4", "5"), (3, "345", "1", "2"), (5, "512", "3", "4")]
)
def test_five_parts_go_round(fold: int, train: str, vali: str, test: str, tmp_path: Path) -> None:
    for part in range(1, 6):
        write(tmp_path / f"S{part}.txt", "1 qid:S{part} 1:1\n0 qid:S{part} 1:2\n".replace("{part}", str(part)))
    expected = [tuple(f"S{part}" for part in parts) for parts in (train, vali, test)]
    assert ids(read_fold(tmp_path, fold)) == expected


def test_folders_and_sets(tmp_path: Path) -> None:
    (tmp_path / "mslr").mkdir()
    for name in ("train", "vali", "test"):
        write(tmp_path / "mslr" / "Fold1" / f"{name}.txt")
        write(tmp_path / "mslr" / "Fold2" / f"{name}.txt")
        write(tmp_path / "yahoo" / f"set2.{name.replace('vali', 'valid')}.txt")
        write(tmp_path / "plain" / f"{name}.txt")
    assert ids(read_fold(tmp_path / "mslr", 2)) == [("Fold2train",), ("Fold2vali",), ("Fold2test",)]
    assert ids(read_fold(tmp_path / "yahoo", 2)) == [("yahooset2.train",), ("yahooset2.valid",), ("yahooset2.test",)]
    assert ids(read_fold(tmp_path / "plain")) == [("plaintrain",), ("plainvali",), ("plaintest",)]


def test_all_three_have_the_features_that_vary_on_train(tmp_path: Path) -> None:
    write(tmp_path / "train.txt", "1 qid:1 1:7 2:1\n0 qid:1 1:7 2:3\n0 qid:2 1:8 2:5\n0 qid:2 1:8 2:6\n")
    write(tmp_path / "vali.txt", "1 qid:1 1:1\n0 qid:1 1:2 4:1\n")
    write(tmp_path / "test.txt", "1 qid:1 1:1 2:4\n0 qid:1 3:2 2:2\n".replace("3:2 2:2", "2:2 3:2"))
    fold = read_fold(tmp_path)
    assert [part.feature_numbers.tolist() for part in fold] == [[2], [2], [2]]
    np.testing.assert_array_equal(fold.train.features[:, 0], [0, 1, 0, 1])
    np.testing.assert_array_equal(fold.vali.features[:, 0], [0, 0])
    np.testing.assert_array_equal(fold.test.features[:, 0], [1, 0])
    # Feature 1 differs between queries of train, never within one: only normalising makes it constant.
    assert read_fold(tmp_path, normalise=False).test.feature_numbers.tolist() == [1, 2]
    assert read_fold(tmp_path, drop_constant=False).train.features.shape == (4, 4)


def test_files_are_kept_unless_told(tmp_path: Path, cache: Path) -> None:
    for name in ("train", "vali", "test"):
        write(tmp_path / f"{name}.txt")
    read_fold(tmp_path, cache=False)
    assert not cache.exists()
    read_fold(tmp_path)
    assert len(list(cache.iterdir())) == 3


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no directory"):
        read_fold(tmp_path / "absent")
    with pytest.raises(BadInput, match=r"has none of Fold2/train.txt, Fold2/train.txt.gz, set2.train.txt, "):
        read_fold(tmp_path, 2)
    write(tmp_path / "train.txt")
    with pytest.raises(BadInput, match=r"vali.txt, vali.txt.gz, valid.txt, valid.txt.gz$"):
        read_fold(tmp_path)
    write(tmp_path / "S2.txt")
    with pytest.raises(BadInput, match=r"has none of S1.txt, S1.txt.gz$"):
        read_fold(tmp_path, 1)
    with pytest.raises(BadInput, match="has the folds 1 to 5, not 6"):
        read_fold(tmp_path, 6)


@pytest.mark.parametrize("fold", range(1, 6))
def test_mq2008(fold: int, data: Callable[[str], Path]) -> None:
    parts = read_fold(data("mq2008/S1.txt.gz").parent, fold)
    assert sum(part.n_queries for part in parts) == 784
    assert sum(part.n_documents for part in parts) == 15_211
    assert {part.n_features for part in parts} == {40}
    assert sum(part.labels[part.rows(q)].max() == 0 for part in parts for q in range(part.n_queries)) == 220
    for part in parts:
        assert [part.features.min(), part.features.max()] == [0, 1]
