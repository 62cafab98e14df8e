from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duelist.analysis import analyze
from duelist.clicks import Action, Log, Record, read_log, read_ubi, write_ubi
from duelist.clicks.scan import scan_log, spool_log
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
    shown, teams = ("a", "b", "c"), (0, 1, -1)
    joined = Record("q1", "ann", "jazz", 1700000000.0, shown, (0, 2), ("old", "new"), teams, (1.0, 0.0), "5")
    assert log.records == (replace(joined, click_times=(1700000020.0, 1700000030.0)),)
    assert (log.rejected, log.actions) == ((), {})


def at(ordinal: object, document: object = None) -> dict[str, Any]:
    place: dict[str, Any] = {"position": {"ordinal": ordinal}}
    place |= {} if document is None else {"object": on(document)}
    return event(**place)


@pytest.mark.parametrize(
    ("rows", "slot"),
    [
        ([at(2, "b"), at(1)], 0),  # the second document is at the ordinal 2: from 1
        ([at(1, "b"), at(1)], 1),  # it is at 1: from 0
        ([at(1, "b"), at(0)], 0),
        ([at(3), at(1)], 0),  # of three documents, only one that counts from 1 has an ordinal 3
        ([at(0), at(1)], 1),  # and only one that counts from 0 has 0
        ([at({"index": 2}, "b"), at({"index": 1})], 0),
    ],
)
def test_where_ordinals_begin_is_seen_in_the_log(tmp_path: Path, rows: list[Any], slot: int) -> None:
    log = read(tmp_path, QUERY, *rows)
    assert log.rejected == ()
    assert slot in log.records[0].clicks
    assert read(tmp_path, QUERY, *rows[::-1]).records[0].clicks == log.records[0].clicks[::-1]


