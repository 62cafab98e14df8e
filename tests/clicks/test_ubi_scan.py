from __future__ import annotations

import gzip
import json
import math
import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from duelist.clicks import read_log, ubi_buckets
from duelist.clicks.gather import Gatherer, impressions_of
from duelist.clicks.impressions import NOWHERE, Impressions, Losses
from duelist.clicks.scan import scan_log, spool_log
from duelist.clicks.ubi_scan import UbiScan
from duelist.core.errors import BadInput

DOCUMENTS = ["a", "b", "c", "ü", 'd"e', "7", "f g"]
SEEDS = range(60)


def scanned(paths: list[Path], buckets: int, ordinals: int | None = None, attributes: tuple[str, ...] = ()) -> Any:
    found = Gatherer(attributes=attributes)
    for _ in UbiScan(paths, ordinals, found, buckets).steps():
        pass
    return found


def query(luck: random.Random, name: Any, odd: bool) -> dict[str, Any]:
    """A query as engines write it, or somewhat odd."""
    shown = luck.sample(DOCUMENTS, luck.randint(0 if odd else 2, 5))
    teams = [luck.randrange(-1, 2) for _ in shown]
    row: dict[str, Any] = {
        "query_id": name,
        "client_id": luck.choice(["ann", "bob", "eve"]),
        "user_query": luck.choice(["jazz", "blues"]),
        "timestamp": luck.choice([f"2023-11-14T22:13:{luck.randrange(10, 60)}Z", 1700000000 + luck.randrange(99)]),
        "query_response_hit_ids": shown,
        "query_attributes": {"rankers": ["old", "new"], "teams": teams, "device": luck.choice(["phone", "desk", 3])},
    }
    if luck.random() < 0.3:
        del row["query_attributes"]
    strange: list[dict[str, Any]] = [
        {"query_id": None},
        {"query_id": ""},
        {"query_id": luck.choice([[], {}, True, 1.5, -7])},
        {"client_id": None},
        {"client_id": "", "user_id": "zoe"},
        {"client_id": 7},
        {"client_id": 0, "user_id": "zoe"},
        {"user_query": None},
        {"user_query": 5},
        {"timestamp": None},
        {"timestamp": "soon"},
        {"timestamp": "1700000007"},
        {"timestamp": "2023-11-14T22:13:20"},
        {"timestamp": "1969-11-14T22:13:20Z"},
        {"query_response_hit_ids": None},
        {"query_response_hit_ids": ["a", "a"]},
        {"query_response_hit_ids": ["a", 7]},
        {"query_response_id": luck.choice(["r1", "r2"])},
        {"query_attributes": None},
        {"query_attributes": "phone"},
        {"query_attributes": {"rankers": "old,new", "teams": " ".join(map(str, teams)), "experiment": "x"}},
        {"query_attributes": {"rankers": ["old", "new"], "teams": [5] * len(shown)}},
        {"query_attributes": {"rankers": ["old", "new"], "credit": "1 0.5", "experiment": 5}},
        {"query_attributes": {"rankers": ["old", "new"], "teams": teams, "device": [1]}},
        {"query_attributes": {"rankers": ["old", "new"], "teams": teams, "lost": 2}},
        {"query_attributes": {"rankers": "[", "teams": teams}},
    ]
    return row | (luck.choice(strange) if odd else {})


def event(luck: random.Random, asked: list[dict[str, Any]], odd: bool) -> dict[str, Any]:
    """A click on what was shown, or something somewhat odd."""
    of = luck.choice(asked)
    document = luck.choice((of["query_response_hit_ids"] or ["a"]) if luck.random() < 0.95 else DOCUMENTS)
    row: dict[str, Any] = {
        "action_name": luck.choice(["click", "click", "click_through"]),
        "query_id": of["query_id"],
        "timestamp": f"2023-11-14T22:14:{luck.randrange(10, 60)}.{luck.randrange(1000):03}+00:00",
        "event_attributes": {"object": {"object_id": document}},
    }
    at = {"position": {"ordinal": luck.randrange(5)}}
    strange: list[dict[str, Any]] = [
        {"action_name": "purchase", "event_attributes": row["event_attributes"] | {"price": 9.5}},
        {"action_name": "purchase", "event_attributes": row["event_attributes"] | {"price": "9,5"}},
        {"action_name": "purchase"},
        {"action_name": ""},
        {"event_attributes": None},
        {"event_attributes": at},
        {"event_attributes": row["event_attributes"] | at},
        {"event_attributes": row["event_attributes"] | {"configuration": luck.choice(["old", "new", None])}},
        {"event_attributes": {"object": {"object_id": document, "ranker": "fresh"}}},
        {"event_attributes": {"object": {"object_id": 7}}},
        {"query_id": "nobody's"},
        {"query_id": None},
        {"timestamp": None},
        {"action_name": "purchase", "timestamp": "1970-01-01T00:00:00+05:00"},
        {"query_response_id": "r1"},
        {"client_id": "kim"},
    ]
    return row | (luck.choice(strange) if odd else {})


