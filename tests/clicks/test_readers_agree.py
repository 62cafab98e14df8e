"""Compiled code reads what `record_of` reads, value by value: odd rows of all forms, in all formats."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.clicks.arrow_rows import ArrowRows
from duelist.clicks.found_rows import LONG, PLAIN, USUAL
from duelist.clicks.gather import Gatherer
from duelist.clicks.impressions import Impressions
from duelist.clicks.json_rows import JsonRows
from duelist.clicks.scan import scan_log
from duelist.clicks.table_rows import TableRows

COLUMNS = ("device",)
SEEDS = (1, 2)
TIMES = ["2026-11-18T10:00:00Z", "2026-11-18 10:00:00.123+01:00", 1.7e9, 1700000000123, 1763271234.1234567]
ODD_TIMES: list[Any] = [
    "2024-02-29",
    "2026-02-29",
    "2026-11-18T24:00Z",
    "1763271234.5",
    "20261118T100000Z",
    "soon",
    "",
    None,
]
ODD_TIMES += [-1, True, 1e300, [], "2026-11-18T10:00:00.1234567", "1969-12-31T23:59:59", "2026-11-18T10:00:00+25:00"]
NAMES, ODD_NAMES = (
    ["ann", "bob", "caf\u00e9 \u5927 \U0001f600"],
    [5, "", " ", None, "\u5927", "caf\u00e9", 'say "hi"', "a\\b", 1.5, True, "\u3000"],
)
ODD_NAMES += ["x,y", "x\ty", "/", "\u00a0", -3, 10**20, "-1", "7", [], {"a": 1}]
SIDES, ODD_SIDES = [0, 1, "new", "old"], [-1, None, "", "none", "0", "1", 2, "other", 1.0]
ACTS, ODD_ACTS = ["purchase", "add-to-cart"], ["click", "", " ", None, 7, "caf\u00e9", True]
CREDITS: list[Any] = [0, 1, 0.5, 2.75, -0.25, 12.123456789012345]
ODD_CREDITS: list[Any] = [None, "", " ", "0.5", "1e3", "0x1", "1_0", "+1", "much", True, [], [1], {}, float("nan")]
ODD_CREDITS += [
    float("inf"),
    -float("inf"),
    -0.0,
    1e-7,
    1e300,
    10**17,
    10**400,
    0.1234567890123456789,
    "\u0661",
    "1\u00a0",
]
VALUES, ODD_VALUES = [1, 19.99, 0, 250], [-3.25, "4.5", None, -0.0, 19.989999999999998, 1e-7, True, "much", 10**17, -0]
ODD_VALUES += ["400,00", "", float("inf"), float("nan")]


class Luck(random.Random):
    """Draws what is usual, and now and then what is not."""

    odd = 0.03

    def among(self, usual: list[Any], unusual: list[Any]) -> Any:
        return self.choice(unusual if self.random() < self.odd else usual)

    def often(self, chance: float) -> bool:
        return self.random() < chance


def some_document(luck: Luck, name: Any, labelled: bool) -> Any:
    if not labelled:
        return luck.among([name], [None, {"id": name}, [name], 17, "", name * 2])
    field = luck.among(["id"], ["document", "doc", "object_id", "name"])
    found = {field: name, luck.among(["ranker"], ["team", "model"]): luck.among(["old", "new"], ODD_SIDES)}
    if luck.often(luck.odd):
        found |= luck.choice([{"id": None}, {"doc": "d9"}, {"score": 1.5, "why": {"deep": [1, {}, []]}}])
    return luck.among([found], [name, {}, None])


def some_place(luck: Luck, names: list[str]) -> dict[str, Any]:
    slot = luck.randrange(max(1, len(names)))
    name = names[slot] if names else "d0"
    usual = [{"position": slot}, {"document": name}, {"object_id": name}]
    return dict(
        luck.among(usual, [{}, {"position": 99}, {"position": str(slot)}, {"position": None, "document": "d0"}])
    )


def some_click(luck: Luck, names: list[str]) -> Any:
    slot = luck.randrange(max(1, len(names)))
    name = names[slot] if names else "d0"
    if luck.often(0.2):
        return some_place(luck, names) | luck.choice([{}, {"time": luck.among(TIMES, ODD_TIMES)}])
    return luck.among([slot, name], [-1, 99, str(slot), 1.0, "nobody", None, True, {"name": "purchase", "position": 0}])


def some_action(luck: Luck, names: list[str]) -> Any:
    found = {"name": luck.among(ACTS, ODD_ACTS)} | some_place(luck, names)
    found |= {"value": luck.among(VALUES, ODD_VALUES)} if luck.often(0.5) else {}
    found |= {"time": luck.among(TIMES, ODD_TIMES)} if luck.often(0.5) else {}
    return luck.among([found], ["purchase", {}, None])


def some_credit(luck: Luck) -> Any:
    usual = [luck.among(CREDITS, ODD_CREDITS) for _ in range(luck.among([2], [0, 1, 3, 8, 9]))]
    return luck.among([usual], [None, [], 1, "", "1 0", " ", {"old": 1, "new": 0}, [usual], True])


def some_row(luck: Luck, number: int) -> dict[str, Any]:
    size = luck.randrange(5)
    labelled = luck.often(0.3)
    names = luck.sample([f"{luck.choice(['d', 'd', '', '-'])}{place}" for place in range(size)], size)
    row: dict[str, Any] = {"id": f"i{number}", "user": luck.among(NAMES, ODD_NAMES)}
    row |= {"shown": luck.among([[some_document(luck, name, labelled) for name in names]], [None, "d0", {}])}
    if luck.often(0.7):
        row["clicks"] = [some_click(luck, names) for _ in range(luck.randrange(3))] if size else []
    if luck.often(0.2):
        row["clicked"] = [luck.among(names or [""], [0, "nobody", "d0"]) for _ in range(luck.randrange(2))]
    if luck.often(0.2):
        row["click_times"] = [luck.among(TIMES, ODD_TIMES) for _ in range(len(row.get("clicks", [])) + luck.often(0.1))]
    if luck.often(0.4):
        row["actions"] = [some_action(luck, names) for _ in range(luck.randrange(3))]
    if not labelled and luck.often(0.8):
        row |= {"rankers": ["old", "new"], "teams": [luck.among(SIDES, ODD_SIDES) for _ in names]}
    if "rankers" in row and luck.often(0.2):
        del row["teams"]
    if luck.often(0.4 if "rankers" in row else 0.1):
        row["credit"] = some_credit(luck)
    row |= {"time": luck.among(TIMES, ODD_TIMES)} if luck.often(0.9) else {}
    row |= {"query": luck.among(NAMES, ODD_NAMES)} if luck.often(0.8) else {}
    row |= {"experiment": luck.among(["e1"], ODD_NAMES)} if luck.often(0.3) else {}
    row |= {"device": luck.among(["tv", "phone"], ODD_NAMES)} if luck.often(0.5) else {}
    if luck.often(luck.odd):
        row |= luck.choice([{"lost": 0}, {"lost": 2}, {"lost": None}, {"ranker": "old"}, {"id": ""}])
    return row


def spoilt(luck: Luck, line: str) -> str:
    """A line with a few characters changed, now and then."""
    for _ in range(luck.randrange(1, 3) if luck.often(0.1) else 0):
        at = luck.randrange(len(line))
        put = luck.choice(["", luck.choice(' ,:"[]{}0123-.enulltrfaT\\\t\u00e9')])
        line = line[:at] + put + line[at + luck.randrange(2) :]
    return line


def json_line(luck: Luck, row: dict[str, Any]) -> str:
    separators = luck.choice([(",", ":"), (", ", ": "), (" ,", " : ")])
    return spoilt(luck, json.dumps(row, ensure_ascii=luck.often(0.3), separators=separators))


HEADER: tuple[str, ...] = (
    "id",
    "user",
    "query",
    "time",
    "shown",
    "clicks",
    "clicked",
    "click_times",
    "rankers",
    "teams",
    "actions",
)
HEADER += ("experiment", "device", "credit", "lost")


def table_line(luck: Luck, row: dict[str, Any], delimiter: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="").writerow([cell(luck, row.get(name)) for name in HEADER])
    return spoilt(luck, text.getvalue())


def cell(luck: Luck, value: Any) -> str:
    if isinstance(value, list | dict):
        plain = isinstance(value, list) and all(
            isinstance(item, str | int | float) and " " not in str(item) for item in value
        )
        return " ".join(map(str, value)) if plain and luck.often(0.7) else json.dumps(value)
    return "" if value is None else str(value)


def listing(log: Impressions) -> list[Any]:
    """Everything that a log says, row by row, without the numbers of names."""
    done: dict[int, list[Any]] = {}
    parts = (log.done.rows, log.done.teams, log.done.slots, log.done.times, log.done.names, log.done.values)
    for row, team, slot, time, name, value in zip(*(part.tolist() for part in parts), strict=True):
        done.setdefault(row, []).append((log.action_names[name], team, slot, repr(time), repr(value)))
    plain = (log.users, log.queries, log.times, log.sizes, log.firsts, log.larger, log.lost)
    return [
        (
            *(column[row].item() for column in plain),
            log.setup_names[log.setups[row]],
            log.experiment_names[log.experiments[row]],
            repr([log.attributes[name][row].item() for name in log.attributes]),
            repr(log.given[row].tolist()),
            done.get(row, []),
        )
        for row in range(len(log))
    ]


def assert_alike(file: Path, slow: Callable[[], Impressions]) -> None:
    """A log is the same by compiled code and without; `slow` reads it without."""
    fast, other = scan_log(file, attributes=COLUMNS), slow()
    for one, same in zip(listing(fast), listing(other), strict=True):
        assert one == same
    for part in ("rows", "clicks", "repeated", "rankers", "duplicates"):
        assert getattr(fast.losses, part) == getattr(other.losses, part), part


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], Impressions]:
    """Reads the log with every row as a record."""

    def read() -> Impressions:
        (file,) = tmp_path.iterdir()
        with monkeypatch.context() as patch:
            patch.setattr("duelist.clicks.line_rows._is_utf8", lambda block: False)
            patch.setattr(Gatherer, "take", lambda found, batch, path: list(range(len(batch.lines))))
            patch.setattr("duelist.clicks.parquet_batches.ArrowRows", LongRows)
            return scan_log(file, attributes=COLUMNS)

    return read


class LongRows(ArrowRows):
    """Rows of which none is usual."""

    def __init__(self, batch: Any, columns: Any) -> None:
        super().__init__(batch, columns)
        self.rows[:, USUAL] = LONG


def usual_share(rows: Any) -> float:
    return float((rows.rows[:, USUAL] == PLAIN).mean())


@pytest.mark.parametrize("seed", SEEDS)
def test_json_lines(tmp_path: Path, slowly: Callable[[], Impressions], seed: int) -> None:
    luck, file = Luck(seed), tmp_path / "log.jsonl"
    text = "\n".join(json_line(luck, some_row(luck, number)) for number in range(2000)) + "\n"
    file.write_text(text)
    assert_alike(file, slowly)
    assert usual_share(JsonRows(text.encode(), COLUMNS)) > 0.4


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("ending", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_tables(tmp_path: Path, slowly: Callable[[], Impressions], ending: str, delimiter: str, seed: int) -> None:
    luck, file = Luck(seed), tmp_path / f"log.{ending}"
    lines = [table_line(luck, some_row(luck, number), delimiter) for number in range(2000)]
    text = "".join(line.replace("\n", " ").replace("\r", " ") + "\n" for line in lines)
    file.write_text(delimiter.join(HEADER) + "\n" + text)
    assert_alike(file, slowly)
    assert usual_share(TableRows(text.encode(), HEADER, delimiter, COLUMNS)) > 0.4


def parquet_columns(luck: Luck, number: int) -> dict[str, Any]:
    """Columns of one type each, drawn anew for every file."""
    import pyarrow

    text, whole = pyarrow.string(), pyarrow.int64()
    name = luck.choice([text, pyarrow.large_string(), pyarrow.dictionary(pyarrow.int32(), text)])
    time = luck.choice([text, pyarrow.float64(), whole, pyarrow.timestamp("ms", "UTC"), pyarrow.timestamp("us")])
    side = luck.choice([text, whole])
    place = {"position": whole, "document": text} if luck.often(0.5) else {"object_id": text, "position": whole}
    click = luck.choice([whole, text, pyarrow.struct(place | {"time": time})])
    value = luck.among([whole, pyarrow.float64()], [text])
    action = pyarrow.struct({"name": text, "value": value} | place | {"time": time})
    credit = luck.among([whole, pyarrow.float64(), pyarrow.float32()], [text, pyarrow.null()])
    label = {"ranker": text, "model": text} if luck.often(0.5) else {"team": side}
    document = luck.choice([text, whole, pyarrow.struct({"doc": text, "id": text} | label)])
    kinds = {"id": name, "user": luck.choice([text, whole]), "query": name, "time": time, "experiment": name}
    listed = {"shown": document, "clicks": click, "clicked": luck.choice([text, whole]), "click_times": time}
    listed |= {"rankers": text, "teams": side, "actions": action, "credit": credit}
    kinds |= {column: pyarrow.list_(kind) for column, kind in listed.items()}
    kept = {"user", "shown", *(column for column in kinds if luck.often(0.8))}
    fill = Filler(luck, pyarrow)
    rows = [fill.row(kinds, number) for number in range(number)]
    kinds = {column: kind for column, kind in kinds.items() if column in kept}
    return {column: pyarrow.array([row[column] for row in rows], kind) for column, kind in kinds.items()}


class Filler:
    """Values of a type, usual ones mostly."""

    def __init__(self, luck: Luck, pyarrow: Any) -> None:
        self.luck, self.arrow = luck, pyarrow

    def row(self, kinds: dict[str, Any], number: int) -> dict[str, Any]:
        size, row = self.luck.randrange(1, 5), dict[str, Any]()
        for column, kind in kinds.items():
            if not self.arrow.types.is_list(kind):
                row[column] = f"i{number}" if column == "id" else self.value(kind, column, size)
                continue
            credited = self.luck.among([2], [0, 1, 3, 8, 9])
            length = {"shown": size, "teams": size, "rankers": 2, "credit": credited}.get(
                column, self.luck.randrange(2)
            )
            row[column] = [self.value(kind.value_type, column, size, place) for place in range(length)]
        row["rankers"] = self.luck.among([["old", "new"]], [None, [], ["old", None]])
        row["click_times"] = self.luck.choice([None, [], row["click_times"]])
        row["credit"] = self.luck.choice([None, row["credit"]])
        row["teams"] = self.luck.choice([None, row["teams"], row["teams"]])
        return {column: value if column == "id" else self.luck.among([value], [None]) for column, value in row.items()}

    def value(self, kind: Any, name: str, size: int, place: int = 0) -> Any:
        luck, types = self.luck, self.arrow.types
        if types.is_struct(kind):
            found = {field.name: self.value(field.type, field.name, size, place) for field in kind}
            return luck.among([found], [None, {**found, luck.choice(list(found)): None}])
        if types.is_timestamp(kind):
            return luck.among([1_763_271_234_567], [None, -1, 10**14])
        if types.is_floating(kind):
            return luck.among([1.7e9, 19.99], [None, -0.0, float("inf"), float("nan"), -1.0, 1e300])
        if types.is_null(kind):
            return None
        slot = place if name in ("shown", "id", "doc") else luck.randrange(size)
        if types.is_integer(kind):
            return luck.among([slot if name != "team" and name != "teams" else slot % 2], [None, -1, 99])
        usual = [f"d{slot}"]
        usual = TEXTS.get(name, usual)
        return luck.among(usual, [None, "", " ", "caf\u00e9", "click", "nobody", "7"])


TEXTS: dict[str, list[Any]] = {"user": NAMES, "query": NAMES, "experiment": ["", "e1"], "teams": ["old", "new"]}
TEXTS |= {"ranker": ["old", "new"], "model": ["old", "new"], "team": ["old", "new"], "name": ACTS, "value": ["4.5"]}
TEXTS |= {"credit": ["0.5"]}
TEXTS |= {key: [text for text in TIMES if isinstance(text, str)] for key in ("time", "click_times")}


@pytest.mark.parametrize("seed", SEEDS)
def test_parquet(tmp_path: Path, slowly: Callable[[], Impressions], seed: int) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    usual = credited = 0.0
    for again in range(4):
        table = pyarrow.table(parquet_columns(Luck(10 * seed + again), 300))
        parquet.write_table(table, tmp_path / "log.parquet", row_group_size=200)
        assert_alike(tmp_path / "log.parquet", slowly)
        found = [ArrowRows(batch, ()) for batch in table.to_batches()]
        usual += float(np.mean([usual_share(rows) for rows in found])) / 4
        credited += sum(((rows.rows[:, USUAL] == PLAIN) & ~np.isnan(rows.credits[:, 0])).sum() for rows in found)
    assert usual > 0.1
    assert credited > 20
