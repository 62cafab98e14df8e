"""The lists of a journal as columns are those as records, whatever was shown and done."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.analysis import analyze_all
from duelist.clicks.found_rows import PLAIN, USUAL
from duelist.clicks.gather import impressions_of
from duelist.clicks.impressions import Done, Impressions
from duelist.clicks.log import read_log
from duelist.clicks.portions import Portions, joined
from duelist.clicks.scan import spool_log
from duelist.core.errors import BadInput
from duelist.interleaving.method import make_method
from duelist.interleaving.shown import Shown
from duelist.live.clicked import NO_PAGES
from duelist.live.events import CLICKED, DEFINED, SHOWN, Clicked, Defined, Listed, Pair, draft
from duelist.live.list_rows import _rows, spool_journal
from duelist.live.log import log_of
from duelist.storage import MemoryJournal, SQLiteJournal
from duelist.storage.journal import Draft, Journal

from .helpers import Time, definition

DOCUMENTS = [[f"d{(3 * i) % 11}" for i in range(11)], [f"d{(5 * i + 1) % 11}" for i in range(11)]]


def defined(journal: Journal, method: str = "team-draft", name: str = "search") -> int:
    rules = {**definition("pair"), "name": name, "method": method}
    return journal.append([draft(0, DEFINED, Defined(rules, 1))])[0].seq


def show(journal: Journal, experiment: int, user: bytes, luck: np.random.Generator, method: str = "team-draft") -> int:
    shown = make_method(method).combine(DOCUMENTS, int(luck.integers(1, 8)), luck)
    listed = Listed(
        0, 1, 0, (0, 1), shown, Pair(0, 1, 3, 0.5, 0.5), f"query {luck.integers(5)}", tuple(map(tuple, DOCUMENTS))
    )
    return journal.append([draft(experiment, SHOWN, listed, user)])[0].seq


def busy(journal: Journal, clock: Time, lists: int = 300) -> Journal:
    """Lists of two experiments and several methods; clicks soon, late, twice, on nothing; purchases; further pages."""
    luck = np.random.default_rng(7)
    methods = ["team-draft", "balanced", "probabilistic"]
    running = {method: defined(journal, method, method) for method in methods}
    shown: list[int] = []
    for number in range(lists):
        method = methods[number % 3 if number % 4 == 0 else 0]
        shown.append(show(journal, running[method], luck.bytes(16) if number % 7 else b"", luck, method))
        clock.pass_by(2)
        recent = shown[-int(luck.integers(1, min(len(shown), 60) + 1))]
        drafts = [draft(running["team-draft"], CLICKED, Clicked(recent, int(luck.integers(0, 9))))]
        if number % 10 == 0:
            drafts += [drafts[0], draft(1, CLICKED, Clicked(recent, 0, None, "buy", 12.5)), Draft(1, "tick")]
            drafts += [draft(1, CLICKED, Clicked(recent, -1, "elsewhere")), draft(1, CLICKED, Clicked(10**9, 1))]
        journal.append(drafts)
    return journal


def whole(journal: Journal, portion: int = 50) -> Impressions:
    return joined(list(spool_journal(journal, portion=portion).portions()))


def contents(log: Impressions) -> list[object]:
    """What is in a log, names written out."""
    names = [[log.setup_names[number] for number in log.setups], [log.experiment_names[n] for n in log.experiments]]
    plain = [getattr(log, name).tolist() for name in ("users", "queries", "times", "sizes", "firsts", "larger", "lost")]
    done = zip(*(getattr(log.done, name).tolist() for name in Done.__dataclass_fields__), strict=True)
    acts = [(row, team, slot, time, log.action_names[name], value) for row, team, slot, time, name, value in done]
    return [*names, *plain, str(log.given.tolist()), sorted(acts), log.losses]


def assert_same(journal: Journal, portion: int = 50) -> None:
    records, arrays = impressions_of(log_of(journal.events())), whole(journal, portion)
    for mine, theirs in zip(contents(arrays), contents(records), strict=True):
        assert mine == theirs


@pytest.mark.parametrize("span", [7, 1 << 16])
def test_columns_are_records(tmp_path: Path, span: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.live.clicked.SPAN", span)
    monkeypatch.setattr("duelist.live.clicked.BUCKET", 5 * span)
    clock = Time()
    assert_same(busy(MemoryJournal(clock), clock))
    with SQLiteJournal(tmp_path / "live.db", clock) as journal:
        assert_same(busy(journal, clock))
        journal.drop(150)  # with all definitions, so that nobody knows whose lists these are
        assert not list(spool_journal(journal).portions())
        with pytest.raises(BadInput) as without:
            analyze_all(impressions_of(log_of(journal.events())))
        with pytest.raises(BadInput, match=re.escape(str(without.value))):
            analyze_all(spool_journal(journal))


def test_further_pages_make_a_list_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.live.clicked.SPAN", 20)
    monkeypatch.setattr("duelist.live.clicked.BUCKET", 40)
    journal, luck = MemoryJournal(Time()), np.random.default_rng(1)
    experiment = defined(journal)
    for number in range(60):
        seq = show(journal, experiment, luck.bytes(8), luck)
        if number % 6 == 0:
            shown = Shown(tuple("abcdefgh"), 2, "team-draft", (0, 1) * 4)
            for page, begin in ((2, 2), (3, 5)):
                listed = Listed(seq, page, begin, (0, 1), shown._replace(ranking=shown.ranking[: begin + 3]))
                later = journal.append([draft(experiment, SHOWN, listed, b"u")])[0].seq
                journal.append(
                    [draft(experiment, CLICKED, Clicked(later, 1)), draft(experiment, CLICKED, Clicked(seq, 0))]
                )
    assert_same(journal)
    assert whole(journal).sizes.max() == 8


def test_usual_lists_are_read_by_compiled_code() -> None:
    journal, luck = MemoryJournal(Time()), np.random.default_rng(1)
    experiment = defined(journal)
    for _ in range(50):
        seq = show(journal, experiment, luck.bytes(8), luck)
        journal.append([draft(experiment, CLICKED, Clicked(seq, 0))])
    (rows,) = _rows(journal, {experiment: None}, NO_PAGES)  # type: ignore[dict-item]
    assert (rows.rows[:, USUAL] == PLAIN).all()


# As they were packed before lists had tops: seven parts, and ranks where there are tops now.
OLD_BALANCED = (
    b"\x98\x00\x01\x00\x92\x00\x01\x97\x93\xa1b\xa1a\xa1c\x02\xa8balanced\x90\x93\x92\x02\x01\x92\x01\x04\x92\x03\x02"
    b"\x90\x90\xc0\xa4jazz\x92\x93\xa1a\xa1b\xa1c\x93\xa1b\xa1c\xa1d"
)
OLD_DRAFT = (
    b"\x98\x00\x01\x00\x92\x00\x01\x97\x93\xa1a\xa1b\xa1c\x02\xaateam-draft\x93\x00\x01\x00\x90\x90\x90"
    b"\xc0\xa4jazz\x92\x93\xa1a\xa1b\xa1c\x93\xa1b\xa1c\xa1d"
)


def test_lists_from_before_they_had_tops_are_read_and_credited_the_same() -> None:
    journal, tops = MemoryJournal(Time()), (tuple("abc"), tuple("bcd"))
    shown = Shown(("b", "a", "c"), 2, "balanced", tops=tops), Shown(("a", "b", "c"), 2, "team-draft", (0, 1, 0))
    running = [defined(journal, each.method, each.method) for each in shown]
    for experiment, old, each in zip(running, (OLD_BALANCED, OLD_DRAFT), shown, strict=True):
        new = draft(experiment, SHOWN, Listed(0, 1, 0, (0, 1), each, None, "jazz", tops)).body
        for number in range(16):
            place = journal.append([Draft(experiment, SHOWN, (old, new)[number % 2], bytes([number // 2]))])[0]
            slots = [slot for slot in range(3) if number >> 1 >> slot & 1]
            journal.append([draft(experiment, CLICKED, Clicked(place.seq, slot)) for slot in slots])
    assert_same(journal)
    earned = whole(journal).given
    np.testing.assert_array_equal(earned[::2], earned[1::2])
    assert np.nansum(earned[:16], axis=0).tolist() == [2, 6]
    (rows,) = _rows(journal, dict.fromkeys(running), NO_PAGES)  # type: ignore[arg-type]
    assert (rows.rows[:, USUAL] == PLAIN).all(), "by compiled code"


def test_bodies_that_are_none_are_named() -> None:
    journal = MemoryJournal(Time())
    experiment = defined(journal)
    whole_body = draft(experiment, SHOWN, Listed(0, 1, 0, (0, 1), Shown(("a", "b"), 2, "team-draft", (0, 1)))).body
    for cut in range(len(whole_body)):
        broken = MemoryJournal(Time())
        broken.load([*journal.events()])
        broken.append([Draft(experiment, SHOWN, whole_body[:cut])])
        with pytest.raises(BadInput, match="event 2 of kind 'shown' cannot be read"):
            spool_journal(broken)
    journal.append([Draft(experiment, CLICKED, b"\x96\x01")])
    with pytest.raises(BadInput, match="event 2 of kind 'clicked' cannot be read"):
        spool_journal(journal)


COLUMNS = ("id", "user", "query", "time", "shown", "clicks", "rankers", "teams", "experiment", "click_times", "lost")


def said(source: Portions) -> tuple[str, dict[str, Any]]:
    (analysis,) = analyze_all(source)
    return str(analysis), analysis.summary()


def lineless(found: Any) -> str:
    """Without the numbers of lines, which count the header of a table, and quotes of its cells."""
    return re.sub(r"line \d+", "line", str(found)).replace("'-5.0'", "-5.0")


def plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def write_all(folder: Path, rows: list[dict[str, Any]]) -> list[Path]:
    """The same rows as JSON lines, CSV and Parquet."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (folder / "log.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(rows[0])
        for row in rows:
            table.writerow(" ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in row.values())
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "log.parquet")
    return [folder / f"log.{kind}" for kind in ("jsonl", "csv", "parquet")]


