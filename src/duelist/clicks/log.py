"""Click logs: one row an impression, as JSON lines or as a table; and UBI events (ubi.py).

`user` and `shown` are needed; a row without `id` is called by its line, without `query` it has the
empty query, without `time` the time 0, without `clicks` none. Times are seconds since 1970,
milliseconds (numbers from 1e11), or ISO 8601, in UTC unless they say otherwise.

* `shown`: document ids, or objects with `id` and the `ranker` that placed the document.
* `clicks`: positions in `shown`, counted from 0, or document ids; `clicked` is document ids, always.
  Each may be an object with `position` or `document`, and `time`; `click_times` has times beside the list.
* `teams`: for each slot the number of its ranker in `rankers`, -1 for none; or its name.
* `actions`: objects with `name`, `position` or `document`, `value`, `time`: purchases and the like.
* `experiment`: whose rankers these are. Any other column is an attribute: device, locale, latency.
* A row with `ranker` instead of `shown` is one click, of which nothing more is known.

The forms of a file:

* .jsonl: an object a line, lists as lists; or one JSON array of objects.
* .csv and .tsv: a header, then a row a line, cells with commas, tabs or quotes in double quotes.
  A list is written as its items with spaces between, or as a JSON list: a cell that begins
  with "[" is read as JSON.
* each may be compressed, with .gz at the end of its name.

A row that cannot be used is in `Log.rejected` with its line and the reason, and so is a click that
has no place in a row that is used. A second row with the same id adds its clicks to the first; where it
is later, so are the clicks that it adds and that have no time of their own, and the credit that it changes.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from duelist.clicks.collector import KEPT_TEXT, Collector
from duelist.clicks.files import CutShort, numbered_lines, open_to_write, suffix
from duelist.clicks.json_array import array_items, is_array
from duelist.clicks.records import Action, BadRow, Log, Record, Rejected
from duelist.clicks.rows import NO_COLUMNS, check_record, experiment_of, favoured, record_of, row_of, told_rows
from duelist.clicks.ubi import is_ubi, read_ubi
from duelist.core.errors import BadInput

__all__ = ["Action", "Log", "Record", "Rejected", "read_log", "write_log"]

COLUMNS = tuple(field.name for field in fields(Record) if field.name not in NO_COLUMNS)
LISTS = ("shown", "clicks", "clicked", "rankers", "teams", "credit", "click_times", "actions")
NEEDED = ("user", "shown")
INSTEAD = "ranker"  # of shown, in a log of clicks alone
# What a line of JSON has only where there is something to say.
LEFT_OUT = ("clicks", "rankers", "teams", "credit", "experiment", "click_times", "actions", "lost")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
EXAMPLE = '{"user": "ann", "shown": ["d3", "d1"], "clicks": [0], "rankers": ["old", "new"], "teams": [0, 1]}'
JSON_LINES = (".jsonl", ".ndjson", ".json")


def read_log(path: str | Path, events: str | Path | None = None, ordinals: int | None = None) -> Log:
    """A click log from a file in the form above, or of UBI queries and events.

    UBI is recognised by its fields; queries and events may be mixed in one file, or the events
    come in a second one, and `ordinals` says whether their positions count from 0 or 1 where no event tells.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = file.write_text("id,user,shown,clicks\\n1,ann,a b c,0 2\\n2,,a b c,\\n")
    >>> log = read_log(file)
    >>> log.records[0].clicks, log.rejected[0].line, log.rejected[0].reason
    ((0, 2), 3, 'no user')
    """
    kind = suffix(path)
    if kind not in (*DELIMITERS, *JSON_LINES):
        raise unknown_ending(path, "; scan_log also reads .parquet")
    if kind in JSON_LINES and is_ubi(path):
        return usable(read_ubi(path, events, ordinals), path)
    if events is not None:
        raise no_queries(path)
    if kind in JSON_LINES:
        return _collect(path, _json_rows(path), typed=True)
    return _collect(path, _table_rows(path, DELIMITERS[kind]), typed=False)


def unknown_ending(path: str | Path, more: str) -> BadInput:
    """Which endings of names say what is in a file."""
    allowed = ", ".join((*DELIMITERS, *JSON_LINES))
    return BadInput(
        f"cannot tell what is in {str(path)!r}: its name must end in one of {allowed}, or that and .gz{more}"
    )


def no_queries(path: str | Path) -> BadInput:
    """What is wrong with events of a log that is not UBI."""
    return BadInput(f"{str(path)!r} does not hold UBI queries, so that a file of events cannot be joined to it")


def _collect(path: str | Path, rows: Iterator[tuple[int, str, Any]], typed: bool) -> Log:
    """The log of rows that are each a mapping or the reason why there is none."""
    found = Collector()
    try:
        for line, row_text, row in rows:
            try:
                if isinstance(row, BadRow):
                    raise row
                found.add(record_of(row, f"line {line}", typed), line, row_text, path)
            except BadRow as error:
                whose, where = ("", "") if row is error else (favoured(row, typed), experiment_of(row))
                found.reject(line, str(error), row_text, path, ranker=whose, experiment=where)
    except CutShort as error:
        found.reject(error.line, error.reason, "", path)
    return usable(found.log(), path)


def usable(log: Log, path: str | Path) -> Log:
    """A log with something in it, or an error that says what is wrong with the most rows."""
    if log.records or not log.rejected:
        return log
    kinds = Counter(bad.kind for bad in log.rejected)
    kind, number = kinds.most_common(1)[0]
    example = next(bad for bad in log.rejected if bad.kind == kind)
    raise BadInput(
        f"none of the {len(log.rejected)} rows of {str(path)!r} can be used; {number} of them as line {example.line}: "
        f"{example.reason}; it is {example.text!r}"
    )


def no_log(path: str | Path, what: str, names: Iterable[str], example: str) -> BadInput:
    """What a file lacks that every log has, what it has instead, and how a log looks."""
    has = set(names)
    found = ", ".join(map(repr, sorted(has)[:12])) or "nothing"
    missing = [name for name in NEEDED if name not in has and not (name == "shown" and INSTEAD in has)]
    lacks = f"{what} {' and '.join(missing or NEEDED)}{'' if missing else ' together'}"
    return BadInput(f"{str(path)!r} is not a click log: {lacks}, but {found}. A log is as {example}")


def _json_rows(path: str | Path) -> Iterator[tuple[int, str, Any]]:
    names: set[str] = set()
    rows = complete = objects = 0
    first = ""
    for number, line, row in json_objects(path):
        rows += 1
        first = first or line.strip()[:KEPT_TEXT]
        objects += isinstance(row, dict)
        complete += isinstance(row, dict) and "user" in row and ("shown" in row or INSTEAD in row)
        names.update(row if isinstance(row, dict) else ())
        yield number, line, row
    if rows and not objects:
        if first.startswith("[") and not first.strip("[] "):
            raise BadInput(f"{str(path)!r} is empty: a list without rows")
        raise BadInput(
            f"{str(path)!r} is not a click log: none of its {rows} rows is a JSON object, as {first!r}. "
            f"A log is as {EXAMPLE}"
        )
    if rows and not complete:
        raise no_log(path, f"none of its {rows} rows has", names, EXAMPLE)


def json_objects(path: str | Path) -> Iterator[tuple[int, str, Any]]:
    """Line by line; or the items of one JSON array, numbered from 1."""
    if is_array(path):
        for number, item in array_items(path):
            yield number, item, json_object(item)
        return
    for number, line in numbered_lines(path):
        if line.strip():
            yield number, line, json_object(line)


def json_object(line: str) -> Any:
    """The object of a line, or the reason why there is none."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return BadRow(f"not JSON: {error}")
    return row if isinstance(row, dict) else BadRow("not a JSON object")


