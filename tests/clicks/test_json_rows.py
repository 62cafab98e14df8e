"""What compiled code reads of JSON lines is what JSON says, and whatever else there is it leaves alone."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pytest

from duelist.clicks.found_rows import DOCS, EMPTY_LINE, IDS, KINDS, LONG, PLAIN, QUERIES, SIZE, USERS, USUAL
from duelist.clicks.json_rows import JsonRows
from duelist.clicks.records import seconds
from duelist.core.hashes import pair_hashes, text_hashes

ROW = {
    "id": "i1",
    "user": "ann",
    "query": "jazz",
    "time": 1763271234.1234567,
    "shown": ["a", "b", "c"],
    "clicks": [2, 0],
}
ROW |= {
    "rankers": ["x", "y"],
    "teams": [0, 1, 1],
    "click_times": [1763271240, 1763271250.5],
    "experiment": "e",
    "n": None,
}


def read(*lines: str, columns: tuple[str, ...] = ()) -> JsonRows:
    return JsonRows("".join(line + "\n" for line in lines).encode(errors="surrogateescape"), columns)


def test_a_usual_row_is_read() -> None:
    rows = read(json.dumps(ROW), "", json.dumps(ROW | {"clicks": ["b"], "click_times": []}, separators=(",", ":")))
    assert rows.rows[:, USUAL].tolist() == [PLAIN, EMPTY_LINE, PLAIN]
    assert rows.rows[:, SIZE].tolist() == [3, 0, 3]
    assert rows.acts.slots[:3].tolist() == [2, 0, 1]
    assert rows.acts.moments[:2].tolist() == [1763271240.0, 1763271250.5]
    assert np.isnan(rows.acts.moments[2])
    assert rows.times[0] == ROW["time"]
    user, query, name, experiment = text_hashes(["ann", "jazz", "i1", "e"])
    assert rows.hashes[0, [USERS, QUERIES]].tolist() == [user, query]
    assert rows.hashes[0, IDS] == pair_hashes([experiment], [name])[0]


@pytest.mark.parametrize(
    "change",
    [
        {"user": 5.5},
        {"user": " "},
        {"user": "caf\u00e9 \\"},
        {"shown": ["a", "b", "a"]},
        {"shown": ["a", " "]},
        {"shown": [{"id": "a"}, "b"]},
        {"clicks": [0, 0]},
        {"clicks": [3]},
        {"clicks": [-1]},
        {"clicks": [1.0]},
        {"clicks": ["d"]},
        {"click_times": [1.0]},
        {"time": "2026-W01"},
        {"time": -1.0},
        {"time": 1e300},
        *({"credit": credit} for credit in ([], 1, "1 0", [[1, 0]], [1, None], [1, True], ["much", 1], [1, math.nan])),
        *({"credit": credit} for credit in ([math.inf, 1], [1e-7, 1], [-0.0, 1], {"x": 1}, [1] * 9)),
        {"lost": 1},
        {"ranker": "x"},
        {"shown": [{"id": "a", "doc": "b"}]},
        {"shown": [{"ranker": "x"}]},
        {"shown": [{"id": "a", "ranker": "x", "model": "y"}]},
        {"clicks": [{"position": 0, "time": "soon"}, 1]},
        {"clicks": [{"position": 0, "name": "purchase"}, 1]},
        {"clicks": [{"position": 0, "document": "a", "object_id": "a"}, 1]},
        {"clicked": ["a"]},
        {"actions": ["purchase"]},
        {"actions": [{"position": 0}]},
        {"actions": [{"name": "click", "position": 0}]},
        {"actions": [{"name": "purchase"}]},
        {"actions": [{"name": "purchase", "position": 3}]},
        {"actions": [{"name": "purchase", "position": 0, "value": "much"}]},
        {"actions": [{"name": "purchase", "position": 0, "time": -1}]},
        {"id": 1.5},
    ],
)
def test_whatever_is_not_usual_is_left_alone(change: dict[str, Any]) -> None:
    assert read(json.dumps(ROW | change)).rows[0, USUAL] == LONG


def test_labels_are_a_part_of_the_kind() -> None:
    labelled = [[{"id": "a", "ranker": "x"}, {"id": "b", "ranker": other}] for other in ("x", "y")]
    bare = {"id": "i", "user": "ann"}
    lines = [json.dumps(bare | {"shown": shown}) for shown in (*labelled, [{"doc": 1}, "b"], ["1", "b"])]
    rows = read(*lines, json.dumps(bare | {"shown": labelled[1], "user": "bob"}))
    assert (rows.rows[:, USUAL] == PLAIN).all()
    first, second, plain, same, again = rows.hashes[:, KINDS].tolist()
    assert len({first, second, plain}) == 3
    assert (plain, second) == (same, again)
    assert rows.hashes[2, DOCS] == rows.hashes[3, DOCS]


def test_clicks_and_actions_are_read() -> None:
    bought = {"name": "purchase", "document": "c", "value": -12.5, "time": "2026-11-18T10:00:00Z"}
    acts = {"clicks": [{"position": 1, "time": 9}, {"document": "a", "time": 8}], "click_times": None}
    rows = read(json.dumps(ROW | acts | {"actions": [bought, {"name": "basket", "position": 0, "more": [{}]}]}))
    found = rows.acts
    assert rows.rows[0, USUAL] == PLAIN
    assert found.slots[:4].tolist() == [1, 0, 2, 0]
    assert repr(found.values[:4].tolist()) == "[1.0, 1.0, -12.5, nan]"
    assert found.names[:4].tolist() == [0, 0, *text_hashes(["purchase", "basket"]).tolist()]
    assert found.moments[:3].tolist() == [9.0, 8.0, seconds(bought["time"])]
    assert np.isnan(found.moments[3])


def test_credit_is_read() -> None:
    given = [[1, -0.5], None, ["2.25", 1e15], list(range(8))]
    rows = read(*(json.dumps(ROW | {"credit": credit}) for credit in given), json.dumps(ROW))
    assert (rows.rows[:, USUAL] == PLAIN).all()
    found = [row[~np.isnan(row)].tolist() for row in rows.credits]
    assert found == [[1.0, -0.5], [], [2.25, 1e15], list(range(8)), []]
    assert len(set(rows.hashes[:, KINDS].tolist())) == 1


def test_letters_may_be_escapes() -> None:
    query = "caf\u00e9 \u5927\U0001f600 \u07ff\u0800\uffff \U0010ffff"
    rows = read(json.dumps(ROW | {"query": query, "device": "\u00e9"}) + "\r", json.dumps(ROW), columns=("device",))
    assert (rows.rows[:, USUAL] == PLAIN).all()
    assert rows.hashes[:, QUERIES].tolist() == text_hashes([query, "jazz"]).tolist()
    assert rows.value(0, 0) == "\u00e9"
    assert rows.row(0)["query"] == query


def test_slashes_may_be_escapes() -> None:
    row = ROW | {"shown": ["https://a/1", "/", "c//"], "clicks": ["/"], "click_times": None, "device": "/caf\u00e9/"}
    line = json.dumps(row | {"actions": [{"name": "to/cart", "document": "c//"}]})
    rows = read(line.replace("/", r"\/"), line, r'{"user":"u",\/"shown":[]}', columns=("device",))
    assert rows.rows[:, USUAL].tolist() == [PLAIN, PLAIN, LONG]
    assert rows.hashes[0].tolist() == rows.hashes[1].tolist()
    assert rows.acts.slots[:4].tolist() == [1, 2] * 2
    assert rows.value(0, 0) == "/caf\u00e9/"


@pytest.mark.parametrize(
    "text", [r"\ud83d", r"\ude00\ud83d", r"\u0041", r"\\u00e9", r"\\/", r"\u00g9", r"\u00", r"\n\u00e9"]
)
def test_other_escapes_are_left_alone(text: str) -> None:
    rows = read(json.dumps(ROW), json.dumps(ROW).replace("jazz", text), json.dumps(ROW))
    assert rows.rows[:, USUAL].tolist() == [PLAIN, LONG, PLAIN]


def test_bytes_that_are_no_text_are_left_alone() -> None:
    rows = read(json.dumps(ROW), "\udcff", json.dumps(ROW))
    assert rows.rows[:, USUAL].tolist() == [LONG] * 3
    assert rows.line(1) == "\udcff"
    assert rows.line(2) == json.dumps(ROW)


def test_times_are_rounded_as_they_should_be() -> None:
    luck = random.Random(1)
    written = [repr(1.7e9 + luck.random() * 1e8) for _ in range(3000)]
    written += [f"{luck.randrange(2**31)}.{luck.randrange(10**9):09d}{'5' * luck.randrange(4)}" for _ in range(3000)]
    written += [f"{luck.randrange(2**53)}" for _ in range(1000)] + [
        "0",
        "0.0",
        "12345678901234567890",
        "4503599627370497.5",
    ]
    rows = read(*(f'{{"user":"u","shown":[],"time":{text}}}' for text in written))
    known = np.flatnonzero(rows.rows[:, USUAL] == PLAIN)
    assert len(known) > 5500
    for place in known.tolist():
        assert rows.times[place] == seconds(json.loads(written[place])), written[place]


def test_nothing_that_is_no_json_is_read() -> None:
    """Lines with a few characters changed: what is read is JSON, and means what JSON says."""
    luck, lines = random.Random(2), []
    for _ in range(20_000):
        line = json.dumps(ROW | {"extra": [1, "two", None, True, -0.5], "id": luck.randrange(99)})
        for _ in range(luck.randrange(1, 4)):
            at = luck.randrange(len(line))
            line = (
                line[:at]
                + luck.choice(["", luck.choice(' ,:"[]{}0123-.enulltrfa\\\t')])
                + line[at + luck.randrange(2) :]
            )
        lines.append(line)
    rows = read(*lines)
    known = np.flatnonzero(rows.rows[:, USUAL] == PLAIN).tolist()
    assert 1000 < len(known) < 15_000
    users = text_hashes([json.loads(lines[place])["user"] for place in known])
    assert rows.hashes[known, USERS].tolist() == users.tolist()
    number, places = rows.acts_of(np.array(known))
    clicks = [json.loads(lines[place]).get("clicks") or [] for place in known]
    shown = [json.loads(lines[place])["shown"] for place in known]
    slots = [
        documents.index(c) if isinstance(c, str) else c
        for mine, documents in zip(clicks, shown, strict=True)
        for c in mine
    ]
    assert number.tolist() == list(map(len, clicks))
    assert rows.acts.slots[places].tolist() == slots


def test_columns_of_ones_own_are_found() -> None:
    rows = read(json.dumps(ROW | {"device": "tv"}), json.dumps(ROW), columns=("device",))
    assert [rows.value(place, 0) for place in (0, 1)] == ["tv", None]
