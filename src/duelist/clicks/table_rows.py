"""Lines of a table (CSV, TSV) read by compiled code: rows of the usual form straight into numbers and hashes.

A row that is anything but usual (quotes inside quotes, lists as JSON, dates as text, credit, actions, clicks without a
place or twice) is left to those who read it the long way; so nothing here decides that a row is bad.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from duelist.clicks.found_rows import (
    DOCS,
    DONE,
    EMPTY_LINE,
    FIRST,
    IDS,
    KINDS,
    LAST,
    LONG,
    PLAIN,
    QUERIES,
    SIZE,
    USERS,
    USUAL,
    LineRows,
    hash_of_all,
    is_utf8,
    line_ends,
    place_among,
)
from duelist.clicks.json_rows import (
    CLICK_TIMES,
    CLICKS,
    CREDIT,
    DOCUMENTS,
    EXPERIMENT,
    ID,
    NAMES,
    OWN,
    QUERY,
    RANKERS,
    SHOWN,
    TEAMS,
    TIME,
    UNUSUAL,
    USER,
)
from duelist.clicks.json_text import (
    BLANK,
    MINUS,
    NEWLINE,
    OPEN,
    QUOTE,
    RETURN,
    TAB,
    ZERO,
    Bytes,
    end_of_digits,
    end_of_number,
    is_solid,
    moment_of,
    skip,
    whole_number,
)
from duelist.clicks.log import table_row
from duelist.clicks.records import BadRow
from duelist.core.compile import compiled, kernel
from duelist.core.hashes import EMPTY, Hashes, hash_bytes, mixed
from duelist.core.memory import Floats, Ints

LONGEST = 1 << 16  # bytes of a cell; Python's reader of tables refuses twice as many
LOST = CREDIT + UNUSUAL.index("lost")


@kernel
def end_of_cell(text: Bytes, at: int, delimiter: int, quoted: bool) -> int:
    """Where a cell ends that begins here, behind its quote if it has one; -1 if it is not plain."""
    begin = at
    while text[at] != (QUOTE if quoted else delimiter) and text[at] != NEWLINE:
        if text[at] == QUOTE or (text[at] < BLANK and text[at] != TAB):
            if text[at] == RETURN and text[at + 1] == NEWLINE and not quoted:
                return at
            return -1
        at += 1
    return -1 if at - begin > LONGEST or (quoted and text[at] == NEWLINE) else at


@kernel
def find_cells(text: Bytes, at: int, delimiter: int, columns: Ints, begins: Ints, ends: Ints) -> int:
    """Where the cells of the columns begin and end (0 and 0: there is no such column); the end of the line, or -1."""
    begins[:] = 0
    ends[:] = 0
    cell = 0
    while True:
        quoted = text[at] == QUOTE
        at += quoted
        end = end_of_cell(text, at, delimiter, quoted)
        if end < 0 or cell == columns.size:
            return -1
        if columns[cell] >= 0:
            begins[columns[cell]], ends[columns[cell]] = at, end
        at, cell = end + quoted, cell + 1
        if text[at] == RETURN:
            at += 1
        if text[at] == NEWLINE:
            return at if cell == columns.size else -1
        if text[at] != delimiter:
            return -1
        at += 1


@kernel
def end_of_item(text: Bytes, at: int, end: int) -> int:
    """Where an item of a list ends; -1 if it may hold a blank of another script."""
    while at < end and text[at] != BLANK and text[at] != TAB:
        if text[at] > 127:
            return -1
        at += 1
    return at


@kernel
def blanks(text: Bytes, at: int, end: int) -> int:
    """The next byte of a cell that is no blank, or its end."""
    return min(end, skip(text, at))


@kernel
def documents_in(text: Bytes, at: int, end: int, found: Hashes) -> int:
    """Write the hashes of a cell's documents; how many there are, -1 if it is not plain or one comes twice."""
    size = 0
    at = blanks(text, at, end)
    if at < end and text[at] == OPEN:
        return -1
    while at < end:
        last = end_of_item(text, at, end)
        if last < 0 or size == found.size:
            return -1
        found[size] = hash_bytes(text, at, last)
        if place_among(found, 0, size, found[size]) >= 0:
            return -1
        size += 1
        at = blanks(text, last, end)
    return size


@kernel
def slot_in(text: Bytes, at: int, last: int, documents: Hashes, size: int) -> int:
    """The slot that a whole number or the name of a document says; -1 if there is none."""
    if ZERO <= text[at] <= ZERO + 9 and end_of_digits(text, at) == last:
        return whole_number(text, at, last) if last < at + 9 else -1
    if text[at] == MINUS:
        return -1
    return place_among(documents, 0, size, hash_bytes(text, at, last))


@kernel
def slots_in(text: Bytes, at: int, cell_end: int, documents: Hashes, size: int, slots: Ints, begin: int) -> int:
    """Write the clicked slots from `begin` on; where they end, -1 if one has no place or comes twice."""
    end = begin
    at = blanks(text, at, cell_end)
    if at < cell_end and text[at] == OPEN:
        return -1
    while at < cell_end:
        last = end_of_item(text, at, cell_end)
        slot = slot_in(text, at, last, documents, size) if last >= 0 else -1
        if not 0 <= slot < size:
            return -1
        if place_among(slots, begin, end, slot) >= 0:
            return -1
        slots[end] = slot
        end += 1
        at = blanks(text, last, cell_end)
    return end


