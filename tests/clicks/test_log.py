from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duelist.clicks import Action, Record, read_log, write_log
from duelist.clicks.records import NOBODY
from duelist.clicks.scan import scan_log
from duelist.core.errors import BadInput

RECORD = Record(
    "7", "ann", "cheap flights", 1700000000.5, ("a", "b", "c"), (2, 0), ("old", "new"), (0, 1, -1), (1.0, 0.5)
)
KINDS = (".jsonl", ".csv", ".tsv", ".jsonl.gz", ".csv.gz", ".tsv.gz")

# Any text a file can hold and a person could call something.
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(lambda name: name.strip() != "")
in_a_line = names.filter(lambda name: not set(name) & {"\n", "\r"})


@st.composite
def records(draw: st.DrawFn, text: st.SearchStrategy[str] = in_a_line) -> Record:
    shown = draw(st.lists(names, max_size=5, unique=True))
    rankers = draw(st.lists(names, max_size=3, unique=True))
    clicks = [position for position in draw(st.permutations(range(5))) if position < len(shown)]
    credit = st.floats(allow_nan=False, allow_infinity=False)
    return Record(
        id=draw(text),
        user=draw(text),
        query=draw(st.just("") | text),
        time=draw(st.floats(0, 1e11, exclude_max=True)),
        shown=tuple(shown),
        clicks=tuple(clicks[: draw(st.integers(0, 5))]),
        rankers=tuple(rankers),
        teams=tuple(draw(st.integers(-1, len(rankers) - 1)) for _ in shown) if draw(st.booleans()) else (),
        credit=tuple(draw(credit) for _ in rankers) if draw(st.booleans()) else (),
        experiment=draw(st.just("") | text),
        lost=draw(st.integers(0, 2)),
        actions=tuple(draw(st.lists(actions(len(shown)), max_size=2, unique=True))) if shown else (),
    )


def actions(size: int) -> st.SearchStrategy[Action]:
    times = st.none() | st.floats(0, 1e11, exclude_max=True)
    name = names.filter(lambda name: name != "click")
    return st.builds(Action, name, st.integers(0, size - 1), st.none() | st.floats(-9, 9), times)


def several(text: st.SearchStrategy[str] = in_a_line) -> st.SearchStrategy[list[Record]]:
    return st.lists(records(text), max_size=4, unique_by=lambda record: record.id)


