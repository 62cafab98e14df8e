"""A log as arrays is the log as records, whatever its form."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from duelist.clicks import read_log, write_log
from duelist.clicks.arrow_rows import ArrowRows
from duelist.clicks.found_rows import PLAIN
from duelist.clicks.found_rows import USUAL as USUAL_ROW
from duelist.clicks.gather import impressions_of
from duelist.clicks.impressions import PER_IMPRESSION, Impressions
from duelist.clicks.scan import scan_log
from duelist.core.errors import BadInput

from .test_log import RECORD, several

NUMBERED = ("ids", "users", "queries", "bodies", "setups", "experiments")  # in the order of their coming
ROWS = [
    {"id": "1", "user": "ann", "query": "q", "shown": ["a", "b", "c"], "clicks": [0], "time": 1.7e9},
    {"id": "1", "user": "ann", "query": "q", "shown": ["a", "b", "c"], "clicks": [2, 0], "time": 1.7e9},
    {"id": "1", "user": "bob", "query": "q", "shown": ["a", "b", "c"], "clicks": [1], "time": 1.7e9},
    {"id": 2, "user": 5, "shown": ["a", "b"], "clicks": ["b"], "time": 1700000000000},
    {"user": "cy", "shown": ["a", "b"], "clicks": [0, 9, 0], "time": "2023-11-14T22:13:20Z", "device": "phone"},
    {"user": "cy", "shown": ["a", "b"], "clicks": [1], "rankers": ["x", "y"], "teams": ["y", "x"], "device": "tv"},
    {
        "user": "cy",
        "shown": ["a", "b"],
        "clicks": [1, 0],
        "rankers": ["x", "y"],
        "credit": [0.5, 1],
        "click_times": [9, 8],
    },
    {"user": "cy", "shown": ["a", "b"], "clicks": [1], "rankers": ["x", "y"], "credit": [0.5, None]},
    {"user": "di", "shown": ["a", "a"], "rankers": ["x", "y"], "teams": [0, 1], "clicks": [1]},
    {"user": "di", "shown": [{"id": "a", "ranker": "x"}, {"id": "b", "ranker": "y"}], "clicked": ["b"]},
    {"user": "di", "shown": ["a"], "actions": [{"name": "buy", "position": 0, "value": 3}], "experiment": "e"},
    {"user": "", "shown": ["a"]},
    {"user": "ed", "query": None, "shown": ["a"], "clicks": None, "time": None, "teams": None, "experiment": None},
    {"user": " ", "shown": ["a"]},
    {"user": "ed", "ranker": "x"},
    {"user": "ed", "shown": [" "]},
    [1],
]


def bag(log: Impressions) -> Counter[Any]:
    """What is in a log, whatever the order of its rows and the numbers of names."""
    done: dict[int, list[Any]] = {}
    for row, team, slot, time, name, value in zip(
        *(getattr(log.done, field.name).tolist() for field in fields(log.done)), strict=True
    ):
        done.setdefault(row, []).append((log.action_names[name], team, slot, str(time), value))
    rows: Counter[Any] = Counter()
    times_seen = [np.bincount(numbers)[numbers] for numbers in (log.users, log.queries)]
    for row in range(len(log)):
        plain = tuple(str(getattr(log, name)[row]) for name in PER_IMPRESSION if name not in NUMBERED)
        plain += tuple(str(seen[row]) for seen in times_seen)
        names = log.setup_names[log.setups[row]], log.experiment_names[log.experiments[row]]
        extra = tuple(str(log.attributes[name][row]) for name in log.attributes)
        rows[plain, names, extra, tuple(sorted(done.get(row, []), key=str))] += 1
    return rows


def assert_same(file: Path) -> None:
    records, arrays = impressions_of(read_log(file), ("device",)), scan_log(file, attributes=("device",))
    assert bag(arrays) == bag(records)
    assert len(arrays) == len(records)
    assert arrays.losses.duplicates == records.losses.duplicates
    assert arrays.losses.clicks == records.losses.clicks
    assert arrays.losses.repeated == records.losses.repeated
    assert arrays.losses.rows.total() == records.losses.rows.total()
    assert arrays.losses.rankers == records.losses.rankers


def test_every_form_of_a_row(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(map(json.dumps, ROWS)) + "\nno JSON\n\n")
    assert_same(file)


@pytest.mark.parametrize("kind", [".jsonl", ".csv", ".tsv.gz"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(written=several())
def test_what_is_written_is_scanned_as_it_is_read(tmp_path: Path, kind: str, written: list[Any]) -> None:
    write_log(
        [RECORD, *(record for record in written if record.id != RECORD.id)], tmp_path / f"log{kind}", mode="replace"
    )
    assert_same(tmp_path / f"log{kind}")


def test_a_table_of_usual_and_unusual_rows(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    rows = [
        "1,ann,a b,0 1 1,x y,0 1,5,phone",
        "2,bob,a b,b,x y,y x,5,tv",
        "3,cy,a b,7,x y,0 1,5,",
        "4,di,a,0,x y,0,soon,tv",
    ]
    rows += [
        '5,ed,"[""a b"", ""c""]",1,x y,0 1,5,tv',
        "6,fi,a b,0",
        "7, ,a b,0,x y,0 1,5,tv",
        "1,ann,a b,1,x y,0 1,5,phone",
    ]
    file.write_text("id,user,shown,clicks,rankers,teams,time,Device\n" + "\n".join(rows))
    assert_same(file)


def test_parquet_is_the_same(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [row for row in ROWS if isinstance(row, dict) and row["user"] in ("ann", "bob", "cy")]
    rows = [row | {"clicks": [c for c in row["clicks"] if isinstance(c, int)]} for row in rows]
    rows = [{name: value for name, value in row.items() if name not in ("teams", "time")} for row in rows]
    names = dict.fromkeys(name for row in rows for name in row)
    rows = [{name: row.get(name) for name in names} for row in rows]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "log.parquet")
    lines, table = (scan_log(tmp_path / name) for name in ("log.jsonl", "log.parquet"))
    assert bag(lines) == bag(table)
    assert len(table) > 3


def test_an_empty_file_says_so_and_bad_rows_say_why(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("\n")
    with pytest.raises(BadInput, match="is empty"):
        scan_log(file)
    file.write_text('{"user": "ann", "shown": ["a", "a"]}\n')
    with pytest.raises(BadInput, match="document 'a' is shown twice"):
        scan_log(file)


def test_a_file_that_breaks_off_is_scanned_as_far_as_it_goes(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl.gz"
    from dataclasses import replace

    write_log([replace(RECORD, id=str(i), query=str(i * 7919 % 1009)) for i in range(5000)], file)
    file.write_bytes(file.read_bytes()[:-2000])
    log = scan_log(file)
    assert len(log) == len(read_log(file).records)
    assert "the file breaks off here" in next(iter(log.losses.rows))


def test_the_arrays_say_what_was_clicked(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    write_log([RECORD], file)
    log = scan_log(file)
    assert (log.firsts.tolist(), log.larger.tolist(), log.sizes.tolist()) == ([0], [-1], [3])
    assert (log.done.slots.tolist(), log.done.teams.tolist()) == ([2, 0], [-1, 0])
    assert log.given.tolist() == [[1.0, 0.5]]
    assert np.isnan(log.done.times).all()


USUAL = [
    {"id": f"i{i % 190}", "user": f"u{i % 7}", "query": (None, "q", "caf\u00e9")[i % 3], "time": 1.7e9 + i}
    | {"shown": [f"d{i % 9}", f"e{i % 5}", "\u5927"][: i % 4], "clicks": [[], [0], [1, 0], [2], None][i % 5]}
    | {"rankers": [["x", "y"], ["y", "x"], None][i % 3], "teams": [[0, 1, 1][: i % 4], []][i % 3 // 2]}
    | {"device": [None, "tv", "phone"][i % 3]}
    for i in range(200)
]


def test_usual_rows_of_parquet_are_those_of_json(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, USUAL)))
    lines = scan_log(tmp_path / "log.jsonl", attributes=("device",))
    assert lines.losses.clicks
    whole = [row | {"id": i % 190, "time": 1_700_000_000 + i} for i, row in enumerate(USUAL)]  # not as texts and floats
    for name, rows in (("same", USUAL), ("whole", whole)):
        parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / f"{name}.parquet", row_group_size=64)
        table = scan_log(tmp_path / f"{name}.parquet", attributes=("device",))
        assert bag(table) == bag(lines)
        assert (table.losses.clicks, table.losses.duplicates) == (lines.losses.clicks, lines.losses.duplicates)
        assert (table.losses.rows.total(), table.losses.rankers) == (lines.losses.rows.total(), lines.losses.rankers)


def test_usual_rows_of_parquet_are_read_by_compiled_code() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = [row | {"clicks": [0], "shown": ["a", "b"]} for row in USUAL]
    (batch,) = pyarrow.Table.from_pylist(rows).to_batches()
    part = batch.slice(40, 100)
    found = ArrowRows(part, ("device",))
    assert (found.rows[:, USUAL_ROW] == PLAIN).all()
    assert found.times.tolist() == [row["time"] for row in rows[40:140]]
    assert found.value(1, 0) == rows[41]["device"]
    assert found.row(1)["user"] == rows[41]["user"]
    blank = pyarrow.Table.from_pylist([row | {"user": " "} for row in rows]).to_batches()[0]
    assert not (ArrowRows(blank, ()).rows[:, USUAL_ROW] == PLAIN).any()
