"""JSON lines read by compiled code: rows of the usual form straight into numbers and hashes.

Lines with escapes other than of letters and slashes are left to those who read them the long way, and so is whatever
row_text.py leaves alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from duelist.clicks.escapes import write_out
from duelist.clicks.found_rows import DONE, EMPTY_LINE, FIRST, LAST, LONG, PLAIN, SIZE, USUAL, Acts
from duelist.clicks.json_text import (
    BEGIN,
    NEWLINE,
    OPEN,
    QUOTE,
    Bytes,
    Fields,
    end_of_digits,
    find_fields,
    has_value,
    skip,
)
from duelist.clicks.line_rows import LineRows, keep_own
from duelist.clicks.list_text import LONGEST_NUMBER
from duelist.clicks.row_text import (
    ACTIONS,
    CLICK_TIMES,
    CLICKED,
    CLICKS,
    CREDIT,
    EXPERIMENT,
    ID,
    QUERY,
    RANKERS,
    SHOWN,
    TEAMS,
    TIME,
    USER,
    read_row,
)
from duelist.core.compile import compiled, kernel
from duelist.core.hashes import Hashes
from duelist.core.memory import Floats, Ints


@kernel
def find_values(text: Bytes, at: int, row: Fields) -> int:
    """Find the values of a row, texts without their quotes; its end, -1 if it is not plain or a value not usual."""
    end = find_fields(text, at, row)
    if end < 0 or text[skip(text, end)] != NEWLINE:
        return -1
    begins, ends = row.begins, row.ends
    for column in range(row.keys.size):
        if ends[column] and not has_value(text, row, column):  # null is nothing
            begins[column], ends[column] = 0, 0
    for column in (SHOWN, RANKERS, TEAMS, CLICKS, CLICK_TIMES, CLICKED, ACTIONS, CREDIT):
        if ends[column] and text[begins[column]] != OPEN:
            return -1
    for column in (ID, USER, QUERY, EXPERIMENT, TIME):
        begin, last = begins[column], ends[column]
        if last and text[begin] == QUOTE:
            begins[column], ends[column] = begin + 1, last - 1
        elif last and column != TIME and (last > begin + LONGEST_NUMBER or end_of_digits(text, begin) != last):
            return -1
    return end


@compiled
def read_rows(
    text: Bytes,
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

    `hashes`, `rows`, `times` and `credits` have an entry a line, `acts` one for whatever was done; `own` has where the
    values of further columns begin and end.
    """
    at = row = 0
    done: Any = np.int64(0)  # no literal, for which all that takes it would be compiled once more
    while text[at] != 0:
        first = at
        at = skip(text, at)
        rows[row, FIRST], rows[row, USUAL], rows[row, SIZE] = first, LONG, 0
        if text[at] == NEWLINE:
            rows[row, USUAL] = EMPTY_LINE
        elif text[at] == BEGIN:
            end = find_values(text, at, row_fields)
            if end >= 0:
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


class JsonRows(LineRows):
    """The lines of a block: which were read, and what was found in them."""

    def __init__(self, block: bytes, columns: Sequence[str]) -> None:
        super().__init__(block, columns)
        if self.text is not None:
            if b"\\" in block:
                write_out(self.text)
            read_rows(self.text, True, *self.parts)

    def row(self, place: int) -> dict[str, Any]:
        """A row as a mapping."""
        found: dict[str, Any] = msgspec.json.decode(self.line(place))
        return found

    def value(self, place: int, column: int) -> Any:
        """The value of a further column that was asked for, if it is a text or a number."""
        written = self.own_text(place, column)
        if written is None or written[:1] in (b"[", b"{"):
            return None
        return msgspec.json.decode(written)
