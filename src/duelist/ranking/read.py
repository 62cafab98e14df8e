"""Duels from wherever they are: a file, a data frame, columns, rows.

* .csv and .tsv: a header, then a row a line. .jsonl: an object a line. Each may be compressed, with .gz at the end.
* .parquet: needs the extra `frames`.
* a data frame of pandas or polars, or a mapping of columns.
* rows: mappings, pairs (winner, loser), triples (left, right, outcome), or pairs of a `Duel` and its outcome.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from duelist.clicks.files import CutShort, numbered_lines, suffix
from duelist.clicks.records import Rejected
from duelist.core.errors import BadInput, MissingExtra
from duelist.ranking.log import COLUMNS, SHOWN, DuelLog, duel_log

DELIMITERS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
ENDINGS = (*DELIMITERS, *JSON_LINES, ".parquet")
Rename = Mapping[str, str] | None


def read_duels(source: Any, rename: Rename = None) -> DuelLog:
    """The duels of a file, a data frame, columns or rows; rows that cannot be read are in `rejected`.

    >>> log = read_duels([("bm25", "vector"), ("bm25", "ltr"), ("ltr", "vector")])
    >>> log.arms, len(log)
    (('bm25', 'ltr', 'vector'), 3)
    """
    if isinstance(source, DuelLog):
        return source
    if isinstance(source, str | Path):
        return _kept(_read_file(Path(source), rename), str(source))
    if isinstance(source, Mapping):
        return _kept(duel_log(source, rename), "these duels")
    if hasattr(source, "columns"):
        return _kept(duel_log({str(name): _listed(source[name]) for name in source.columns}, rename), "the data frame")
    return _kept(_read_rows(source, rename), "these duels")


def _kept(log: DuelLog, source: str) -> DuelLog:
    if len(log):
        return log
    why = f": line {log.rejected[0].line}: {log.rejected[0].reason}" if log.rejected else ""
    raise BadInput(f"{source} has no duel that can be read{why}")


def _read_file(path: Path, rename: Rename) -> DuelLog:
    kind = suffix(path)
    if kind not in ENDINGS:
        raise BadInput(f"cannot tell what is in {str(path)!r}: its name must end in one of {', '.join(ENDINGS)}")
    if kind == ".parquet":
        return _read_parquet(path, rename)
    rejected: list[Rejected] = []
    lines: list[int] = []
    columns: dict[str, list[Any]] = {}
    read = _read_table if kind in DELIMITERS else _read_objects
    try:
        read(path, columns, lines, rejected)
    except CutShort as error:
        rejected.append(Rejected(error.line, error.reason, "", str(path)))
    return duel_log(columns, rename, lines, rejected, str(path))


def _read_table(path: Path, columns: dict[str, list[Any]], lines: list[int], rejected: list[Rejected]) -> None:
    delimiter = DELIMITERS[suffix(path)]
    rows: list[list[str]] = []
    header: list[str] = []
    try:
        for number, line in numbered_lines(path):
            if not line.strip():
                continue
            cells = line.split(delimiter) if '"' not in line else _quoted(line, delimiter)
            if not header:
                header = [cell.strip() for cell in cells]
            elif len(cells) == len(header):
                rows.append(cells)
                lines.append(number)
            else:
                reason = f"{len(cells)} cells under {len(header)} columns" if cells else "a quote is left open"
                rejected.append(Rejected(number, reason, line[:SHOWN], str(path)))
    finally:  # a file that breaks off is read as far as it goes
        for place, name in enumerate(header):
            columns[_ours(name)] = [row[place] for row in rows]


def _quoted(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return []


def _read_objects(path: Path, columns: dict[str, list[Any]], lines: list[int], rejected: list[Rejected]) -> None:
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    rows: list[dict[str, Any]] = []
    try:
        for number, line in numbered_lines(path):
            if not line.strip():
                continue
            try:
                rows.append(decode(line))
                lines.append(number)
            except (msgspec.DecodeError, UnicodeEncodeError) as error:
                rejected.append(Rejected(number, f"not a JSON object: {error}", line[:SHOWN], str(path)))
    finally:
        columns.update(_transposed(rows))


def _transposed(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {_ours(name): [_hashable(row.get(name)) for row in rows] for name in names}


def _read_parquet(path: Path, rename: Rename) -> DuelLog:
    try:
        import polars
    except ImportError:
        raise MissingExtra("a .parquet file needs polars: pip install 'duelist[frames]'") from None
    if not path.is_file():
        raise BadInput(f"no log file {str(path)!r}")
    try:
        frame = polars.read_parquet(path)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise BadInput(f"cannot read {str(path)!r}: {error}") from None
    return duel_log({name: _listed(frame[name]) for name in frame.columns}, rename, source=str(path))


def _read_rows(rows: Iterable[Any], rename: Rename) -> DuelLog:
    listed = list(rows)
    if all(isinstance(row, Mapping) for row in listed):
        return duel_log(_transposed(listed), rename)
    if all(isinstance(row, Sequence) and len(row) == 2 and hasattr(row[0], "left") for row in listed):
        met = [(duel.left, duel.right, outcome) for duel, outcome in listed]
        return duel_log(dict(zip(("left", "right", "outcome"), zip(*met, strict=True), strict=True)))
    sizes = {len(row) if isinstance(row, Sequence) and not isinstance(row, str) else 0 for row in listed}
    names = {2: ("winner", "loser"), 3: ("left", "right", "outcome")}.get(max(sizes), ())
    if len(sizes) != 1 or not names:
        raise BadInput(
            "rows of duels are mappings, pairs (winner, loser), triples (left, right, outcome), or pairs of a "
            f"Duel and its outcome, all of one kind; the first one is {listed[0]!r}"
        )
    return duel_log(dict(zip(names, zip(*listed, strict=True), strict=True)))


def _listed(column: Any) -> list[Any]:
    return [_hashable(cell) for cell in (column.to_list() if hasattr(column, "to_list") else column)]


def _ours(name: str) -> str:
    """A column that is one of ours but for its case is that one."""
    return name.lower() if name.lower() in COLUMNS else name


def _hashable(cell: Any) -> Any:
    return tuple(cell) if isinstance(cell, list) else str(cell) if isinstance(cell, dict) else cell
