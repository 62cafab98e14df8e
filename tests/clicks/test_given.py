"""Credit of any number of rankers is kept, by compiled code and the long way, and where a log is cut into portions."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.clicks import read_log
from duelist.clicks.gather import impressions_of
from duelist.clicks.given import are_complete
from duelist.clicks.scan import scan_log, spool_log

NAMES = [f"r{number}" for number in range(10)]


def credited(number: int, rankers: int) -> dict[str, Any]:
    credit = [number + place / 4 for place in range(rankers)] if number % 5 else []
    row = {"id": f"i{number}", "user": "ann", "time": 1.7e9 + number, "shown": ["a", "b"], "clicks": [0]}
    return row | {"rankers": NAMES[:rankers], "credit": credit}


ROWS = [credited(number, (2, 1, 9, 3, 8, 10)[number % 6]) for number in range(60)]
ROWS += [credited(61, 2) | {"credit": [1e-9, 2]}, credited(62, 3) | {"credit": [1, 2]}]  # the last cannot be used


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_credit_is_kept_by_every_way_to_read(tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"log.{kind}"
    with file.open("w") as text:
        if kind == "jsonl":
            text.writelines(json.dumps(row) + "\n" for row in ROWS)
        else:
            rows = [{name: cell(value) for name, value in row.items()} for row in ROWS]
            table = csv.DictWriter(text, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
    expected, log = impressions_of(read_log(file)), scan_log(file)
    assert len(log) == len(ROWS) - 1
    assert log.given.shape == (len(log), 10)
    assert np.array_equal(log.given, expected.given, equal_nan=True)
    portions = [part.given for part in spool_log(file, portion=7).portions()]
    order = np.lexsort(np.nan_to_num(log.given, nan=-1).T)
    together = np.concatenate(portions)
    assert np.array_equal(log.given[order], together[np.lexsort(np.nan_to_num(together, nan=-1).T)], equal_nan=True)


def cell(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def test_credit_is_complete_where_every_ranker_has_some() -> None:
    credits_of_rows = np.array([[1.0, 2.0], [1.0, np.nan], [np.nan, np.nan], [1.0, 2.0]])
    assert are_complete(credits_of_rows, np.array([0, 0, 0, -1]), [("x", "y")]).tolist() == [True, False, True, False]
