"""JSON lines read by compiled code: rows of the usual form straight into numbers and hashes.

A row that is anything but usual (escapes, nested values, times that are no plain numbers, credit, actions, clicks
without a place or twice) is left to those who read it the long way; so nothing here decides that a row is bad.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
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
from duelist.clicks.json_text import (
    BEGIN,
    BLANK,
    CLOSE,
    COLON,
    COMMA,
    END,
    NEWLINE,
    NULL,
    OPEN,
    QUOTE,
    Bytes,
    end_of_digits,
    end_of_scalar,
    end_of_text,
    end_of_value,
    is_solid,
    moment_of,
    skip,
    whole_number,
)
from duelist.core.compile import compiled, kernel
from duelist.core.hashes import EMPTY, Hashes, hash_bytes, mixed, text_hashes
from duelist.core.memory import Floats, Ints

DOCUMENTS = 256  # of a usual row, at most

# The columns of a row; those from CREDIT on make it unusual.
NAMES = ("id", "user", "query", "time", "shown", "rankers", "teams", "clicks", "click_times", "experiment")
UNUSUAL = ("credit", "clicked", "actions", "lost", "ranker")
ID, USER, QUERY, TIME, SHOWN, RANKERS, TEAMS, CLICKS, CLICK_TIMES, EXPERIMENT = range(len(NAMES))
CREDIT = len(NAMES)
OWN = CREDIT + len(UNUSUAL)  # columns from here on are asked for by whoever analyses


@kernel
def column_of(text: Bytes, begin: int, end: int, keys: Hashes) -> int:
    """The number of a column by its name; -1 for one that nobody asks for."""
    name = hash_bytes(text, begin, end)
    for place in range(keys.size):
        if keys[place] == name:
            return place
    return -1


@kernel
def find_values(text: Bytes, at: int, keys: Hashes, begins: Ints, ends: Ints) -> int:
    """Where the values of a row's columns begin and end (0 and 0: there is none); the end of the row, or -1."""
    begins[:] = 0
    ends[:] = 0
    at = skip(text, at + 1)
    if text[at] == END:
        return -1
    while True:
        if text[at] != QUOTE:
            return -1
        end = end_of_text(text, at + 1)
        if end < 0:
            return -1
        column = column_of(text, at + 1, end, keys)
        at = skip(text, end + 1)
        if text[at] != COLON:
            return -1
        at = skip(text, at + 1)
        end = end_of_value(text, at)
        if end < 0 or CREDIT <= column < OWN:
            return -1
        if column >= 0:
            if ends[column]:
                return -1
            if text[at] != NULL:  # which is nothing
                begins[column], ends[column] = at, end
        at = skip(text, end)
        if text[at] == END:
            at = skip(text, at + 1)
            return at if text[at] == NEWLINE else -1
        if text[at] != COMMA:
            return -1
        at = skip(text, at + 1)


@kernel
def documents_of(text: Bytes, at: int, found: Hashes) -> int:
    """Write the hashes of a list of documents; how many there are, -1 if one is blank, no text or comes twice."""
    size = 0
    at = skip(text, at + 1)
    while text[at] != CLOSE:
        if text[at] != QUOTE or size == found.size:
            return -1
        end = end_of_text(text, at + 1)
        if not is_solid(text, at + 1, end):
            return -1
        found[size] = hash_bytes(text, at + 1, end)
        if place_among(found, 0, size, found[size]) >= 0:
            return -1
        size += 1
        at = skip(text, end + 1)
        if text[at] == COMMA:
            at = skip(text, at + 1)
    return size


@kernel
def slots_of(text: Bytes, at: int, documents: Hashes, size: int, slots: Ints, begin: int) -> int:
    """Write the clicked slots from `begin` on; where they end, -1 if one has no place or comes twice."""
    end = begin
    at = skip(text, at + 1)
    while text[at] != CLOSE:
        slot = -1
        if text[at] == QUOTE:
            last = end_of_text(text, at + 1)
            name = hash_bytes(text, at + 1, last)
            slot = place_among(documents, 0, size, name)
            last += 1
        else:
            last = end_of_digits(text, at)
            if at < last < at + 9 and (text[last] == COMMA or text[last] == CLOSE or text[last] == BLANK):
                slot = whole_number(text, at, last)
        if not 0 <= slot < size:
            return -1
        if place_among(slots, begin, end, slot) >= 0:
            return -1
        slots[end] = slot
        end += 1
        at = skip(text, last)
        if text[at] == COMMA:
            at = skip(text, at + 1)
    return end


@kernel
def moments_into(text: Bytes, at: int, moments: Floats, begin: int, end: int) -> bool:
    """Write the times of the clicks from `begin` to `end`; whether there is one for each, or none at all."""
    at = skip(text, at + 1)
    if text[at] == CLOSE:
        return True
    for place in range(begin, end):
        last = end_of_scalar(text, at)
        moments[place] = moment_of(text, at, last)
        if moments[place] < 0:
            return False
        at = skip(text, last)
        if text[at] == COMMA:
            at = skip(text, at + 1)
        elif place < end - 1:
            return False
    return bool(text[at] == CLOSE)


@kernel
def is_blank(text: Bytes, begin: int, end: int) -> bool:
    """Whether there is a text that is not empty and perhaps blank: no name."""
    return bool(end > begin + 2 and text[begin] == QUOTE and not is_solid(text, begin + 1, end - 1))