def written(luck: random.Random, row: dict[str, Any]) -> str:
    text = json.dumps(row, ensure_ascii=luck.random() < 0.5)
    return f'{{"_index": "ubi", "_source": {text}}}' if luck.random() < 0.2 else text


def files(folder: Path, seed: int, oddness: float) -> list[Path]:
    luck = random.Random(seed)
    names = [luck.choice([f"q{number}", number, f"ü{number}", f'"{number}']) for number in range(30)]
    queries = [query(luck, name, luck.random() < oddness) for name in names]
    queries += [query(luck, luck.choice(names), False) for _ in range(int(8 * oddness))]
    asked = [written(luck, row) for row in queries]
    happened = [written(luck, event(luck, queries, luck.random() < oddness)) for _ in range(40)]
    happened += [luck.choice(happened) for _ in range(3)] if oddness else []
    others = ["", "no JSON", '{"index": {}}', '{"user": "ann"}', "[1]", '{"query_id": "q1", "user_query": "\\x"}']
    happened += luck.sample(others, 3) if oddness else []
    luck.shuffle(happened)
    paths = [folder / f"queries{seed}.jsonl", folder / f"events{seed}.jsonl"]
    if luck.random() < 0.5:
        both = [*asked, *happened]
        luck.shuffle(both)
        paths[0].write_text("\n".join(both))
        return paths[:1]
    paths[0].write_text("\r\n".join(asked))
    paths[1].write_text("\n".join(happened))
    return paths


def without_examples(losses: Losses) -> dict[str, Any]:
    """The counts, of each experiment too: which line is the first depends on the order of buckets."""
    own = {name: without_examples(part) for name, part in losses.own.items()}
    return asdict(losses) | {"examples": 0, "own": own}


def told(log: Impressions) -> list[Any]:
    """All that a log says of its impressions, by names and not by numbers."""
    rows: list[list[Any]] = [
        [log.setup_names[setup], log.experiment_names[experiment], time, size, first, larger, lost, given.tolist()]
        for setup, experiment, time, size, first, larger, lost, given in zip(
            *(log.setups, log.experiments, log.times, log.sizes, log.firsts, log.larger, log.lost, log.given),
            strict=True,
        )
    ]
    for name, column in log.attributes.items():
        names = log.attribute_names[name]
        for row, value in zip(rows, column.tolist(), strict=True):
            row.append(names[value] if names and value >= 0 else value)
    done = log.done
    for place in range(len(done)):
        what = (done.teams[place], done.slots[place], log.action_names[done.names[place]], done.values[place])
        rows[done.rows[place]].append((*what, done.times[place]))
    return [str(row) for row in rows]


@pytest.mark.parametrize("oddness", [0.0, 0.1, 0.5])
def test_what_is_read_in_buckets_is_what_is_read_as_records(
    tmp_path: Path, oddness: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ubi_buckets, "HELD", 5)
    monkeypatch.setattr(ubi_buckets, "BLOCK", 2000)
    compared = 0
    for seed in SEEDS:
        paths = files(tmp_path, seed, oddness)
        log = impressions_of(read_log(paths[0], paths[1] if len(paths) > 1 else None), ("device",))
        found = scanned(paths, 1, attributes=("device",))
        losses = asdict(found.losses)
        one = found.impressions()
        assert told(one) == told(log)
        assert (one.users.tolist(), one.queries.tolist()) == (log.users.tolist(), log.queries.tolist())
        assert losses == asdict(log.losses)
        several = scanned(paths, 5, attributes=("device",))
        assert sorted(told(several.impressions())) == sorted(told(log))
        assert without_examples(several.losses) == without_examples(log.losses)
        assert several.losses.examples.keys() == log.losses.examples.keys()
        compared += len(log)
    assert compared > 1000