@kernel
def moments_in(text: Bytes, at: int, cell_end: int, moments: Floats, begin: int, end: int) -> bool:
    """Write the times of the clicks from `begin` to `end`; whether there is one for each, or none at all."""
    at = blanks(text, at, cell_end)
    if at == cell_end:
        return True
    for place in range(begin, end):
        last = end_of_item(text, at, cell_end)
        if last <= at or end_of_number(text, at) != last:
            return False
        moments[place] = moment_of(text, at, last)
        if moments[place] < 0:
            return False
        at = blanks(text, last, cell_end)
    return bool(at == cell_end)


@kernel
def is_usual(text: Bytes, begins: Ints, ends: Ints) -> bool:
    """Whether the names of a row are text, its time is a plain number, and what makes it unusual is not there."""
    for column in range(CREDIT, OWN):
        empty = ends[column] == begins[column]
        if not empty and not (column == LOST and ends[column] == begins[column] + 1 and text[begins[column]] == ZERO):
            return False
    for column in (ID, QUERY, EXPERIMENT, USER):
        empty = ends[column] == begins[column]
        if (empty and column == USER) or not (empty or is_solid(text, begins[column], ends[column])):
            return False
    return bool(ends[SHOWN] and (not ends[TIME] or end_of_number(text, begins[TIME]) == ends[TIME]))


@kernel
def read_cells(
    text: Bytes,
    begins: Ints,
    ends: Ints,
    documents: Hashes,
    hashes: Hashes,
    slots: Ints,
    moments: Floats,
    begin: int,
) -> tuple[int, int, float]:
    """Hashes of a row whose cells were found: its documents, where its clicks end and its time; -1 if unusual."""
    if not is_usual(text, begins, ends):
        return -1, begin, 0.0
    time = moment_of(text, begins[TIME], ends[TIME]) if ends[TIME] else 0.0
    size = documents_in(text, begins[SHOWN], ends[SHOWN], documents)
    if size < 0 or time < 0:
        return -1, begin, 0.0
    end = slots_in(text, begins[CLICKS], ends[CLICKS], documents, size, slots, begin)
    if end < 0:
        return -1, begin, 0.0
    moments[begin:end] = np.nan
    if not moments_in(text, begins[CLICK_TIMES], ends[CLICK_TIMES], moments, begin, end):
        return -1, begin, 0.0
    experiment = hash_bytes(text, begins[EXPERIMENT], ends[EXPERIMENT])
    own = hash_bytes(text, begins[ID], ends[ID])
    hashes[IDS] = mixed(experiment, own) if ends[ID] > begins[ID] else EMPTY
    hashes[USERS] = hash_bytes(text, begins[USER], ends[USER])
    hashes[QUERIES] = hash_bytes(text, begins[QUERY], ends[QUERY])
    hashes[DOCS] = hash_of_all(documents, size)
    lists = mixed(hash_bytes(text, begins[RANKERS], ends[RANKERS]), hash_bytes(text, begins[TEAMS], ends[TEAMS]))
    hashes[KINDS] = mixed(mixed(lists, experiment), np.uint64(size))
    return size, end, time


@compiled
def read_table(
    text: Bytes,
    delimiter: int,
    columns: Ints,
    scratch: Ints,
    documents: Hashes,
    hashes: Hashes,
    rows: Ints,
    times: Floats,
    own: Ints,
    slots: Ints,
    moments: Floats,
) -> int:
    """Read the lines of a block that ends in a newline and some zeros; how many there are.

    `columns` has for each cell of a line the number of its column, or -1; the rest is as for JSON lines.
    """
    at = row = clicks = 0
    begins, ends = scratch[0], scratch[1]
    while text[at] != 0:
        rows[row, FIRST], rows[row, USUAL], rows[row, SIZE] = at, LONG, 0
        if text[skip(text, at)] == NEWLINE:
            rows[row, USUAL] = EMPTY_LINE
        else:
            end = find_cells(text, at, delimiter, columns, begins, ends)
            if end >= 0:
                size, clicks, times[row] = read_cells(
                    text, begins, ends, documents, hashes[row], slots, moments, clicks
                )
                at = end
                if size >= 0:
                    rows[row, USUAL], rows[row, SIZE] = PLAIN, size
                    for place in range(OWN, scratch.shape[1]):
                        own[row, place - OWN, 0], own[row, place - OWN, 1] = begins[place], ends[place]
        while text[at] != NEWLINE:
            at += 1
        rows[row, LAST], rows[row, DONE] = at, clicks
        at += 1
        row += 1
    return row


class TableRows(LineRows):
    """The lines of a block of a table under its header; `columns` are further ones that are asked for."""

    def __init__(self, block: bytes, header: Sequence[str], delimiter: str, columns: Sequence[str] = ()) -> None:
        super().__init__(block, len(columns))
        self.header, self.delimiter = header, delimiter
        wanted = [*NAMES, *UNUSUAL, *(name.lower() for name in columns)]
        places = np.full(len(header), -1, np.int64)
        for cell, name in enumerate(header):
            if name in wanted and name not in header[cell + 1 :]:  # of several the last one counts
                places[cell] = wanted.index(name)
        scratch, documents = np.zeros((2, len(wanted)), np.int64), np.zeros(DOCUMENTS, np.uint64)
        if b"\0" not in block and is_utf8(block):
            found = (self.hashes, self.rows, self.times, self.own, self.slots, self.moments)
            text = np.frombuffer(block + bytes(8), np.uint8)
            read_table(text, ord(delimiter), places, scratch, documents, *found)
        else:
            self.rows[:, FIRST], self.rows[:, LAST] = line_ends(block)

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
