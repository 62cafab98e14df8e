"""Tables in batches: what compiled code reads, and the rest as rows of Python."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from duelist.clicks.columns import BATCH, BLOCK, ROWS, UNUSUAL, Batch, Batches
from duelist.clicks.files import blocks, numbered_lines
from duelist.clicks.found_rows import EMPTY_LINE, USUAL
from duelist.clicks.gather import Gatherer
from duelist.clicks.log import table_header, table_row
from duelist.clicks.row_text import NAMES
from duelist.clicks.row_text import UNUSUAL as UNUSUAL_COLUMNS
from duelist.clicks.table_rows import TableRows


def listed(cell: str) -> Any:
    """The items of a cell."""
    return cell.split() if not cell.lstrip().startswith("[") else msgspec.json.decode(cell)


def table_batches(path: str | Path, delimiter: str, attributes: Sequence[str], found: Gatherer) -> Batches:
    """As of JSON: what compiled code could not read, or an empty batch."""
    head = next(((number, line) for number, line in numbered_lines(path) if line and not line.isspace()), (0, ""))
    header = table_header(path, head[1], delimiter)
    known = not any(name.lower() in (*NAMES, *UNUSUAL_COLUMNS) for name in attributes)
    for first, block in blocks(path, BLOCK):
        rows = TableRows(block, header, delimiter, attributes)
        if first <= head[0] < first + len(rows.rows):
            rows.rows[: head[0] - first + 1, USUAL] = EMPTY_LINE
        left = found.take_rows(rows, first) if known else np.flatnonzero(rows.rows[:, USUAL] != EMPTY_LINE).tolist()
        for begin in range(0, max(1, len(left)), ROWS):
            lines = {first + place: rows.line(place) for place in left[begin : begin + ROWS]}
            solid = {number: line for number, line in lines.items() if line.strip()}
            yield _table_batch(list(solid), list(solid.values()), header, delimiter, attributes)


def _table_batch(
    numbers: list[int], lines: list[str], header: Sequence[str], delimiter: str, attributes: Sequence[str]
) -> Any:
    place = {name: number for number, name in enumerate(header)}
    long = any(name in place for name in UNUSUAL)
    cells = [line.split(delimiter) for line in lines]
    usual = [
        not (long or '"' in line or len(row) != len(header) or row[place["shown"]].startswith("[")) and _is_text(line)
        for row, line in zip(cells, lines, strict=True)
    ]
    others: list[tuple[int, Any]] = []
    if not all(usual):
        kept = list(compress(zip(numbers, lines, cells, strict=True), usual))
        odd = compress(zip(numbers, lines, strict=True), map(not_, usual))
        others = [(number, table_row(line, header, delimiter)) for number, line in odd]
        numbers, lines, cells = map(list, zip(*kept, strict=True)) if kept else ([], [], [])
    columns: list[Any] = list(zip(*cells, strict=True)) or [()] * len(header)
    columns.append([""] * len(cells))  # for columns that are not there: the place -1
    named = {name: columns[place.get(name, -1)] for name in BATCH if name not in ("lines", "attributes")}
    named["shown"] = [cell.split() for cell in named["shown"]]
    named["time"] = _times(named["time"]) if "time" in place else [0.0] * len(cells)
    extra = [columns[place.get(name.lower(), -1)] for name in attributes]
    row_at = partial(_table_row_at, lines, header, delimiter)
    return Batch(lines=numbers, attributes=extra, **named), row_at, others


def _is_text(line: str) -> bool:
    """Whether a line was UTF-8: other bytes are lone surrogates."""
    try:
        return bool(line.encode())
    except UnicodeEncodeError:
        return False


def _table_row_at(texts: Sequence[str], header: Sequence[str], delimiter: str, place: int) -> Any:
    return table_row(texts[place], header, delimiter)


def _times(cells: Sequence[str]) -> Sequence[Any]:
    try:
        return list(map(float, cells))
    except ValueError:
        return cells
