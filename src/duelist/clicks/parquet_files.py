"""Parquet files, where pyarrow is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from duelist.core.errors import BadInput, MissingExtra


def parquet_parts(path: str | Path, size: int) -> Iterator[Any]:
    """The rows of a file as batches, so many at most in each.

    Groups of rows come one after another: of all at once each would stay in memory.
    """
    file = _open(path)
    for group in range(file.num_row_groups):
        yield from map(_in_microseconds, file.iter_batches(size, row_groups=[group]))


def parquet_names(path: str | Path) -> list[str]:
    """The columns of a file."""
    return list(_open(path).schema_arrow.names)


def _open(path: str | Path) -> Any:
    try:
        from pyarrow import ArrowInvalid, parquet
    except ImportError:
        raise MissingExtra("reading Parquet needs pyarrow: pip install 'duelist[parquet]'") from None
    if not Path(path).is_file():
        raise BadInput(f"no log file {str(path)!r}")
    try:
        return parquet.ParquetFile(path)
    except ArrowInvalid as error:
        raise BadInput(f"{str(path)!r} is no Parquet file: {error}") from None


def _in_microseconds(part: Any) -> Any:
    """The same with times of nanoseconds cut short, as those of a text are: Python's have no more than six digits."""
    import pyarrow

    for place, column in enumerate(part.schema):
        if pyarrow.types.is_timestamp(column.type) and column.type.unit == "ns":
            cut = part.column(place).cast(pyarrow.timestamp("us", column.type.tz), safe=False)
            part = part.set_column(place, column.name, cut)
    return part


def said(value: Any) -> Any:
    """A value as a row says it: a table has every field in every object, and what one does not say is null there.

    >>> said([{"name": "buy", "position": 0, "value": None}])
    [{'name': 'buy', 'position': 0}]
    """
    if not isinstance(value, list):
        return value
    return [{n: v for n, v in i.items() if v is not None} if isinstance(i, dict) else i for i in value]
