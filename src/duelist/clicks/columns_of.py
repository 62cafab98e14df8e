"""Which other columns a file has: for whoever asks for one that it has not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from duelist.clicks.files import CutShort, numbered_lines, suffix
from duelist.clicks.log import DELIMITERS, JSON_LINES, json_objects, table_header
from duelist.clicks.parquet_files import parquet_names
from duelist.clicks.rows import KNOWN
from duelist.clicks.ubi import fields_of, is_ubi
from duelist.clicks.ubi_files import PARQUET, ubi_lines
from duelist.core.errors import BadInput, printable

LOOK = 100  # rows that are looked at
SHOWN = 12  # columns that are named


class NoColumn(BadInput):
    """A column that was asked for and has nothing in it; `others` need no column."""

    def __init__(self, complaint: str, others: Sequence[str]) -> None:
        super().__init__(complaint)
        self.complaint, self.others = complaint, tuple(others)

    def among(self, columns: Iterable[str]) -> NoColumn:
        """The same, with the columns that there are."""
        names = printable(", ".join(sorted(columns)[:SHOWN])) or "none"
        return NoColumn(f"{self.complaint}; its columns are {names}, and {', '.join(self.others)}", self.others)


def other_columns(path: str | Path) -> set[str]:
    """The columns of the first rows that are attributes.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "log.jsonl"
    >>> _ = file.write_text('{"user": "ann", "shown": ["a"], "device": "phone"}')
    >>> other_columns(file)
    {'device'}
    """
    kind, names = suffix(path), set[str]()
    try:
        if kind in DELIMITERS:
            line = next((line for _, line in numbered_lines(path) if line.strip()), "")
            names.update(table_header(path, line, DELIMITERS[kind]))
        elif kind in (*JSON_LINES, PARQUET) and is_ubi(path):
            for _, line in islice(ubi_lines(path), LOOK):
                given = fields_of(line).get("query_attributes")
                names.update(given if isinstance(given, dict) else ())
        elif kind in JSON_LINES:
            for _, _, row in islice(json_objects(path), LOOK):
                names.update(row if isinstance(row, dict) else ())
        elif kind == PARQUET:
            names.update(parquet_names(path))
    except CutShort:
        pass
    return names - KNOWN
