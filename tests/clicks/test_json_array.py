"""A JSON array is read item by item, wherever its text is cut, and says where it breaks off."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from duelist.clicks import files, json_array
from duelist.clicks.files import CutShort
from duelist.clicks.json_array import array_items, is_array
from duelist.clicks.log import read_log
from duelist.clicks.scan import scan_log

ROWS = [
    {"id": str(n), "user": f"u{n % 7} \u00e9", "shown": ["a]", "b\n", '"c'], "clicks": [n % 3], "rankers": ["x", "y"]}
    | {"teams": [0, 1, n % 2], "time": 1.7e9 + n}
    for n in range(60)
]


def test_items_are_whole_wherever_blocks_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [*ROWS, 12.5, "text", [1, {"a": 2}], None, True]
    (file := tmp_path / "log.json").write_text("\n " + json.dumps(whole, indent=1) + "\n")
    for block in (3, 7, 64, 1 << 20):
        monkeypatch.setattr(json_array, "BLOCK", block)
        monkeypatch.setattr(files, "PIECE", block)
        assert is_array(file) or block < 8
        items = list(array_items(file))
        assert [json.loads(item) for _, item in items] == whole
        assert [number for number, _ in items] == list(range(1, len(whole) + 1))


def test_an_array_says_the_same_as_its_lines(tmp_path: Path) -> None:
    (array := tmp_path / "log.json").write_text(json.dumps([*ROWS, 5, {"user": "ann"}], indent=2))
    (lines := tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, [*ROWS, 5, {"user": "ann"}])))
    one, other = scan_log(array), scan_log(lines)
    for name in ("users", "queries", "times", "setups", "sizes", "firsts", "larger", "lost"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert np.array_equal(one.done.slots, other.done.slots)
    assert list(one.losses.examples.values()) == list(other.losses.examples.values())
    assert read_log(array).records == read_log(lines).records


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (', {"user": "ann", "sho', "the array breaks off here: Unterminated string"),
        (" {}]", "the array breaks off here: neither a comma nor its end comes"),
        ('] {"user": "bob"}', "there is more behind the end of the array"),
        (",", "the array breaks off here"),
        (", oh]", "the array breaks off here: Expecting value"),
    ],
)
def test_what_breaks_off_is_told_and_the_rest_is_read(tmp_path: Path, end: str, reason: str) -> None:
    (file := tmp_path / "log.json").write_text(json.dumps(ROWS)[:-1] + end)
    log = read_log(file)
    assert len(log.records) == 60
    assert [bad.reason[: len(reason)] for bad in log.rejected] == [reason]
    found = scan_log(file)
    assert len(found) == len(log.records)
    assert found.losses.rows.total() == 1


def test_an_item_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_array, "BLOCK", 64)
    monkeypatch.setattr(files, "PIECE", 64)
    monkeypatch.setattr(json_array, "LONGEST", 1000)
    (file := tmp_path / "log.json").write_text('[{"user": "' + "x" * 5000 + '"}]')
    with pytest.raises(CutShort, match="Unterminated string"):
        list(array_items(file))


def test_a_packed_array_that_breaks_off(tmp_path: Path) -> None:
    packed = gzip.compress(json.dumps(ROWS * 40).encode(), mtime=0)
    (file := tmp_path / "log.json.gz").write_bytes(packed[:-20])
    assert not is_array(tmp_path / "nothing.json")
    with pytest.raises(CutShort, match="ended before the end-of-stream"):
        list(array_items(file))
