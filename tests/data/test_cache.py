from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from duelist.data import Dataset, read_letor
from duelist.data.cache import cache_file, load_cached

TEXT = "1 qid:a 1:0.5 3:2\n0 qid:a 2:1\n2 qid:ü 1:0.125\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "duelist"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "data.txt").write_text(TEXT)
    return tmp_path / "data.txt"


def assert_same(one: Dataset, other: Dataset) -> None:
    np.testing.assert_array_equal(one.features, other.features)
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.offsets, other.offsets)
    np.testing.assert_array_equal(one.feature_numbers, other.feature_numbers)
    assert one.queries == other.queries


def test_nothing_is_kept_unless_asked(text: Path, cache: Path) -> None:
    read_letor(text)
    assert not cache.exists()


def test_the_second_time_the_text_is_not_parsed(text: Path, cache: Path) -> None:
    first = read_letor(text, cache=True)
    assert [entry.name for entry in cache.iterdir()] == [cache_file(text).name]
    with mock.patch("duelist.data.letor.parse", side_effect=AssertionError):
        assert_same(first, read_letor(text, cache=True))
        assert read_letor(text, cache=True, features=5).n_features == 5


def test_too_few_features_name_the_line_even_when_kept(text: Path) -> None:
    read_letor(text, cache=True)
    with pytest.raises(ValueError, match="line 1: a feature number must be from 1 to 2, not 3"):
        read_letor(text, cache=True, features=2)


def test_a_changed_file_is_read_again_and_replaces_its_entry(text: Path, cache: Path) -> None:
    read_letor(text, cache=True)
    text.write_text(TEXT + "1 qid:b 1:1\n")
    assert read_letor(text, cache=True).n_queries == 3
    text.write_text(TEXT.replace("0.5", "0.7") + "1 qid:b 1:1\n")  # the same size
    os.utime(text, ns=(0, 12345))
    assert read_letor(text, cache=True).features[0, 0] == 0.7
    assert len(list(cache.iterdir())) == 1


def test_files_of_the_same_name_do_not_meet(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "data.txt").write_text(f"1 qid:{folder} 1:1\n")
        os.utime(tmp_path / folder / "data.txt", ns=(0, 0))
    found = [read_letor(tmp_path / folder / "data.txt", cache=True).queries for folder in "xyxy"]
    assert found == [("x",), ("y",), ("x",), ("y",)]


@pytest.mark.parametrize("damage", ["empty", "half", "garbage", "flipped"])
def test_a_damaged_entry_is_made_again(damage: str, text: Path) -> None:
    first = read_letor(text, cache=True)
    entry = cache_file(text)
    whole = entry.read_bytes()
    at = whole.index(np.float64(0.125).tobytes())  # a feature
    flipped = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    entry.write_bytes({"empty": b"", "half": whole[:200], "garbage": b"x" * 500, "flipped": flipped}[damage])
    assert load_cached(text) is None
    assert_same(first, read_letor(text, cache=True))
    kept = load_cached(text)
    assert kept is not None
    assert_same(first, kept)


def test_no_place_to_keep_it_is_no_error(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(text))  # a file, where a directory should be
    assert read_letor(text, cache=True).n_queries == 2
    monkeypatch.delenv("XDG_CACHE_HOME")
    with mock.patch.object(Path, "home", side_effect=RuntimeError("no home")):
        assert read_letor(text, cache=True).n_queries == 2


def test_a_failed_write_leaves_nothing_behind(text: Path, cache: Path) -> None:
    with mock.patch("numpy.savez", side_effect=OSError("disk full")):
        assert read_letor(text, cache=True).n_queries == 2
    assert list(cache.iterdir()) == []