def test_other_files_hold_the_same_rows(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [{**QUERY, "query_id": f"q{i}"} for i in range(30)]
    rows += [event(query_id=f"q{i}", object={"object_id": "abc"[i % 3]}) for i in range(30)]
    plain = [{**row, "query_attributes": {"rankers": "old,new", "teams": "0 1 -1"}} for row in rows[:30]] + rows[30:]
    usual = lines(tmp_path / "ubi.jsonl", *plain)
    array, hits, packed = (tmp_path / name for name in ("array.json", "hits.json", "ubi.parquet"))
    array.write_text(json.dumps(plain, indent=1))
    answer = {"took": 1, "hits": {"total": {"value": 60}, "hits": [{"_id": "1", "_source": row} for row in plain]}}
    hits.write_text(json.dumps(answer, indent=1))
    parquet.write_table(
        pyarrow.concat_tables(
            [pyarrow.Table.from_pylist(plain[:30]), pyarrow.Table.from_pylist(plain[30:])], promote_options="default"
        ),
        packed,
    )
    expected = scan_log(usual)
    assert (len(expected), len(expected.done)) == (30, 30)
    for file in (array, hits, packed):
        found = scan_log(file)
        assert found.done.slots.tolist() == expected.done.slots.tolist()
        assert (found.users.tolist(), found.setup_names) == (expected.users.tolist(), expected.setup_names)
        assert not found.losses.rows
    assert [read_log(file).records for file in (array, hits)] == [read_log(usual).records] * 2
    hits.write_text(json.dumps(answer) + json.dumps(answer))
    assert read_log(hits).rejected[0].reason == "there is more behind the end of the array"
    array.write_text(array.read_text()[:-40])
    assert len(scan_log(array)) == 30
    assert "the array breaks off here" in next(iter(scan_log(array).losses.rows))


def test_a_table_that_is_no_log_is_not_called_empty(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for columns, complaint in (
        (
            {"name": ["ann"], "shown": [["a"]]},
            "it has no columns user, but 'name', 'shown'. A log is as the columns user",
        ),
        (
            {"user": [None], "shown": [["a"]]},
            "none of the 1 rows of .* can be used, as line 1: no user",
        ),
        (
            {"user_query": ["jazz"], "query_id": ["1"]},
            "none of the 1 rows of .* can be used; 1 of them as line 1: no shown list",
        ),
    ):
        parquet.write_table(pyarrow.table(columns), tmp_path / "log.parquet")
        with pytest.raises(BadInput, match=complaint):
            scan_log(tmp_path / "log.parquet")


@pytest.mark.parametrize("strays", [[at(0)], [at(3)], [at(1, "b")]])
def test_a_stray_event_does_not_say_where_ordinals_begin(tmp_path: Path, strays: list[Any]) -> None:
    clicks = [at(1), at(2)] * 50
    log = read(tmp_path, QUERY, *clicks, *strays)
    assert log.notes == ()
    assert sum("say --ordinals 0 or 1" in bad.reason for bad in log.rejected) >= 100
    log = read(tmp_path, QUERY, *clicks, *strays * 20)
    assert log.rejected == ()
    assert "if not, say --ordinals" in log.notes[0]


def test_an_answer_above_the_list_does_not_say_where_ordinals_begin(tmp_path: Path) -> None:
    """It has the ordinal 0 where documents count from 1, of which the last are seldom clicked."""
    clicks = [at(1), at(2)] * 50 + [at(0)] * 20
    log = read(tmp_path, QUERY, *clicks, at(3))
    assert log.notes == ()
    assert len(log.rejected) == len(clicks) + 1
    assert "say --ordinals 0 or 1" in log.rejected[0].reason
    assert read(tmp_path, QUERY, *clicks * 10, at(3)).notes != ()  # one of 200 is a stray


def test_it_is_said_where_ordinals_were_found_to_begin(tmp_path: Path) -> None:
    file = lines(tmp_path / "ubi.jsonl", QUERY, *[at(1), at(2), at(3)] * 10)
    said = "Ordinals of clicks count from 1, as 10 of 30 without a document tell; if not, say --ordinals 0."
    assert read_log(file).notes == (said,)
    assert scan_log(file).losses.notes == [said]
    assert read_log(file, ordinals=1).notes == ()
    assert said in str(analyze(scan_log(file)))
    assert read(tmp_path, QUERY, at(2, "b")).notes == ()  # it made no difference


@pytest.mark.parametrize("rows", [[at(1)], [at(1, "b"), at(2, "b"), at(1)]])
def test_where_ordinals_begin_is_never_guessed(tmp_path: Path, rows: list[Any]) -> None:
    log = read(tmp_path, QUERY, *rows)
    assert [bad.reason for bad in log.rejected] == [
        "a click at an ordinal, of which nothing tells whether it counts from 0 or 1: say --ordinals 0 or 1"
    ]
    assert log.records[0].lost == 1
    file = lines(tmp_path / "ubi.jsonl", QUERY, at(1))
    assert [read_log(file, ordinals=begin).records[0].clicks for begin in (0, 1)] == [(1,), (0,)]
    with pytest.raises(BadInput, match="ordinals count from 0 or 1, not 2"):
        read_log(file, ordinals=2)


def test_a_query_has_several_responses_and_a_click_belongs_to_the_one_that_showed_it(tmp_path: Path) -> None:
    def response(name: str, second: int, *hits: str) -> dict[str, Any]:
        moment = f"2023-11-14T22:13:{second}Z"
        return QUERY | {"query_response_id": name, "timestamp": moment, "query_response_hit_ids": list(hits)}

    pages = [response("r1", 20, "a", "b", "c"), response("r2", 30, "d", "e", "f"), response("r3", 40, "c", "d", "g")]
    clicks = [event(second=50, object=on("e")), event(second=35, object=on("c")), event(second=45, object=on("c"))]
    log = read(tmp_path, *pages, *clicks, event(second=55, object=on("z")))
    assert [(record.id, record.clicks) for record in log.records] == [("q1", (2,)), ("q1 r2", (1,)), ("q1 r3", (0,))]
    assert [record.lost for record in log.records] == [0, 0, 1]
    assert (log.duplicates, len(log.rejected)) == (0, 1)
    named = event(second=50, object=on("c")) | {"query_response_id": "r1"}
    assert [record.clicks for record in read(tmp_path, *pages, named).records] == [(2,), (), ()]


@pytest.mark.parametrize(
    "attributes",
    [
        {"rankers": "old,new", "teams": "0,1,-1", "credit": "1, 0.5"},
        {"rankers": "old new", "teams": "old new neutral", "credit": "1 0.5"},
        {"rankers": '["old", "new"]', "teams": '["0", "1", "-1"]', "credit": "[1, 0.5]"},
    ],
)
def test_attributes_that_an_engine_kept_as_text(tmp_path: Path, attributes: dict[str, str]) -> None:
    log = read(tmp_path, QUERY | {"query_attributes": attributes | {"device": "phone"}}, event(object=on("b")))
    (record,) = log.records
    assert (record.rankers, record.teams, record.credit) == (("old", "new"), (0, 1, -1), (1.0, 0.5))
    assert record.attributes == {"device": "phone"}


@pytest.mark.parametrize("label", [{"configuration": "new"}, {"object": on("b") | {"ranker": "new"}}])
def test_events_that_name_their_ranker_credit_it(tmp_path: Path, label: dict[str, Any]) -> None:
    bare = {name: value for name, value in QUERY.items() if name != "query_attributes"}
    other = event("click", "q2", object=on("a"), ranker="old")
    log = read(tmp_path, bare, bare | {"query_id": "q2"}, event(**{"object": on("b"), **label}), other)
    assert [(record.rankers, record.credit) for record in log.records] == [
        (("new", "old"), (1.0, 0.0)),
        (("new", "old"), (0.0, 1.0)),
    ]


def test_lines_of_a_bulk_request_are_passed_over(tmp_path: Path) -> None:
    header = {"index": {"_index": "ubi_queries", "_id": "1"}}
    log = read(tmp_path, header, QUERY, {"create": {}}, event(object=on("b")))
    assert (log.records[0].clicks, log.rejected) == ((1,), ())


def test_purchases_stay_with_their_impression(tmp_path: Path) -> None:
    log = read(tmp_path, QUERY, event("purchase", object=on("b"), price=19.5), event("purchase", "q9", object=on("b")))
    assert log.records[0].actions == (Action("purchase", 1, 19.5, 1700000010.0),)
    assert log.actions == {"purchase": 2}


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (event(query_id="q9", object=on("a")), "a click of the unknown query 'q9'"),
        (event(query_id="", object=on("a")), "no query_id"),
        (event(object=on("z")), "a click on the document 'z', which was not shown"),
        (at(4), "a click at an ordinal, of which nothing tells whether it counts from 0 or 1"),
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
    assert [action.name for action in log.records[0].actions] == actions[:-1]


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
    assert log.records == tuple(replace(r, click_times=(r.time,) * len(r.clicks)) for r in written)
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


def labelled(teams: bool) -> list[dict[str, Any]]:
    """Every document is clicked with the same chance, and new fills two slots of three; events name the ranker."""
    luck, rows = np.random.default_rng(1), []
    for i in range(900):
        owners = luck.permutation(["new", "new", "old"]).tolist()
        query = QUERY | {"query_id": f"q{i}", "client_id": f"u{i}"}
        given = {"rankers": ["old", "new"], "teams": owners} if teams and i % 2 else {}
        rows.append(query | {"query_attributes": given})
        for slot in np.flatnonzero(luck.random(3) < 0.2):
            name = ("a", "b", "c")[slot]
            rows.append(event("click", f"q{i}", object=on(name), configuration=owners[slot]))
    return rows


def test_events_that_name_their_ranker_tell_counts_and_no_winner(tmp_path: Path) -> None:
    """Only clicked lists have credit, and which ranker was shown how often nobody knows."""
    file = tmp_path / "ubi.jsonl"
    file.write_text("\n".join(map(json.dumps, labelled(teams=False))))
    clicks = Counter(row["event_attributes"].get("configuration") for row in labelled(False) if "action_name" in row)
    for read_it in (read_ubi, scan_log, spool_log):
        found = analyze(read_it(file), ended=True)
        assert (found.clicks_alone, found.winner, found.health.valid) == (True, None, True)
        assert f"Clicks: new {clicks['new']:,}, old {clicks['old']:,}." in str(found)


def test_events_that_name_their_ranker_do_not_stand_for_teams(tmp_path: Path) -> None:
    file = tmp_path / "ubi.jsonl"
    file.write_text("\n".join(map(json.dumps, labelled(teams=True))))
    for read_it in (read_ubi, scan_log, spool_log):
        found = analyze(read_it(file), ended=True)
        assert (found.clicks_alone, found.winner) == (False, None)
        assert any("without teams or credit" in reason for reason in found.health.reasons)
