"""What was downloaded is looked at before it is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from duelist.core.errors import BadInput
from duelist.data.catalogue import CATALOGUE, recognise
from duelist.data.check import check_folder

PART = "2 qid:{0}1 1:0.5 2:1\n0 qid:{0}1 1:0.1 2:1\n1 qid:{0}2 1:0.3 2:1\n"


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def write(folder: Path, *names: str) -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(PART.format(name))


def test_five_parts_are_five_folds(tmp_path: Path) -> None:
    write(tmp_path, *(f"S{part}.txt" for part in range(1, 6)))
    found = check_folder(tmp_path)
    assert (found.folds, found.odd) == ((1, 2, 3, 4, 5), ())
    assert [file.name for file in found.files] == [f"S{part}.txt" for part in range(1, 6)]
    first = found.files[0]
    assert (first.queries, first.documents, first.features, first.varying) == (2, 3, 2, 1)
    assert (first.labels, first.relevant) == ((1, 1, 1), 2)
    assert "nothing is missing or odd" in str(found)
    assert "S1.txt" in str(found)


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    write(tmp_path, "S1.txt", "S2.txt", "S4.txt", "S5.txt")
    found = check_folder(tmp_path)
    assert found.folds == ()
    assert found.odd[0] == "fold 1: there is none of S3.txt, S3.txt.gz"
    assert [file.name for file in found.files] == ["S1.txt", "S2.txt", "S4.txt", "S5.txt"]


def test_some_folds_may_be_complete(tmp_path: Path) -> None:
    write(tmp_path, *(f"Fold{fold}/{name}.txt" for fold in (1, 2) for name in ("train", "vali", "test")))
    (tmp_path / "Fold2" / "vali.txt").unlink()
    found = check_folder(tmp_path)
    assert found.folds == (1,)
    assert len(found.odd) == 1
    assert found.odd[0].startswith("fold 2: there is none of Fold2/vali.txt")


def test_what_is_odd_is_said(tmp_path: Path) -> None:
    write(tmp_path, "train.txt", "vali.txt", "test.txt")
    (tmp_path / "vali.txt").write_text((tmp_path / "train.txt").read_text())
    (tmp_path / "test.txt").write_text("0 qid:1 1:1\n0 qid:1 1:1\n")
    (tmp_path / "MQ2008.rar").touch()
    odd = check_folder(tmp_path).odd
    assert "MQ2008.rar is still packed" in odd
    assert "test.txt: every label is 0" in odd
    assert "test.txt: every feature is constant" in odd
    assert "query 'train.txt1' and 1 more are in train.txt and in vali.txt" in odd


def test_a_bad_line_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    write(tmp_path, "train.txt", "vali.txt", "test.txt")
    (tmp_path / "vali.txt").write_text("1 qid:1 1:1\n1 qid:1 x\n")
    found = check_folder(tmp_path)
    assert found.folds == ()
    assert "vali.txt, line 2" in found.odd[0]
    assert [file.name for file in found.files] == ["train.txt", "test.txt"]


def test_a_folder_above_says_where_to_look(tmp_path: Path) -> None:
    write(tmp_path, "mq2008/S1.txt", "notes/readme.txt")
    (odd,) = check_folder(tmp_path).odd
    assert odd.endswith("; but there is in mq2008")
    with pytest.raises(BadInput, match="no directory"):
        check_folder(tmp_path / "none")


def test_real_data_is_recognised(data: object) -> None:
    folder: Path = data("mq2008/S1.txt.gz").parent  # type: ignore[operator]
    found = check_folder(folder)
    assert (found.sizes, found.odd) == ("as many queries and documents as MQ2008", ())


def test_sizes_are_recognised_or_not() -> None:
    assert recognise(36, 3634, 136) == "as many features as MSLR-WEB10K, MSLR-WEB30K, but not all queries"
    assert recognise(1, 2, 3) == "of no data set that we know"
    for name, entry in CATALOGUE.items():
        if entry.features:
            assert recognise(entry.queries, entry.documents, entry.features).endswith(name)
        assert entry.page.startswith("http")
