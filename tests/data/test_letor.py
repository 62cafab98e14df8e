from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.core.errors import BadInput
from duelist.data import Dataset, read_letor, synthetic
from duelist.data.letor import CHUNK

fast = settings(derandomize=True, deadline=None, database=None)  # the first call compiles


def slowly(text: str) -> tuple[list[int], list[str], list[dict[int, float]]]:
    """Labels, query ids and features of each line, read the obvious way."""
    labels, queries, features = [], [], []
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if words:
            labels.append(int(words[0]))
            queries.append(words[1].removeprefix("qid:"))
            features.append({int(word.split(":")[0]): float(word.split(":")[1]) for word in words[2:]})
    return labels, queries, features


def assert_is(data: Dataset, text: str) -> None:
    labels, queries, features = slowly(text)
    width = max(max(line, default=0) for line in features)
    rows = np.zeros((len(labels), width))
    for row, line in zip(rows, features, strict=True):
        for number, value in line.items():
            row[number - 1] = value
    np.testing.assert_array_equal(data.features, rows)
    np.testing.assert_array_equal(data.labels, labels)
    assert data.queries == tuple(dict.fromkeys(queries))
    assert [data.queries[q] for q in range(data.n_queries) for _ in range(*data.rows(q).indices(10**9))] == queries
    np.testing.assert_array_equal(data.feature_numbers, np.arange(1, width + 1))


def write(folder: Path, text: str) -> Path:
    (folder / "data.txt").write_text(text, newline="")
    return folder / "data.txt"