def test_every_source_says_the_same(tmp_path: Path) -> None:
    """The same impressions as JSON lines, CSV, Parquet, records and a journal; lost and repeated clicks included."""
    clock, luck = Time(), np.random.default_rng(3)
    journal = MemoryJournal(clock)
    experiment = defined(journal)
    users = [luck.bytes(8) for _ in range(200)]
    for number in range(1500):
        seq = show(journal, experiment, users[number % 200], luck)
        clock.pass_by(600)
        for place in (0, 1, 1, 2, 7 if number % 50 == 0 else 0):
            if luck.random() < 0.2:
                journal.append([draft(experiment, CLICKED, Clicked(seq, place))])
    log = log_of(journal.events())
    rows = [{name: plain(getattr(record, name)) for name in COLUMNS} for record in log.records]
    files = write_all(tmp_path, rows)
    expected = said(impressions_of(log))
    assert expected[1]["impressions"] > 1300
    for source in (*map(spool_log, files), spool_journal(journal)):
        assert said(source) == expected

    bad = [row for number, row in enumerate(rows) if number % 40 == 0]
    changes: list[dict[str, Any]] = [
        {"user": " "},
        {"query": " "},
        {"shown": ["a", "a"], "clicks": []},
        {"teams": [0, 7]},
        {"time": -5.0},
    ]
    changes += [{"clicks": [-1], "click_times": []}, {"clicks": [50], "click_times": []}, {"lost": 1}]
    spoilt = [row | {"id": f"bad {number}"} | changes[number % 8] for number, row in enumerate(bad)]
    files = write_all(tmp_path, [*rows[:700], *spoilt, *rows[700:], rows[5]])
    expected = said(impressions_of(read_log(files[0])))
    for source in map(spool_log, files):
        assert lineless(said(source)) == lineless(expected)
