"""A log file into arrays, in one pass: what `read_log` reads, without holding a record of every row."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, compress
from operator import attrgetter, not_
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from duelist.clicks.arrow_rows import ArrowRows
from duelist.clicks.columns import BATCH, Batch
from duelist.clicks.files import CutShort, blocks, numbered_lines, portions, suffix
from duelist.clicks.gather import Gatherer, impressions_of
from duelist.clicks.impressions import Impressions
from duelist.clicks.json_rows import NAMES, JsonRows
from duelist.clicks.json_rows import UNUSUAL as UNUSUAL_COLUMNS
from duelist.clicks.log import DELIMITERS, JSON_LINES, json_array, json_object, read_log, table_header, table_row
from duelist.clicks.portions import Portions
from duelist.clicks.records import BadRow, Rejected
from duelist.clicks.rows import favoured, record_of
from duelist.clicks.spool import PORTION, Spool
from duelist.clicks.ubi import is_ubi
from duelist.core.errors import BadInput, MissingExtra

UNUSUAL = ("clicked", "actions", "lost", "ranker")  # columns of rows that are read the long way
NOTHING = msgspec.Raw(b"")
PARQUET = ".parquet"
BLOCK = 1 << 20  # bytes of JSON lines
ARROW = 1 << 15  # rows of Parquet
ROWS = 500  # in a batch: few enough for the cache of a processor
LISTS = ("rankers", "teams", "clicks", "credit", "click_times")

# A batch, its rows as mappings by their places in it, and other rows with their lines: a mapping, or what is wrong.
Batches = Iterator[tuple[Batch, Callable[[int], Any], list[tuple[int, Any]]]]


def scan_log(
    path: str | Path,
    events: str | Path | None = None,
    ordinals: int | None = None,
    attributes: Sequence[str] = (),
) -> Impressions:
    """The impressions of a file, with the `attributes` (columns) that are asked for.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = file.write_text("user,shown,clicks,rankers,teams\\nann,a b c,0 2 7,old new,0 1 1\\n")
    >>> log = scan_log(file)
    >>> log.done.teams.tolist(), log.lost.tolist(), *log.losses.examples.values()
    ([0, 1], [1], 'line 2: a click at 7, but the positions of 3 documents count from 0')
    """
    found = _reader(path, events, attributes)
    if found is None:
        return impressions_of(read_log(path, events, ordinals), attributes)
    for _ in _taken(path, *found):
        pass
    return found[1].impressions()


def spool_log(
    path: str | Path,
    events: str | Path | None = None,
    ordinals: int | None = None,
    attributes: Sequence[str] = (),
    portion: int = PORTION,
) -> Portions:
    """The same for a log of any size: in portions, which wait on disk where they are many."""
    found = _reader(path, events, attributes)
    if found is None:
        return impressions_of(read_log(path, events, ordinals), attributes)
    spool, gatherer = Spool(), found[1]
    for _ in _taken(path, *found):
        if gatherer.rows >= portion:
            spool.add(gatherer.cut())
    spool.add(gatherer.cut())
    return spool.finish(gatherer.cut())


def _reader(path: str | Path, events: str | Path | None, attributes: Sequence[str]) -> tuple[Batches, Gatherer] | None:
    """What reads a file in batches; None for one that must be read as records."""
    kind = suffix(path)
    if kind == PARQUET and events is None:
        found = Gatherer(list, True, attributes)
        return _parquet_batches(path, attributes, found), found
    whole = kind in JSON_LINES and (is_ubi(path) or json_array(path) is not None)
    if whole or kind not in (*DELIMITERS, *JSON_LINES) or events is not None:
        return None
    if kind in JSON_LINES:
        found = Gatherer(msgspec.json.decode, True, attributes)
        return _json_batches(path, attributes, found), found
    return _table_batches(path, DELIMITERS[kind], attributes), Gatherer(_listed, False, attributes)


def _taken(path: str | Path, batches: Batches, found: Gatherer) -> Iterator[None]:
    """Let every batch be taken, and stop after each."""
    collects = gc.isenabled()
    gc.disable()  # millions of lists are made and none refers to itself: looking for such takes a third of the time
    try:
        for batch, row_at, others in batches:
            for place in found.take(batch, path):
                _take_unusual(found, batch.lines[place], row_at(place), path)
            for line, row in others:
                _take_unusual(found, line, row, path)
            yield
    except CutShort as error:
        found.losses.reject(Rejected(error.line, error.reason, ""))
    finally:
        if collects:
            gc.enable()
    if not found.cut_off + found.rows:
        if suffix(path) != PARQUET:
            read_log(path)  # which says what is wrong with it
        raise BadInput(f"{str(path)!r} is empty")


def _take_unusual(found: Gatherer, line: int, row: Any, path: str | Path) -> None:
    try:
        if not isinstance(row, Mapping):
            raise row if isinstance(row, BadRow) else BadRow("not a JSON object")
        found.add(record_of(row, f"line {line}", found.typed), line, path)
    except BadRow as error:
        whose = favoured(row) if isinstance(row, Mapping) else ""
        found.losses.reject(Rejected(line, str(error), "", str(path), ranker=whose))


def _json_batches(path: str | Path, attributes: Sequence[str], found: Gatherer) -> Batches:
    """Rows that compiled code could not read, or an empty batch; the others are handed to `found` block by block."""
    batch_of = _json_reader(attributes)
    known = not any(name in (*NAMES, *UNUSUAL_COLUMNS) for name in attributes)
    for first, block in blocks(path, BLOCK):
        rows = JsonRows(block, attributes)
        left = found.take_rows(rows, first) if known else list(range(len(rows.rows)))
        for begin in range(0, max(1, len(left)), ROWS):
            places = [place for place in left[begin : begin + ROWS] if rows.line(place).strip()]
            yield batch_of([first + place for place in places], list(map(rows.line, places)))


def _json_reader(attributes: Sequence[str]) -> Callable[[list[int], list[str]], Any]:
    """What makes a batch of lines with their numbers."""
    fields: list[Any] = [("id", str | int | None, None), ("user", str), ("query", str | None, ""), ("shown", list[str])]
    fields += [("time", float | str | None, 0.0), ("experiment", str | None, "")]
    fields += [(name, msgspec.Raw, NOTHING) for name in (*LISTS, *UNUSUAL)]
    extra = [f"attribute_{place}" for place in range(len(attributes))]
    default: Any = partial(msgspec.field, default=None)
    fields += [(own, str | int | float | None, default(name=name)) for own, name in zip(extra, attributes, strict=True)]
    row_type = msgspec.defstruct("Row", fields, gc=False, kw_only=True)
    decode, decode_all = msgspec.json.Decoder(row_type).decode, msgspec.json.Decoder(list[row_type]).decode  # type: ignore[valid-type]

    def batch_of(numbers: list[int], texts: list[str]) -> Any:
        rows, others = _decoded(numbers, texts, decode, decode_all)
        if others:
            bad = {number for number, _ in others}
            texts = [text for number, text in zip(numbers, texts, strict=True) if number not in bad]
            numbers = [number for number in numbers if number not in bad]
        lists = {name: _written(list(map(attrgetter(name), rows))) for name in LISTS}
        batch = Batch(
            lines=numbers,
            id=[row.id if row.id.__class__ is not int else str(row.id) for row in rows],
            user=[row.user for row in rows],
            query=[row.query or "" for row in rows],
            time=[0.0 if row.time is None else row.time for row in rows],
            shown=[row.shown for row in rows],
            experiment=[row.experiment or "" for row in rows],
            attributes=[[getattr(row, name) for row in rows] for name in extra],
            **lists,
        )
        return batch, partial(_json_object_at, texts), others

    return batch_of


def _decoded(
    numbers: Sequence[int], texts: Sequence[str], decode: Callable[[str], Any], decode_all: Callable[[str], Any]
) -> tuple[list[Any], list[tuple[int, Any]]]:
    """The rows that can be decoded at once, and those that cannot, with their lines; all together if all can."""
    try:
        rows = decode_all("[" + ",".join(texts) + "]")
        if len(rows) == len(texts) and not any(any(map(attrgetter(name), rows)) for name in UNUSUAL):
            return rows, []
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        pass
    rows, others = [], []
    for number, text in zip(numbers, texts, strict=True):
        try:
            row = decode(text)
            if row.clicked or row.actions or row.lost or row.ranker:
                raise msgspec.ValidationError
            rows.append(row)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
            others.append((number, json_object(text)))
    return rows, others


def _json_object_at(texts: Sequence[str], place: int) -> Any:
    return json_object(texts[place])


def _written(column: list[Any]) -> list[bytes]:
    """What was written for lists; nothing for null."""
    if not any(column):
        return [b""] * len(column)
    texts = list(map(bytes, column))
    return [b"" if text == b"null" else text for text in texts] if b"null" in texts else texts


def _portions(path: str | Path) -> Iterator[tuple[Sequence[int], list[str]]]:
    """The lines that are not blank with their numbers, many at a time."""
    for first, lines in portions(path, ROWS):
        numbers: Sequence[int] = range(first, first + len(lines))
        if not all(map(str.strip, lines)):
            numbers = [number for number, line in zip(numbers, lines, strict=True) if line.strip()]
            lines = [line for line in lines if line.strip()]
        yield numbers, lines


def _listed(cell: str) -> Any:
    return cell.split() if not cell.lstrip().startswith("[") else msgspec.json.decode(cell)


def _table_batches(path: str | Path, delimiter: str, attributes: Sequence[str]) -> Batches:
    first = next((line for _, line in numbered_lines(path) if line and not line.isspace()), "")
    header = table_header(path, first, delimiter)
    place = {name: number for number, name in enumerate(header)}
    long = any(name in place for name in UNUSUAL)
    seen = False
    for numbers, lines in _portions(path):
        if not seen:  # the header
            seen, numbers, lines = bool(lines), numbers[1:], lines[1:]
        cells = [line.split(delimiter) for line in lines]
        usual = [
            not long and len(row) == len(header) and '"' not in line and not row[place["shown"]].startswith("[")
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
        yield Batch(lines=numbers, attributes=extra, **named), row_at, others


def _table_row_at(texts: Sequence[str], header: Sequence[str], delimiter: str, place: int) -> Any:
    return table_row(texts[place], header, delimiter)


def _times(cells: Sequence[str]) -> Sequence[Any]:
    try:
        return list(map(float, cells))
    except ValueError:
        return cells


def _parquet_batches(path: str | Path, attributes: Sequence[str], found: Gatherer) -> Batches:
    """As of JSON: what compiled code could not read, or an empty batch."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("reading Parquet needs pyarrow: pip install 'duelist[parquet]'") from None
    if not Path(path).is_file():
        raise BadInput(f"no log file {str(path)!r}")
    begun, file = 1, parquet.ParquetFile(path)
    groups = range(file.num_row_groups)  # one after another: of all at once each would stay in memory
    for part in chain.from_iterable(file.iter_batches(ARROW, row_groups=[group]) for group in groups):
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
    return {name: column[place] for name, column in columns.items()}
