"""What compiled code reads of a table is what its rows say, and whatever else there is it leaves alone."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from duelist.clicks import read_log
from duelist.clicks.found_rows import DONE, EMPTY_LINE, IDS, LONG, PLAIN, QUERIES, SIZE, USERS, USUAL
from duelist.clicks.log import table_row
from duelist.clicks.records import BadRow
from duelist.clicks.rows import record_of
from duelist.clicks.scan import scan_log
from duelist.clicks.table_rows import TableRows
from duelist.core.errors import BadInput
from duelist.core.hashes import pair_hashes, text_hashes

from .test_scan import assert_same

HEADER = ["id", "user", "query", "time", "shown", "clicks", "rankers", "teams", "click_times", "experiment", "lost"]
ROW = ["i1", "ann", "jazz", "1763271234.25", "a b c", "2 0", "x y", "0 1 1", "1763271240 1763271250.5", "e", "0"]


def read(*lines: str, delimiter: str = ",", header: list[str] = HEADER, columns: tuple[str, ...] = ()) -> TableRows:
    text = "".join(line + "\n" for line in lines).encode(errors="surrogateescape")
    return TableRows(text, header, delimiter, columns)


def changed(**cells: str) -> str:
    return ",".join(cells.get(name, cell) for name, cell in zip(HEADER, ROW, strict=True))


def test_a_usual_row_is_read() -> None:
    quoted = changed(query='"jazz, and more"', clicks="b", click_times="") + "\r"
    rows = read(changed(), "  ", quoted, changed(user="大", id="", clicks=""))
    assert rows.rows[:, USUAL].tolist() == [PLAIN, EMPTY_LINE, PLAIN, LONG]  # the last has times for no clicks
    assert rows.rows[:, SIZE].tolist() == [3, 0, 3, 0]
    assert rows.acts.slots[:3].tolist() == [2, 0, 1]
    assert rows.acts.moments[:2].tolist() == [1763271240.0, 1763271250.5]
    assert np.isnan(rows.acts.moments[2])
    assert rows.times[0] == 1763271234.25
    user, query, name, experiment, other = text_hashes(["ann", "jazz", "i1", "e", "jazz, and more"])
    assert rows.hashes[0, [USERS, QUERIES]].tolist() == [user, query]
    assert rows.hashes[2, QUERIES] == other
    assert rows.hashes[0, IDS] == pair_hashes([experiment], [name])[0]
    assert rows.row(0)["teams"] == ["0", "1", "1"]


@pytest.mark.parametrize(
    "line",
    [
        changed(user=""),
        changed(user=" "),
        changed(query=" "),
        changed(experiment="\u3000"),
        changed(shown="a b a"),
        changed(shown='"[""a"", ""b"""'),
        changed(shown=' "[""a"", ""b"", ""c""]"'),
        changed(shown='"[""a"", ""b"", ""c""] "'),
        changed(clicks='"[""2"", 0]"'),
        changed(shown="a b\u00a0c"),
        changed(clicks="0 0"),
        changed(clicks="3"),
        changed(clicks="-1"),
        changed(clicks="1.0 2"),
        changed(click_times="1.0"),
        changed(time="2026-W01"),
        changed(time=""),
        changed(time="-1.0"),
        changed(lost="2"),
        changed(id='"i1" '),
        changed() + ",more",
        "i1,ann",
    ],
)
def test_whatever_is_not_usual_is_left_alone(line: str) -> None:
    assert read(line).rows[0, USUAL] == LONG


def test_lists_may_be_json_and_quotes_are_read() -> None:
    shown = '"[{""id"": ""a"", ""ranker"": ""x""}, ""b"", ""c""]"'
    clicks, bought = '"[2, ""a""]"', '"[{""name"": ""purchase"", ""position"": 1, ""value"": 9.5}]"'
    rows = TableRows(
        f'{changed(shown=shown, clicks=clicks)},{bought}\n{changed(id="""a "quoted" id""")},\n'.encode(),
        [*HEADER, "actions"],
        ",",
        (),
    )
    assert (rows.rows[:, USUAL] == PLAIN).all()
    assert rows.acts.slots[:5].tolist() == [2, 0, 1, 2, 0]
    assert rows.acts.values[:3].tolist() == [1.0, 1.0, 9.5]
    assert rows.hashes[1, IDS] == pair_hashes(text_hashes(["e"]), text_hashes(['a "quoted" id']))[0]
    assert rows.row(0)["shown"][1:] == ["b", "c"]


def test_credit_is_read() -> None:
    usual = ["1 -0.5", " 2.25  7", '"[""1"", 3.5]"', ""]
    odd = [
        '"[1] "',
        '" [1, 0]"',
        '"[1, 0"',
        '"""1"" 0"',
        "  ",
        "1 much",
        "1 nan",
        "1e3 0",
        "-0.0 1",
        "1\u00a00",
        "1 " * 9,
    ]
    rows = read(*(f"{changed()},{cell}" for cell in [*usual, *odd]), header=[*HEADER, "credit"])
    assert rows.rows[:, USUAL].tolist() == [PLAIN] * len(usual) + [LONG] * len(odd)
    assert [row[~np.isnan(row)].tolist() for row in rows.credits[:4]] == [[1, -0.5], [2.25, 7], [1, 3.5], []]