@kernel
def own_hash(text: Bytes, begin: int, end: int) -> np.uint64:
    """The hash of a text between its quotes; that of nothing where there is none."""
    return hash_bytes(text, begin + 1, end - 1) if end else hash_bytes(text, 0, 0)


@kernel
def id_of(text: Bytes, begin: int, end: int, experiment: np.uint64) -> np.uint64:
    """The hash of an id with its experiment; EMPTY for a row without one."""
    if not end or (text[begin] == QUOTE and end == begin + 2):
        return EMPTY
    if text[begin] == QUOTE:
        return mixed(experiment, hash_bytes(text, begin + 1, end - 1))
    return mixed(experiment, hash_bytes(text, begin, end))


@kernel
def read_row(
    text: Bytes,
    begins: Ints,
    ends: Ints,
    documents: Hashes,
    hashes: Hashes,
    slots: Ints,
    moments: Floats,
    begin: int,
) -> tuple[int, int, float]:
    """Hashes of a row whose values were found: its documents, where its clicks end and its time; -1 if unusual."""
    for column in (USER, QUERY, EXPERIMENT):
        if ends[column] and text[begins[column]] != QUOTE:
            return -1, begin, 0.0
    for column in (SHOWN, RANKERS, TEAMS, CLICKS, CLICK_TIMES):
        if ends[column] and text[begins[column]] != OPEN:
            return -1, begin, 0.0
    if ends[ID] and text[begins[ID]] != QUOTE and end_of_digits(text, begins[ID]) != ends[ID]:
        return -1, begin, 0.0
    for column in (ID, QUERY, EXPERIMENT):
        if is_blank(text, begins[column], ends[column]):
            return -1, begin, 0.0
    if not ends[SHOWN] or not ends[USER] or not is_solid(text, begins[USER] + 1, ends[USER] - 1):
        return -1, begin, 0.0
    time = moment_of(text, begins[TIME], ends[TIME]) if ends[TIME] else 0.0
    size = documents_of(text, begins[SHOWN], documents)
    if size < 0 or time < 0:
        return -1, begin, 0.0
    end = slots_of(text, begins[CLICKS], documents, size, slots, begin) if ends[CLICKS] else begin
    if end < 0:
        return -1, begin, 0.0
    moments[begin:end] = np.nan
    if ends[CLICK_TIMES] and not moments_into(text, begins[CLICK_TIMES], moments, begin, end):
        return -1, begin, 0.0
    experiment = own_hash(text, begins[EXPERIMENT], ends[EXPERIMENT])
    hashes[IDS] = id_of(text, begins[ID], ends[ID], experiment)
    hashes[USERS] = own_hash(text, begins[USER], ends[USER])
    hashes[QUERIES] = own_hash(text, begins[QUERY], ends[QUERY])
    hashes[DOCS] = hash_of_all(documents, size)
    lists = mixed(hash_bytes(text, begins[RANKERS], ends[RANKERS]), hash_bytes(text, begins[TEAMS], ends[TEAMS]))
    hashes[KINDS] = mixed(mixed(lists, experiment), np.uint64(size))
    return size, end, time


@compiled
def read_rows(
    text: Bytes,
    keys: Hashes,
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

    `hashes`, `rows` and `times` have an entry a line, `slots` and `moments` one a click; `own` has where the values of
    further columns begin and end.
    """
    at = row = clicks = 0
    begins, ends = scratch[0], scratch[1]
    while text[at] != 0:
        first = at
        at = skip(text, at)
        rows[row, FIRST], rows[row, USUAL], rows[row, SIZE] = first, LONG, 0
        if text[at] == NEWLINE:
            rows[row, USUAL] = EMPTY_LINE
        elif text[at] == BEGIN:
            end = find_values(text, at, keys, begins, ends)
            if end >= 0:
                size, clicks, times[row] = read_row(text, begins, ends, documents, hashes[row], slots, moments, clicks)
                at = end
                if size >= 0:
                    rows[row, USUAL], rows[row, SIZE] = PLAIN, size
                    for place in range(OWN, keys.size):
                        own[row, place - OWN, 0], own[row, place - OWN, 1] = begins[place], ends[place]
        while text[at] != NEWLINE:
            at += 1
        rows[row, LAST], rows[row, DONE] = at, clicks
        at += 1
        row += 1
    return row


class JsonRows(LineRows):
    """The lines of a block: which were read, and what was found in them."""

    def __init__(self, block: bytes, columns: Sequence[str]) -> None:
        super().__init__(block, len(columns))
        keys = text_hashes([*NAMES, *UNUSUAL, *columns])
        scratch, documents = np.zeros((2, len(keys)), np.int64), np.zeros(DOCUMENTS, np.uint64)
        if b"\0" not in block and is_utf8(block):
            text = np.frombuffer(block + bytes(8), np.uint8)
            found = (self.hashes, self.rows, self.times, self.own, self.slots, self.moments)
            read_rows(text, keys, scratch, documents, *found)
        else:
            self.rows[:, FIRST], self.rows[:, LAST] = line_ends(block)

    def row(self, place: int) -> dict[str, Any]:
        """A row as a mapping."""
        found: dict[str, Any] = msgspec.json.decode(self.line(place))
        return found

    def value(self, place: int, column: int) -> Any:
        """The value of a further column that was asked for."""
        written = self.own_text(place, column)
        return None if written is None else msgspec.json.decode(written)
