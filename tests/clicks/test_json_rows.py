"""What compiled code reads of JSON lines is what JSON says, and whatever else there is it leaves alone."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from duelist.clicks.found_rows import EMPTY_LINE, IDS, LONG, PLAIN, QUERIES, SIZE, USERS, USUAL
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
    assert rows.slots[:3].tolist() == [2, 0, 1]
    assert rows.moments[:2].tolist() == [1763271240.0, 1763271250.5]
    assert np.isnan(rows.moments[2])
    assert rows.times[0] == ROW["time"]
    user, query, name, experiment = text_hashes(["ann", "jazz", "i1", "e"])
    assert rows.hashes[0, [USERS, QUERIES]].tolist() == [user, query]
    assert rows.hashes[0, IDS] == pair_hashes([experiment], [name])[0]


@pytest.mark.parametrize(
    "change",
    [
        {"user": 5},
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
        {"time": "2026-01-01"},
        {"time": -1.0},
        {"time": 1e300},
        {"credit": [1, 0]},
        {"actions": []},
        {"more": {"nested": 1}},
        {"id": 1.5},
    ],
)
def test_whatever_is_not_usual_is_left_alone(change: dict[str, Any]) -> None:
    assert read(json.dumps(ROW | change)).rows[0, USUAL] == LONG


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
    number, places = rows.clicks(np.array(known))
    clicks = [json.loads(lines[place]).get("clicks") or [] for place in known]
    shown = [json.loads(lines[place])["shown"] for place in known]
    slots = [
        documents.index(c) if isinstance(c, str) else c
        for mine, documents in zip(clicks, shown, strict=True)
        for c in mine
    ]
    assert number.tolist() == list(map(len, clicks))
    assert rows.slots[places].tolist() == slots


def test_columns_of_ones_own_are_found() -> None:
    rows = read(json.dumps(ROW | {"device": "tv"}), json.dumps(ROW), columns=("device",))
    assert [rows.value(place, 0) for place in (0, 1)] == ["tv", None]
