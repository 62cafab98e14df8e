"""A log in portions on disk says what the same log says in memory."""

from __future__ import annotations

import json
import random
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.analysis import Settings, analyze_all
from duelist.clicks import spool
from duelist.clicks.gather import impressions_of
from duelist.clicks.impressions import PER_IMPRESSION, Impressions
from duelist.clicks.portions import Portions, in_time, joined
from duelist.clicks.records import Log, Record
from duelist.clicks.scan import scan_log, spool_log
from duelist.clicks.spool import Spool

from .test_scan import ROWS, bag

RICH = Settings(outcomes=("clicks", "buy:value"), segments=("device", "queries"), guardrails=("latency<300",))
DAY = 86400.0


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.clicks.json_batches.BLOCK", 50_000)  # bytes


def rows(number: int, seed: int, shuffled: bool) -> list[dict[str, Any]]:
    """Impressions with everything: clicks that carry times, actions, columns, bad clicks, rows that come twice."""
    luck, made = random.Random(seed), []
    for i in range(number):
        teams = [team for _ in range(3) for team in luck.sample([0, 1], 2)]
        clicks = [slot for slot in range(6) if luck.random() < 0.2]
        time = 1.7e9 + i * 20 * DAY / number
        row: dict[str, Any] = {
            "id": f"i{i}",
            "user": f"u{luck.randrange(number // 4)}",
            "query": f"q{luck.randrange(40)}",
        }
        row |= {"time": time, "shown": [f"d{luck.randrange(90)}-{s}" for s in range(6)], "rankers": ["x", "y"]}
        row |= {"clicks": clicks, "teams": teams, "click_times": [time + luck.random() * 1.1 * DAY for _ in clicks]}
        row |= {"device": luck.choice(["phone", "tv", 5, None]), "latency": luck.random() * 500}
        row["actions"] = [{"name": "buy", "position": c, "value": 3, "time": time} for c in clicks[:1]]
        made.append(row)
        if luck.random() < 0.1:  # an earlier one once more, with other clicks or of another query
            again = luck.choice(made)
            later = {"time": again["time"] + DAY, "clicks": [0, 1], "click_times": [], "actions": [], "device": "later"}
            made.append(again | luck.choice([{"clicks": [0], "click_times": []}, {"query": "another"}, later]))
    if shuffled:
        luck.shuffle(made)
    return made


def whole(log: Portions) -> Impressions:
    return joined(list(log.portions()))


def said(log: Impressions | Portions) -> Any:
    """What an analysis says of a log."""
    return _rounded(json.loads(json.dumps([found.summary() for found in analyze_all(log, None, RICH)])))


@pytest.mark.parametrize("shuffled", [False, True])
def test_portions_are_the_log(tmp_path: Path, shuffled: bool) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(map(json.dumps, rows(2600, 1, shuffled))))
    memory = scan_log(file, attributes=RICH.columns)
    assert memory.losses.duplicates > 50
    held, told = bag(memory), said(memory)
    for portion in (1, 500, 1 << 18):
        disk = spool_log(file, attributes=RICH.columns, portion=portion)
        together = whole(disk)
        assert bag(together) == held
        assert together.times.tolist() == sorted(memory.times)
        assert together.users.tolist() == in_time(memory).users.tolist()
        assert disk.head.losses == memory.losses
        assert said(disk) == told


def test_the_earliest_row_is_the_impression_in_whatever_portion(tmp_path: Path) -> None:
    file, told = tmp_path / "log.jsonl", rows(2600, 1, shuffled=True)
    found = []
    for sign in (1, -1):
        file.write_text("\n".join(json.dumps(row) for row in sorted(told, key=lambda row: sign * row["time"])))
        found.append(spool_log(file, attributes=("latency",), portion=1))
    oldest, newest = found
    assert bag(whole(newest)) == bag(whole(oldest))
    assert newest.head.losses.rows == oldest.head.losses.rows
    assert len(list(newest.portions())) > 1


def test_rows_told_again_are_united_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "TOGETHER", 50)
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(map(json.dumps, rows(1300, 2, shuffled=True))))
    memory, disk = scan_log(file, attributes=("latency",)), spool_log(file, attributes=("latency",), portion=1)
    assert bag(whole(disk)) == bag(memory)
    assert whole(disk).users.tolist() == in_time(memory).users.tolist()
    for part in ("rows", "rankers", "again", "repeated"):
        assert getattr(disk.head.losses, part) == getattr(memory.losses, part), part


def _rounded(value: Any) -> Any:
    """Without the last bits, which depend on the order in which numbers are added."""
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def test_rows_of_every_form_in_portions(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(map(json.dumps, ROWS)) + "\nno JSON\n\n")
    assert bag(whole(spool_log(file, attributes=("device",), portion=1))) == bag(scan_log(file, attributes=("device",)))


def portion_of(begin: int, size: int, luck: np.random.Generator, like: Impressions) -> Impressions:
    """So many impressions of a thousand users, from `begin` seconds on."""
    ones: dict[str, Any] = {name: np.repeat(getattr(like, name), size, axis=0) for name in PER_IMPRESSION}
    ones |= {"users": luck.integers(0, 1000, size).astype(np.int32), "times": begin + np.arange(size) * 1.0}
    ones |= {"ids": np.arange(begin, begin + size) + 1, "firsts": luck.integers(0, 2, size).astype(np.int8)}
    done = replace(like.done.take(np.zeros(size, int)), rows=np.arange(size, dtype=np.int32))
    return replace(like, **ones, done=replace(done, teams=luck.integers(0, 2, size).astype(np.int8)))


def test_memory_does_not_grow_with_rows_that_are_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 5,000 impressions and of 20,000, each told twice: the ids that come again, some times over."""
    monkeypatch.setattr(spool, "IN_MEMORY", 1 << 16)
    monkeypatch.setattr(spool, "TOGETHER", 5000)
    record = Record("1", "ann", "q", 9.0, ("a", "b"), (0,), ("x", "y"), (0, 1))
    like, luck, peaks = impressions_of(Log((record,))), np.random.default_rng(1), []
    like = replace(like, bodies=like.bodies.astype(np.uint64))
    for portions in (2, 8):
        log = Spool()
        for number in (*range(portions), *range(portions)):
            portion = portion_of(2500 * number, 2500, luck, like)
            log.add(replace(portion, users=portion.users * 0, ids=portion.ids.astype(np.uint64)))
        tracemalloc.start()
        log.finish(like)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert sum(map(len, log.portions())) == len(log) == 2500 * portions
    assert peaks[1] - peaks[0] < 40 * 15_000  # bytes


def test_memory_does_not_grow_with_impressions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 100,000 impressions and of 800,000, in portions of 20,000: a bit or two an impression beyond the ids."""
    monkeypatch.setattr(spool, "IN_MEMORY", 1 << 16)
    record = Record("1", "ann", "q", 9.0, ("a", "b"), (0,), ("x", "y"), (0, 1))
    like, luck, peaks = impressions_of(Log((record,))), np.random.default_rng(1), []
    for portions in (5, 40):
        log = Spool()
        for number in range(portions):
            log.add(portion_of(20_000 * number, 20_000, luck, like))
        log.finish(like)
        tracemalloc.start()
        (analysis,) = analyze_all(log)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert analysis.impressions == 20_000 * portions
    assert peaks[1] - peaks[0] < 2 * 700_000  # a byte for each of two rankers and impression, when the pairs are told