SHAPES = {
    "mq2008": "0 qid:10002 1:0.007477 2:0.000000 #docid = GX008-86-4444840 inc = 1 prob = 0.086622\n"
    "2 qid:10002 1:0.603738 2:1.000000 #docid = GX037-06-11625428 inc = 0.0031586555555558 prob = 0.0897452\n"
    "1 qid:10032 1:0.5 2:0.25 #docid = a:b\n",
    "mslr": "2 qid:1 1:3 2:0 3:2.5 4:-12.5 \n0 qid:1 1:835 2:0 3:21.439961 4:0 \n",
    "yahoo": "1 qid:1 11:0.89028 699:0.5\n0 qid:1 10:0.83046 11:0.1 700:0.26215\n4 qid:2 2:1\n",
    "istella": "0 qid:1 1:0 9:1.79769313486231570000e+308 220:-0.3333333333333333\n4 qid:7 3:1e-05\n",
    "windows": "1 qid:1 1:1\r\n\r\n0 qid:2 1:2\r\n",
    "loose": "\n# a comment\n  1\tqid:one  1:1\n0 qid:one\n",
    "bare": "1 qid:1\n0 qid:2\n",
    "unfinished": "1 qid:1 1:1\n0 qid:2 1:2",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_that_are_around(shape: str, tmp_path: Path) -> None:
    assert_is(read_letor(write(tmp_path, SHAPES[shape])), SHAPES[shape])


def test_gzip_is_seen_from_the_content(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(gzip.compress(SHAPES["yahoo"].encode()))
    assert_is(read_letor(tmp_path / "data"), SHAPES["yahoo"])


@fast
@given(st.integers(60, 400), st.integers(1, 12), st.integers(0, 1000))
def test_where_the_text_is_cut_does_not_matter(chunk: int, queries: int, seed: int) -> None:
    data = synthetic(queries, 3, 2, seed=seed)
    lines = [
        f"{data.labels[d]} qid:{data.queries[d // 3]} 1:{data.features[d, 0]!s} {2 + d % 5}:{data.features[d, 1]!s}\n"
        for d in range(data.n_documents)
    ]
    with TemporaryDirectory() as folder, mock.patch("duelist.data.letor.CHUNK", chunk):
        text = "".join(lines)
        assert_is(read_letor(write(Path(folder), text)), text)


def test_the_number_of_features_can_be_given(tmp_path: Path) -> None:
    path = write(tmp_path, "1 qid:1 2:5\n0 qid:1 3:1\n")
    np.testing.assert_array_equal(read_letor(path, features=4).features, [[0, 5, 0, 0], [0, 0, 1, 0]])
    with pytest.raises(BadInput, match=r"data.txt, line 2: a feature number must be from 1 to 2, not 3"):
        read_letor(path, features=2)
    with pytest.raises(BadInput, match="features must be from 1 to 100000, not 0"):
        read_letor(path, features=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 qid:1 1:1\n# x\n\n1 1:1\n", "line 4: qid:<id> must follow the label, not '1:1'"),
        ("1 qid:1 1:1\n\n0 qid:1 1:1e999\n", "line 3: the value of feature 1 must be a finite number, not '1e999'"),
        ("1 qid:1 1:1\n1 qid:2 1:1\n\n1 qid:1 1:1\n", "line 4: query '1' comes back"),
        ("\n# nothing\n", "holds no documents"),
        ("", "holds no documents"),
    ],
)
@pytest.mark.parametrize("chunk", [CHUNK, 30])
def test_a_bad_line_is_named(text: str, message: str, chunk: int, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with mock.patch("duelist.data.letor.CHUNK", chunk), pytest.raises(BadInput) as error:
        read_letor(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


def test_a_query_that_goes_on_in_the_next_chunk_may_still_come_back_too_late(tmp_path: Path) -> None:
    path = write(tmp_path, "1 qid:1 1:1\n1 qid:1 1:1\n1 qid:2 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n")
    for chunk in range(13, 70):
        with (
            mock.patch("duelist.data.letor.CHUNK", chunk),
            pytest.raises(BadInput, match="line 5: query '1' comes back"),
        ):
            read_letor(path)


def test_a_file_without_lines_is_refused_early(tmp_path: Path) -> None:
    with mock.patch("duelist.data.letor.CHUNK", 100), pytest.raises(BadInput, match="line 1: more than 100 bytes"):
        read_letor(write(tmp_path, "x" * 250))
    text = "\n\n1 qid:1 1:1\n" * 9 + "x" * 250
    with mock.patch("duelist.data.letor.CHUNK", 100), pytest.raises(BadInput, match="line 28: more than 100 bytes"):
        read_letor(write(tmp_path, text))


def test_missing_and_damaged_files(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no file"):
        read_letor(tmp_path / "absent.txt")
    whole = gzip.compress(SHAPES["yahoo"].encode())
    for damaged in (whole[:-12], whole[:20] + b"\0" + whole[21:], whole[:12]):
        (tmp_path / "data.gz").write_bytes(damaged)
        with pytest.raises(BadInput, match=r"cannot read .*data\.gz"):
            read_letor(tmp_path / "data.gz")


@pytest.mark.parametrize("name", ["mq2008/S1", "mslr-sample/vali", "mslr-sample/test"])
def test_real_files_are_read_as_the_slow_reader_does(name: str, data: Callable[[str], Path]) -> None:
    path = data(f"{name}.txt.gz")
    assert_is(read_letor(path), gzip.decompress(path.read_bytes()).decode())


@pytest.mark.parametrize(
    ("folder", "queries", "documents", "features", "max_label"),
    [("mq2008", 784, 15_211, 46, 2), ("mq2007-partial", 1_692, 59_135, 46, 2)],
)
def test_counts_of_real_sets(
    folder: str, queries: int, documents: int, features: int, max_label: int, data: Callable[[str], Path]
) -> None:
    parts = [read_letor(data(f"{folder}/S{part}.txt.gz")) for part in range(1, 6)]
    assert sum(part.n_queries for part in parts) == queries
    assert sum(part.n_documents for part in parts) == documents
    assert {part.n_features for part in parts} == {features}
    assert max(part.max_label for part in parts) == max_label


def test_counts_of_the_mslr_sample(data: Callable[[str], Path]) -> None:
    for name in ("vali", "test"):
        part = read_letor(data(f"mslr-sample/{name}.txt.gz"))
        assert (part.n_queries, part.n_features, part.max_label) == (18, 136, 4)
