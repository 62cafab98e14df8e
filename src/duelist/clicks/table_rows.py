"""Lines of a table (CSV, TSV) read by compiled code: rows of the usual form straight into numbers and hashes.

What row_text.py leaves alone is left to those who read rows the long way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from duelist.clicks.found_rows import DONE, EMPTY_LINE, FIRST, LAST, LONG, PLAIN, SIZE, USUAL, Acts
from duelist.clicks.json_text import BLANK, NEWLINE, OPEN, QUOTE, RETURN, TAB, Bytes, Fields, end_of_value, skip
from duelist.clicks.line_rows import LineRows, keep_own
from duelist.clicks.log import table_row
from duelist.clicks.records import BadRow
from duelist.clicks.row_text import (
    ACTIONS,
    CLICK_TIMES,
    CLICKED,
    CLICKS,
    CREDIT,
    NAMES,
    OWN,
    SHOWN,
    UNUSUAL,
    read_row,
)
from duelist.core.compile import compiled, kernel
from duelist.core.hashes import Hashes
from duelist.core.memory import Floats, Ints

LONGEST = 1 << 16  # bytes of a cell; Python's reader of tables refuses twice as many


@kernel
def end_of_cell(text: Bytes, at: int, delimiter: int) -> int:
    """Where a cell without quotes ends that begins here; -1 if it is not plain."""
    begin = at
    while text[at] != delimiter and text[at] != NEWLINE:
        if text[at] < BLANK and text[at] != TAB:
            return at if text[at] == RETURN and text[at + 1] == NEWLINE else -1
        at += 1
    return at if at - begin <= LONGEST else -1


@kernel
def end_of_quoted(text: Bytes, begin: int) -> tuple[int, int]:
    """Where a cell ends that begins behind its quote, and where its other quote is; -1 if it is not plain.

    Of two quotes that stand for one the second is taken away, and what follows in the cell moves up.
    """
    at = end = begin
    while text[at] != QUOTE or text[at + 1] == QUOTE:
        if (text[at] < BLANK and text[at] != TAB) or at - begin > LONGEST:
            return -1, -1
        at += text[at] == QUOTE
        text[end] = text[at]
        at, end = at + 1, end + 1
    return end, at


@kernel
def find_cells(text: Bytes, at: int, delimiter: int, columns: Ints, row: Fields) -> int:
    """Where the cells of the columns begin and end (0 and 0: there is no such column); the end of the line, or -1."""
    row.begins[:] = 0
    row.ends[:] = 0
    cell = 0
    while True:
        quoted = text[at] == QUOTE
        at += quoted
        if quoted:
            end, last = end_of_quoted(text, at)
        else:
            end = last = end_of_cell(text, at, delimiter)
        # An empty cell that begins a block would be as one that is not there.
        if end <= 0 or cell == columns.size or (end < last and columns[cell] >= OWN):
            return -1
        if columns[cell] >= 0:
            row.begins[columns[cell]], row.ends[columns[cell]] = at, end
        at, cell = last + quoted, cell + 1
        if text[at] == RETURN:
            at += 1
        if text[at] == NEWLINE:
            return at if cell == columns.size else -1
        if text[at] != delimiter:
            return -1
        at += 1


@kernel
def are_lists(text: Bytes, row: Fields) -> bool:
    """Whether cells that begin as JSON are JSON."""
    for column in (SHOWN, CLICKS, CLICKED, CLICK_TIMES, ACTIONS, CREDIT):
        begin, end = row.begins[column], row.ends[column]
        if end > begin and text[begin] == OPEN and end_of_value(text, begin) != end:
            return False
    return True


@compiled
def read_table(
    text: Bytes,
    delimiter: int,
    columns: Ints,
    typed: bool,
    row_fields: Fields,
    inner: Fields,
    documents: Hashes,
    hashes: Hashes,
    rows: Ints,
    times: Floats,
    own: Ints,
    credits: Floats,
    acts: Acts,
) -> int:
    """Read the lines of a block that ends in a newline and some zeros; how many there are.

    `columns` has for each cell of a line the number of its column, or -1; the rest is as for JSON lines.
    """
    at = row = 0
    done: Any = np.int64(0)  # no literal, for which all that takes it would be compiled once more
    while text[at] != 0:
        rows[row, FIRST], rows[row, USUAL], rows[row, SIZE] = at, LONG, 0
        if text[skip(text, at)] == NEWLINE:
            rows[row, USUAL] = EMPTY_LINE
        else:
            end = find_cells(text, at, delimiter, columns, row_fields)
            if end >= 0 and are_lists(text, row_fields):
                size, done, times[row] = read_row(
                    text, row_fields, inner, documents, hashes[row], credits[row], acts, done, typed
                )
                at = end
                if size >= 0:
                    rows[row, USUAL], rows[row, SIZE] = PLAIN, size
                    keep_own(row_fields, own[row])
        while text[at] != NEWLINE:
            at += 1
        rows[row, LAST], rows[row, DONE] = at, done
        at += 1
        row += 1
    return row


class TableRows(LineRows):
    """The lines of a block of a table under its header; `columns` are further ones that are asked for."""

    def __init__(self, block: bytes, header: Sequence[str], delimiter: str, columns: Sequence[str] = ()) -> None:
        super().__init__(block, columns)
        self.header, self.delimiter = header, delimiter
        wanted = [*NAMES, *UNUSUAL, *(name.lower() for name in columns)]
        places = np.full(len(header), -1, np.int64)
        for cell, name in enumerate(header):
            if name in wanted and name not in header[cell + 1 :]:  # of several the last one counts
                places[cell] = wanted.index(name)
        if self.text is not None:
            read_table(self.text, ord(delimiter), places, False, *self.parts)

    def row(self, place: int) -> dict[str, Any]:
        """A row as a mapping; BadRow if a list in it cannot be read."""
        row = table_row(self.line(place), self.header, self.delimiter)
        if isinstance(row, BadRow):
            raise row
        return row

    def value(self, place: int, column: int) -> Any:
        """The value of a further column that was asked for."""
        written = self.own_text(place, column)
        return None if written is None else written.decode()