def table(tmp_path: Path, text: str, name: str = "log.csv") -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("kind", KINDS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(written=several())
def test_what_is_written_is_read_again(tmp_path: Path, kind: str, written: list[Record]) -> None:
    file = tmp_path / f"log{kind}"
    write_log(written, file, mode="replace")
    log = read_log(file)
    assert log.records == tuple(written)
    assert (log.rejected, log.duplicates, log.repeated_clicks) == ((), 0, 0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(written=several(names))
def test_json_lines_hold_line_breaks_too(tmp_path: Path, written: list[Record]) -> None:
    write_log(written, tmp_path / "log.jsonl", mode="replace")
    assert read_log(tmp_path / "log.jsonl").records == tuple(written)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    good=several(),
    bad=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r")) | st.sampled_from(["{}", "[1]"])),
    kind=st.sampled_from([".jsonl", ".csv"]),
)
def test_no_row_goes_missing(tmp_path: Path, good: list[Record], bad: list[str], kind: str) -> None:
    file = tmp_path / f"log{kind}"
    write_log([RECORD, *good], file, mode="replace")
    file.write_text(file.read_text("utf-8") + "\n".join(bad), "utf-8")
    log = read_log(file)
    rows = sum(1 for line in file.read_text("utf-8").split("\n") if line.strip()) - (kind == ".csv")
    assert len(log.records) + len(log.rejected) + log.duplicates == rows
    assert {record.id for record in log.records} >= {RECORD.id, *(record.id for record in good)}


def test_a_table_by_hand(tmp_path: Path) -> None:
    text = (
        "ID, User ,query,time,shown,clicks,rankers,teams,credit,browser\n"
        "7,ann,cheap flights,2023-11-14T22:13:20.5Z,a b c,2 0,old new,0 1 -1,1 0.5,firefox\n"
        "\n"
        '8,bob,"say ""hi"", twice",1700000000500,"[""a b"", ""c""]",,,,,\n'
    )
    first, second = read_log(table(tmp_path, text)).records
    assert first == replace(RECORD, attributes={"browser": "firefox"})
    assert second == Record("8", "bob", 'say "hi", twice', 1700000000.5, ("a b", "c"), ())


def test_only_user_and_shown_are_needed(tmp_path: Path) -> None:
    log = read_log(table(tmp_path, "\ufeffshown\tuser\r\na b\tann\r\n\tbob\r\n", "log.tsv"))
    assert log.records == (Record("line 2", "ann", "", 0.0, ("a", "b"), ()), Record("line 3", "bob", "", 0.0, (), ()))
    log = read_log(table(tmp_path, '{"shown": [1, "b"], "user": 5, "clicks": [1.0]}', "log.jsonl"))
    assert log.records == (Record("line 1", "5", "", 0.0, ("1", "b"), (1,)),)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"user": ""}, "no user"),
        ({"user": None}, "no user"),
        ({"user": " "}, "user must be text, not ' '"),
        ({"user": ["ann"]}, r"user must be text, not \['ann'\]"),
        ({"user": "\ud800"}, "user is not UTF-8"),
        ({"shown": None}, "no shown list"),
        ({"shown": "a b"}, "shown must be a list, not 'a b'"),
        ({"shown": ["a", ""]}, "no document"),
        ({"shown": ["a", "b", "a"]}, "document 'a' is shown twice"),
        ({"teams": [0, 1]}, "2 teams for 3 documents"),
        ({"teams": [0, 1, 2]}, r"team 2, but there are 2 rankers, counted from 0 \(-1: neutral\)"),
        ({"teams": [0, 1, -2]}, "team -2"),
        ({"rankers": ["old", "old"]}, "ranker 'old' is named twice"),
        ({"credit": [1.0]}, "1 credits for 2 rankers"),
        ({"credit": [1.0, "much"]}, "credit must be a number, not 'much'"),
        ({"credit": [1.0, float("nan")]}, "credit must be a number, not nan"),
        ({"time": "yesterday"}, "time must be seconds since 1970 or ISO 8601, not 'yesterday'"),
        ({"time": ""}, "time must be seconds"),
        ({"time": -5}, "time must be from 1970 to 9999, not -5"),
        ({"time": 1e300}, "time must be from 1970 to 9999"),
        ({"id": {}}, "id must be text"),
        ({"clicks": "1 2"}, "clicks must be a list, not '1 2'"),
        ({"click_times": [5.0]}, "1 times for 2 clicks"),
        ({"teams": ["old", "new", "newer"]}, "team 'newer', which is none of the rankers old, new"),
        ({"lost": -1}, "-1 clicks cannot be lost"),
    ],
)
def test_a_bad_row_is_reported_and_the_others_are_read(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    good = {name: list(v) if isinstance(v, tuple) else v for name, v in vars(RECORD).items() if v not in ((), {})}
    lines = [json.dumps(row) for row in (good, good | {"id": "8"} | change, good | {"id": "9"})]
    file = table(tmp_path, "\n".join(lines), "log.jsonl")
    log = read_log(file)
    assert [record.id for record in log.records] == ["7", "9"]
    (bad,) = log.rejected
    assert (bad.line, bad.text, bad.path) == (2, lines[1][:200], str(file))
    assert re.search(reason, bad.reason)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("ann,a b", "2 cells under 3 columns"),
        ("ann,a b,0,1", "4 cells under 3 columns"),
        ('"ann,a b,0', "not a row of a table"),
        ('ann,"[""a""",0', "shown is not a JSON list"),
        ("ann\udcff,a b,0", "user is not UTF-8"),
    ],
)
def test_a_bad_row_of_a_table_spoils_no_other(tmp_path: Path, row: str, reason: str) -> None:
    file = tmp_path / "log.csv"
    text = f"user,shown,clicks\nann,a b,0\n{row}\nbob,c,\n"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    log = read_log(file)
    assert [record.user for record in log.records] == ["ann", "bob"]
    assert [bad.line for bad in log.rejected] == [3]
    assert reason in log.rejected[0].reason