def _table_rows(path: str | Path, delimiter: str) -> Iterator[tuple[int, str, Any]]:
    lines = ((number, line) for number, line in numbered_lines(path) if line.strip())
    header = table_header(path, next(lines, (0, ""))[1], delimiter)
    for number, line in lines:
        yield number, line, table_row(line, header, delimiter)


def _cells(line: str, delimiter: str) -> list[str]:
    """A row is one line, so that a quote left open spoils one row only."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise BadRow(f"not a row of a table: {error}") from None


def table_header(path: str | Path, line: str, delimiter: str) -> list[str]:
    """The names of the columns, from the first line of a table."""
    if not line:
        raise BadInput(f"{str(path)!r} is empty")
    try:
        header = [cell.strip().lower() for cell in _cells(line, delimiter)]
    except BadRow:
        header = []
    if "user" not in header or not {"shown", INSTEAD} & set(header):
        raise no_log(path, "its header has not", header, "the columns user,shown,clicks and rows as ann,d3 d1,0")
    known = [name for name in header if name in COLUMNS]
    if twice := [name for name in known if known.count(name) > 1]:
        raise BadInput(f"{str(path)!r} has the column {twice[0]!r} twice")
    return header


def table_row(line: str, header: Sequence[str], delimiter: str) -> dict[str, Any] | BadRow:
    """A line of a table as a mapping, lists as lists; or the reason why there is none."""
    try:
        cells = _cells(line, delimiter)
        if len(cells) != len(header):
            raise BadRow(f"{len(cells)} cells under {len(header)} columns")
        row = dict(zip(header, cells, strict=True))
        return row | {name: _list_of(name, row[name]) for name in LISTS if name in row}
    except BadRow as error:
        return error


def _list_of(name: str, cell: str) -> Any:
    if not cell.lstrip().startswith("["):
        return cell.split()
    try:
        return json.loads(cell)
    except (ValueError, RecursionError) as error:
        raise BadRow(f"{name} is not a JSON list: {error}") from None


def write_log(records: Iterable[Record], path: str | Path, mode: str = "new") -> None:
    """Write records as .jsonl, .csv or .tsv, or one of these and .gz; `read_log` reads the same again.

    `mode`: "new" makes a file and refuses one that exists, "append" adds to it, "replace" begins anew.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "log.jsonl"
    >>> for name in ("ann", "bob"):
    ...     write_log([Record(f"{name}-1", name, "jazz", 0.0, ("d3", "d1"), (1,))], file, mode="append")
    >>> [record.user for record in read_log(file).records]
    ['ann', 'bob']
    """
    kind = suffix(path)
    if kind not in (".jsonl", *DELIMITERS):
        raise BadInput(f"the name of a log must end in .jsonl, .csv or .tsv, or that and .gz, not {str(path)!r}")
    lines = [_line(row_of(check_record(row)), kind) for record in records for row in told_rows(record)]
    if kind in DELIMITERS and not (mode == "append" and _has_our_header(path, DELIMITERS[kind])):
        lines.insert(0, _table_line(COLUMNS, DELIMITERS[kind]))
    with open_to_write(path, mode) as file:
        file.writelines(lines)


def _has_our_header(path: str | Path, delimiter: str) -> bool:
    """Whether a table begins with the columns that are written; an error if it begins with others."""
    first = next((line for _, line in numbered_lines(path) if line.strip()), "") if Path(path).exists() else ""
    if first and table_header(path, first, delimiter) != list(COLUMNS):
        raise BadInput(f"{str(path)!r} has other columns than {', '.join(COLUMNS)}: nothing can be appended to it")
    return bool(first)


def _line(row: dict[str, Any], kind: str) -> str:
    if kind not in DELIMITERS:
        return json.dumps({name: value for name, value in row.items() if name not in LEFT_OUT or value}) + "\n"
    if more := row.keys() - set(COLUMNS):
        raise BadInput(f"a table has the columns {', '.join(COLUMNS)}, not {min(more)!r}; write .jsonl instead")
    return _table_line([_cell(row[name]) for name in COLUMNS], DELIMITERS[kind])


def _table_line(cells: Sequence[str], delimiter: str) -> str:
    for cell in cells:
        if "\n" in cell or "\r" in cell:
            raise BadInput(f"a row of a table is one line, which cannot hold {cell!r}; write .jsonl instead")
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _cell(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    plain = " ".join(map(str, value))
    splits = plain.split() == list(map(str, value)) and plain[:1] not in ("[", "{")
    return plain if splits else json.dumps(value)
