"""Parquet in batches: what compiled code reads, and the rest as rows of Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from duelist.clicks.arrow_rows import ArrowRows
from duelist.clicks.columns import LISTS, ROWS, UNUSUAL, Batch, Batches
from duelist.clicks.gather import Gatherer
from duelist.clicks.parquet_files import parquet_parts, said

ARROW = 1 << 15  # rows of Parquet


def parquet_batches(path: str | Path, attributes: Sequence[str], found: Gatherer) -> Batches:
    """As of JSON: what compiled code could not read, or an empty batch."""
    begun = 1
    for part in parquet_parts(path, ARROW):
        left = found.take_rows(ArrowRows(part, attributes), begun)
        for begin in range(0, max(1, len(left)), ROWS):
            places = left[begin : begin + ROWS]
            yield _parquet_batch(part.take(np.array(places, np.int64)), [begun + place for place in places], attributes)
        begun += part.num_rows


def _parquet_batch(part: Any, lines: Sequence[int], attributes: Sequence[str]) -> Any:
    rows, empty = part.to_pydict(), [None] * part.num_rows
    long = any(name in rows for name in UNUSUAL)
    lists = {name: [tuple(items) if items else () for items in rows.get(name, empty)] for name in LISTS}
    batch = Batch(
        lines=lines,
        id=[name if name.__class__ is not int else str(name) for name in rows.get("id", empty)],
        user=empty if long else rows.get("user", empty),
        query=[query or "" for query in rows.get("query", empty)],
        time=[0.0 if time is None else time for time in rows.get("time", empty)],
        shown=rows.get("shown", empty),
        experiment=[name or "" for name in rows.get("experiment", empty)],
        attributes=[rows.get(name, empty) for name in attributes],
        **lists,
    )
    return batch, partial(_row, rows), []


def _row(columns: Mapping[str, Sequence[Any]], place: int) -> dict[str, Any]:
    return {name: said(column[place]) for name, column in columns.items()}
