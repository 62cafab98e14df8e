"""A log as arrays is the log as records, whatever its form."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from itertools import permutations
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
from duelist.clicks.impressions import CREDIT, PER_IMPRESSION, Impressions
from duelist.clicks.records import NOBODY
from duelist.clicks.scan import scan_log, spool_log
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
        done.setdefault(row, []).append((log.action_names[name], team, slot, str(time), str(value)))
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


def test_broken_lines_are_not_mended_by_each_other(tmp_path: Path) -> None:
    file, good = tmp_path / "log.jsonl", '{"user":"eve","shown":["a"]}'
    file.write_text(f'{good},{good}\n{{"user":"cy"\n"shown":["d"]}}\n{good}\n')
    assert_same(file)
    assert scan_log(file).losses.rows.total() == 3


@pytest.mark.parametrize("fields", [{"clicks": "0"}, {"credit": "12"}, {"credit": {"1": 2, "3": 4}}])
def test_a_text_is_no_list(tmp_path: Path, fields: dict[str, Any]) -> None:
    log = both(tmp_path, [told(shown=["0", "1"]), told(id="2", shown=["0", "1"], **fields)])
    assert (len(log), log.losses.rows.total()) == (1, 1)


def test_what_cannot_be_read_says_what_can(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("user,shown\nann,a b\n")
    with pytest.raises(BadInput, match=r"one of \.csv, .* or that and \.gz, or in \.parquet$"):
        scan_log(tmp_path / "log.txt")
    (tmp_path / "log.txt").rename(tmp_path / "log.csv")
    with pytest.raises(BadInput, match="does not hold UBI queries"):
        scan_log(tmp_path / "log.csv", events=tmp_path / "events.jsonl")


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


def test_credit_of_parquet_is_read_by_compiled_code() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    usual, odd = [[1.0, -0.5], None, [0.25] * 8], [[], [1.0, None], [math.nan, 1.0], [math.inf], [1.0] * 9]
    rows = [told(rankers=["x", "y"], credit=credit) for credit in (*usual, *odd)]
    (batch,) = pyarrow.Table.from_pylist(rows).to_batches()
    found = ArrowRows(batch.slice(1), ())
    assert (found.rows[:, USUAL_ROW] == PLAIN).tolist() == [True] * 2 + [False] * len(odd)
    assert ArrowRows(batch, ()).credits[0, :2].tolist() == usual[0]
    assert repr(found.credits[:2].tolist()) == repr([[math.nan] * 8, usual[2]])


def told(**more: Any) -> dict[str, Any]:
    """A row of one impression."""
    row = {"id": "1", "user": "ann", "query": "q", "time": 1.7e9, "shown": ["a", "b"], "clicks": [0]}
    return row | {"rankers": ["x", "y"], "teams": [0, 1]} | more


def both(tmp_path: Path, rows: Sequence[dict[str, Any]]) -> Impressions:
    """The arrays of rows that both readers read alike."""
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    assert_same(file)
    return scan_log(file, attributes=("device",))


def purchases(log: Impressions) -> list[tuple[float, str]]:
    acts = log.done.take(log.done.names > 0)
    return sorted(zip(acts.values.tolist(), map(str, acts.times.tolist()), strict=True))


BUY: dict[str, Any] = {"name": "buy", "position": 0, "value": 3}


@pytest.mark.parametrize("after", [0, 60, 108_000])
@pytest.mark.parametrize("time", [None, 1.7e9 + 5])
def test_a_row_told_again_adds_no_action(tmp_path: Path, after: float, time: float | None) -> None:
    actions = [BUY | {"time": time}] * 2  # two equal ones of a row are two
    rows = [told(actions=actions), *[told(actions=actions, time=1.7e9 + k * after) for k in (1, 2)]]
    assert purchases(both(tmp_path, rows)) == [(3, str(time or math.nan))] * 2


@pytest.mark.parametrize("value", ["400,00", "", None, math.nan, math.inf, True, []])
def test_an_action_whose_value_is_not_said_has_its_place(tmp_path: Path, value: Any) -> None:
    acts = [{"name": "buy", "position": 0, "value": value}, {"name": "buy", "position": 1, "value": 0}]
    rows = [told(actions=acts), told(actions=acts, time=1.7e9 + 9)]  # told again, and nothing new
    log = both(tmp_path, rows)
    assert [worth for worth, _ in purchases(log)][1:] == [0.0]
    assert math.isnan(purchases(log)[0][0])
    assert not log.losses.clicks
    assert read_log(tmp_path / "log.jsonl").records[0].actions[0].value is None


def test_what_a_later_row_adds_is_told_again_by_those_after_it(tmp_path: Path) -> None:
    rows = [told(actions=[BUY] * number, time=1.7e9 + 9 * place) for place, number in enumerate((1, 3, 2, 4, 4))]
    times = [math.nan, 1.7e9 + 9, 1.7e9 + 9, 1.7e9 + 27]
    assert purchases(both(tmp_path, rows)) == sorted((3.0, str(time)) for time in times)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_earliest_row_is_the_impression_in_any_order_of_the_file(tmp_path: Path, order: Sequence[int]) -> None:
    rows = [
        told(device=5, credit=[1, 0]),
        told(clicks=[0, 1], time=1.7e9 + 60, actions=[BUY], credit=[1, 1], device=7),
        told(clicks=[0, 1], time=1.7e9 + 90, actions=[BUY], credit=[1, 2]),
    ]
    log = both(tmp_path, [rows[place] for place in order])
    assert (log.times.tolist(), log.attributes["device"].tolist()) == ([1.7e9], [5])
    assert purchases(log) == [(3, str(1.7e9 + 60))]
    assert log.done.times[(log.done.names == 0) & (log.done.slots == 1)].tolist() == [1.7e9 + 60]
    assert log.given.tolist() == [[1, 0]]
    credit = log.done.take(log.done.names == CREDIT)
    assert list(zip(credit.times.tolist(), credit.values.tolist(), strict=True)) == [(1.7e9 + 60, 1), (1.7e9 + 90, 2)]


def test_rows_that_contradict_the_earliest_are_rejected(tmp_path: Path) -> None:
    bob = told(user="bob", clicks=[])
    log = both(tmp_path, [bob | {"time": 1.7e9 + 9}, told(), bob | {"time": 1.7e9 + 5}])
    assert (log.times.tolist(), log.losses.rows.total(), log.losses.duplicates) == ([1.7e9], 2, 0)


@pytest.mark.parametrize("portion", [1, 1 << 18])
def test_clicks_without_a_place_that_only_a_later_row_tells(tmp_path: Path, portion: int) -> None:
    rows = [told(clicks=[]), told(time=1.7e9 + 5, clicks=[9]), told(time=1.7e9 + 9, clicks=[9, 8])]
    rows += [told(time=1.7e9 + 9, clicks=[7] * 3, user="bob")]  # which is another impression
    assert both(tmp_path, rows).lost.tolist() == [2]
    (one,) = spool_log(tmp_path / "log.jsonl", portion=portion).portions()
    assert one.lost.tolist() == [2]


def test_an_action_without_a_place_has_no_time_either(tmp_path: Path) -> None:
    log = both(tmp_path, [told(), told(time=1.7e9 + 5, actions=[BUY | {"position": 9}])])
    assert repr(purchases(log)) == "[(nan, 'nan')]"


@pytest.mark.parametrize("portion", [1, 1 << 18])
def test_actions_without_a_place_in_rows_of_their_own_are_each_lost(tmp_path: Path, portion: int) -> None:
    gone = [BUY | {"position": 9}, {"name": "buy", "document": "a-red"}, BUY | {"position": 9, "value": 4}, "buy"]
    once = [told(), *(told(time=1.7e9 + place, actions=[each]) for place, each in enumerate(gone))]
    rows = [*once, *once, told(actions=gone[:1] * 2), told(actions=gone)]  # the second of a row is one more
    log = both(tmp_path, rows)
    assert list(map(repr, purchases(log))) == ["(nan, 'nan')"] * 5
    parts = spool_log(tmp_path / "log.jsonl", portion=portion).portions()
    assert [list(map(repr, purchases(part))) for part in parts] == [["(nan, 'nan')"] * 5]
    for name in ("again.jsonl", "again.csv"):
        records = read_log(tmp_path / "log.jsonl").records
        write_log(records, tmp_path / name)
        assert read_log(tmp_path / name).records == records


def test_any_number_of_clicks_without_a_place(tmp_path: Path) -> None:
    rows = [told(id="1", clicks=[9] * 300), told(id="2", lost=10**30)]
    log = both(tmp_path, rows)
    assert (log.lost.tolist(), log.losses.clicks.total()) == ([255, 255], 300)


def test_numbers_of_names_and_teams_are_as_large_as_they_are(tmp_path: Path) -> None:
    """More rankers than a byte has, and more experiments, setups and actions than two bytes have."""
    many = [f"r{i}" for i in range(200)]
    wide = told(id="wide", shown=many, rankers=many, teams=list(range(200)), clicks=[150])
    file, write = (
        tmp_path / "log.jsonl",
        '{"id":"%d","user":"u","shown":["a"],"rankers":["x%d"],"experiment":"e%d"%s}\n',
    )
    act = ',"actions":[{"name":"n%d","position":0}]'
    file.write_text(json.dumps(wide) + "\n" + "".join(write % (i, i, i, act % i) for i in range(33_000)))
    log = scan_log(file)
    assert (log.firsts[0], log.larger[0], log.done.teams[0]) == (0, -1, 150)
    assert (log.setups[-1], log.experiments[-1], log.done.names[-1]) == (33_000, 33_000, 33_000)
    assert log.experiment_names[-1] == "e32999"


@pytest.mark.parametrize(("field", "most"), [("shown", 65_535), ("rankers", 32_767)])
def test_a_row_of_more_than_arrays_hold_says_so(tmp_path: Path, field: str, most: int) -> None:
    rows = [told(id=str(more), teams=[], **{field: [str(i) for i in range(most + more)]}) for more in (0, 1)]
    log = both(tmp_path, rows)
    assert len(log) == 1
    assert f"{most + 1} {'documents' if field == 'shown' else field}, but" in str(log.losses.examples)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_row_without_a_time_is_no_earlier_than_one_with(tmp_path: Path, order: Sequence[int]) -> None:
    rows = [told(), told(time=None, clicks=[1])]
    assert both(tmp_path, [rows[place] for place in order]).times.tolist() == [1.7e9]


@pytest.mark.parametrize(
    ("fields", "ranker"),
    [
        ({"teams": [0, 1], "clicks": [1]}, "new"),
        ({"teams": [0, 1], "clicks": ["b"]}, "new"),
        ({"credit": [0.5, 2], "clicks": [0]}, "new"),
        ({"teams": [0, 1], "credit": [0.5, 2], "clicks": [0]}, "new"),
        ({"teams": [0, 1], "clicks": []}, NOBODY),
        ({"teams": [0, 1], "clicks": [0, 1]}, NOBODY),
        ({"teams": [0, -1], "clicks": [1]}, NOBODY),
        ({"clicks": [1]}, ""),
        ({"teams": [0, 1], "clicks": [9]}, ""),
    ],
)
def test_a_row_with_the_id_of_another_impression_says_whose_it_is(
    tmp_path: Path, fields: dict[str, Any], ranker: str
) -> None:
    plain = {"id": "1", "shown": ["a", "b"], "rankers": ["old", "new"]}
    first = plain | {"user": "ann", "teams": [0, 1], "clicks": [0], "experiment": "e"}
    file = tmp_path / "log.jsonl"
    file.write_text(json.dumps(first) + "\n" + json.dumps(plain | {"user": "bob", "experiment": "e"} | fields))
    assert [bad.ranker for bad in read_log(file).rejected if bad.row] == [ranker]
    for read in (scan_log, spool_log):
        assert read(file).head.losses.of("e").rankers == {ranker: 1}


@pytest.mark.parametrize("credit", [None, []])  # with which compiled code reads the rows, and without
def test_what_an_action_of_parquet_does_not_say_is_as_in_json(tmp_path: Path, credit: Any) -> None:
    """Null is the only way in which a table can leave something out."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    acts = [{"name": "buy", "position": 0, "value": 3.5}, {"name": "buy", "document": "b", "time": 1.7e9}]
    rows = [{"user": f"u{i}", "shown": ["a", "b"], "clicks": [0], "actions": [acts[i % 2]]} for i in range(6)]
    rows = [row | {"credit": credit} for row in rows]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "log.parquet")
    lines, table = (scan_log(tmp_path / f"log.{kind}") for kind in ("jsonl", "parquet"))
    assert bag(lines) == bag(table)
    assert repr(table.done.values[table.done.names > 0].tolist()) == repr([3.5, math.nan] * 3)
    assert not table.losses.clicks