def test_rows_of_the_same_impression_are_united(tmp_path: Path) -> None:
    later = replace(RECORD, clicks=(1, 2, 0), credit=(2.0, 0.5), time=RECORD.time + 9)
    file = tmp_path / "log.jsonl"
    write_log([RECORD], file)
    first = file.read_text()
    write_log([later], file, mode="replace")
    file.write_text(first + file.read_text() + first)
    log = read_log(file)
    times = (RECORD.time, RECORD.time, RECORD.time + 9)  # a click that only the later row has is of its time
    earlier = ((RECORD.time + 9, RECORD.credit),)  # as is the credit that it changes
    united = replace(RECORD, clicks=(2, 0, 1), credit=(2.0, 0.5), click_times=times, earlier_credit=earlier)
    assert log.records == (united,)
    assert (log.duplicates, log.rejected, log.repeated_clicks) == (2, (), 0)
    write_log(log.records, file, mode="replace")
    assert len(file.read_text().splitlines()) == 2
    assert read_log(file).records == (united,)


def test_rows_that_contradict_each_other_are_reported(tmp_path: Path) -> None:
    rows = "1,ann,a b,0,x y,1 0\n1,bob,a b,0,x y,1 0\n1,ann,b a,0,x y,1 0\n1,ann,a b,1,x y,0 1\n"
    log = read_log(table(tmp_path, "id,user,shown,clicks,rankers,credit\n" + rows))
    assert [record.user for record in log.records] == ["ann"]
    assert [(bad.line, bad.reason) for bad in log.rejected] == [
        (3, "the impression '1' was logged before with another user"),
        (4, "the impression '1' was logged before with another shown"),
        (5, "the impression '1' was logged before with other clicks and another credit"),
    ]
    assert log.duplicates == 0


def test_a_second_click_on_a_position_counts_once(tmp_path: Path) -> None:
    log = read_log(table(tmp_path, "user,shown,clicks\nann,a b,1 0 1 1\n"))
    assert (log.records[0].clicks, log.repeated_clicks) == ((1, 0), 2)


def test_a_file_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl.gz"
    write_log([replace(RECORD, id=str(i), query=str(i * 7919 % 1009)) for i in range(5000)], file)
    file.write_bytes(file.read_bytes()[:-2000])
    log = read_log(file)
    assert 100 < len(log.records) < 5000
    assert "the file breaks off here" in log.rejected[-1].reason
    file.write_bytes(b"not compressed")
    with pytest.raises(BadInput, match="cannot read"):
        read_log(file)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("log.csv", "", "log.csv' is empty"),
        (
            "log.csv",
            "query,shown\nx,a\n",
            "is not a click log: its header has not user, but 'query', 'shown'. A log is as the columns user,shown",
        ),
        ("log.csv", "user,shown,user\nann,a,bob\n", "has the column 'user' twice"),
        ("log.jsonl", "poem\nin two lines\n", "none of its 2 rows is a JSON object, as 'poem'. A log is as {\"user\""),
        ("log.json", " [ ] ", "is empty: a list without rows"),
        (
            "log.jsonl",
            '{"shown": ["a"], "clicks": []}\n',
            "none of its 1 rows has user, but 'clicks', 'shown'. A log is",
        ),
        ("log.jsonl", '{"user": "ann"}\n{"shown": ["a"]}\n', "none of its 2 rows has user and shown together, but"),
        ("log.jsonl", '{"name": "ann"}\n', "none of its 1 rows has user and shown, but 'name'"),
        ("log.xml", "<log/>", r"must end in one of .csv, .tsv, .jsonl, .ndjson, .json, or that and .gz"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        read_log(table(tmp_path, text, name))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no log file '.*nowhere.csv'"):
        read_log(tmp_path / "nowhere.csv")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"user": ""}, "record '7' cannot be written: no user"),
        ({"clicks": (5,)}, "a click at 5"),
        ({"clicks": (1, 1)}, "it would be read again as"),
        ({"time": 2e11}, "it would be read again as"),
        ({"query": "two\nlines"}, "a row of a table is one line.*write .jsonl instead"),
    ],
)
def test_what_could_not_be_read_is_not_written(tmp_path: Path, change: dict[str, Any], complaint: str) -> None:
    file = tmp_path / "log.csv"
    with pytest.raises(BadInput, match=complaint):
        write_log([RECORD, replace(RECORD, **change)], file)
    assert not file.exists()
    with pytest.raises(BadInput, match=r"must end in .jsonl, .csv or .tsv"):
        write_log([], tmp_path / "log.txt")