def test_a_column_of_ones_own_with_quotes_is_left_alone() -> None:
    rows = read('ann,a b,"say ""hi"""', header=["user", "shown", "device"], columns=("device",))
    assert rows.rows[0, USUAL] == LONG


def test_nothing_is_read_that_a_row_does_not_say() -> None:
    """Lines with a few characters changed: what is read is a row, and means what the row says."""
    luck, lines = random.Random(3), []
    for _ in range(20_000):
        line = changed(id=str(luck.randrange(99)))
        for _ in range(luck.randrange(1, 4)):
            at = luck.randrange(len(line))
            put = luck.choice(["", luck.choice(' ,"[]0123-.eab\t\r\\\u00e9\u00a0')])
            line = line[:at] + put + line[at + luck.randrange(2) :]
        lines.append(line)
    for delimiter in ",\t":
        texts = [line.replace(",", delimiter) for line in lines]
        rows = read(*texts, delimiter=delimiter)
        known = np.flatnonzero(rows.rows[:, USUAL] == PLAIN).tolist()
        assert 3000 < len(known) < 18_000
        for place in known:
            begin, end = (int(rows.rows[place - 1, DONE]) if place else 0), int(rows.rows[place, DONE])
            row = table_row(texts[place].rstrip("\r"), HEADER, delimiter)
            if isinstance(row, BadRow):  # lists of rankers and teams are read once for all rows that are alike
                assert str(row).startswith(("rankers", "teams"))
                with pytest.raises(BadRow):
                    rows.row(place)
                continue
            row["teams"] = row["rankers"] = []
            read_long = record_of(row, "nobody", typed=False)
            record = read_long.record
            assert (read_long.repeated, read_long.lost, record.lost) == ((), (), 0)
            names = text_hashes([record.user, record.query]).tolist()
            assert rows.hashes[place, [USERS, QUERIES]].tolist() == names, texts[place]
            assert (rows.acts.slots[begin:end].tolist(), rows.times[place]) == (list(record.clicks), record.time)
            moments = rows.acts.moments[begin:end]
            assert tuple(moments[~np.isnan(moments)].tolist()) == record.click_times
            assert rows.rows[place, SIZE] == len(record.shown)


def test_bytes_that_are_no_text_are_left_alone() -> None:
    rows = read(changed(), "\udcff", changed())
    assert rows.rows[:, USUAL].tolist() == [LONG] * 3
    assert (rows.line(1), rows.line(2)) == ("\udcff", changed())


def test_columns_of_ones_own_are_found_and_of_two_the_last() -> None:
    header = ["device", "user", "shown", "device"]
    rows = read("tv,ann,a b,phone", "tv,ann,a b,", header=header, columns=("Device", "other"))
    assert [rows.value(place, 0) for place in (0, 1)] == ["phone", ""]
    assert rows.value(0, 1) is None


def test_names_that_are_not_utf8_are_rejected(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    rows = ["ann,caf\u00e9,a b,0", "jos\u00e9,q,a b,0", "ann,q,a \u00e9,0", "ann,q,a b,\u00e9 0"]
    file.write_bytes("\n".join(["user,query,shown,clicks", *rows, "bob,q,a b,1"]).encode("latin-1"))
    assert_same(file)
    log = scan_log(file)
    assert (len(log), log.losses.rows.total(), log.losses.clicks.total()) == (2, 3, 1)


def test_an_empty_cell_that_begins_a_block_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.clicks.table_batches.BLOCK", 8)  # bytes: blocks of a line
    rows = read(",ann,a b", ",bob,a b", header=["time", "user", "shown"])
    assert rows.rows[:, USUAL].tolist() == [LONG, LONG]
    file = tmp_path / "log.csv"
    file.write_text("time,user,shown\n,ann,a b\n5,bob,a b\n,cy,a b\n")
    assert_same(file)


def test_a_table_of_many_blocks_is_what_its_records_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.clicks.table_batches.BLOCK", 200)  # bytes
    clicks = ["", "1", "2 1", "9"]
    names = [{"id": f"i{place % 80}", "user": f"u{place % 80 % 7}", "click_times": ""} for place in range(100)]
    rows = [changed(clicks=clicks[place % 4], **names[place]) for place in range(100)]
    rows[40:40] = [
        "",
        changed(user=" "),
        changed(query=" "),
        changed(id=" ", clicks="", click_times=""),
        changed(time="soon"),
        changed(teams="[0 1 1"),
        changed(teams="0 1"),
        "no row",
        "\t ",
    ]
    file = tmp_path / "log.csv"
    file.write_text("\n \n" + ",".join(HEADER) + "\n" + "\n".join(rows))
    assert_same(file)
    found, bad = scan_log(file), read_log(file).rejected
    assert found.losses.duplicates > 10
    assert found.losses.examples == {row.kind: f"line {row.line}: {row.reason}" for row in reversed(bad)}
    file.write_text("\n" + ",".join(HEADER) + "\n")
    with pytest.raises(BadInput, match="is empty"):
        scan_log(file)
