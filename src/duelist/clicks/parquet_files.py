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
        yield from map(_usual, file.iter_batches(size, row_groups=[group]))


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


def _usual(part: Any) -> Any:
    """The same with columns of usual types."""
    for place, column in enumerate(part.schema):
        if (kind := _usual_type(column.type)) != column.type:
            part = part.set_column(place, column.name, part.column(place).cast(kind, safe=False))
    return part


def _usual_type(kind: Any) -> Any:
    """What a type becomes: texts of their own where it has views of them, of which no rows can be taken.

    Times of nanoseconds are cut short, as those of a text are: Python's have no more than six digits.
    """
    import pyarrow

    types = pyarrow.types
    if types.is_timestamp(kind) and kind.unit == "ns":
        return pyarrow.timestamp("us", kind.tz)
    if types.is_string_view(kind):
        return pyarrow.large_string()
    if types.is_binary_view(kind):
        return pyarrow.large_binary()
    if types.is_list(kind):
        return pyarrow.list_(kind.value_field.with_type(_usual_type(kind.value_type)))
    if types.is_struct(kind):
        return pyarrow.struct([field.with_type(_usual_type(field.type)) for field in kind])
    return kind


def said(value: Any) -> Any:
    """A value as a row says it: a table has every field in every object, and what one does not say is null there.

    >>> said([{"name": "buy", "position": 0, "value": None}])
    [{'name': 'buy', 'position': 0}]
    """
    if not isinstance(value, list):
        return value
    return [{n: v for n, v in i.items() if v is not None} if isinstance(i, dict) else i for i in value]