def test_compressed_files_are_compressed(tmp_path: Path) -> None:
    write_log([RECORD], tmp_path / "log.csv.gz")
    write_log([RECORD], tmp_path / "log.csv")
    assert gzip.decompress((tmp_path / "log.csv.gz").read_bytes()) == (tmp_path / "log.csv").read_bytes()


@pytest.mark.parametrize("name", ["log.jsonl", "log.csv", "log.tsv", "log.jsonl.gz", "log.csv.gz"])
def test_what_is_written_is_added_or_refused_or_replaces_as_was_said(tmp_path: Path, name: str) -> None:
    file, other, third = tmp_path / name, replace(RECORD, id="8"), replace(RECORD, id="9")
    write_log([RECORD], file, mode="append")  # there is none yet
    before = file.read_bytes()
    with pytest.raises(BadInput, match=r"exists already: mode='append' adds to it, mode='replace' begins anew"):
        write_log([other], file)
    assert file.read_bytes() == before
    write_log([other], file, mode="append")
    write_log([third], file, mode="append")
    log = read_log(file)
    assert (log.records, log.rejected) == ((RECORD, other, third), ())
    write_log([other], file, mode="replace")
    assert read_log(file).records == (other,)
    with pytest.raises(BadInput, match="mode must be one of new, append, replace, not 'w'"):
        write_log([other], file, mode="w")


