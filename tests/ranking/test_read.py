"""Duels from files, frames and rows; what cannot be read is named."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from duelist.core.errors import BadInput
from duelist.dueling.policy import Duel
from duelist.ranking import read_duels

HEADER = "left,right,winner\n"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def told(source: Any, **more: Any) -> list[tuple[Any, Any, float]]:
    log = read_duels(source, **more)
    arms = log.arms
    return [(arms[a], arms[b], y) for a, b, y in zip(log.left, log.right, log.outcome.tolist(), strict=True)]


def test_the_same_duels_from_everywhere(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    columns = {"left": ["a", "b", "c"], "right": ["b", "c", "a"], "outcome": [1.0, 0.5, 0.25]}
    frame = polars.DataFrame(columns)
    frame.write_parquet(tmp_path / "d.parquet")
    frame.write_ndjson(tmp_path / "d.jsonl")
    frame.write_csv(tmp_path / "d.csv")
    (tmp_path / "d.tsv.gz").write_bytes(gzip.compress((tmp_path / "d.csv").read_bytes().replace(b",", b"\t")))
    expected = list(zip(*columns.values(), strict=True))
    rows = [dict(zip(columns, row, strict=True)) for row in expected]
    duels = [(Duel(a, b, 1), y) for a, b, y in expected]
    files = [tmp_path / name for name in ("d.parquet", "d.jsonl", "d.csv", "d.tsv.gz")]
    for source in (columns, frame, expected, rows, duels, *files):
        assert told(source) == expected


def test_winners_by_name_by_side_by_column_and_ties(tmp_path: Path) -> None:
    text = "model_a,model_b,winner\nx,y,x\nx,y,y\nx,y,left\nx,y,model_b\nx,y,Tie\nx,y,tie (bothbad)\n"
    path = written(tmp_path, "arena.csv", text)
    rename = {"left": "model_a", "right": "model_b"}
    assert [y for _, _, y in told(path, rename=rename)] == [1, 0, 1, 0, 0.5, 0.5]


def test_winner_and_loser_say_nothing_of_sides() -> None:
    log = read_duels([("a", "b"), ("b", "a")])
    assert (log.sided, log.outcome.tolist()) == (False, [1, 1])


def test_what_cannot_be_read_is_named_by_line_and_column(tmp_path: Path) -> None:
    text = HEADER + 'a,b,a\na,b\na,,a\n"a,b,a\na,b,c\na,a,a\n\n a , b ,b\n'
    log = read_duels(written(tmp_path, "d.csv", text))
    assert [(row.line, row.reason) for row in log.rejected] == [
        (3, "2 cells under 3 columns"),
        (4, "column right: no arm"),
        (5, "a quote is left open"),
        (6, "column winner: 'c' is neither 'a' nor 'b', left, right or tie"),
    ]
    assert (len(log), log.settled, log.arms) == (2, 1, ("a", "b"))


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("d.csv", "left,right,outcome\na,b,1\na,b,1.5\n", "column outcome: '1.5' is no outcome"),
        ("d.csv", "left,right,outcome\na,b,1\na,b,nan\n", "column outcome: 'nan' is no outcome"),
        ("d.csv", "winner,loser,weight\na,b,1\na,b,-1\n", "column weight: weight must be at least 0"),
        ("d.csv", "winner,loser,time\na,b,5\na,b,noon\n", "column time: time must be seconds"),
        ("d.jsonl", '{"winner": "a", "loser": "b"}\n{"winner": "a"\n', "not a JSON object"),
        ("d.jsonl", '{"winner": "a", "loser": "b"}\n{"winner": "a"}\n', "column loser: no arm"),
    ],
)
def test_bad_cells(tmp_path: Path, name: str, text: str, reason: str) -> None:
    log = read_duels(written(tmp_path, name, text))
    assert len(log) == 1
    line = 3 if name == "d.csv" else 2
    assert [(row.line, row.reason.startswith(reason)) for row in log.rejected] == [(line, True)]


def test_a_cut_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = gzip.compress((HEADER + "a,b,a\n" * 5000 + "a,c,c\n" * 5000).encode(), compresslevel=0)
    (tmp_path / "d.csv.gz").write_bytes(whole[:-20_000])
    log = read_duels(tmp_path / "d.csv.gz")
    assert 5000 < len(log) < 10_000
    assert "breaks off" in log.rejected[-1].reason


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere.csv", "no log file"),
        ("duels.txt", "must end in one of .csv"),
        ({"left": ["a"], "right": ["b"]}, "must have the columns left, right and winner or outcome"),
        ([("a", "b", 1), ("a", "b")], "all of one kind"),
        ([], "must have the columns"),
        ([("a", "a")], "no duel that can be read"),
    ],
)
def test_what_is_no_log_of_duels(source: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_duels(source)


def test_times_order_the_duels_and_contexts_choose_them() -> None:
    log = read_duels(
        {"winner": ["a", "b", "c"], "loser": ["b", "c", "a"], "time": [3, 1, 2], "context": ["x", "y", "x"]}
    )
    assert [log.arms[arm] for arm in log.left] == ["b", "c", "a"]
    assert len(log.within("x")) == 2
    with pytest.raises(BadInput, match="known: x, y"):
        log.within("z")
