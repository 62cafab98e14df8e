"""UBI as files hold it: JSON lines, one JSON array, an answer of a search engine, or Parquet; each row as a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from duelist.clicks.files import CutShort, blocks, numbered_lines, suffix
from duelist.clicks.json_array import array_items, has_hits, is_array
from duelist.clicks.parquet_files import parquet_parts

PARQUET = ".parquet"
ROWS = 1 << 12  # of Parquet that become lines at once


def ubi_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Each row as JSON on a line, with its number from 1.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "ubi.json"
    >>> _ = file.write_text('{"hits": {"total": 1, "hits": [{"_source":\\n{"user_query": "jazz"}}]}}')
    >>> list(ubi_lines(file))
    [(1, '{"_source": {"user_query": "jazz"}}')]
    """
    if suffix(path) == PARQUET:
        yield from _parquet_lines(path)
    elif is_array(path) or has_hits(path):
        for number, item in array_items(path):
            yield number, item.replace("\r", " ").replace("\n", " ")  # none of them is in a text
    else:
        yield from numbered_lines(path)


def ubi_blocks(path: str | Path, size: int) -> Iterator[tuple[int, bytes]]:
    """The same as bytes, about so many at a time, with the number of the first line."""
    if suffix(path) != PARQUET and not is_array(path) and not has_hits(path):
        yield from blocks(path, size)
        return
    first, held, cut = 1, bytearray(), None
    try:
        for number, line in ubi_lines(path):
            held += line.encode(errors="surrogateescape") + b"\n"
            if len(held) >= size:
                yield first, bytes(held)
                first, held = number + 1, bytearray()
    except CutShort as error:
        cut = error
    if held:
        yield first, bytes(held)
    if cut:
        raise cut


def _parquet_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    number = 0
    for part in parquet_parts(path, ROWS):
        for row in part.to_pylist():
            number += 1
            yield number, msgspec.json.encode(_without_nulls(row)).decode()


def _without_nulls(value: Any) -> Any:
    """A table has every column in every row: what a row does not say is null there."""
    if isinstance(value, dict):
        return {name: _without_nulls(inner) for name, inner in value.items() if inner is not None}
    return value
