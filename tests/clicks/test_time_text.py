"""What compiled code takes for a time is what `seconds` says of the same text."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from duelist.clicks.found_rows import PLAIN, USUAL
from duelist.clicks.json_rows import JsonRows
from duelist.clicks.records import BadRow, seconds
from duelist.clicks.scan import scan_log
from duelist.clicks.table_rows import TableRows
from duelist.core.memory import Floats

DATES = [
    "2026-11-18",
    "2026-11-18T10:00Z",
    "2026-11-18T10:00:00Z",
    "2026-11-18 10:00:00",
    "2026-11-18 10:00:00.123+01:00",
    "2026-11-18T10:00:00.1",
    "2026-11-18T10:00:00,123456-11:30",
    "2026-11-18T10:00:00.123456789Z",
    "2024-02-29T23:59:59.999999Z",
    "2000-02-29",
    "1970-01-01T00:00:00Z",
    "2254-12-31T23:59:59.999999Z",
    "1763271234.1234567",
    "1763271234123",
]
LEFT = [
    "2026-02-29",
    "2100-02-29T00:00Z",
    "2026-11-31",
    "2026-13-01",
    "2026-00-01",
    "2026-11-00",
    "2026-11-18T24:00:00Z",
    "2026-11-18T23:60Z",
    "2026-11-18T23:59:60Z",
    "2026-11-18T10:00:00.Z",
    "2026-11-18T10:00:00+24:00",
    "2026-11-18T10:00:00+01:60",
    "2026-11-18T10:00:00z",
    "2026-11-18t10:00:00Z",
    "2026-11-18T10:00:00 Z",
    "2026-11-18T",
    "2026-11-18T10",
    "2026-11-18T10:0",
    "2026-11-18T1000Z",
    "20261118T100000Z",
    "2026-W47-3",
    "2026-11-18+01:00",
    "1970-01-01T00:30:00+01:00",
    "1969-12-31T23:59:59Z",
    "2256-01-01T00:00:00.5Z",
    "18.11.2026",
    "soon",
    "-5",
    "1e9",
    "",
]


def read_times(texts: list[str]) -> tuple[Floats, Floats]:
    """The times that readers of JSON and of tables find, -1 where they leave a text alone."""
    json_rows = JsonRows("".join(f'{{"user":"u","shown":[],"time":"{text}"}}\n' for text in texts).encode(), ())
    table = TableRows("".join(f'u,a,"{text}"\n' for text in texts).encode(), ["user", "shown", "time"], ",")
    first, second = (np.where(rows.rows[:, USUAL] == PLAIN, rows.times, -1.0) for rows in (json_rows, table))
    return first, second


@pytest.mark.parametrize("text", DATES)
def test_usual_dates_are_read(text: str) -> None:
    assert [found.tolist() for found in read_times([text])] == [[seconds(text)]] * 2


@pytest.mark.parametrize("text", LEFT)
def test_others_are_left_alone(text: str) -> None:
    assert [found.tolist() for found in read_times([text])] == [[-1.0]] * 2


def some_date(luck: random.Random) -> str:
    moment = datetime(1969, 12, 30, tzinfo=UTC) + timedelta(microseconds=luck.randrange(10 ** luck.randrange(12, 17)))
    fraction = luck.choice(["", f".{moment.microsecond:06d}", f".{luck.randrange(10**9)}"])
    zone = luck.choice(
        ["", "Z", "+00:00", "-00:00", f"{luck.choice('+-')}{luck.randrange(30):02d}:{luck.randrange(60):02d}"]
    )
    time = luck.choice([f"%H:%M:%S{fraction}", "%H:%M", ""])
    return moment.strftime(f"%Y-%m-%d{luck.choice('T ')}{time}") + zone if time else moment.strftime("%Y-%m-%d")


def test_whatever_is_read_of_a_date_is_what_it_says() -> None:
    """Dates of all years, and the same with a few characters changed."""
    luck, texts = (
        random.Random(5),
        [
            f"{year}-{month:02d}-{day:02d}"
            for year in (1970, 1972, 1999, 2000, 2024, 2100, 2200)
            for month in range(14)
            for day in range(33)
        ],
    )
    for _ in range(20_000):
        text = some_date(luck)
        texts.append(text)
        for _ in range(luck.randrange(1, 3)):
            at = luck.randrange(len(text))
            text = text[:at] + luck.choice(["", luck.choice(" 0123456789-+:.,TZW")]) + text[at + luck.randrange(2) :]
        texts.append(text)
    for found in read_times(texts):
        assert (found >= 0).mean() > 0.5
        for text, time in zip(texts, found.tolist(), strict=True):
            if time >= 0:
                assert time == seconds(text), text


def test_few_good_dates_are_left_to_the_long_way() -> None:
    luck = random.Random(6)
    texts = [text for text in (some_date(luck) for _ in range(5000)) if text < "2255"]
    for found in read_times(texts):
        for text, time in zip(texts, found.tolist(), strict=True):
            if time < 0:
                with pytest.raises(BadRow):
                    seconds(text)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_timestamps_of_parquet_are_times(tmp_path: Path, unit: str, zone: str | None) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    size = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    whole = [1_763_271_234 * size, 1_763_271_234 * size + size // 3, None, 9_000_000_000 * size, -size]
    column = pyarrow.array(whole, pyarrow.timestamp(unit, zone))
    table = pyarrow.table({"user": ["u"] * 5, "shown": [["a"]] * 5, "time": column})
    parquet.write_table(table, tmp_path / "log.parquet")
    log = scan_log(tmp_path / "log.parquet")
    part = (10**6 // 3 if size >= 10**6 else 10**6 * (size // 3) // size) / 10**6
    assert log.times.tolist() == [1763271234.0, seconds(1763271234 + part), 0.0, 9e9]
    assert log.losses.rows.total() == 1
