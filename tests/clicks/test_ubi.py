from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duelist.clicks import Log, Record, read_log, read_ubi, write_ubi
from duelist.core.errors import BadInput

QUERY = {
    "application": "shop",
    "query_id": "q1",
    "client_id": "ann",
    "user_query": "jazz",
    "timestamp": "2023-11-14T22:13:20Z",
    "query_response_id": "r1",
    "query_response_hit_ids": ["a", "b", "c"],
    "query_attributes": {"experiment": 5, "rankers": ["old", "new"], "teams": [0, 1, -1], "credit": [1, 0]},
}


def event(action: str = "click", query_id: str = "q1", second: int = 30, **attributes: Any) -> dict[str, Any]:
    moment = f"2023-11-14T22:13:{second}+00:00"
    return {"action_name": action, "query_id": query_id, "timestamp": moment, "event_attributes": attributes}


def on(document: object) -> dict[str, object]:
    return {"object_id": document, "object_id_field": "sku"}


def lines(file: Path, *rows: Any) -> Path:
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return file


def read(folder: Path, *rows: Any) -> Log:
    return read_log(lines(folder / "ubi.jsonl", *rows))


def test_a_query_and_its_clicks_are_an_impression(tmp_path: Path) -> None:
    # The second click happened first.
    log = read(tmp_path, event(second=50, object=on("c")), QUERY, event(second=40, object=on("a")))
    assert log.records == (
        Record("q1", "ann", "jazz", 1700000000.0, ("a", "b", "c"), (0, 2), ("old", "new"), (0, 1, -1), (1.0, 0.0)),
    )
    assert (log.rejected, log.actions) == ((), {})


def test_ordinals_count_from_one_and_stand_in_for_the_document(tmp_path: Path) -> None:
    for position in ({"ordinal": 2}, {"ordinal": {"index": 2}}):
        assert read(tmp_path, QUERY, event(position=position)).records[0].clicks == (1,)
    both = event(object=on("a"), position={"ordinal": 3})
    assert read(tmp_path, QUERY, both).records[0].clicks == (0,)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (event(query_id="q9", object=on("a")), "a click of the unknown query 'q9'"),
        (event(query_id="", object=on("a")), "no query_id"),
        (event(object=on("z")), "a click on the document 'z', which was not shown"),
        (event(position={"ordinal": 0}), "a click at the ordinal 0, but those of 3 documents count from 1"),
        (event(position={"ordinal": 4}), "a click at the ordinal 4, but those of 3 documents count from 1"),
        (event(position={"ordinal": "top"}), "ordinal must be a whole number, not 'top'"),
        (event(position={"xy": {"x": 3, "y": 4}}), "a click without object_id and position.ordinal"),
        ({"action_name": "click", "query_id": "q1"}, "a click without object_id and position.ordinal"),
        ({"event_attributes": {}}, "no action_name"),
        (QUERY | {"query_id": None}, "no query_id"),
        (QUERY | {"query_id": "q2", "client_id": None}, "no user"),
        (QUERY | {"query_id": "q2", "query_response_hit_ids": None}, "no shown list"),
        (QUERY | {"query_id": "q2", "query_attributes": {"teams": [0, 0, 0]}}, "team 0, but there are 0 rankers"),
        (
            QUERY | {"query_response_hit_ids": ["a", "c", "b"]},
            "the impression 'q1' was logged before with another shown",
        ),
        ("no JSON", "neither a UBI query nor an event"),
        ({"user": "ann"}, "neither a UBI query nor an event"),
    ],
)
def test_what_cannot_be_joined_is_reported(tmp_path: Path, bad: Any, reason: str) -> None:
    log = read(tmp_path, QUERY, bad, event(object=on("b")))
    assert [record.clicks for record in log.records] == [(1,)]
    (found,) = log.rejected
    assert (found.line, found.path) == (2, str(tmp_path / "ubi.jsonl"))
    assert reason in found.reason


def test_a_click_or_a_query_that_comes_twice_counts_once(tmp_path: Path) -> None:
    click = event(object=on("b"))
    log = read(tmp_path, QUERY, click, click, QUERY)
    assert log.records[0].clicks == (1,)
    assert (log.repeated_clicks, log.duplicates, log.rejected) == (1, 1, ())