def test_usual_queries_are_read_by_compiled_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gatherer, "add", lambda *_: pytest.fail("a record was made"))
    luck = random.Random(1)
    asked = [query(luck, f"q{number}", False) | {"query_response_hit_ids": ["a", "b", "c"]} for number in range(50)]
    for row in asked:
        row["query_attributes"] = {"rankers": "old,new", "teams": "0 1 -1"}
    clicks = [event(luck, [row], False) for row in asked]
    for row in clicks:
        row["event_attributes"]["object"]["object_id"] = luck.choice("abc")
    bought = [row | {"action_name": "purchase"} for row in clicks[:10]]
    bought[0]["event_attributes"] = bought[0]["event_attributes"] | {"price": 9.5}
    bought[1]["event_attributes"] = {"object": {"object_id": "never shown"}}
    file = tmp_path / "ubi.jsonl"
    file.write_text("\n".join(map(json.dumps, [*clicks, *asked, *bought])))
    done = scan_log(file).done
    assert (done.names == 0).sum() == 50
    bought_at = done.slots[done.names == 1]
    assert (bought_at == NOWHERE).tolist() == [False, True] + [False] * 8
    assert repr(done.values[done.names == 1].tolist()) == repr([9.5] + [math.nan] * 9)


@pytest.mark.parametrize("hits", [[101, 102, 103], [{"id": 101}, {"id": "102", "rank": 2}, {"id": "103"}]])
def test_documents_that_are_numbers_or_objects_are_bought_by_their_names(tmp_path: Path, hits: list[Any]) -> None:
    asked = {"query_id": "q1", "client_id": "ann", "user_query": "jazz", "query_response_hit_ids": hits}
    done: dict[str, Any] = {"query_id": "q1", "timestamp": 1.7e9, "event_attributes": {"object": {"object_id": "102"}}}
    file = tmp_path / "ubi.jsonl"
    file.write_text(
        "\n".join(json.dumps(row) for row in (asked, *(done | {"action_name": n} for n in ("click", "buy"))))
    )
    log = scan_log(file)
    assert log.done.slots.tolist() == [1, 1]
    assert told(log) == told(impressions_of(read_log(file)))


def test_user_0_is_somebody_and_no_time_is_before_1970(tmp_path: Path) -> None:
    asked = {"query_id": "q1", "client_id": 0, "user_query": "jazz", "query_response_hit_ids": ["a"]}
    done = {"query_id": "q1", "action_name": "buy", "event_attributes": {"object": {"object_id": "a"}}}
    file = tmp_path / "ubi.jsonl"
    file.write_text("\n".join(map(json.dumps, (asked, done | {"timestamp": "1970-01-01T00:00:00+05:00"}))))
    log = read_log(file)
    assert (log.records[0].user, log.records[0].actions[0].time) == ("0", None)
    assert told(scan_log(file)) == told(impressions_of(log))


def test_a_file_that_breaks_off_says_so(tmp_path: Path) -> None:
    luck = random.Random(1)
    text = "\n".join(json.dumps(query(luck, f"q{number}", False)) for number in range(5000)).encode()
    file = tmp_path / "ubi.jsonl.gz"
    file.write_bytes(gzip.compress(text)[:-2000])
    log = scan_log(file)
    assert 0 < len(log) < 5000
    assert [reason for reason in log.losses.rows if "breaks off" in reason]


def test_what_is_wrong_with_all_of_it_is_said_as_before(tmp_path: Path) -> None:
    file = tmp_path / "ubi.jsonl"
    for bad in ({"query_id": None}, {"query_id": ""}, {}):
        row = {"user_query": "jazz", "client_id": "ann", "query_response_hit_ids": ["a"]} | bad
        file.write_text(json.dumps(row))
        with pytest.raises(BadInput, match=r"none of the 1 rows .* no query_id"):
            scan_log(file)
    file.write_text(json.dumps({"query_id": "1", "user_query": "jazz", "query_response_hit_ids": ["a"]}))
    for read in (scan_log, spool_log, read_log):
        with pytest.raises(BadInput, match=r"none of the 1 rows .* no user"):
            read(file)
        with pytest.raises(BadInput, match="ordinals count from 0 or 1, not 2"):
            read(file, ordinals=2)
