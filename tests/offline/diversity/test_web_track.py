from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from duelist.core.errors import BadInput
from duelist.offline.diversity import choose_knowing_subtopics, read_subtopic_judgements

LINES = "1 0 page-a 0\n1 1 page-b 1\n1 2 page-b 3\n1 2 page-c 1\n1 2 page-d -2\n7 4 page-a 2\n"


@pytest.mark.parametrize("name", ["qrels", "qrels.gz"])
def test_documents_that_cover_subtopics_are_kept(tmp_path: Path, name: str) -> None:
    packed = gzip.compress(LINES.encode()) if name.endswith("gz") else LINES.encode()
    (tmp_path / name).write_bytes(packed)
    found = read_subtopic_judgements(tmp_path / name)
    assert list(found) == ["1", "7"]
    assert found["1"].subtopics.tolist() == [[True, True], [False, True]]
    assert choose_knowing_subtopics(found["1"], 1).tolist() == [0]
    assert found["7"].n_documents == 1


@pytest.mark.parametrize(("text", "message"), [("1 2 a\n", "line 1"), ("1 2 a x\n", "grade"), ("1 2 a 0\n", "covers")])
def test_bad_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "qrels").write_text(text)
    with pytest.raises(BadInput, match=message):
        read_subtopic_judgements(tmp_path / "qrels")


def test_the_web_tracks_have_198_topics(data: Callable[[str], Path]) -> None:
    years = [data(f"trec-web-diversity/qrels.diversity-w{year}.gz") for year in ("09", "10", "11", "12")]
    assert [len(read_subtopic_judgements(path)) for path in years] == [50, 48, 50, 50]