def test_what_is_appended_to_half_a_line_spoils_nothing_more(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    write_log([RECORD, replace(RECORD, id="8")], file)
    file.write_text(file.read_text()[:-20])  # the writer was stopped
    write_log([replace(RECORD, id="9")], file, mode="append")
    log = read_log(file)
    assert [record.id for record in log.records] == [RECORD.id, "9"]
    assert [bad.line for bad in log.rejected] == [2]


def test_a_table_with_other_columns_is_not_added_to(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("user,shown,clicks\nann,d3 d1,1\n")
    with pytest.raises(BadInput, match="has other columns than id, user"):
        write_log([RECORD], file, mode="append")
    assert file.read_text() == "user,shown,clicks\nann,d3 d1,1\n"


@pytest.mark.parametrize(
    ("clicks", "reason"),
    [
        ([0, 3], "a click at 3, but the positions of 3 documents count from 0"),
        ([-1, 0], "a click at -1"),
        ([0, 0.5], "click must be a whole number, not 0.5"),
        ([0, True], "click must be a whole number, not True"),
        ([0, "x"], "a click on the document 'x', which was not shown"),
        ([0, {"time": 5}], "click must be a whole number, not None"),
        ([0, {"position": 1, "time": "soon"}], "time must be seconds since 1970 or ISO 8601, not 'soon'"),
    ],
)
def test_a_bad_click_is_lost_and_its_row_is_not(tmp_path: Path, clicks: list[Any], reason: str) -> None:
    row = {"id": "8", "user": "ann", "shown": ["a", "b", "c"], "clicks": clicks}
    log = read_log(table(tmp_path, json.dumps(row), "log.jsonl"))
    assert [(record.clicks, record.lost) for record in log.records] == [((0,), 1)]
    (bad,) = log.rejected
    assert (bad.line, bad.row) == (1, False)
    assert reason in bad.reason


def test_a_bad_click_of_a_table_is_lost_alone(tmp_path: Path) -> None:
    log = read_log(table(tmp_path, "user,shown,clicks\nann,a b,x 1 9 b\n"))
    assert [(record.clicks, record.lost) for record in log.records] == [((1,), 2)]
    assert log.repeated_clicks == 1


@pytest.mark.parametrize(
    "row",
    [
        {"shown": ["a", "b"], "clicks": ["b"], "rankers": ["new", "old"], "teams": ["old", "new"]},
        {"shown": ["a", "b"], "clicked": ["b"], "teams": ["old", "new"]},
        {"shown": [{"id": "a", "ranker": "old"}, {"id": "b", "ranker": "new"}], "clicks": [1]},
        {"shown": [{"id": "a", "[interleaving]": "old"}, {"id": "b", "[interleaving]": "new"}], "clicks": [1]},
        {"shown": ["a", "b"], "clicks": [{"document": "b"}], "teams": ["old", "new"]},
        {"shown": ["a", "b"], "clicks": [{"position": 1}], "rankers": ["new", "old"], "teams": ["1", "0"]},
    ],
)
def test_the_forms_of_a_row_say_the_same(tmp_path: Path, row: dict[str, Any]) -> None:
    log = read_log(table(tmp_path, json.dumps({"id": "1", "user": "ann", **row}), "log.jsonl"))
    assert log.records == (Record("1", "ann", "", 0.0, ("a", "b"), (1,), ("new", "old"), (1, 0)),)
    assert log.rejected == ()


def test_names_of_teams_and_documents_in_a_table(tmp_path: Path) -> None:
    text = (
        "user,shown,clicks,clicked,rankers,teams\nann,a b c,b,,old new,old new neutral\nbob,7 8 9,,9,old new,0 -1 1\n"
    )
    first, second = read_log(table(tmp_path, text)).records
    assert (first.clicks, first.teams) == ((1,), (0, 1, -1))
    assert (second.clicks, second.teams) == ((2,), (0, -1, 1))


def test_a_label_that_is_missing_is_neutral(tmp_path: Path) -> None:
    row = {"user": "ann", "shown": [{"id": "a", "ranker": "old"}, {"id": "b"}, "c", {"id": "d", "ranker": "new"}]}
    (record,) = read_log(table(tmp_path, json.dumps(row), "log.jsonl")).records
    assert (record.rankers, record.teams) == (("new", "old"), (1, -1, -1, 0))


def test_clicks_carry_their_times_through_rows_that_are_united(tmp_path: Path) -> None:
    row = {"id": "1", "user": "ann", "shown": ["a", "b", "c"], "time": 100}
    rows = [row | {"clicks": [{"position": 2, "time": 130}, {"position": 0, "time": 110}]}]
    rows += [row | {"clicks": [1, 0], "click_times": [150, 105]}]
    (record,) = read_log(table(tmp_path, "\n".join(map(json.dumps, rows)), "log.jsonl")).records
    assert (record.clicks, record.click_times) == ((2, 0, 1), (130.0, 105.0, 150.0))


def test_a_click_and_its_ranker_alone_are_a_credit(tmp_path: Path) -> None:
    log = read_log(table(tmp_path, "user,ranker,query\nann,old,jazz\nbob,new,jazz\nbob,,jazz\n"))
    assert [(r.rankers, r.credit, r.shown) for r in log.records] == [(("old",), (1.0,), ()), (("new",), (1.0,), ())]
    assert [bad.reason for bad in log.rejected] == ["no ranker"]


def test_a_json_array_is_read(tmp_path: Path) -> None:
    rows = [{"user": "ann", "shown": ["a"], "clicks": [0]}, 5, {"user": "bob", "shown": ["b"]}]
    log = read_log(table(tmp_path, json.dumps(rows, indent=1), "log.json"))
    assert [record.user for record in log.records] == ["ann", "bob"]
    assert [(bad.line, bad.reason) for bad in log.rejected] == [(2, "not a JSON object")]


def test_rows_that_are_all_bad_say_why(tmp_path: Path) -> None:
    rows = [
        '{"user": "ann", "shown": ["a", "a"]}',
        '{"user": "bob", "shown": "a"}',
        '{"user": "cy", "shown": ["b", "b"]}',
    ]
    complaint = r"none of the 3 rows of .* can be used; 2 of them as line 1: document 'a' is shown twice; it is '{"
    with pytest.raises(BadInput, match=complaint):
        read_log(table(tmp_path, "\n".join(rows), "log.jsonl"))


def test_a_rejected_row_says_whose_clicks_are_lost(tmp_path: Path) -> None:
    row = {"user": "", "shown": ["a", "b"], "clicks": [1], "rankers": ["old", "new"], "teams": [0, 1]}
    good = row | {"user": "ann"}
    log = read_log(table(tmp_path, json.dumps(row) + "\n" + json.dumps(good), "log.jsonl"))
    assert [(bad.reason, bad.ranker) for bad in log.rejected] == [("no user", "new")]


LABELLED = {"shown": [{"id": "a", "ranker": "old"}, {"id": "b", "ranker": "new"}]}
OWNED = {"shown": ["a", "b"], "rankers": ["old", "new"], "teams": [0, 1]}
SCORED = {"shown": ["a", "b"], "rankers": ["old", "new"]}


@pytest.mark.parametrize(
    ("fields", "ranker"),
    [
        (OWNED | {"clicks": ["b"]}, "new"),
        (OWNED | {"clicked": ["b"]}, "new"),
        (OWNED | {"clicks": [{"position": 1}]}, "new"),
        (OWNED | {"clicks": [{"document": "b"}]}, "new"),
        (OWNED | {"teams": ["old", "new"], "clicks": [1]}, "new"),
        ({"shown": ["a", "b"], "teams": ["old", "new"], "clicks": [1]}, "new"),
        (LABELLED | {"clicks": [1]}, "new"),
        (LABELLED | {"clicked": ["b"]}, "new"),
        (SCORED | {"clicks": [0], "credit": [0.5, 2]}, "new"),
        (OWNED | {"clicks": [1], "credit": [3, None]}, "new"),
        (OWNED | {"clicks": [1], "click_times": [1, 2]}, "new"),
        (OWNED | {"shown": None, "clicks": [1]}, "new"),
        (OWNED | {"clicks": [1, 9]}, "new"),
        ({"ranker": "new"}, "new"),
        (OWNED | {"clicks": []}, NOBODY),
        (OWNED | {"clicks": [0, 1]}, NOBODY),
        (OWNED | {"teams": [0, -1], "clicks": [1]}, NOBODY),
        (SCORED | {"clicks": [1], "credit": [1, 1]}, NOBODY),
        (SCORED | {"clicks": [1]}, ""),
        (OWNED | {"clicks": ["c"]}, ""),
        (OWNED | {"clicks": "b"}, ""),
        (OWNED | {"teams": [0, 7], "clicks": [1]}, ""),
        (OWNED | {"teams": [0, "x"], "clicks": [1]}, ""),
    ],
)
def test_whose_a_rejected_row_is_does_not_hang_on_its_form(tmp_path: Path, fields: dict[str, Any], ranker: str) -> None:
    good = OWNED | {"user": "ann"}
    file = table(tmp_path, json.dumps({"user": ""} | fields) + "\n" + json.dumps(good), "log.jsonl")
    assert [bad.ranker for bad in read_log(file).rejected] == [ranker]
    assert scan_log(file).losses.rankers == {ranker: 1}


@pytest.mark.parametrize(("clicks", "ranker"), [("1", "new"), ("b", "new"), ("", NOBODY)])
def test_whose_a_rejected_row_of_a_table_is(tmp_path: Path, clicks: str, ranker: str) -> None:
    file = table(tmp_path, f"user,shown,rankers,teams,clicks\n,a b,old new,0 1,{clicks}\nann,a b,old new,0 1,\n")
    assert [bad.ranker for bad in read_log(file).rejected] == [ranker]
    assert scan_log(file).losses.rankers == {ranker: 1}


def test_the_same_id_in_two_experiments_is_two_impressions(tmp_path: Path) -> None:
    text = "id,user,shown,experiment\n1,ann,a,x\n1,bob,b,y\n"
    assert [r.experiment for r in read_log(table(tmp_path, text)).records] == ["x", "y"]