def test_other_actions_are_counted_apart(tmp_path: Path) -> None:
    actions = ["view", "impression", "purchase", "purchase", "add_to_cart", "dance", "click_through"]
    log = read(tmp_path, QUERY, *(event(action, object=on("a")) for action in actions))
    assert log.actions == {"view": 1, "impression": 1, "purchase": 2, "add_to_cart": 1, "dance": 1}
    assert (log.records[0].clicks, log.rejected) == ((0,), ())


def test_lenient_where_publishers_are(tmp_path: Path) -> None:
    bare = {"user_query": "jazz", "query_id": "q1", "query_response_hit_ids": ["5", "6"], "timestamp": 1700000000000}
    click = event(object=on(6)) | {"timestamp": "soon", "client_id": "bob"}
    log = read(tmp_path, {"_index": "ubi_queries", "_source": bare}, {"_index": "ubi_events", "_source": click})
    assert log.records == (Record("q1", "bob", "jazz", 1700000000.0, ("5", "6"), (1,)),)
    assert log.rejected == ()


def test_clicks_without_times_stay_in_the_order_of_the_file(tmp_path: Path) -> None:
    late, untimed = event(second=50, object=on("c")), event(object=on("a")) | {"timestamp": None}
    assert read(tmp_path, QUERY, late, untimed, event(object=on("b"))).records[0].clicks == (2, 0, 1)


def test_two_files_and_one_are_the_same(tmp_path: Path) -> None:
    clicks = [event(object=on("c")), event(object=on("zz"))]
    queries, events = lines(tmp_path / "queries.jsonl", QUERY), lines(tmp_path / "events.ndjson", *clicks)
    mixed = read(tmp_path, QUERY, *clicks)
    for log in (read_log(queries, events), read_ubi(queries, events), read_ubi(events, queries)):
        assert log.records == mixed.records
        assert [(bad.line, bad.path) for bad in log.rejected] == [(2, str(events))]


def test_no_ubi_is_refused(tmp_path: Path) -> None:
    log = lines(tmp_path / "log.jsonl", {"user": "ann", "shown": ["a"]})
    with pytest.raises(BadInput, match="does not hold UBI queries"):
        read_log(log, log)
    with pytest.raises(BadInput, match="holds neither UBI queries nor events"):
        read_ubi(log)


words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6).filter(lambda word: word.strip() != "")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda name, user, query, time, shown, order: Record(
                name, user, query, float(time), tuple(shown), tuple(i for i in order if i < len(shown)), ("x", "y")
            ),
            words,
            words,
            words,
            st.integers(0, 10**10),
            st.lists(words, max_size=5, unique=True),
            st.permutations(range(4)),
        ),
        max_size=4,
        unique_by=lambda record: record.id,
    )
)
def test_what_is_written_is_read_again(tmp_path: Path, written: list[Record]) -> None:
    queries, events = tmp_path / "queries.jsonl.gz", tmp_path / "events.jsonl"
    write_ubi(written, queries, events, mode="replace")
    log = read_ubi(queries, events)
    assert log.records == tuple(written)
    assert (log.rejected, log.duplicates, log.repeated_clicks) == ((), 0, 0)


def test_written_rows_have_the_fields_of_the_schema(tmp_path: Path) -> None:
    record = Record("q1", "ann", "jazz", 1700000000.0, ("a", "b"), (1,), ("old", "new"), (0, 1))
    write_ubi([record], tmp_path / "queries.jsonl", tmp_path / "events.jsonl")
    shared = {"query_id": "q1", "client_id": "ann", "user_query": "jazz", "timestamp": "2023-11-14T22:13:20+00:00"}
    assert json.loads((tmp_path / "queries.jsonl").read_text()) == shared | {
        "query_response_hit_ids": ["a", "b"],
        "query_attributes": {"rankers": ["old", "new"], "teams": [0, 1]},
    }
    assert json.loads((tmp_path / "events.jsonl").read_text()) == shared | {
        "action_name": "click",
        "event_attributes": {"object": {"object_id": "b"}, "position": {"ordinal": 2}},
    }
